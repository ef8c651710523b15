"""The gate lets nothing out while a pause stands."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from jobs.errors import PauseAll, PauseBucket
from jobs.esi.headers import MAX_WAIT_S
from jobs.esi.limits import LONGEST_DOUBT_S, RequestGate
from tests.clocks import ManualClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def test_a_pause_stops_every_bucket_until_its_end() -> None:
    clock = ManualClock(NOW)
    gate = RequestGate(clock)
    gate.pause(NOW + timedelta(seconds=10))

    with pytest.raises(PauseAll) as stopped:
        gate.check("any")
    assert (stopped.value.until, stopped.value.reset_s) == (NOW + timedelta(seconds=10), 10)

    clock.advance(10)
    gate.check("any")


def test_the_longest_pause_stands() -> None:
    clock = ManualClock(NOW)
    gate = RequestGate(clock)
    gate.pause(NOW + timedelta(seconds=60))
    gate.pause(NOW + timedelta(seconds=5))
    clock.advance(30)

    with pytest.raises(PauseAll):
        gate.check("any")


def test_a_paused_bucket_stops_its_own_requests_only() -> None:
    clock = ManualClock(NOW)
    gate = RequestGate(clock)
    gate.pause_bucket("mail:1", NOW + timedelta(seconds=30))
    gate.pause_bucket("mail:1", NOW + timedelta(seconds=5))

    gate.check("mail:2")
    with pytest.raises(PauseBucket) as stopped:
        gate.check("mail:1")
    assert stopped.value.retry_s == 30

    clock.advance(30)
    gate.check("mail:1")


@pytest.mark.parametrize(
    ("minute", "in_doubt"), [(-3, False), (-2, True), (2, True), (19, True), (20, False)]
)
def test_nothing_is_a_verdict_in_the_downtime_though_nobody_has_noticed_it(
    minute: int, in_doubt: bool
) -> None:
    at = datetime(2026, 11, 30, 11, 0, tzinfo=UTC) + timedelta(minutes=minute)
    gate = RequestGate(ManualClock(at))
    # A good answer ends only what an answer began.
    gate.saw(200)

    assert gate.in_doubt(at) is in_doubt


def test_a_simulated_eve_has_no_daily_downtime() -> None:
    at = datetime(2026, 11, 30, 11, 5, tzinfo=UTC)
    gate = RequestGate(ManualClock(at), daily_downtime=False)
    assert not gate.in_doubt(at)
    gate.saw(503)
    assert gate.in_doubt(at)


TWO_HOURS_S = 7200.0


def test_a_clock_set_back_makes_no_pause_longer() -> None:
    clock = ManualClock(NOW)
    gate = RequestGate(clock)
    end = NOW + timedelta(seconds=60)
    gate.pause(end)
    gate.hold_errors(end)
    gate.pause_bucket("mail:1", end)
    gate.doubt(end)
    clock.step_wall(-TWO_HOURS_S)
    clock.advance(20)

    with pytest.raises(PauseAll) as stopped:
        gate.check("any")
    # The scheduler takes this end for its own: it is told as the clock stands now.
    told = (stopped.value.until - clock.now(), stopped.value.reset_s)
    assert told == (timedelta(seconds=40), 40)
    assert gate.in_doubt(clock.now())

    clock.advance(40)
    gate.check("mail:1", risks_errors=True)
    assert not gate.in_doubt(clock.now())


def test_a_clock_set_on_ends_no_pause() -> None:
    clock = ManualClock(NOW)
    gate = RequestGate(clock)
    gate.hold_errors(NOW + timedelta(seconds=60))
    gate.pause_bucket("mail:1", NOW + timedelta(seconds=60))
    gate.saw(503)
    clock.step_wall(TWO_HOURS_S)

    with pytest.raises(PauseBucket):
        gate.check("mail:1")
    with pytest.raises(PauseBucket):
        gate.check("any", risks_errors=True)
    assert gate.in_doubt(clock.now())


def test_nothing_stands_longer_than_a_window_of_esi() -> None:
    clock = ManualClock(NOW)
    gate = RequestGate(clock)
    far = NOW + timedelta(days=1)
    gate.pause(far)
    gate.hold_errors(far)
    gate.pause_bucket("mail:1", far)
    gate.doubt(far)
    clock.advance(MAX_WAIT_S - 1)
    with pytest.raises(PauseAll):
        gate.check("any")

    clock.advance(1)
    gate.check("mail:1", risks_errors=True)
    clock.advance(LONGEST_DOUBT_S - MAX_WAIT_S)
    assert not gate.in_doubt(clock.now())
