"""Ledger rows on their way to the database: many in one commit, behind dispatch.

Rows wait in memory, one a job, while the database cannot be written; nothing is lost but by the
end of this process. Housekeeping that must be stored in order with them goes the same way.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from sqlalchemy import Connection

from engine.trouble import Trouble
from engine.turns import Turns
from ipc.subject import JobKey
from jobs.store import ledger
from jobs.store.database import Database, StoreError
from jobs.store.ledger import LedgerRow
from jobs.store.trouble import first_line, is_of_values

_log = logging.getLogger(__name__)

Errand = Callable[[Connection], object]

# Rows in one transaction: some 10 ms of the lock.
CHUNK = 2_000
# Under load, commits are so far apart: each costs a sync of the disk.
PACE_S = 0.05
# From so many rows in one commit on, there is load.
LOAD = 32


class LedgerWriter:
    """The queue of rows and the task that commits them."""

    def __init__(
        self,
        housekeeping: Database,
        turns: Turns,
        epoch: int,
        trouble: Trouble,
        committed: Callable[[list[tuple[JobKey, float]]], None],
    ) -> None:
        """Take the connection, and whom to tell which jobs' rows are committed."""
        self._database = housekeeping
        self._turns = turns
        self._epoch = epoch
        self._trouble = trouble
        self._committed = committed
        self._rows: dict[JobKey, LedgerRow] = {}
        self._schedules: list[tuple[JobKey, float]] = []
        self._errands: list[Errand] = []
        self._work = asyncio.Event()
        self._idle = asyncio.Event()
        self._idle.set()

    @property
    def waiting(self) -> int:
        """Return how many rows and errands are not committed yet."""
        return len(self._rows) + len(self._errands)

    def record(self, key: JobKey, row: LedgerRow, next_in_s: float | None) -> None:
        """Queue a job's row; its Scheduled event follows the commit."""
        self._rows[key] = row
        if next_in_s is not None:
            self._schedules.append((key, next_in_s))
        if not self._work.is_set():
            self._work.set()
            self._idle.clear()

    def run_errand(self, errand: Errand) -> None:
        """Queue another small write; it may run more than once."""
        self._errands.append(errand)
        self._work.set()
        self._idle.clear()

    async def run(self) -> None:
        """Commit what is queued, until cancelled."""
        while True:
            await self._work.wait()
            self._work.clear()
            while self._rows or self._errands:
                count = len(self._rows)
                await self._commit()
                # What one commit does not hold is behind already: no pause then.
                if LOAD <= count <= CHUNK:
                    await asyncio.sleep(PACE_S)
            if not self._work.is_set():
                self._idle.set()

    async def settled(self) -> None:
        """Wait until all is committed."""
        await self._idle.wait()

    async def _commit(self) -> None:
        rows, schedules, errands = self._rows, self._schedules, self._errands
        self._rows, self._schedules, self._errands = {}, [], []
        if len(rows) > CHUNK:
            keys = list(rows)
            self._rows = {key: rows[key] for key in keys[CHUNK:]}
            rows = {key: rows[key] for key in keys[:CHUNK]}
            self._schedules = [pair for pair in schedules if pair[0] in self._rows]
            schedules = [pair for pair in schedules if pair[0] not in self._rows]
        try:
            async with self._trouble.watching("ledger"), self._turns.housekeeping():
                await self._write(errands, list(rows.values()))
        except StoreError as error:
            # What came in meanwhile is newer.
            self._rows = {**rows, **self._rows}
            self._schedules = schedules + self._schedules
            self._errands = errands + self._errands
            await self._trouble.wait_after("ledger", error)
        else:
            self._trouble.over("ledger")
            if schedules:
                self._committed(schedules)

    async def _write(self, errands: list[Errand], rows: list[LedgerRow]) -> None:
        """Write errands, then rows; of what the database does not take, all but that is written.

        It is looked for by halves, each in a transaction of its own.
        """

        def write(connection: Connection) -> None:
            for errand in errands:
                errand(connection)
            if rows:
                ledger.upsert_many(connection, rows)

        try:
            await self._database.write(write, epoch=self._epoch, durable=True)
        except Exception as error:
            if not is_of_values(error):
                raise
            if len(errands) + len(rows) == 1:
                what = f"the row of {rows[0].key}" if rows else "what was to be kept beside it"
                _log.error("the ledger does without %s: %s", what, first_line(error))
                return
        else:
            return
        # All errands before all rows, as they were handed in.
        of_errands = len(errands) if rows else len(errands) // 2
        of_rows = 0 if errands else len(rows) // 2
        await self._write(errands[:of_errands], rows[:of_rows])
        await self._write(errands[of_errands:], rows[of_rows:])
