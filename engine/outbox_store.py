"""The outbox's way to the database: reads beside the loop, writes on the disk and in turn."""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeVar

from sqlalchemy import Connection

from engine.trouble import Trouble
from engine.turns import Turns
from jobs.store.database import Database

T = TypeVar("T")


class OutboxStore:
    """What the outbox reads and writes with."""

    def __init__(
        self, reads: Database, housekeeping: Database, turns: Turns, trouble: Trouble, epoch: int
    ) -> None:
        """Take the connections, who gives turns, and whom to tell of a write that waits."""
        self.epoch = epoch
        self._reads = reads
        self._housekeeping = housekeeping
        self._turns = turns
        self._trouble = trouble

    async def read(self, look: Callable[[Connection], T]) -> T:
        """Look something up."""
        return await self._reads.read(look)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Write something, when it is the scheduler's turn, and wait until it is on the disk."""
        async with self._trouble.watching("outbox"), self._turns.housekeeping():
            return await self._housekeeping.write(work, epoch=self.epoch, durable=True)
