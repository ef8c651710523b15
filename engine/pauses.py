"""The time in which nobody asks ESI anything, after HTTP 420: the longest window stands.

It is stored, so that a scheduler that starts in the middle of it waits as well.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from engine.policy import pause_s
from ipc.clock import Clock

# The scope under which the window is stored.
ALL = "all"
# Jobs tell the end of the window that stands; by a hair later is the same end.
_SAME_S = 1.0


class Pauses:
    """The present window, if any."""

    def __init__(self, clock: Clock) -> None:
        """Start without one."""
        self._clock = clock
        self._until_s = float("-inf")
        self._until: datetime | None = None
        self.reason = ""

    def extend(self, until: datetime, reason: str) -> datetime | None:
        """Open a window or make it longer; return its end, None if the present one is longer."""
        now = self._clock.now()
        now_s = self._clock.monotonic_s()
        remaining_s = pause_s(until, now)
        until_s = now_s + remaining_s
        stands = now_s < self._until_s
        if until_s <= self._until_s + (_SAME_S if stands else 0.0):
            return None
        self._until_s = until_s
        self._until = now + timedelta(seconds=remaining_s)
        self.reason = reason
        return self._until

    @property
    def remaining_s(self) -> float:
        """Return the seconds until the window ends; 0 when there is none."""
        return max(0.0, self._until_s - self._clock.monotonic_s())

    @property
    def until_s(self) -> float:
        """Return the monotonic end of the last window; long past when there was none."""
        return self._until_s

    @property
    def until(self) -> datetime | None:
        """Return the end of the present window; None when there is none."""
        return self._until if self.remaining_s > 0 else None
