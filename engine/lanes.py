"""Whose turn it is among due jobs, so that no crowd holds up what is small or what has been there.

A thousand characters that are loaded for the first time are fifty thousand jobs, all due before
whatever falls due meanwhile. So due jobs wait in lanes; in each the longest overdue goes first.
"""

from __future__ import annotations

import heapq
from collections.abc import Collection
from enum import IntEnum
from typing import TYPE_CHECKING, Final

from engine.downtime import STATUS_KIND
from ipc.subject import JobKey, SubjectType

if TYPE_CHECKING:
    from engine.entry import Entry

# Global jobs go before those of subjects until they fill this share of the slots.
GLOBAL_SHARE: Final = 4
# Places left behind are swept out when they are this many and more than the live ones.
_SWEEP_FROM: Final = 1024
NEVER_S: Final = float("inf")


class Lane(IntEnum):
    """Where a job waits."""

    # Finds out whether ESI is there at all.
    STATUS = 0
    # Belongs to nobody; there are few of them.
    GLOBAL = 1
    # Has succeeded before.
    AGAIN = 2
    # Is to succeed for the first time.
    FIRST = 3


def lane_of(key: JobKey, *, succeeded: bool) -> Lane:
    """Return where a job waits."""
    if key.subject.type is SubjectType.GLOBAL:
        return Lane.STATUS if key.kind == STATUS_KIND else Lane.GLOBAL
    return Lane.AGAIN if succeeded else Lane.FIRST


def most_global(slots: int) -> int:
    """Return how many global jobs may go before all others at a time."""
    return max(1, slots // GLOBAL_SHARE)


def next_lane(due: Collection[Lane], *, last: Lane, globals_full: bool) -> Lane:
    """Return the lane whose turn it is among those with a due job.

    last: AGAIN or FIRST, whichever had the last turn of theirs; they take turns. globals_full: as
    many global jobs run as may go before others; then they go when nobody else is due.
    """
    if Lane.STATUS in due:
        return Lane.STATUS
    again, first = Lane.AGAIN in due, Lane.FIRST in due
    if Lane.GLOBAL in due and not (globals_full and (again or first)):
        return Lane.GLOBAL
    if again and first:
        return Lane.AGAIN if last is Lane.FIRST else Lane.FIRST
    return Lane.AGAIN if again else Lane.FIRST


class Places:
    """The places of one lane, by time; one that was left is passed over when it comes up."""

    __slots__ = ("heap", "queued")

    def __init__(self) -> None:
        """Start empty."""
        self.heap: list[tuple[float, int, Entry]] = []
        # Those that were not left.
        self.queued = 0

    def push(self, due_s: float, ticket: int, entry: Entry) -> None:
        """Add a place, which counts as queued already."""
        heap = self.heap
        heapq.heappush(heap, (due_s, ticket, entry))
        left = len(heap) - self.queued
        if left > _SWEEP_FROM and left > self.queued:
            self.heap = [place for place in heap if place[2].ticket == place[1]]
            heapq.heapify(self.heap)

    def first_s(self) -> float:
        """Return when the first is due; infinity when there is none."""
        heap = self.heap
        while heap:
            due_s, ticket, entry = heap[0]
            if entry.ticket == ticket:
                return due_s
            heapq.heappop(heap)
        return NEVER_S

    def pop(self) -> Entry:
        """Take the first, right after first_s() has found it."""
        return heapq.heappop(self.heap)[2]

    def count_due(self, now_s: float, limit: int) -> int:
        """Return how many are due; costs what is due, and stops at limit."""
        count, heap, stack = 0, self.heap, [0]
        while stack and count < limit:
            place = stack.pop()
            if place < len(heap) and heap[place][0] <= now_s:
                count += heap[place][2].ticket == heap[place][1]
                stack += (2 * place + 1, 2 * place + 2)
        return count
