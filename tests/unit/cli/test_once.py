from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import msgspec
import pytest

from cli.once import Watch, is_idle, unfinished
from ipc.control_messages import DaemonState
from ipc.events import Event, Failed, Finished, Heartbeat
from ipc.outcome import Outcome, Token
from ipc.scheduler_messages import JobState, Summary
from ipc.subject import GLOBAL, JobKey
from tests.unit.cli.fake_supervisor import WELL

NOW = datetime(2026, 6, 9, 12, tzinfo=UTC)
KEY = JobKey("global.server_status", GLOBAL)
RAN = JobState(KEY, Outcome(Token.SYNCED), next_run_at=NOW + timedelta(seconds=60))


def with_summary(**fields: Any) -> DaemonState:
    return msgspec.structs.replace(WELL, summary=Summary(**fields))


QUIET = with_summary(entries=1)


def test_a_daemon_whose_jobs_all_ran_is_idle() -> None:
    assert is_idle(QUIET, [RAN], NOW)


@pytest.mark.parametrize(
    "state",
    [
        with_summary(entries=0),
        with_summary(entries=1, due=1),
        with_summary(entries=1, in_flight=1),
        msgspec.structs.replace(WELL, summary=None),
    ],
)
def test_what_the_summary_says_keeps_it_busy(state: DaemonState) -> None:
    assert not is_idle(state, [RAN], NOW)


@pytest.mark.parametrize(
    ("change", "idle"),
    [
        ({"outcome": None}, False),
        # Its subject has no profile yet, and that has had its run.
        ({"outcome": None, "next_run_at": None}, True),
        ({"outcome": None, "next_run_at": None, "in_flight": True}, False),
        ({"in_flight": True}, False),
        ({"next_run_at": NOW}, False),
        ({"next_run_at": None}, True),
        ({"outcome": None, "parked_reason": "needs a login"}, True),
        ({"outcome": Outcome(Token.FAILED)}, True),
    ],
)
def test_each_job_keeps_it_busy_until_it_ran(change: dict[str, Any], idle: bool) -> None:
    assert is_idle(QUIET, [msgspec.structs.replace(RAN, **change)], NOW) is idle


def test_the_last_end_of_a_job_counts() -> None:
    told: list[Event] = []
    watch = Watch(told.append)
    watch.take(Heartbeat(NOW, 0, 0, 0))
    watch.take(Failed(NOW, KEY, "no answer", 1))
    assert watch.failed == {KEY: "no answer"}
    watch.take(Finished(NOW, KEY, Outcome(Token.SYNCED), 0.1))
    assert watch.failed == {}
    watch.take(Finished(NOW, KEY, Outcome(Token.FAILED, 0, "bad"), 0.1))
    assert watch.failed == {KEY: "bad"}
    assert watch.ended == len(told) == 3


def test_what_another_run_would_add_is_told() -> None:
    spent = msgspec.structs.replace(RAN, outcome=Outcome(Token.FAILED, 0, "the limit is spent"))
    fails = msgspec.structs.replace(spent, failures=1)
    more = msgspec.structs.replace(RAN, outcome=Outcome(Token.SYNCED, 9, to_fetch=40))
    assert unfinished([RAN, fails]) == []
    assert unfinished([RAN, spent, more, more]) == [
        "1 job waits for ESI's limits: run it again later",
        "2 jobs have more to fetch: run it again",
    ]
