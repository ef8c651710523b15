"""After a standstill: never two hundred jobs in one second, and nothing waits for long."""

from __future__ import annotations

import pytest

from engine.jitter import jitter_s
from engine.policy import Announce, Decision
from engine.ramp import BURST, Ramp
from ipc.outcome import Outcome, Token


def test_jobs_that_piled_up_start_slowly_at_first() -> None:
    ramp, now_s = Ramp(150.0), 100.0
    starts: list[float] = []
    ramp.begin(now_s)
    while len(starts) < 3000:
        room = ramp.room(now_s)
        assert room <= BURST
        starts += [now_s] * room
        ramp.took(room, all_due=False)
        assert ramp.next_s() >= now_s
        now_s = max(ramp.next_s(), now_s + 0.001)
    most = max(sum(at <= one < at + 1 for one in starts) for at in sorted(set(starts)))
    first = sum(one < 101 for one in starts)
    assert first <= 80
    assert 120 <= most <= 170
    assert now_s - 100 < 30


def test_it_is_over_when_nothing_that_is_due_is_left() -> None:
    ramp = Ramp(150.0)
    ramp.begin(0.0)
    before = ramp.active
    ramp.took(3, all_due=True)
    assert (before, ramp.active) == (True, False)


@pytest.mark.parametrize(
    ("slots", "fewest", "most"), [(4, 170, 199), (32, 170, 199), (64, 350, 399)]
)
def test_what_falls_due_together_later_is_bounded_too(slots: int, fewest: int, most: int) -> None:
    ramp, now_s = Ramp(150.0, slots), 100.0
    ramp.begin(now_s)
    ramp.took(1, all_due=True)
    starts: list[float] = []
    now_s += 300.0
    while len(starts) < 3000:
        room = ramp.room(now_s)
        starts += [now_s] * room
        ramp.took(room, all_due=True)
        assert room or ramp.next_s() > now_s
        now_s = max(now_s, ramp.next_s())
    in_a_second = [sum(at <= one < at + 1 for one in starts) for at in starts[:1000]]
    assert fewest <= min(in_a_second)
    assert max(in_a_second) <= most


def test_without_a_bound_there_is_none() -> None:
    ramp = Ramp(0.0)
    ramp.begin(0.0)
    assert not ramp.is_bound
    assert not ramp.active


def test_jitter_is_added_to_what_nobody_named_to_the_second() -> None:
    ok = Outcome(Token.SYNCED)
    success = Decision(ok, 300.0, 0, success=True)
    daily = Decision(ok, 86_400.0, 0, success=True)
    failed = Decision(Outcome(Token.FAILED), 10.0, 1, Announce.FAILED)
    asked = Decision(Outcome(Token.FAILED), 10.0, 1, Announce.BACKING_OFF)
    assert jitter_s(success, 0.0) == 0.0
    assert jitter_s(success, 1.0) == 15.0
    assert jitter_s(daily, 1.0) == 30.0
    assert jitter_s(failed, 1.0) == 2.0
    assert jitter_s(asked, 1.0) == 0.0
