"""Streaks that outlive a scheduler, and answers that are not asked for before they can change."""

from __future__ import annotations

import pytest

from engine.jitter import FAILURE_SHARE
from ipc.clock import SystemClock
from ipc.commands import Restart, RunNow
from ipc.subject import Subject, SubjectType
from tests.daemon.house import House

pytestmark = pytest.mark.process

FIRST = 90_000_001


def test_a_failure_streak_outlives_the_scheduler(house: House) -> None:
    house.eve.fault(path=f"/characters/{FIRST}/skills", status=500)
    first = house.run()
    streak = house.until(
        "two failures in a row",
        lambda: (
            (row := house.job("character.skills", FIRST))
            and row["consecutive_failures"] >= 2
            and row
        ),
    )
    house.kill(first.scheduler_pid)
    known = house.job("character.skills", FIRST)
    assert known["consecutive_failures"] >= streak["consecutive_failures"]
    house.ready(generation=2)
    again = house.until(
        "the next failure",
        lambda: (
            (row := house.job("character.skills", FIRST))["last_attempt_at"]
            > known["last_attempt_at"]
            and row
        ),
    )
    assert again["consecutive_failures"] == known["consecutive_failures"] + 1
    waits_s = (again["next_eligible_at"] - again["last_attempt_at"]).total_seconds()
    wait_s = 2.0 ** again["consecutive_failures"]
    assert wait_s - 0.1 <= waits_s <= wait_s * (1 + FAILURE_SHARE) + 0.1


def test_nothing_is_asked_again_before_it_can_have_changed(house: House) -> None:
    """Neither the interval, nor a restart, nor run-now makes a request for what is fresh."""
    house.eve.fault(path="/status", headers={"Cache-Control": "max-age=600", "Expires": ""})
    house.run()
    first_at = house.synced("global.server_status")
    row = house.job("global.server_status")
    asked = _asked(house)
    assert asked == 1
    house.ask(Restart())
    house.ready(generation=2)
    house.ask(RunNow(Subject(SubjectType.GLOBAL, 0), "global.server_status"))
    again_at = house.synced("global.server_status", after=first_at)
    assert again_at <= SystemClock().now()
    assert house.job("global.server_status")["outcome"] == "synced"
    assert row["last_success_at"] == first_at
    assert _asked(house) == 1


def _asked(house: House) -> int:
    last = house.eve.requests(last=5000)["last"]
    assert isinstance(last, list)
    return sum(one["path"] == "/status" and one["service"] == "esi" for one in last)
