"""The time of the simulated EVE: a universe clock that can race, stop and jump.

Three readings, because three things are timed: what the universe holds (`now_s`), what limits
and tokens last (`steady_s`, which jumps with the universe but never stops or races), and what a
signed token tells a client that checks it with its own clock (`wall_s`).
"""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime
from functools import lru_cache

Reading = Callable[[], float]


class SimulatedClock:
    """A universe clock laid over the machine's clocks."""

    def __init__(
        self,
        *,
        start_s: float | None = None,
        speed: float = 1.0,
        wall: Reading = time.time,  # noqa: TID251 - stands alone, so it is its own clock
        monotonic: Reading = time.monotonic,
    ) -> None:
        self.wall_s = wall
        self._monotonic = monotonic
        self._base_s = wall() if start_s is None else start_s
        self._mark_s = monotonic()
        self._jumped_s = 0.0
        self._speed = speed
        self._frozen = False
        self.start_s = self._base_s

    @property
    def speed(self) -> float:
        """Universe seconds for each second that passes while the clock runs."""
        return self._speed

    @property
    def frozen(self) -> bool:
        """True while universe time stands still."""
        return self._frozen

    def now_s(self) -> float:
        """Return universe time as seconds since 1970."""
        if self._frozen:
            return self._base_s
        return self._base_s + (self._monotonic() - self._mark_s) * self._speed

    def steady_s(self) -> float:
        """Return the time by which limits and token lifetimes are counted."""
        return self._monotonic() + self._jumped_s

    def freeze(self) -> None:
        """Stop universe time."""
        self._rebase()
        self._frozen = True

    def thaw(self) -> None:
        """Let universe time run again from where it stands."""
        self._rebase()
        self._frozen = False

    def advance(self, seconds: float) -> None:
        """Jump ahead, stopped or not; limits and token lifetimes jump too."""
        if seconds < 0:
            raise ValueError("universe time only goes forward")
        self._rebase()
        self._base_s += seconds
        self._jumped_s += seconds

    def set_speed(self, speed: float) -> None:
        """Change how fast universe time runs from now on."""
        if speed <= 0:
            raise ValueError("speed must be above 0; freeze stops the clock")
        self._rebase()
        self._speed = speed

    def _rebase(self) -> None:
        self._base_s = self.now_s()
        self._mark_s = self._monotonic()


@lru_cache(maxsize=65536)
def iso(at_s: int) -> str:
    """Write a time as ESI does in bodies."""
    return datetime.fromtimestamp(at_s, UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


_DAYS = ("Mon", "Tue", "Wed", "Thu", "Fri", "Sat", "Sun")
_MONTHS = ("Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec")


@lru_cache(maxsize=8192)
def http_date(at_s: int) -> str:
    """Write a time as HTTP headers do, whatever the locale."""
    at = datetime.fromtimestamp(at_s, UTC)
    return f"{_DAYS[at.weekday()]}, {at.day:02d} {_MONTHS[at.month - 1]} {at:%Y %H:%M:%S} GMT"


def parse_iso(text: str) -> float:
    """Read an ISO time; one without an offset is taken as UTC."""
    at = datetime.fromisoformat(text)
    return (at if at.tzinfo else at.replace(tzinfo=UTC)).timestamp()
