"""Each event in each phase, and what must never happen whatever the order."""

from __future__ import annotations

import msgspec
import pytest
from hypothesis import settings as hypothesis_settings
from hypothesis import strategies as st
from hypothesis.stateful import RuleBasedStateMachine, initialize, invariant, rule

from ipc.exits import Exit
from ipc.settings import Timings
from supervisor.lifecycle import Action, End, Lifecycle, Phase

TIMINGS = Timings()


def end(code: int | None = 1, last_sign_s: float = 0.0) -> End:
    return End("scheduler: it ended", code, last_sign_s)


def running(now_s: float = 0.0, *, exit_on_give_up: bool = False) -> Lifecycle:
    lifecycle = Lifecycle(TIMINGS, exit_on_give_up=exit_on_give_up)
    assert lifecycle.spawn(now_s) is Action.SPAWN
    lifecycle.ready(now_s)
    assert lifecycle.phase == "running"
    return lifecycle


def in_phase(phase: Phase) -> Lifecycle:
    lifecycle = running()
    if phase == "starting":
        lifecycle = Lifecycle(TIMINGS)
        lifecycle.spawn(0.0)
    elif phase == "backoff":
        lifecycle.ended(0.0, end())
    elif phase == "parked":
        lifecycle.ended(0.0, end(Exit.CONFIG))
    elif phase == "stopping":
        lifecycle.stop(at_once=False)
    assert lifecycle.phase == phase
    return lifecycle


def test_death_backs_off_then_starts_again() -> None:
    lifecycle = running()
    assert lifecycle.ended(10.0, end()) is Action.NOTHING
    assert (lifecycle.phase, lifecycle.until_s) == ("backoff", 11.0)
    assert lifecycle.tick(10.9, None) is Action.NOTHING
    assert lifecycle.tick(11.0, None) is Action.SPAWN
    assert (lifecycle.phase, lifecycle.generation, lifecycle.restarts) == ("starting", 2, 1)
    lifecycle.ready(12.0)
    assert lifecycle.trouble == ""


def test_fifth_death_parks_and_tries_every_quarter_of_an_hour() -> None:
    lifecycle = running()
    now_s = 0.0
    for delay_s in (1.0, 2.0, 4.0, 8.0):
        lifecycle.ended(now_s, end())
        now_s += delay_s
        assert lifecycle.tick(now_s, None) is Action.SPAWN
    lifecycle.ended(now_s, end())
    assert lifecycle.phase == "parked"
    assert lifecycle.trouble == "gave up after 5 deaths in a row; scheduler: it ended"
    assert lifecycle.tick(now_s + 899.9, None) is Action.NOTHING
    assert lifecycle.tick(now_s + 900.0, None) is Action.SPAWN
    lifecycle.ended(now_s + 901.0, end())
    assert (lifecycle.phase, lifecycle.until_s) == ("parked", now_s + 1801.0)


def test_a_database_that_goes_away_again_and_again_parks_nobody() -> None:
    lifecycle = running()
    now_s = 0.0
    told: list[str] = []
    for delay_s in (1.0, 2.0, 4.0, 8.0, 16.0, *[30.0] * 95):
        assert lifecycle.ended(now_s, end(Exit.DATABASE_LOST)) is Action.NOTHING
        assert (lifecycle.phase, lifecycle.until_s) == ("backoff", now_s + delay_s)
        if lifecycle.is_trouble_news:
            told.append(lifecycle.trouble)
        now_s += delay_s
        assert lifecycle.tick(now_s, None) is Action.SPAWN
        lifecycle.ready(now_s)
    # How often and for how long, but not each time.
    assert told == [
        "scheduler: it ended",
        "scheduler: it ended, 2 times in 1 s",
        "scheduler: it ended, 4 times in 7 s",
        "scheduler: it ended, 8 times in 91 s",
        "scheduler: it ended, 16 times in 6 min",
        "scheduler: it ended, 32 times in 14 min",
        "scheduler: it ended, 64 times in 30 min",
    ]
    # A death is another trouble.
    lifecycle.ended(now_s, end())
    assert (lifecycle.trouble, lifecycle.is_trouble_news) == ("scheduler: it ended", True)


def test_boot_deadline_and_hang_end_the_scheduler_once() -> None:
    lifecycle = in_phase("starting")
    assert lifecycle.tick(29.9, 29.9) is Action.NOTHING
    assert lifecycle.tick(30.0, 30.0) is Action.END
    assert lifecycle.tick(31.0, 31.0) is Action.NOTHING
    # Ready too late is not ready.
    lifecycle.ready(31.0)
    lifecycle.ended(32.0, end(None))
    assert lifecycle.trouble == "not ready within 30 s (scheduler: it ended)"
    lifecycle = running()
    assert lifecycle.tick(100.0, 15.0) is Action.NOTHING
    assert lifecycle.tick(100.0, 15.1) is Action.END
    assert lifecycle.tick(101.0, 16.1) is Action.NOTHING
    lifecycle.ended(102.0, end(None))
    assert lifecycle.trouble.startswith("hung: no heartbeat for 15 s")


@pytest.mark.parametrize("code", [Exit.CONFIG, Exit.HELD, Exit.REFUSED])
def test_refusal_at_the_first_boot_ends_the_daemon_with_its_code(code: Exit) -> None:
    lifecycle = in_phase("starting")
    assert lifecycle.ended(1.0, end(code)) is Action.LEAVE
    assert lifecycle.exit_code == code
    assert lifecycle.trouble == "scheduler: it ended"


def test_refusal_after_a_wait_for_the_database_is_still_of_the_first_boot() -> None:
    lifecycle = in_phase("starting")
    lifecycle.ready(1.0, is_complete=False)
    assert lifecycle.phase == "running"
    assert lifecycle.ended(50.0, end(Exit.CONFIG)) is Action.LEAVE
    lifecycle = in_phase("starting")
    lifecycle.ready(1.0, is_complete=False)
    lifecycle.ready(2.0)
    lifecycle.ended(50.0, end(Exit.CONFIG))
    assert lifecycle.phase == "parked"


@pytest.mark.parametrize("code", [Exit.CONFIG, Exit.HELD, Exit.REFUSED, Exit.FENCED])
def test_later_refusal_parks_at_once(code: Exit) -> None:
    lifecycle = running()
    assert lifecycle.ended(1.0, end(code)) is Action.NOTHING
    assert (lifecycle.phase, lifecycle.trouble) == ("parked", "scheduler: it ended")


def test_a_crash_at_the_first_boot_is_no_refusal() -> None:
    lifecycle = in_phase("starting")
    assert lifecycle.ended(1.0, end(1)) is Action.NOTHING
    assert lifecycle.phase == "backoff"


@pytest.mark.parametrize(
    ("code", "left_with"), [(Exit.CONFIG, 78), (Exit.FENCED, 75), (Exit.HELD, 75)]
)
def test_giving_up_leaves_when_asked_to(code: Exit, left_with: int) -> None:
    lifecycle = running(exit_on_give_up=True)
    assert lifecycle.ended(1.0, end(code)) is Action.LEAVE
    assert lifecycle.exit_code == left_with


@pytest.mark.parametrize(
    ("phase", "action"),
    [
        ("starting", Action.NOTHING),
        ("running", Action.STOP),
        ("backoff", Action.SPAWN),
        ("parked", Action.SPAWN),
        ("stopping", Action.NOTHING),
    ],
)
def test_restart_in_each_phase(phase: Phase, action: Action) -> None:
    lifecycle = in_phase(phase)
    assert lifecycle.restart(5.0) is action
    # Asked twice, it is done once.
    assert lifecycle.restart(5.0) is Action.NOTHING
    assert lifecycle.generation <= 2


def test_restart_clears_the_breaker_and_banks_nothing() -> None:
    lifecycle = running()
    lifecycle.ended(0.0, end())
    lifecycle.restart(0.0)
    lifecycle.ready(0.5)
    lifecycle.restart(1.0)
    assert lifecycle.ended(2.0, end(0)) is Action.SPAWN
    lifecycle.ready(3.0)
    lifecycle.ended(4.0, end())
    assert (lifecycle.phase, lifecycle.until_s) == ("backoff", 5.0)


@pytest.mark.parametrize(
    ("phase", "action"),
    [
        ("starting", Action.STOP_AT_ONCE),
        ("running", Action.STOP),
        ("backoff", Action.LEAVE),
        ("parked", Action.LEAVE),
        ("stopping", Action.STOP_AT_ONCE),
    ],
)
def test_stop_in_each_phase(phase: Phase, action: Action) -> None:
    lifecycle = in_phase(phase)
    assert lifecycle.stop(at_once=False) is action
    if action is not Action.LEAVE:
        assert lifecycle.ended(1.0, end(0)) is Action.LEAVE
    assert lifecycle.exit_code == 0


def test_stop_during_a_restart_wins() -> None:
    lifecycle = running()
    lifecycle.restart(0.0)
    assert lifecycle.stop(at_once=False) is Action.STOP
    assert lifecycle.restart(0.0) is Action.NOTHING
    assert lifecycle.ended(1.0, end(0)) is Action.LEAVE


class AnyOrder(RuleBasedStateMachine):
    """Drives a lifecycle as the arbiter does, in any order of events."""

    @initialize()
    def begin(self) -> None:
        self.now_s = 0.0
        self.lifecycle = Lifecycle(msgspec.structs.replace(TIMINGS, boot_deadline_s=5.0))
        self.is_alive = False
        self.has_left = False
        self.was_asked_to_stop = False
        self.obey(self.lifecycle.spawn(0.0))

    def obey(self, action: Action) -> None:
        assert not self.has_left or action is Action.NOTHING
        if action is Action.SPAWN:
            assert not self.is_alive
            assert not self.was_asked_to_stop
            self.is_alive = True
        elif action is Action.LEAVE:
            assert not self.is_alive
            self.has_left = True
        elif action in (Action.STOP, Action.STOP_AT_ONCE, Action.END):
            assert self.is_alive

    @rule(seconds=st.floats(0.0, 1000.0), age_s=st.floats(0.0, 30.0))
    def time_passes(self, seconds: float, age_s: float) -> None:
        self.now_s += seconds
        if not self.has_left:
            self.obey(self.lifecycle.tick(self.now_s, age_s if self.is_alive else None))

    @rule()
    def reports_ready(self) -> None:
        if self.is_alive:
            self.lifecycle.ready(self.now_s)

    @rule(code=st.sampled_from([0, 1, 73, 77, 78, 81, 83, 84, None]))
    def dies(self, code: int | None) -> None:
        if self.is_alive:
            self.is_alive = False
            self.obey(self.lifecycle.ended(self.now_s, end(code, self.now_s)))

    @rule()
    def misbehaves(self) -> None:
        if self.is_alive:
            self.obey(self.lifecycle.end())

    @rule()
    def person_restarts(self) -> None:
        if not self.has_left and not self.was_asked_to_stop:
            self.obey(self.lifecycle.restart(self.now_s))

    @rule(at_once=st.booleans())
    def person_stops(self, at_once: bool) -> None:
        if not self.has_left:
            self.was_asked_to_stop = True
            self.obey(self.lifecycle.stop(at_once=at_once))

    @invariant()
    def phase_fits_the_process(self) -> None:
        if self.has_left:
            return
        if self.lifecycle.phase in ("backoff", "parked"):
            assert not self.is_alive
            assert self.lifecycle.until_s is not None
            assert self.lifecycle.trouble
        else:
            assert self.is_alive


TestAnyOrder = AnyOrder.TestCase
TestAnyOrder.settings = hypothesis_settings(max_examples=60, stateful_step_count=30, deadline=None)
