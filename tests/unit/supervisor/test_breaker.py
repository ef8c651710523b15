"""The breaker against a model of it that remembers everything."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from supervisor.breaker import Breaker, GiveUp, Retry


def test_delays_and_the_fifth_death() -> None:
    breaker = Breaker(60.0)
    decisions = [breaker.died(float(at), float(at)) for at in range(6)]
    assert decisions == [
        Retry(1.0, 1),
        Retry(2.0, 2),
        Retry(4.0, 3),
        Retry(8.0, 4),
        GiveUp(5),
        GiveUp(6),
    ]


@pytest.mark.parametrize(("lived_s", "attempt"), [(59.9, 2), (60.0, 1), (60.1, 1)])
def test_healthy_from_sixty_seconds_after_ready_on(lived_s: float, attempt: int) -> None:
    breaker = Breaker(60.0)
    breaker.died(0.0, 0.0)
    breaker.ready(100.0)
    assert breaker.died(100.0 + lived_s, 100.0 + lived_s) == Retry(2.0 ** (attempt - 1), attempt)


def test_time_without_heartbeats_is_no_health() -> None:
    breaker = Breaker(60.0)
    breaker.died(0.0, 0.0)
    breaker.ready(100.0)
    # It hung 50 s after it was ready, which was noticed 15 s later.
    assert breaker.died(165.0, 150.0) == Retry(2.0, 2)


def test_a_long_boot_is_no_health() -> None:
    breaker = Breaker(60.0)
    breaker.died(0.0, 0.0)
    assert breaker.died(500.0, 500.0) == Retry(2.0, 2)


def test_ready_of_one_life_does_not_count_for_the_next() -> None:
    breaker = Breaker(60.0)
    breaker.ready(0.0)
    breaker.died(1.0, 1.0)
    assert breaker.died(100.0, 100.0) == Retry(2.0, 2)


def test_a_person_clears_it() -> None:
    breaker = Breaker(60.0)
    for at in range(5):
        breaker.died(float(at), float(at))
    breaker.clear()
    assert breaker.died(10.0, 10.0) == Retry(1.0, 1)


def test_what_comes_from_outside_is_waited_out_and_is_no_death() -> None:
    breaker = Breaker(60.0)
    assert breaker.died(0.0, 0.0) == Retry(1.0, 1)
    losses = [breaker.lost(at + 0.5, float(at)) for at in range(8)]
    assert [loss.delay_s for loss in losses] == [1, 2, 4, 8, 16, 30, 30, 30]
    assert [loss.lasts_s for loss in losses] == list(range(8))
    assert (breaker.attempt, breaker.deaths_in_a_day(9.0)) == (8, 1)
    # A crash in between goes on counting, and only health ends either row.
    assert breaker.died(10.0, 10.0) == Retry(2.0, 2)
    breaker.ready(100.0)
    assert breaker.lost(161.0, 160.0) == Retry(1.0, 1, 0.0)
    assert breaker.died(161.0, 161.0) == Retry(1.0, 1)


def test_slow_loops_are_counted_over_a_day() -> None:
    breaker = Breaker(60.0)
    for number in range(100):
        breaker.ready(number * 1000.0)
        assert breaker.died(number * 1000.0 + 70, number * 1000.0 + 70) == Retry(1.0, 1)
    assert breaker.deaths_in_a_day(99_070.0) == 87


LIVES = st.lists(
    st.tuples(
        st.floats(0.0, 200.0),  # boot
        st.booleans(),  # became ready
        st.floats(0.0, 200.0),  # heartbeats
        st.floats(0.0, 20.0),  # silence
        st.booleans(),  # cleared afterwards
    ),
    max_size=30,
)


@settings(deadline=None)
@given(LIVES)
def test_as_the_model(lives: list[tuple[float, bool, float, float, bool]]) -> None:
    breaker = Breaker(60.0)
    now_s = 0.0
    streak = 0
    for boot_s, is_ready, beats_s, silence_s, is_cleared in lives:
        now_s += boot_s
        last_sign_s = now_s
        if is_ready:
            breaker.ready(now_s)
            last_sign_s = now_s + beats_s
            # As the breaker computes it, rounding included.
            if last_sign_s - now_s >= 60.0:
                streak = 0
            now_s = last_sign_s + silence_s
        streak += 1
        decision = breaker.died(now_s, last_sign_s)
        wanted = Retry(min(2.0 ** (streak - 1), 30.0), streak) if streak < 5 else GiveUp(streak)
        assert decision == wanted
        if is_cleared:
            breaker.clear()
            streak = 0
