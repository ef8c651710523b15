"""Suspects, deaths, pauses, loads of global kinds, and tokens: the small deciding objects."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta

from engine.carried import LIMIT, Carried
from engine.deaths import Deaths
from engine.inflight import InFlight, Piece
from engine.pauses import Pauses
from engine.policy import LONGEST_PAUSE_S
from engine.refreshes import Changes, Refreshes
from engine.suspects import Suspects, is_too_many
from ipc.subject import Subject, SubjectType
from jobs.store.credentials import Credential
from tests.clocks import ManualClock
from tests.unit.engine.engine_kinds import NOW, ONE, TWO

# --- suspects ---


def test_suspects_run_alone_one_after_the_other() -> None:
    suspects: Suspects[str] = Suspects()
    for job in ("a", "b", "a"):
        suspects.accuse(job)
    assert suspects.next() == "a"
    assert suspects.next() is None
    suspects.ended("b")
    assert suspects.next() is None
    suspects.ended("a")
    assert suspects.next() == "b"
    suspects.ended("b")
    assert suspects.next() is None


def test_three_strikes_park() -> None:
    assert [is_too_many(strikes) for strikes in (1, 2, 3)] == [False, False, True]


# --- deaths ---


def test_the_first_two_deaths_are_replaced_at_once_and_later_ones_with_backoff() -> None:
    deaths = Deaths()
    assert [deaths.record(float(second)) for second in range(6)] == [0, 0, 0.25, 0.5, 1.0, 2.0]


def test_deaths_far_apart_are_all_replaced_at_once() -> None:
    deaths = Deaths()
    assert [deaths.record(20.0 * number) for number in range(5)] == [0.0] * 5


def test_ten_unexplained_deaths_within_a_minute_are_too_many() -> None:
    deaths = Deaths()
    for number in range(9):
        deaths.record(float(number))
    assert not deaths.are_too_many(9.0)
    deaths.record(10.0)
    assert deaths.are_too_many(10.0)
    assert not deaths.are_too_many(100.0)


def test_deaths_by_a_job_that_was_parked_do_not_count() -> None:
    deaths = Deaths()
    for number in range(10):
        deaths.record(float(number), [number, 1000])
    assert deaths.are_too_many(10.0)
    deaths.explain([1000])
    assert not deaths.are_too_many(10.0)


# --- pauses ---


def test_the_longest_window_stands() -> None:
    clock = ManualClock(NOW)
    pauses = Pauses(clock)
    assert pauses.extend(NOW + timedelta(seconds=60), "first") is not None
    assert pauses.extend(NOW + timedelta(seconds=10), "second") is None
    assert (pauses.remaining_s, pauses.reason) == (60.0, "first")
    clock.advance(59)
    assert pauses.extend(clock.now() + timedelta(seconds=5), "third") is not None
    assert pauses.remaining_s == 5.0
    clock.advance(5)
    assert (pauses.remaining_s, pauses.until) == (0.0, None)


def test_a_window_lasts_a_second_at_least_and_the_wall_clock_does_not_move_it() -> None:
    clock = ManualClock(NOW)
    pauses = Pauses(clock)
    pauses.extend(NOW - timedelta(seconds=5), "past")
    assert pauses.remaining_s == 1.0
    clock.step_wall(-3600)
    assert pauses.remaining_s == 1.0


def test_no_window_is_longer_than_esis_own() -> None:
    pauses = Pauses(ManualClock(NOW))
    pauses.extend(NOW + timedelta(hours=2), "the clock was set back since this was stored")
    assert pauses.remaining_s == LONGEST_PAUSE_S


def test_who_tells_the_same_end_a_hair_later_opens_no_new_window() -> None:
    pauses = Pauses(ManualClock(NOW))
    end = NOW + timedelta(seconds=60)
    pauses.extend(end, "first")
    assert pauses.extend(end + timedelta(milliseconds=2), "a job") is None
    assert pauses.until == end


# --- loads of global kinds ---


def test_subjects_are_gathered_for_the_next_run() -> None:
    carried = Carried()
    carried.add("g", ONE, 500.0)
    carried.add("g", TWO, 60.0)
    carried.add("g", ONE, 60.0)
    load = carried.take("g", 10.0)
    assert load is not None
    assert (list(load.subjects), load.resume_s) == ([ONE, TWO], 500.0)
    assert carried.take("g", 10.0) is None


def test_an_ordinary_run_that_is_due_works_on_everything() -> None:
    carried = Carried()
    carried.add("g", ONE, 500.0)
    assert carried.take("g", 500.0) is None
    carried.add("g", ONE, 900.0)
    carried.add("g", None, 900.0)
    assert carried.take("g", 10.0) is None


def test_more_subjects_than_a_message_holds_are_everything() -> None:
    carried = Carried()
    for number in range(LIMIT + 1):
        carried.add("g", Subject(SubjectType.CHARACTER, number + 1), 500.0)
    assert carried.take("g", 10.0) is None


def test_a_load_that_failed_is_kept() -> None:
    carried = Carried()
    carried.add("g", ONE, 500.0)
    load = carried.take("g", 10.0)
    assert load is not None
    carried.put_back("g", load)
    assert carried.take("g", 10.0) == load


# --- work in flight ---


def flying() -> InFlight[str]:
    """Three pieces, two of them with the same limit."""
    in_flight: InFlight[str] = InFlight(cancel_grace_s=5.0)
    for number, limit_s in ((1, 10.0), (2, 10.0), (3, 30.0)):
        in_flight.add(Piece(number, "x", 0, float(number), limit_s, 1))
    return in_flight


def test_overdue_work_is_cancelled_and_what_does_not_end_is_killed_once() -> None:
    in_flight = flying()
    assert in_flight.next_overdue_s() == 11.0
    assert [piece.job_id for piece in in_flight.to_cancel(12.0)] == [1, 2]
    assert in_flight.to_cancel(12.0) == []
    assert in_flight.next_overdue_s() == 17.0
    assert in_flight.pop(2) is not None
    assert [piece.job_id for piece in in_flight.to_kill(17.0)] == [1]
    assert in_flight.to_kill(99.0) == []
    assert in_flight.next_overdue_s() == 33.0


def test_cancelled_work_is_not_killed_while_it_holds_what_must_not_be_lost() -> None:
    in_flight = flying()
    in_flight.keep([3, 99], 11.5)
    assert in_flight.next_overdue_s() == 11.0
    assert [piece.job_id for piece in in_flight.to_cancel(12.0)] == [1, 2]
    in_flight.keep([2], 16.0)
    assert [piece.job_id for piece in in_flight.to_kill(17.0)] == [1]
    assert in_flight.next_overdue_s() == 21.0
    assert [piece.job_id for piece in in_flight.to_kill(21.0)] == [2]


def test_an_answer_is_taken_once() -> None:
    in_flight = flying()
    assert in_flight.pop(1) is not None
    assert in_flight.pop(1) is None
    assert len(in_flight) == 2


# --- tokens ---


def credential(number: int, expires_in_s: float | None = 1200, generation: int = 5) -> Credential:
    """Return a credential whose token ends then."""
    expires_at = None if expires_in_s is None else NOW + timedelta(seconds=expires_in_s)
    return Credential(
        number, 90_000_000 + number, "c", frozenset(), expires_at, generation, False, None, None
    )


def test_a_token_that_would_end_within_the_job_is_refreshed_first() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1, 1200), credential(2, 119), credential(3, None)])
    assert refreshes.blocking((1,), NOW, 120) is None
    for number in (2, 3):
        access = refreshes.blocking((1, number), NOW, 120)
        assert access is not None
        assert access.credential_id == number


def test_a_rejected_generation_is_refreshed_though_it_has_not_ended() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1)])
    refreshes.reject(1, 4)
    assert refreshes.blocking((1,), NOW, 120) is None
    refreshes.reject(1, 5)
    access = refreshes.blocking((1,), NOW, 120)
    assert access is not None
    refreshes.fresh(access, 6, NOW + timedelta(seconds=1200), NOW)
    assert refreshes.blocking((1,), NOW, 120) is None


def test_a_token_that_lives_shorter_than_a_job_is_not_refreshed_for_ever() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1, 0)])
    access = refreshes.blocking((1,), NOW, 120)
    assert access is not None
    refreshes.fresh(access, 6, NOW + timedelta(seconds=60), NOW)
    assert refreshes.blocking((1,), NOW, 120) is None
    assert refreshes.blocking((1,), NOW + timedelta(seconds=31), 120) is access


def test_who_waits_is_freed_once_by_the_end_of_the_refresh() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1, 0)])
    access = refreshes.get(1)
    assert access is not None
    access.waiting += ["a", "b"]
    access.running = 9
    assert refreshes.failed(access, 100.0) == ["a", "b"]
    assert (access.running, access.again_s) == (0, 102.0)
    assert refreshes.failed(access, 200.0, 61.0) == []
    assert access.again_s == 261.0


def test_a_removed_credential_frees_who_waited_for_it() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1, 0)])
    access = refreshes.get(1)
    assert access is not None
    access.waiting.append("a")
    access.stalled.add("b")
    assert refreshes.update([credential(2)]) == Changes(["a"], ["b"], {90_000_002})
    assert refreshes.get(1) is None


def test_an_older_read_does_not_undo_a_refresh() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1, 0)])
    access = refreshes.get(1)
    assert access is not None
    refreshes.fresh(access, 6, NOW + timedelta(seconds=1200), NOW)
    refreshes.update([credential(1, 0, generation=5)])
    assert refreshes.blocking((1,), NOW, 120) is None


def test_a_login_frees_once_who_was_put_off_for_a_token() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1), credential(2)])
    access = refreshes.get(1)
    assert access is not None
    access.stalled.add("stalled")
    refreshes.failed(access, 100.0)
    refreshes.reject(1, 5)
    assert refreshes.update([credential(1), credential(2)]) == Changes()
    again = refreshes.update([credential(1, generation=6), credential(2)])
    assert again == Changes([], ["stalled"], {90_000_001})
    assert (access.again_s, access.rejected) == (0.0, False)
    assert not refreshes.update([credential(1, generation=7), credential(2)]).stalled


def test_a_client_that_is_known_again_frees_the_jobs_of_its_credentials_only() -> None:
    refreshes: Refreshes[str] = Refreshes()
    refreshes.update([credential(1), replace(credential(2), client_id="other")])
    for number in (1, 2):
        access = refreshes.get(number)
        assert access is not None
        refreshes.failed(access, 100.0, 300.0)
        access.stalled.add(f"job of {number}")
    assert refreshes.forgive("c") == ["job of 1"]
    ours, other = refreshes.get(1), refreshes.get(2)
    assert ours is not None
    assert other is not None
    assert (ours.again_s, other.again_s) == (0.0, 400.0)
