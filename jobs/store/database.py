"""A database and the one thread that uses it.

Every unit of work runs in that thread, on one connection that stays open, in a transaction of
its own. A unit may run more than once: what else it does must bear being done twice.
"""

from __future__ import annotations

import asyncio
import logging
import os
import queue
import threading
import time
from typing import Any, Literal

from sqlalchemy import Connection

from jobs.store import connect, fence, grants, tally
from jobs.store.errors import (
    CommitInDoubt,
    StoreBusy,
    StoreCorrupt,
    StoreDenied,
    StoreError,
    StoreForeign,
    StoreMissing,
    StoreRefused,
    StoreUnavailable,
)
from jobs.store.link import Link, Mode
from jobs.store.trouble import Trouble, diagnose, explain, first_line, is_io_error, is_read_only
from jobs.store.units import Awaiting, Blocked, Ends, T, Unit, Waiting, Work, to_its_end

__all__ = [
    "CommitInDoubt",
    "Database",
    "StoreBusy",
    "StoreCorrupt",
    "StoreDenied",
    "StoreError",
    "StoreForeign",
    "StoreMissing",
    "StoreRefused",
    "StoreUnavailable",
]

_log = logging.getLogger(__name__)

# A unit that the database rolled back is run again at most so often.
ATTEMPTS = 6


class Database:
    """One database, its thread and its connection."""

    def __init__(
        self,
        url: str,
        *,
        durable: bool = False,
        create: bool = False,
        busy_timeout_s: float = connect.BUSY_TIMEOUT_S,
    ) -> None:
        self._link = Link(url, create=create, busy_timeout_s=busy_timeout_s)
        self._durable = durable
        self._fold = False
        self._queue: queue.SimpleQueue[Unit[Any] | None] = queue.SimpleQueue()
        self._lock = threading.Lock()
        self._thread: threading.Thread | None = None
        self._closed = False
        self._ends: Ends | None = None
        self._pid = os.getpid()

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]:
        """Return which database this is."""
        return self._link.dialect

    def __str__(self) -> str:
        """Return how the database is named to people."""
        return str(self._link)

    # --- for coroutines --------------------------------------------------------------------------

    async def read(self, work: Work[T]) -> T:
        """Run work in a read transaction of its own and return what it returned."""
        return await self._ask(work, Mode.READ)

    async def stage(self, work: Work[T]) -> T:
        """Run work that fills temporary tables; nobody else waits for it."""
        return await to_its_end(self._ask(work, Mode.STAGE))

    async def write(self, work: Work[T], *, epoch: int | None, durable: bool | None = None) -> T:
        """Run work in a write transaction and commit it; Fenced when epoch is not the owner's.

        A caller that is cancelled meanwhile is so once the transaction has ended.
        """
        return await to_its_end(self._ask(work, Mode.WRITE, epoch=epoch, durable=durable))

    async def close(self, *, fold: bool = False) -> None:
        """End the units that were handed in, then the thread.

        fold: write what is in SQLite's write-ahead log into the file itself, which then holds
        everything.
        """
        self._fold = fold
        self._stop()
        if self._thread is not None:
            await asyncio.to_thread(self._thread.join)

    # --- blocking twins --------------------------------------------------------------------------

    def read_now(self, work: Work[T]) -> T:
        """Run work in a read transaction and wait for it."""
        return self._wait(work, Mode.READ)

    def write_now(
        self, work: Work[T], *, epoch: int | None = None, durable: bool | None = None
    ) -> T:
        """Run work in a write transaction, commit it and wait for it."""
        return self._wait(work, Mode.WRITE, epoch=epoch, durable=durable)

    def close_now(self) -> None:
        """End the units that were handed in, then the thread."""
        self._stop()
        if self._thread is not None:
            self._thread.join()

    # --- handing in ------------------------------------------------------------------------------

    def _ask(
        self, work: Work[T], mode: Mode, *, epoch: int | None = None, durable: bool | None = None
    ) -> asyncio.Future[T]:
        loop = asyncio.get_running_loop()
        if self._ends is None or self._ends.loop is not loop:
            self._ends = Ends(loop)
        waiting: Awaiting[T] = Awaiting(self._ends)
        self._hand_in(work, mode, waiting, epoch, durable)
        return waiting.future

    def _wait(
        self, work: Work[T], mode: Mode, *, epoch: int | None = None, durable: bool | None = None
    ) -> T:
        waiting: Blocked[T] = Blocked()
        self._hand_in(work, mode, waiting, epoch, durable)
        return waiting.future.result()

    def _hand_in(
        self, work: Work[T], mode: Mode, waiting: Waiting, epoch: int | None, durable: bool | None
    ) -> None:
        if os.getpid() != self._pid:
            raise RuntimeError("a database cannot be used in a process forked from its own")
        if threading.current_thread() is self._thread:
            raise RuntimeError("a unit of work cannot hand in another and wait for it")
        unit = Unit(work, mode, epoch, self._durable if durable is None else durable, waiting)
        with self._lock:
            if self._closed:
                raise StoreUnavailable(f"{self} is closed")
            if self._thread is None:
                self._thread = threading.Thread(
                    target=self._serve, name=f"database-{self.dialect}", daemon=True
                )
                self._thread.start()
            self._queue.put(unit)

    def _stop(self) -> None:
        with self._lock:
            if not self._closed:
                self._closed = True
                self._queue.put(None)

    # --- in the thread ---------------------------------------------------------------------------

    def _serve(self) -> None:
        while (unit := self._queue.get()) is not None:
            if unit.waiting.begin():
                try:
                    result = self._perform(unit)
                except BaseException as error:  # noqa: BLE001 - it is raised where it is awaited
                    unit.waiting.end(None, error)
                else:
                    unit.waiting.end(result, None)
                    # Not kept until the next one comes: it may be a large set of rows.
                    del result
            del unit
        if self._fold:
            self._link.fold_log()
        self._link.drop()
        self._link.engine.dispose()

    def _perform(self, unit: Unit[T]) -> T:
        for attempt in range(1, ATTEMPTS + 1):
            try:
                return self._attempt(unit)
            except self._link.driver_errors as error:
                trouble = diagnose(error)
                if unit.mode is Mode.READ and self._link.is_reached and is_read_only(error):
                    # The transaction was made so: the work is at fault, not the database.
                    raise
                again = trouble in (Trouble.RERUN, Trouble.LOST) and attempt < ATTEMPTS
                if trouble is Trouble.LOST and not self._link.is_reached:
                    # It was the connecting that failed.
                    again = False
                if trouble is not Trouble.RERUN and trouble is not Trouble.OTHER:
                    self._link.drop()
                if not again:
                    raised = explain(str(self), error)
                    raise raised from (error if raised is not error else error.__cause__)
                _log.debug("running a unit of work again after: %s", error)
            time.sleep(0.01 * 2**attempt)
        raise AssertionError("the last attempt returns or raises")

    def _attempt(self, unit: Unit[T]) -> T:
        connection = self._link.ready(unit.mode, durable=unit.durable)
        tally.begin(connection)
        grants.begin(connection)
        transaction = connection.begin()
        try:
            if self.dialect == "postgresql":
                self._begin_postgres(connection, unit)
            if unit.epoch is not None:
                fence.check(connection, unit.epoch)
            result = unit.work(connection)
            if unit.mode is Mode.READ:
                self._link.require_unchanged(connection)
        except BaseException:
            self._roll_back(connection)
            raise
        if unit.mode is Mode.READ:
            transaction.rollback()
        else:
            self._commit(connection)
        return result

    def _begin_postgres(self, connection: Connection, unit: Unit[Any]) -> None:
        if unit.mode is Mode.READ:
            # One state of the database for all statements of the unit, as on SQLite.
            connection.exec_driver_sql("SET TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY")
        elif unit.durable and unit.mode is Mode.WRITE:
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")

    def _commit(self, connection: Connection) -> None:
        transaction = connection.get_transaction()
        assert transaction is not None  # noqa: S101 - begin() was called a moment ago
        try:
            transaction.commit()
        except self._link.driver_errors as error:
            self._roll_back(connection)
            in_doubt = diagnose(error) is Trouble.LOST or is_io_error(error)
            if in_doubt:
                self._link.drop()
                raise CommitInDoubt(
                    f"{self}: lost while committing: {first_line(error)}"
                ) from error
            raise

    def _roll_back(self, connection: Connection) -> None:
        transaction = connection.get_transaction()
        if transaction is None:
            return
        try:
            transaction.rollback()
        except self._link.driver_errors as error:
            # A connection that cannot even roll back is of no more use.
            _log.debug("rollback failed, connection dropped: %s", error)
            self._link.drop()
