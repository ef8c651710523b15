"""Whose turn it is: a crowd that is loaded for the first time holds up nobody else."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection

from engine.downtime import STATUS_KIND
from engine.entry import Again, Entry
from engine.lanes import Lane, lane_of, most_global, next_lane
from engine.schedule import Schedule
from ipc.outcome import Outcome, Token, Transient
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.catalog import Catalog
from tests.unit.engine.engine_kinds import (
    NET_WORTH,
    ONE,
    PRICES,
    PROFILE,
    RUN,
    SKILLS,
    WALLET,
    enroll,
    key,
    kind,
)
from tests.unit.engine.engine_rig import know, log_in, open_rig

STATUS = kind(STATUS_KIND, every_s=60)
STATUS_LANE, GLOBAL_LANE, AGAIN, FIRST = Lane


@pytest.mark.parametrize(
    ("due", "last", "full", "turn"),
    [
        ({FIRST}, FIRST, False, FIRST),
        ({AGAIN}, AGAIN, False, AGAIN),
        ({AGAIN, FIRST}, FIRST, False, AGAIN),
        ({AGAIN, FIRST}, AGAIN, False, FIRST),
        ({GLOBAL_LANE, AGAIN, FIRST}, FIRST, False, GLOBAL_LANE),
        ({GLOBAL_LANE, AGAIN, FIRST}, FIRST, True, AGAIN),
        ({GLOBAL_LANE, FIRST}, FIRST, True, FIRST),
        ({GLOBAL_LANE}, FIRST, True, GLOBAL_LANE),
        ({STATUS_LANE, GLOBAL_LANE, AGAIN, FIRST}, AGAIN, False, STATUS_LANE),
        ({STATUS_LANE, FIRST}, AGAIN, True, STATUS_LANE),
    ],
)
def test_whose_turn_it_is(due: set[Lane], last: Lane, full: bool, turn: Lane) -> None:
    assert next_lane(due, last=last, globals_full=full) is turn


@given(st.sets(st.sampled_from(Lane), min_size=1), st.sampled_from([AGAIN, FIRST]), st.booleans())
def test_the_turn_is_of_one_that_is_due(due: set[Lane], last: Lane, full: bool) -> None:
    assert next_lane(due, last=last, globals_full=full) in due


def test_where_a_job_waits() -> None:
    assert lane_of(key(STATUS), succeeded=False) is STATUS_LANE
    assert lane_of(key(PRICES), succeeded=True) is GLOBAL_LANE
    assert lane_of(key(WALLET), succeeded=True) is AGAIN
    assert lane_of(key(WALLET), succeeded=False) is FIRST


@pytest.mark.parametrize(("slots", "most"), [(32, 8), (4, 1), (1, 1)])
def test_global_jobs_may_fill_a_quarter_of_the_slots(slots: int, most: int) -> None:
    assert most_global(slots) == most


def crowd(schedule: Schedule, size: int) -> None:
    """Enroll new characters, all of whose jobs have been due for long."""
    for number in range(size):
        subject = Subject(SubjectType.CHARACTER, 91_000_000 + number)
        for of in (PROFILE, WALLET, SKILLS):
            enroll(schedule, 0.0, subject, of)


def starts(schedule: Schedule, now_s: float, slots: int) -> Iterator[Entry]:
    """Start what is due, and end the oldest as soon as all slots are taken."""
    flying: list[Entry] = []
    while (entry := schedule.take(now_s)) is not None:
        yield entry
        flying.append(entry)
        if len(flying) == slots:
            schedule.end(flying.pop(0), now_s, now_s + 3600, Again.NO)


def test_the_first_load_of_a_thousand_characters_holds_up_nothing_else() -> None:
    schedule = Schedule(most_global(32))
    crowd(schedule, 1_000)
    enroll(schedule, 60.0, GLOBAL, STATUS)
    for of in (PRICES, NET_WORTH):
        enroll(schedule, 50.0, GLOBAL, of)
    old = [
        schedule.enroll(
            JobKey(WALLET.name, Subject(SubjectType.CHARACTER, 90_000_000 + number)),
            WALLET, RUN, 55.0, succeeded=True,
        )
        for number in range(100)
    ]  # fmt: skip

    order = list(starts(schedule, 60.0, 32))

    assert [entry.key.kind for entry in order[:3]] == [STATUS.name, PRICES.name, NET_WORTH.name]
    places = [order.index(entry) for entry in old if entry is not None]
    assert max(places) < 3 + 2 * len(old)
    # And the crowd had every other turn meanwhile.
    assert sum(entry.lane is FIRST for entry in order[: max(places)]) >= len(old) - 1
    assert len(order) == 3_103


def test_what_has_been_there_does_not_hold_up_a_first_load_either() -> None:
    schedule = Schedule()
    for number in range(500):
        subject = Subject(SubjectType.CHARACTER, 90_000_000 + number)
        schedule.enroll(JobKey(WALLET.name, subject), WALLET, RUN, 0.0, succeeded=True)
    new = enroll(schedule, 10.0, Subject(SubjectType.CHARACTER, 91_000_000))

    assert list(starts(schedule, 20.0, 32)).index(new) <= 1


def test_global_jobs_leave_room_for_others() -> None:
    schedule = Schedule(1)
    crowd(schedule, 2)
    for of in (PRICES, NET_WORTH):
        enroll(schedule, 0.0, GLOBAL, of)

    order = []
    while (entry := schedule.take(1.0)) is not None:
        order.append(entry.lane)

    assert order == [GLOBAL_LANE, *[FIRST] * 6, GLOBAL_LANE]


def test_a_job_that_succeeded_waits_among_its_like_the_next_time() -> None:
    schedule = Schedule()
    entry = enroll(schedule, 0.0)
    assert schedule.take(0.0) is entry
    schedule.note_success(entry)
    schedule.end(entry, 0.0, 10.0, Again.NO)
    crowd(schedule, 10)

    assert schedule.take(20.0) is entry


async def test_the_state_of_the_server_is_asked_while_a_thousand_are_loaded(
    tmp_path: Path, empty_database: Path
) -> None:
    """Of the engine: 1,000 characters that have never been loaded, four slots, all taken."""
    numbers = range(91_000_000, 91_001_000)

    def prepare(connection: Connection) -> None:
        for number in numbers:
            log_in(connection, number)
        know(connection, *numbers)

    catalog = Catalog([PROFILE, WALLET, SKILLS, STATUS, PRICES])
    async with open_rig(
        tmp_path / "lanes.db", empty_database, [prepare], catalog=catalog, slots=4
    ) as rig:
        assert {STATUS.name, PRICES.name} <= rig.kinds()
        await rig.end(STATUS)
        await rig.end(PRICES)
        assert rig.engine.status.summary().due > 900
        for _ in range(3):
            await rig.advance(61)
            assert not rig.running(STATUS)
            await rig.end(rig.running()[0])
            await rig.end(STATUS)
            assert not rig.running(PRICES)


async def test_one_that_failed_first_is_still_loaded_for_the_first_time(
    tmp_path: Path, empty_database: Path
) -> None:
    catalog = Catalog([PROFILE, WALLET])
    prepare: list[Callable[[Connection], object]] = [log_in, know]
    async with open_rig(tmp_path / "lanes.db", empty_database, prepare, catalog=catalog) as rig:
        entry = rig.engine.schedule.get(key(WALLET, ONE))
        assert entry is not None
        await rig.end(WALLET, Outcome(Token.FAILED, reason="502"), Transient())
        assert entry.lane is FIRST
        await rig.advance(10)
        await rig.end(WALLET)
        assert entry.lane is AGAIN
    async with open_rig(tmp_path / "lanes.db", empty_database, catalog=catalog) as rig:
        known = rig.engine.schedule.get(key(WALLET, ONE))
        assert known is not None
        assert known.lane is AGAIN
