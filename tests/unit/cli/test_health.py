from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import msgspec
import pytest

from cli.health import assess
from ipc.control_messages import DaemonState
from ipc.exits import Exit
from ipc.scheduler_messages import Summary, WorkerState
from ipc.subject import Subject, SubjectType
from tests.unit.cli.fake_supervisor import WELL


def changed(**fields: Any) -> DaemonState:
    return msgspec.structs.replace(WELL, **fields)


def with_summary(**fields: Any) -> DaemonState:
    assert WELL.summary is not None
    return changed(summary=msgspec.structs.replace(WELL.summary, **fields))


def test_all_is_well() -> None:
    health = assess(WELL)
    assert (health.exit_code, health.findings, health.word) == (Exit.OK, (), "well")


def test_a_pause_that_esi_asked_for_is_no_finding() -> None:
    state = with_summary(paused_until=datetime(2026, 6, 9, tzinfo=UTC), pause_reason="420")
    assert assess(state).exit_code == Exit.OK


def test_parked_has_a_code_of_its_own() -> None:
    health = assess(changed(scheduler_state="parked", trouble="schema is newer", summary=None))
    assert (health.exit_code, health.word) == (Exit.GAVE_UP, "parked")
    assert "schema is newer" in health.findings[0]


@pytest.mark.parametrize(
    ("state", "word"),
    [
        (changed(scheduler_state="starting"), "starting"),
        (changed(scheduler_state="stopping"), "stopping"),
        (changed(scheduler_state="backoff", next_start_s=3.0, trouble="killed"), "3s: killed"),
        (changed(trouble="[engine]: unknown key"), "unknown key"),
        (changed(heartbeat_age_s=11.0), "silent for 11s"),
        (with_summary(database_trouble="disk full"), "disk full"),
        (with_summary(database_trouble="x", database_trouble_s=90.0), "used for 1m30s: x"),
        (with_summary(sso_trouble="SSO does not take the client"), "does not take the client"),
        (with_summary(workers=(WorkerState(1, 9, "starting", 0),)), "1 worker is not ready"),
        (with_summary(failing=2), "2 jobs fail"),
        (with_summary(parked=1), "1 job is parked"),
        (with_summary(needs_login=(Subject(SubjectType.CHARACTER, 9),)), "character:9"),
        (with_summary(outbox={"uncertain": 1, "pending": 5}), "1 write arrived"),
    ],
)
def test_what_needs_a_look_is_said_and_degrades(state: DaemonState, word: str) -> None:
    health = assess(state)
    assert health.exit_code == Exit.FAILURE
    assert len(health.findings) == 1
    assert word in health.findings[0]


def test_a_daemon_without_a_summary_yet_can_be_told() -> None:
    assert assess(changed(summary=None)).exit_code == Exit.OK
    assert assess(changed(summary=Summary())).exit_code == Exit.OK
