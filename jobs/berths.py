"""How many writes are at ESI at once: so many over all workers, and each worker its share."""

from __future__ import annotations

import asyncio

AT_ONCE = 16
# What is not answered by then gives its berth to the next: what hangs must not keep others back.
HELD_S = 1.0


def share_of(workers: int) -> int:
    """Return how many berths each of so many workers has."""
    return max(1, AT_ONCE // workers)


class Berths:
    """One worker's share; who waits for a berth goes in order."""

    def __init__(self, workers: int, held_s: float = HELD_S) -> None:
        """Take how many workers share the berths, and how long one is held at most."""
        self._free = asyncio.Semaphore(share_of(workers))
        self._held_s = held_s

    def one(self) -> Berth:
        """Return a berth to be held in `async with`: waited for, and not held for long."""
        return Berth(self._free, self._held_s)


class Berth:
    """A place among the writes that are at ESI."""

    __slots__ = ("_free", "_held_s", "_is_held", "_timer")

    def __init__(self, free: asyncio.Semaphore, held_s: float) -> None:
        """Take the free berths."""
        self._free = free
        self._held_s = held_s
        self._is_held = False
        self._timer: asyncio.TimerHandle

    async def __aenter__(self) -> None:
        """Wait for a berth."""
        await self._free.acquire()
        self._is_held = True
        self._timer = asyncio.get_running_loop().call_later(self._held_s, self._let_go)

    async def __aexit__(self, *_: object) -> None:
        """Give the berth to the next, if that has not happened yet."""
        self._timer.cancel()
        self._let_go()

    def _let_go(self) -> None:
        if self._is_held:
            self._is_held = False
            self._free.release()
