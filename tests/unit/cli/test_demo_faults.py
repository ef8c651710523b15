from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from cli.demo.session import fault_of
from ipc.outcome import Outcome, Token
from ipc.scheduler_messages import JobState
from ipc.subject import GLOBAL, JobKey

STILL = datetime(2026, 6, 9, 12, tzinfo=UTC)
KEY = JobKey("global.server_status", GLOBAL)
SPENT = Outcome(Token.FAILED, 0, "the limit is spent")
AFTER, BEFORE = STILL + timedelta(seconds=1), STILL - timedelta(seconds=1)


@pytest.mark.parametrize(
    ("state", "fault"),
    [
        ({}, f"{KEY} never ran"),
        ({"outcome": Outcome(Token.SYNCED)}, ""),
        ({"outcome": Outcome(Token.EMPTY)}, ""),
        ({"outcome": Outcome(Token.BLOCKED, 0, "no")}, f"{KEY} ended with blocked: no"),
        # It waits for ESI, and has seen the universe as it stands.
        ({"outcome": SPENT, "last_success_at": AFTER}, ""),
        (
            {"outcome": SPENT, "last_success_at": BEFORE},
            f"{KEY} ended with failed: the limit is spent",
        ),
        ({"outcome": SPENT}, f"{KEY} ended with failed: the limit is spent"),
        (
            {"outcome": SPENT, "last_success_at": AFTER, "failures": 1},
            f"{KEY} ended with failed: the limit is spent",
        ),
    ],
)
def test_what_did_not_go_well(state: dict[str, Any], fault: str) -> None:
    assert fault_of(JobState(KEY, **state), STILL) == fault
