"""What the supervisor does about its scheduler: a state machine without processes or clocks.

Every event comes with the time, and is answered with the one thing to do.
"""

from __future__ import annotations

from dataclasses import dataclass
from enum import Enum
from typing import Literal

from ipc.exits import Exit
from ipc.settings import Timings
from supervisor.breaker import Breaker, GiveUp, Retry

Phase = Literal["starting", "running", "backoff", "parked", "stopping"]

# A scheduler that leaves with one of these has said that starting it again will not help.
REFUSALS = frozenset({Exit.CONFIG, Exit.HELD, Exit.REFUSED, Exit.FENCED})
# With these it never dispatched: at the daemon's first boot they end the daemon as well.
_FATAL_AT_FIRST = frozenset({Exit.CONFIG, Exit.HELD, Exit.REFUSED})


class Action(Enum):
    """What the owner of the state machine must do now."""

    NOTHING = "nothing"
    # Start a scheduler.
    SPAWN = "spawn"
    # Ask the scheduler to stop, with its grace; ended() follows.
    STOP = "stop"
    # The same without grace.
    STOP_AT_ONCE = "stop at once"
    # End a scheduler that does not answer; ended() follows.
    END = "end"
    # End the daemon with exit_code.
    LEAVE = "leave"


@dataclass(frozen=True, slots=True)
class End:
    """How a scheduler ended: what it said, or what was seen."""

    cause: str
    exit_code: int | None
    last_sign_s: float


class Lifecycle:
    """Keeps the phase of the scheduler and decides each transition."""

    def __init__(self, timings: Timings, *, exit_on_give_up: bool = False) -> None:
        self._timings = timings
        self._exit_on_give_up = exit_on_give_up
        self._then_leave = False
        self._was_complete = False
        self._is_ending = False
        self.breaker = Breaker(timings.healthy_after_s)
        self.phase: Phase = "starting"
        # When the phase ends by itself: boot deadline, next start.
        self.until_s: float | None = None
        # Why it is backing off or parked.
        self.trouble = ""
        # The same trouble again and again is told ever more seldom.
        self.is_trouble_news = True
        self.generation = 0
        self.exit_code = int(Exit.OK)

    @property
    def restarts(self) -> int:
        """Return how many schedulers came after the first."""
        return max(0, self.generation - 1)

    def spawn(self, now_s: float) -> Action:
        """Go to starting, whatever was before."""
        self.phase = "starting"
        self.generation += 1
        self.until_s = now_s + self._timings.boot_deadline_s
        self._is_ending = False
        return Action.SPAWN

    def ready(self, now_s: float, *, is_complete: bool = True) -> None:
        """Note that the scheduler is up; is_complete: it owns its database and dispatches.

        A scheduler that is being ended stays so.
        """
        if self._is_ending or self.phase not in ("starting", "running"):
            return
        self._was_complete = self._was_complete or is_complete
        if self.phase == "starting":
            self.phase = "running"
            self.until_s = None
            self.trouble = ""
            self.breaker.ready(now_s)

    def tick(self, now_s: float, heartbeat_age_s: float | None) -> Action:
        """Act on what time alone brings: a boot that takes too long, a hang, the next start."""
        is_over = self.until_s is not None and now_s >= self.until_s
        if self.phase in ("backoff", "parked") and is_over:
            return self.spawn(now_s)
        if self._is_ending:
            return Action.NOTHING
        if self.phase == "starting" and is_over:
            self.trouble = f"not ready within {self._timings.boot_deadline_s:g} s"
            return self.end()
        is_stale = heartbeat_age_s is not None and heartbeat_age_s > self._timings.hung_after_s
        if self.phase == "running" and is_stale:
            self.trouble = f"hung: no heartbeat for {self._timings.hung_after_s:g} s"
            return self.end()
        return Action.NOTHING

    def end(self) -> Action:
        """End the scheduler because it misbehaves; its death will count."""
        if self._is_ending or self.phase not in ("starting", "running"):
            return Action.NOTHING
        self._is_ending = True
        return Action.END

    def ended(self, now_s: float, end: End) -> Action:
        """Decide what follows the end of a scheduler."""
        was_ending, self._is_ending = self._is_ending, False
        if self.phase == "stopping":
            if self._then_leave:
                return self._leave(Exit.OK)
            return self.spawn(now_s)
        cause = f"{self.trouble} ({end.cause})" if was_ending and self.trouble else end.cause
        if end.exit_code in REFUSALS:
            return self._refused(now_s, Exit(end.exit_code), cause)
        decision: Retry | GiveUp
        self.is_trouble_news = True
        if end.exit_code == Exit.DATABASE_LOST:
            # Its server was restarted, as a rule: that is no fault of the scheduler.
            decision = loss = self.breaker.lost(now_s, end.last_sign_s)
            # A proxy may cut each connection, for days.
            self.is_trouble_news = loss.attempt.bit_count() == 1
            if loss.attempt > 1:
                cause = f"{cause}, {loss.attempt} times in {_in_words(loss.lasts_s)}"
        else:
            decision = self.breaker.died(now_s, end.last_sign_s)
        if isinstance(decision, Retry):
            self.phase = "backoff"
            self.until_s = now_s + decision.delay_s
            self.trouble = cause
            return Action.NOTHING
        return self._park(now_s, f"gave up after {decision.attempt} deaths in a row; {cause}")

    def restart(self, now_s: float) -> Action:
        """Restart now, from whatever state; nothing is kept for later.

        However many ask while a start is under way, it is the one that they get.
        """
        self.breaker.clear()
        if self.phase in ("starting", "stopping"):
            return Action.NOTHING
        if self.phase in ("backoff", "parked"):
            return self.spawn(now_s)
        return self._stop(Action.STOP)

    def stop(self, *, at_once: bool) -> Action:
        """Stop for good; asked again, or at_once, without grace."""
        again = self._then_leave
        self._then_leave = True
        if self.phase in ("backoff", "parked"):
            return self._leave(Exit.OK)
        return self._stop(Action.STOP_AT_ONCE if at_once or again else Action.STOP)

    @property
    def is_leaving(self) -> bool:
        """Tell whether the daemon was asked to stop."""
        return self._then_leave

    def _stop(self, action: Action) -> Action:
        # There is nothing to let end in a scheduler that has not dispatched yet.
        if self.phase == "starting":
            action = Action.STOP_AT_ONCE
        self.phase = "stopping"
        self.until_s = None
        return action

    def _refused(self, now_s: float, code: Exit, cause: str) -> Action:
        if not self._was_complete and self.generation == 1 and code in _FATAL_AT_FIRST:
            self.trouble = cause
            return self._leave(code)
        return self._park(now_s, cause, code)

    def _park(self, now_s: float, reason: str, code: Exit = Exit.GAVE_UP) -> Action:
        self.phase = "parked"
        self.trouble = reason
        self.until_s = now_s + self._timings.parked_retry_s
        if self._exit_on_give_up:
            return self._leave(Exit.CONFIG if code is Exit.CONFIG else Exit.GAVE_UP)
        return Action.NOTHING

    def _leave(self, code: Exit) -> Action:
        self.phase = "stopping"
        self.until_s = None
        self.exit_code = int(code)
        return Action.LEAVE


def _in_words(lasts_s: float) -> str:
    return f"{lasts_s:.0f} s" if lasts_s < 120 else f"{lasts_s / 60:.0f} min"
