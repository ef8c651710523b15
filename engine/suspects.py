"""Who killed a worker: jobs that were in flight run again alone, one at a time; pure.

Only a death while alone is held against a job. Three of them, with no proper end between, and
it is parked.
"""

from __future__ import annotations

from collections import deque
from typing import Generic, TypeVar

T = TypeVar("T")

STRIKES_TO_PARK = 3


class Suspects(Generic[T]):
    """The queue for the lone worker, and who is on it."""

    def __init__(self) -> None:
        """Start without suspects."""
        self._waiting: deque[T] = deque()
        self._alone: T | None = None

    def __len__(self) -> int:
        """Return how many wait for the lone worker."""
        return len(self._waiting)

    def accuse(self, job: T) -> None:
        """Let a job wait for the lone worker."""
        if job is not self._alone and not any(job is waiting for waiting in self._waiting):
            self._waiting.append(job)

    def next(self) -> T | None:
        """Return the job that runs alone from now on; None if nobody waits or one runs already."""
        if self._alone is not None or not self._waiting:
            return None
        self._alone = self._waiting.popleft()
        return self._alone

    def ended(self, job: T) -> None:
        """Note that a job no longer runs alone."""
        if self._alone is job:
            self._alone = None


def is_too_many(strikes: int) -> bool:
    """Tell whether a job with so many deaths to its name is parked."""
    return strikes >= STRIKES_TO_PARK
