"""How many writes are at ESI at once: so many over all workers, and each worker its share."""

from __future__ import annotations

import asyncio

AT_ONCE = 16
# What is not answered by then gives its berth to the next: what hangs must not keep others back.
HELD_S = 1.0
# The loop calls a timer up to its clock's resolution early.
GRAIN_S = 0.001


def share_of(workers: int) -> int:
    """Return how many berths each of so many workers has."""
    return max(1, AT_ONCE // workers)


class Berths:
    """One worker's share; who waits for a berth goes in order."""

    def __init__(self, workers: int, held_s: float = HELD_S) -> None:
        """Take how many workers share the berths, and how long one is held at most."""
        self._free = asyncio.Semaphore(share_of(workers))
        self._held_s = held_s
        # Held berths, and when each goes to the next: in that order, as all are held as long.
        self._held: dict[Berth, float] = {}
        # One for all of them: most are given back long before, and a timer each costs more.
        self._alarm: asyncio.TimerHandle | None = None

    def one(self) -> Berth:
        """Return a berth to be held in `async with`: waited for, and not held for long."""
        return Berth(self)

    async def take(self, berth: Berth) -> None:
        """Wait for a berth."""
        await self._free.acquire()
        loop = asyncio.get_running_loop()
        until_s = self._held[berth] = loop.time() + self._held_s
        if self._alarm is None:
            self._alarm = loop.call_at(until_s, self._let_go_overdue, loop)

    def let_go(self, berth: Berth) -> None:
        """Give a berth to the next, if that has not happened yet."""
        if self._held.pop(berth, None) is not None:
            self._free.release()

    def _let_go_overdue(self, loop: asyncio.AbstractEventLoop) -> None:
        self._alarm = None
        now_s = loop.time() + GRAIN_S
        for berth, until_s in list(self._held.items()):
            if until_s > now_s:
                self._alarm = loop.call_at(until_s, self._let_go_overdue, loop)
                return
            self.let_go(berth)


class Berth:
    """A place among the writes that are at ESI."""

    __slots__ = ("_berths",)

    def __init__(self, berths: Berths) -> None:
        """Take of which berths it is one."""
        self._berths = berths

    async def __aenter__(self) -> None:
        """Wait for a berth."""
        await self._berths.take(self)

    async def __aexit__(self, *_: object) -> None:
        """Give the berth to the next."""
        self._berths.let_go(self)
