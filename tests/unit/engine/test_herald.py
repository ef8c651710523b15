"""What the log is told of failing jobs."""

from __future__ import annotations

import logging
from pathlib import Path

import pytest

from engine.entry import Entry
from engine.herald import NAMED, WINDOW_S, Herald
from engine.schedule import Schedule
from ipc.outcome import NeedsLogin, Outcome, Token, Transient
from ipc.subject import Subject, SubjectType
from tests.clocks import ManualClock
from tests.unit.engine.engine_kinds import NOW, SKILLS, WALLET, enroll
from tests.unit.engine.engine_rig import know, log_in, open_rig

NAME = "character.wallet of character:90000001"


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


@pytest.fixture
def herald(clock: ManualClock, caplog: pytest.LogCaptureFixture) -> Herald:
    caplog.set_level(logging.INFO, "engine.herald")
    return Herald(clock)


def jobs(count: int) -> list[Entry]:
    schedule = Schedule()
    return [
        enroll(schedule, 0.0, Subject(SubjectType.CHARACTER, 90_000_001 + each))
        for each in range(count)
    ]


def said(caplog: pytest.LogCaptureFixture) -> list[tuple[str, str]]:
    return [(record.levelname, record.getMessage()) for record in caplog.records]


def test_the_first_failure_of_a_streak_and_its_end_are_told(
    herald: Herald, caplog: pytest.LogCaptureFixture
) -> None:
    (entry,) = jobs(1)
    for before in range(3):
        herald.failed(entry, "ESI answered 502", before, 2.0)
    herald.well(entry, 3)
    herald.well(entry, 0)
    fails = ("WARNING", f"{NAME} fails: ESI answered 502; tried again in 2 s")
    well = ("INFO", f"{NAME} is well again")
    assert said(caplog) == [fails, well]
    herald.failed(entry, "ESI answered 502", 0, 2.0)
    assert said(caplog) == [fails, well, fails]


def test_a_streak_that_a_person_cut_short_is_told_once(
    herald: Herald, caplog: pytest.LogCaptureFixture
) -> None:
    (entry,) = jobs(1)
    herald.failed(entry, "ESI answered 502", 0, 2.0)
    # Run now clears it.
    herald.failed(entry, "ESI answered 502", 0, 2.0)
    assert len(said(caplog)) == 1


def test_a_streak_of_an_earlier_scheduler_is_not_told_again_but_its_end_is(
    herald: Herald, caplog: pytest.LogCaptureFixture
) -> None:
    (entry,) = jobs(1)
    herald.failed(entry, "ESI answered 502", 7, 300.0)
    herald.well(entry, 8)
    assert said(caplog) == [("INFO", f"{NAME} is well again")]


def test_a_park_is_told_once_until_the_job_is_well(
    herald: Herald, caplog: pytest.LogCaptureFixture
) -> None:
    (entry,) = jobs(1)
    for _ in range(2):
        herald.parked(entry, "log in again")
    # A login has cleared the streak.
    herald.well(entry, 0)
    assert said(caplog) == [
        ("WARNING", f"{NAME} is parked: log in again"),
        ("INFO", f"{NAME} is well again"),
    ]


def test_of_very_many_a_few_are_named_and_the_others_counted_once_the_minute_is_over(
    herald: Herald, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    many = jobs(1000)
    for entry in many:
        herald.failed(entry, "no route to ESI", 0, 2.0)
    assert len(said(caplog)) == NAMED
    clock.advance(WINDOW_S - 1)
    herald.tick()
    assert len(said(caplog)) == NAMED
    clock.advance(1)
    herald.tick()
    herald.tick()
    assert said(caplog)[NAMED:] == [
        ("WARNING", f"{1000 - NAMED} more jobs began to fail; `esisyncd status` shows them")
    ]
    caplog.clear()
    for entry in many:
        herald.well(entry, 1)
    assert len(said(caplog)) == NAMED
    clock.advance(WINDOW_S)
    herald.tick()
    assert said(caplog)[NAMED:] == [("INFO", f"{1000 - NAMED} more jobs are well again")]


def test_the_next_minute_names_again(
    herald: Herald, clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    for entry in jobs(NAMED):
        herald.failed(entry, "no route to ESI", 0, 2.0)
    clock.advance(WINDOW_S)
    for entry in jobs(NAMED):
        herald.failed(entry, "no route to ESI", 0, 2.0)
    assert len(said(caplog)) == 2 * NAMED


def test_jobs_that_left_are_forgotten(herald: Herald, clock: ManualClock) -> None:
    left, other = jobs(2)
    herald.failed(left, "x", 0, 2.0)
    herald.parked(left, "x")
    left.gone = True
    clock.advance(WINDOW_S)
    herald.failed(other, "x", 0, 2.0)
    assert (herald.ill, herald._parked) == ({other}, set())


async def test_the_engine_tells_of_failing_jobs_and_of_no_run(
    tmp_path: Path, empty_database: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO, "engine.herald")
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as rig:
        for delay_s in (2, 4):
            failed = Outcome(Token.FAILED, reason="ESI answered 502")
            await rig.end(WALLET, failed, Transient())
            await rig.advance(delay_s)
        await rig.end(WALLET)
        await rig.end(SKILLS, Outcome(Token.FAILED, reason="log in again"), NeedsLogin(1, 0))
        told = [record for record in caplog.records if record.name == "engine.herald"]
        assert [record.getMessage() for record in told] == [
            f"{NAME} fails: ESI answered 502; tried again in 2 s",
            f"{NAME} is well again",
            f"{SKILLS.name} of character:90000001 is parked: log in again",
        ]
