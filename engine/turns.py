"""Turns to write to SQLite: one writer at a time, the scheduler's own housekeeping first.

A turn that is not given back in time costs its owner's life: its transaction may hold the lock.
"""

from __future__ import annotations

import asyncio
import heapq
import itertools
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass

from jobs.store.connect import BUSY_TIMEOUT_S

_log = logging.getLogger(__name__)

# A transaction that waits as long as it may ends by itself.
EXPIRES_S = BUSY_TIMEOUT_S + 5.0


@dataclass(frozen=True, slots=True)
class Turn:
    """A worker's claim to write; owner is None for housekeeping."""

    owner: int | None
    lease_id: int


class Turns:
    """Who writes, and who waits for it."""

    def __init__(
        self,
        grant: Callable[[int, int], None],
        expired: Callable[[int], None],
        expires_s: float = EXPIRES_S,
    ) -> None:
        """Take how to tell a worker (owner, lease) and whom to tell of an expiry."""
        self._grant = grant
        self._expired = expired
        self._expires_s = expires_s
        self._holder: Turn | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._housekeeping: list[asyncio.Future[None]] = []
        self._waiting: list[tuple[int, int, Turn]] = []
        self._order = itertools.count()

    def acquire(self, owner: int, lease_id: int, priority: int = 0) -> None:
        """Let a worker write now or later: by priority, higher first, then in order."""
        turn = Turn(owner, lease_id)
        heapq.heappush(self._waiting, (-priority, next(self._order), turn))
        if self._holder is None:
            self._pass_on()

    def release(self, owner: int, lease_id: int) -> None:
        """Take a worker's turn back, or its wait."""
        turn = Turn(owner, lease_id)
        if self._holder == turn:
            self._pass_on()
        else:
            self._forget(lambda waiting: waiting == turn)

    def free(self, owner: int) -> None:
        """Take back all that a dead worker held or waited for."""
        self._forget(lambda waiting: waiting.owner == owner)
        if self._holder is not None and self._holder.owner == owner:
            self._pass_on()

    @asynccontextmanager
    async def housekeeping(self) -> AsyncIterator[None]:
        """Hold the turn for a transaction of the scheduler, next in line."""
        if self._holder is None:
            self._holder = Turn(None, 0)
        else:
            ready = asyncio.get_running_loop().create_future()
            self._housekeeping.append(ready)
            try:
                await ready
            except asyncio.CancelledError:
                if ready.done() and not ready.cancelled():
                    self._pass_on()
                else:
                    self._housekeeping.remove(ready)
                raise
        try:
            yield
        finally:
            self._pass_on()

    def _forget(self, unwanted: Callable[[Turn], bool]) -> None:
        kept = [place for place in self._waiting if not unwanted(place[2])]
        if len(kept) != len(self._waiting):
            self._waiting = kept
            heapq.heapify(kept)

    def _pass_on(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
        self._holder = None
        while self._housekeeping:
            ready = self._housekeeping.pop(0)
            if not ready.done():
                self._holder = Turn(None, 0)
                ready.set_result(None)
                return
        if self._waiting:
            turn = heapq.heappop(self._waiting)[2]
            assert turn.owner is not None  # noqa: S101 - narrows the type
            self._holder = turn
            self._timer = asyncio.get_running_loop().call_later(
                self._expires_s, self._on_expired, turn
            )
            self._grant(turn.owner, turn.lease_id)

    def _on_expired(self, turn: Turn) -> None:
        if self._holder == turn and turn.owner is not None:
            _log.error("worker %d held the turn to write for %.0f s", turn.owner, self._expires_s)
            # The turn is passed on when the worker is dead, not before: it may hold the lock.
            self._expired(turn.owner)
