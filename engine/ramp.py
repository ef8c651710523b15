"""How many jobs may start: few at first after a standstill, and never very many in one second.

What has piled up must not fall on ESI at once. Nor must its echo: jobs that a ramp had start close
together fall due close together after their interval, those of several kinds at the same time.
"""

from __future__ import annotations

from typing import Final

# Jobs a second at the beginning of a ramp; each second of it adds so many more.
FIRST_PER_S: Final = 50.0
MORE_PER_S: Final = 25.0
# Started at once, when none was started for a while.
BURST: Final = 16
# When nothing has piled up: with a burst still below two hundred. More where there is room for
# more jobs at once than the settings have of themselves: whoever widens that wants them.
LASTING_PER_S: Final = 180.0
LASTING_SLOTS: Final = 32
# Time is too coarse to wait for less.
_HAIR: Final = 1e-6


class Ramp:
    """How many jobs may start now."""

    def __init__(self, most_per_s: float, slots: int = LASTING_SLOTS) -> None:
        """Take the jobs a second that no ramp exceeds (0: nothing is bounded), and the slots."""
        self._most_per_s = most_per_s
        self._lasting_per_s = LASTING_PER_S * max(1.0, slots / LASTING_SLOTS)
        self._began_s = 0.0
        self._looked_s = 0.0
        self._room = float(BURST)
        self.is_bound = most_per_s > 0
        # Something that piled up is left.
        self.active = False

    def begin(self, now_s: float) -> None:
        """Start anew, at the end of a standstill."""
        self.active = self.is_bound
        self._began_s = self._looked_s = now_s
        self._room = float(BURST)

    def room(self, now_s: float) -> int:
        """Return how many jobs may start now."""
        rate = self._rate(now_s)
        self._room = min(BURST, self._room + rate * (now_s - self._looked_s))
        self._looked_s = now_s
        return int(self._room + _HAIR)

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
        if not self.active:
            return self._lasting_per_s
        return min(self._most_per_s, FIRST_PER_S + MORE_PER_S * (now_s - self._began_s))
