"""After a standstill: never two hundred jobs in one second, and nothing waits for long."""

from __future__ import annotations

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


def test_without_a_bound_there_is_none() -> None:
    ramp = Ramp(0.0)
    ramp.begin(0.0)
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
