"""The schedule: order, marks of entries in flight, parks, and the price of an operation."""

from __future__ import annotations

import random
from datetime import UTC, datetime

import msgspec
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.entry import Again, Entry, State
from engine.grants import Plan, Verdict
from engine.schedule import Schedule
from ipc.outcome import Token
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store.ledger import LedgerRow
from tests.unit.engine.engine_kinds import ONE, PROFILE, RUN, SKILLS, TWO, WALLET, enroll

NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture
def schedule() -> Schedule:
    """An empty schedule."""
    return Schedule()


def drained(schedule: Schedule, now_s: float) -> list[Entry]:
    """Take everything that is due."""
    taken = []
    while (entry := schedule.take(now_s)) is not None:
        taken.append(entry)
    return taken


def test_the_longest_overdue_goes_first(schedule: Schedule) -> None:
    late = enroll(schedule, 30.0, TWO)
    early = enroll(schedule, 10.0, ONE)
    middle = enroll(schedule, 20.0, ONE, SKILLS)
    assert drained(schedule, 100.0) == [early, middle, late]


def test_run_now_goes_before_the_longest_overdue(schedule: Schedule) -> None:
    overdue = enroll(schedule, 1.0, ONE)
    asked = enroll(schedule, 5000.0, TWO)
    schedule.run_now(asked, 100.0)
    assert drained(schedule, 100.0) == [asked, overdue]


def test_nothing_is_taken_before_its_time(schedule: Schedule) -> None:
    enroll(schedule, 10.0)
    assert schedule.take(9.999) is None
    assert schedule.next_due_s() == 10.0


def test_enrolling_again_changes_nothing(schedule: Schedule) -> None:
    entry = enroll(schedule, 10.0)
    assert schedule.enroll(entry.key, WALLET, RUN, 99.0) is None
    assert schedule.entries == 1
    assert schedule.next_due_s() == 10.0


def test_a_job_in_flight_is_not_taken_twice(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    assert schedule.take(1.0) is entry
    assert schedule.take(1e9) is None
    assert schedule.next_due_s() is None
    assert schedule.in_flight == 1


@pytest.mark.parametrize("ask", ["trigger", "run_now"])
def test_what_asks_for_a_job_in_flight_is_remembered_once(schedule: Schedule, ask: str) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(1.0)
    for _ in range(3):
        if ask == "trigger":
            schedule.make_due(entry, 1.0)
        else:
            schedule.run_now(entry, 1.0)
    schedule.end(entry, 2.0, 3602.0, Again.TRIGGER)
    assert schedule.take(2.0) is entry
    schedule.end(entry, 3.0, 3603.0, Again.TRIGGER)
    assert schedule.take(3.0) is None


def test_a_trigger_does_not_cut_the_backoff_of_the_run_it_met(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(1.0)
    schedule.make_due(entry, 1.0)
    schedule.end(entry, 2.0, 12.0, Again.RUN_NOW)
    assert schedule.next_due_s() == 12.0


def test_a_wait_that_the_server_asked_for_comes_before_all_wishes(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(1.0)
    schedule.run_now(entry, 1.0)
    entry.not_before_s = 60.0
    schedule.end(entry, 2.0, 60.0, Again.NO)
    schedule.make_due(entry, 3.0)
    assert schedule.next_due_s() == 60.0


def test_a_trigger_brings_a_job_forward_and_never_back(schedule: Schedule) -> None:
    entry = enroll(schedule, 50.0)
    schedule.make_due(entry, 90.0)
    assert schedule.next_due_s() == 50.0
    schedule.make_due(entry, 20.0)
    assert schedule.next_due_s() == 20.0


def test_a_parked_job_waits_for_run_now_and_for_nothing_else(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(1.0)
    assert schedule.park(entry, "poison", None)
    schedule.make_due(entry, 2.0)
    assert schedule.take(1e9) is None
    assert (schedule.parked, schedule.in_flight, entry.parked_reason) == (1, 0, "poison")
    schedule.set_failures(entry, 3)
    entry.strikes = 3
    schedule.run_now(entry, 5.0)
    assert schedule.take(5.0) is entry
    assert (schedule.parked, entry.parked_reason, entry.failures, entry.strikes) == (0, "", 0, 0)


def test_run_now_in_flight_is_stronger_than_the_park_at_its_end(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(1.0)
    schedule.run_now(entry, 1.5)
    assert not schedule.park(entry, "flagged", 4)
    schedule.end(entry, 2.0, 2.0, Again.RUN_NOW)
    assert schedule.take(2.0) is entry


def test_a_deferred_job_waits_for_its_parent_run_now_or_not(schedule: Schedule) -> None:
    profile = enroll(schedule, 0.0, ONE, PROFILE)
    wallet = enroll(schedule, 0.0, ONE, WALLET)
    skills = enroll(schedule, 0.0, ONE, SKILLS)
    for entry in (wallet, skills):
        schedule.defer(entry)
        schedule.run_now(entry, 1.0)
    assert drained(schedule, 10.0) == [profile]
    assert schedule.release(ONE, 11.0) == 2
    assert set(drained(schedule, 11.0)) == {wallet, skills}


def test_a_withdrawn_subject_leaves_and_what_flies_goes_when_it_ends(schedule: Schedule) -> None:
    flying = enroll(schedule, 0.0, ONE, WALLET)
    enroll(schedule, 50.0, ONE, SKILLS)
    other = enroll(schedule, 60.0, TWO)
    schedule.take(1.0)
    assert schedule.withdraw(ONE) == [flying]
    assert schedule.entries == 2
    schedule.make_due(flying, 1.0)
    schedule.end(flying, 2.0, 3.0, Again.TRIGGER)
    assert schedule.entries == 1
    assert schedule.get(flying.key) is None
    assert drained(schedule, 1e9) == [other]
    assert list(schedule.subjects()) == [TWO]


def test_a_job_enrolled_again_while_it_leaves_stays(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(1.0)
    schedule.remove(entry)
    assert schedule.enroll(entry.key, WALLET, RUN, 5.0) is None
    schedule.end(entry, 2.0, 9.0, Again.TRIGGER)
    assert schedule.next_due_s() == 9.0


def test_a_job_enrolled_again_while_it_leaves_runs_next_as_it_may_now(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(0.0)
    schedule.remove(entry)
    plan = Plan(Verdict.RUN, credentials=(7,))
    assert schedule.enroll(entry.key, entry.kind, plan, 0.0) is None
    assert entry.plan is plan


def test_a_held_job_that_was_withdrawn_is_not_brought_back(schedule: Schedule) -> None:
    entry = enroll(schedule, 0.0)
    schedule.take(1.0)
    schedule.hold(entry)
    schedule.withdraw(ONE)
    schedule.release_held(entry)
    assert schedule.take(1e9) is None
    assert (schedule.entries, schedule.in_flight) == (0, 0)


def test_a_held_job_comes_back_at_its_old_place(schedule: Schedule) -> None:
    first = enroll(schedule, 1.0, ONE)
    second = enroll(schedule, 2.0, TWO)
    assert schedule.take(5.0) is first
    schedule.hold(first)
    assert schedule.in_flight == 0
    schedule.release_held(first)
    assert drained(schedule, 5.0) == [first, second]


def test_rows_left_out_are_those_of_the_last_runs(schedule: Schedule) -> None:
    entry, other = enroll(schedule, 0.0, ONE), enroll(schedule, 0.0, TWO)

    def row(entry: Entry, skipped: int) -> LedgerRow:
        return LedgerRow(
            key=entry.key, token=Token.SYNCED, last_attempt_at=NOW, rows_skipped=skipped
        )

    schedule.set_row(entry, row(entry, 2))
    schedule.set_row(other, row(other, 3))
    schedule.set_row(entry, row(entry, 1))
    assert schedule.rows_skipped == 4
    schedule.set_row(other, msgspec.structs.replace(row(other, 0), words_unknown=3))
    assert (schedule.rows_skipped, schedule.words_unknown) == (1, 3)
    schedule.set_row(other, None)
    assert schedule.words_unknown == 0
    schedule.set_row(entry, None)
    schedule.withdraw(TWO)
    assert schedule.rows_skipped == 0


def test_streaks_are_counted_by_job(schedule: Schedule) -> None:
    entry, other = enroll(schedule, 0.0, ONE), enroll(schedule, 0.0, TWO)
    schedule.set_failures(entry, 1)
    schedule.set_failures(entry, 2)
    schedule.set_failures(other, 1)
    assert schedule.failing == 2
    schedule.set_failures(entry, 0)
    schedule.withdraw(TWO)
    assert schedule.failing == 0


def test_due_jobs_are_counted_without_walking_the_rest(schedule: Schedule) -> None:
    for number in range(200):
        enroll(schedule, float(number), Subject(SubjectType.CHARACTER, number + 1))
    assert schedule.count_due(49.5) == 50
    moved = schedule.get(JobKey(WALLET.name, Subject(SubjectType.CHARACTER, 1)))
    assert moved is not None
    schedule.move(moved, 500.0)
    assert schedule.count_due(49.5) == 49


def test_places_left_behind_are_swept_out(schedule: Schedule) -> None:
    entry = enroll(schedule, 1e6)
    for step in range(5_000):
        schedule.move(entry, 1e6 - step)
    assert sum(len(places.heap) for places in schedule._lanes) < 2_500
    assert schedule.next_due_s() == 1e6 - 4_999


operations = st.lists(
    st.tuples(
        st.sampled_from(
            ["enroll", "take", "end", "due", "now", "park", "withdraw", "hold", "held", "move"]
        ),
        st.integers(1, 6),
        st.integers(0, 50),
    ),
    max_size=80,
)


@settings(max_examples=150, deadline=None)
@given(operations)
def test_no_job_is_lost_or_doubled_whatever_happens(  # noqa: C901 - one branch an operation
    steps: list[tuple[str, int, int]],
) -> None:
    schedule = Schedule()
    now_s = 0.0
    for action, number, delay in steps:
        now_s += 1.0
        key = JobKey(WALLET.name, Subject(SubjectType.CHARACTER, number))
        entry = schedule.get(key)
        if action == "enroll":
            schedule.enroll(key, WALLET, RUN, now_s + delay)
        elif action == "take":
            schedule.take(now_s)
        elif entry is None:
            continue
        elif action == "end" and entry.state is State.IN_FLIGHT:
            schedule.end(entry, now_s, now_s + delay, random.choice(list(Again)))
        elif action == "due":
            schedule.make_due(entry, now_s)
        elif action == "now":
            schedule.run_now(entry, now_s)
        elif action == "park" and entry.state is State.IN_FLIGHT:
            if not schedule.park(entry, "x", None):
                schedule.end(entry, now_s, now_s, Again.RUN_NOW)
        elif action == "withdraw":
            schedule.withdraw(key.subject)
        elif action == "hold" and entry.state is State.IN_FLIGHT:
            schedule.hold(entry)
        elif action == "held":
            schedule.release_held(entry)
        elif action == "move":
            schedule.move(entry, now_s + delay)
    entries = list(schedule)
    assert len(entries) == schedule.entries
    assert schedule.in_flight == sum(e.state is State.IN_FLIGHT for e in entries)
    assert schedule.parked == sum(e.state is State.PARKED for e in entries)
    queued = [e for e in entries if e.state is State.SCHEDULED]
    assert schedule.count_due(1e9) == len(queued)
    assert len(queued) == sum(places.queued for places in schedule._lanes)
    taken = drained(schedule, 1e9)
    assert sorted(map(id, taken)) == sorted(map(id, queued))
