"""Tells the log which jobs begin to fail and which are well again: each once, not at every run.

When very many begin at once, the first few are named in each minute, and the others counted.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass

from engine.entry import Entry
from ipc.clock import Clock

_log = logging.getLogger(__name__)

NAMED = 10
WINDOW_S = 60.0


@dataclass(slots=True)
class _Window:
    """What was named and what was only counted in the present minute."""

    ends_s: float = float("-inf")
    named: int = 0
    counted: int = 0

    def names(self, now_s: float) -> bool:
        """Tell whether one more may be named now; else it is counted."""
        if now_s >= self.ends_s:
            self.ends_s = now_s + WINDOW_S
            self.named = 0
        if self.named < NAMED:
            self.named += 1
            return True
        self.counted += 1
        return False

    def over(self, now_s: float) -> int:
        """Return how many were only counted, once their minute is over."""
        if not self.counted or now_s < self.ends_s:
            return 0
        counted, self.counted = self.counted, 0
        return counted


class Herald:
    """Remembers which jobs were said to fail."""

    def __init__(self, clock: Clock) -> None:
        """Start without any."""
        self._clock = clock
        # Jobs that were said to fail, or were failing before.
        self.ill: set[Entry] = set()
        self._parked: set[Entry] = set()
        self._failing = _Window()
        self._recovering = _Window()

    def failed(self, entry: Entry, reason: str, before: int, delay_s: float) -> None:
        """Note a failure after so many in a row; the first one is told."""
        if before or entry in self.ill:
            self.ill.add(entry)
            return
        self.ill.add(entry)
        if self._names(self._failing):
            _log.warning("%s fails: %s; tried again in %.0f s", _name(entry), reason, delay_s)

    def parked(self, entry: Entry, reason: str) -> None:
        """Note that a job stops until somebody acts; told once until it is well again."""
        self.ill.add(entry)
        if entry in self._parked:
            return
        self._parked.add(entry)
        if self._names(self._failing):
            _log.warning("%s is parked: %s", _name(entry), reason)

    def well(self, entry: Entry, before: int) -> None:
        """Note a success after so many failures in a row."""
        if not before and entry not in self.ill:
            return
        self.ill.discard(entry)
        self._parked.discard(entry)
        if self._names(self._recovering):
            _log.info("%s is well again", _name(entry))

    def tick(self) -> None:
        """Tell of those that were only counted, once their minute is over."""
        now_s = self._clock.monotonic_s()
        if failed := self._failing.over(now_s):
            _log.warning("%d more jobs began to fail; `esisyncd status` shows them", failed)
        if recovered := self._recovering.over(now_s):
            _log.info("%d more jobs are well again", recovered)

    def _names(self, window: _Window) -> bool:
        self.tick()
        now_s = self._clock.monotonic_s()
        if now_s >= window.ends_s:
            # Those that have left since are nobody's concern.
            self.ill = {entry for entry in self.ill if not entry.gone}
            self._parked = {entry for entry in self._parked if not entry.gone}
        return window.names(now_s)


def _name(entry: Entry) -> str:
    return f"{entry.key.kind} of {entry.key.subject}"
