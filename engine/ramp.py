"""After a standstill jobs start slowly at first: what has piled up must not fall on ESI at once."""

from __future__ import annotations

from typing import Final

# Jobs a second at the beginning; each second of the ramp adds so many more.
FIRST_PER_S: Final = 50.0
MORE_PER_S: Final = 25.0
# Started at once, when none was started for a while.
BURST: Final = 16


class Ramp:
    """How many jobs may start now; not in force once nothing that piled up is left."""

    def __init__(self, most_per_s: float) -> None:
        """Take the jobs a second that are never exceeded while it lasts; 0: there is none."""
        self._most_per_s = most_per_s
        self._began_s = 0.0
        self._looked_s = 0.0
        self._room = 0.0
        self.active = False

    def begin(self, now_s: float) -> None:
        """Start anew, at the end of a standstill."""
        self.active = self._most_per_s > 0
        self._began_s = self._looked_s = now_s
        self._room = float(BURST)

    def room(self, now_s: float) -> int:
        """Return how many jobs may start now."""
        rate = self._rate(now_s)
        self._room = min(BURST, self._room + rate * (now_s - self._looked_s))
        self._looked_s = now_s
        return int(self._room)

    def took(self, jobs: int, *, all_due: bool) -> None:
        """Note how many were started; all_due: nothing that was due is left."""
        self._room -= jobs
        if all_due:
            self.active = False

    def next_s(self) -> float:
        """Return when one more job may start."""
        missing = 1.0 - self._room
        return self._looked_s + max(0.0, missing) / self._rate(self._looked_s)

    def _rate(self, now_s: float) -> float:
        return min(self._most_per_s, FIRST_PER_S + MORE_PER_S * (now_s - self._began_s))
