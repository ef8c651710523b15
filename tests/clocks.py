"""A clock that a test moves."""

from __future__ import annotations

from datetime import datetime, timedelta


class ManualClock:
    """A clock that stands still until it is told to move."""

    def __init__(self, start: datetime) -> None:
        self._now = start
        self._monotonic_s = 1000.0

    def monotonic_s(self) -> float:
        """Return seconds since an arbitrary start; never goes back."""
        return self._monotonic_s

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Move both clocks forward."""
        self._monotonic_s += seconds
        self._now += timedelta(seconds=seconds)

    def step_wall(self, seconds: float) -> None:
        """Move the wall clock alone, as an administrator or NTP does."""
        self._now += timedelta(seconds=seconds)
