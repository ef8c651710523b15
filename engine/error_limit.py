"""ESI's error limit, watched over all workers: routes without a rate group share it; pure.

A hundred answers that are errors in a minute, and every route answers 420 until it is over.
"""

from __future__ import annotations

from jobs.rates import ERRORS_KEPT, ERRORS_WATCHED_FROM


class ErrorLimit:
    """What is left of the present window, and how fast jobs that may spend it are started."""

    def __init__(self) -> None:
        """Start with a window of which nothing is known."""
        self._left = ERRORS_WATCHED_FROM + 1
        self._until_s = 0.0
        self._next_s = 0.0

    def hear(self, left: int, reset_s: float, now_s: float) -> bool:
        """Take over what an answer told; True when it has just become too little to go on."""
        stood = self.is_spent(now_s)
        if now_s >= self._until_s:
            self._next_s = 0.0
            self._left = left
        else:
            # Of answers that overtook each other the worst is true.
            self._left = min(self._left, left)
        self._until_s = now_s + reset_s
        return self.is_spent(now_s) and not stood

    def is_spent(self, now_s: float) -> bool:
        """Tell whether only the errors are left that nobody should count on."""
        return now_s < self._until_s and self._left <= ERRORS_KEPT

    def left(self, now_s: float) -> int | None:
        """Return the errors left in this window; None when nothing is known to be spent."""
        return self._left if now_s < self._until_s and self._left <= ERRORS_WATCHED_FROM else None

    def wait_s(self, now_s: float) -> float:
        """Return how long a job that may meet errors should wait; 0: not at all."""
        if self._left > ERRORS_WATCHED_FROM or now_s >= self._until_s:
            return 0.0
        if self._left <= ERRORS_KEPT:
            return self._until_s - now_s
        return max(0.0, self._next_s - now_s)

    def started(self, now_s: float) -> None:
        """Note that such a job was started: the next one comes later, the fewer are left."""
        if self._left <= ERRORS_WATCHED_FROM and now_s < self._until_s:
            spacing_s = (self._until_s - now_s) / max(1, self._left - ERRORS_KEPT)
            self._next_s = now_s + spacing_s
