"""Clocks are passed in: one object tells monotonic and wall time, and a test can move it."""

from __future__ import annotations

import time
from datetime import UTC, datetime
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
