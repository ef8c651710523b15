"""Clocks are passed in: one object tells monotonic and wall time, and a test can move it."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from typing import Protocol


class Clock(Protocol):
    """Tells the time: monotonic seconds for durations, aware UTC for facts that are stored."""

    def monotonic_s(self) -> float:
        """Return seconds since an arbitrary start; never goes back."""

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""


class SystemClock:
    """The machine's own clocks."""

    def monotonic_s(self) -> float:
        """Return seconds since an arbitrary start; never goes back."""
        return time.monotonic()

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return datetime.now(UTC)  # noqa: TID251 - the one place that reads the wall clock


class ManualClock:
    """A clock that stands still until it is told to move; for tests and simulations."""

    def __init__(self, start: datetime, monotonic_s: float = 1000.0) -> None:
        self._now = start
        self._monotonic_s = monotonic_s

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
