"""The circuit breaker: how long to wait after a death, and when to give up. Pure."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass

LIMIT = 5
FIRST_DELAY_S = 1.0
MAX_DELAY_S = 30.0
DAY_S = 86400.0
# Deaths in a day that the breaker does not see, one by one, but that are worth a warning.
WARN_PER_DAY = 20


@dataclass(frozen=True, slots=True)
class Retry:
    """Start again after delay_s; attempt counts the ends of this sort in a row, within lasts_s."""

    delay_s: float
    attempt: int
    lasts_s: float = 0.0


@dataclass(frozen=True, slots=True)
class GiveUp:
    """Too many deaths in a row: wait for a person."""

    attempt: int


def delay_after_s(deaths: int) -> float:
    """Return the wait after so many deaths in a row, however many they are."""
    return min(FIRST_DELAY_S * 2.0 ** min(deaths - 1, 16), MAX_DELAY_S)


class Breaker:
    """Counts deaths that no healthy life lies between.

    A life is healthy from healthy_after_s after READY on, up to its last heartbeat: what boots
    and dies at once, or boots and hangs, never becomes healthy by the time it took to notice.
    """

    def __init__(self, healthy_after_s: float) -> None:
        self._healthy_after_s = healthy_after_s
        self._streak = 0
        self._losses = 0
        self._losing_since_s = 0.0
        # Of the start that follows the latest end; 0: none, or a person asked for it.
        self.attempt = 0
        self._ready_at_s: float | None = None
        self._deaths: deque[float] = deque()

    def ready(self, now_s: float) -> None:
        """Note that a start succeeded."""
        self._ready_at_s = now_s

    def died(self, now_s: float, last_sign_s: float) -> Retry | GiveUp:
        """Note a death, last_sign_s being the time of the last heartbeat; say what follows."""
        self._end_of_life(last_sign_s)
        self._deaths.append(now_s)
        self._forget_old(now_s)
        self._streak += 1
        self.attempt = self._streak
        if self._streak >= LIMIT:
            return GiveUp(self._streak)
        return Retry(delay_after_s(self._streak), self._streak)

    def lost(self, now_s: float, last_sign_s: float) -> Retry:
        """Note an end whose cause is outside and passes: a wait follows, and nobody gives up."""
        self._end_of_life(last_sign_s)
        if not self._losses:
            self._losing_since_s = now_s
        self._losses += 1
        self.attempt = self._losses
        return Retry(delay_after_s(self._losses), self._losses, now_s - self._losing_since_s)

    def _end_of_life(self, last_sign_s: float) -> None:
        if self._ready_at_s is not None:
            if last_sign_s - self._ready_at_s >= self._healthy_after_s:
                self._streak = self._losses = 0
            self._ready_at_s = None

    def clear(self) -> None:
        """Forget the deaths in a row; a person asked for a start."""
        self._streak = 0
        self._losses = 0
        self.attempt = 0
        self._ready_at_s = None

    def deaths_in_a_day(self, now_s: float) -> int:
        """Return how many died within a day, for a loop too slow to trip the breaker."""
        self._forget_old(now_s)
        return len(self._deaths)

    def _forget_old(self, now_s: float) -> None:
        while self._deaths and self._deaths[0] <= now_s - DAY_S:
            self._deaths.popleft()
