"""Small transactions of one process that come at the same time: one turn to write, one sync."""

from __future__ import annotations

import asyncio
import contextlib
import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any, TypeVar, cast

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from jobs.leases import Leases
from jobs.rates import TURN
from jobs.store.database import Database
from jobs.store.errors import BadRow, StoreError
from jobs.store.trouble import Trouble, diagnose

I = TypeVar("I")  # noqa: E741 - the type of an item
T = TypeVar("T")
# Writes items, and returns what each came to, in order.
Work = Callable[[Connection, Sequence[I]], Sequence[T]]
# How long one thread keeps the interpreter from the other while rows are written.
SWITCH_S = 0.00003
_End = tuple[Any, Exception | None]


@dataclass(slots=True, eq=False)
class _Unit:
    work: Work[Any, Any]
    item: Any
    # Cancelled with who waits for it.
    ended: asyncio.Future[Any]
    end: _End | None = None

    def come_to(self, value: Any, failure: Exception | None) -> None:
        """Note what came of it, and let who waits for it go on."""
        self.end = (value, failure)
        if self.ended.done():
            return
        if failure is not None:
            self.ended.set_exception(failure)
        else:
            self.ended.set_result(value)


class GroupCommit:
    """Units of work that must be on the disk before anybody is told of them.

    Items of the same work are written by one call. If that fails, each is written by itself, with a
    savepoint of its own, so that an error of one is no other's.
    """

    def __init__(self, database: Database, leases: Leases, epoch: int) -> None:
        """Take where to write, and the way to the turn to do so."""
        self._database = database
        self._leases = leases
        self._epoch = epoch
        self._waiting: list[_Unit] = []
        self._task: asyncio.Task[None] | None = None

    async def write(self, work: Work[I, T], item: I) -> T:
        """Write an item in a durable transaction with what else waits; return what it came to.

        A caller that is cancelled is so at once while the work has not begun, else at its end.
        """
        loop = asyncio.get_running_loop()
        unit = _Unit(work, item, loop.create_future())
        self._waiting.append(unit)
        if self._task is None:
            self._task = loop.create_task(self._run(), name="group-commit")
        cancelled: asyncio.CancelledError | None = None
        while unit.end is None:
            try:
                # Itself and not by way of another future: each write comes here.
                await unit.ended
            except asyncio.CancelledError as error:
                if unit in self._waiting:
                    self._waiting.remove(unit)
                    raise
                cancelled = error
                if not unit.ended.cancelled():
                    # It has ended; how is seen by nobody else.
                    unit.ended.exception()
                unit.ended = loop.create_future()
            except Exception:
                if cancelled is None:
                    raise
        if cancelled is not None:
            raise cancelled
        return cast("T", unit.end[0])

    async def _run(self) -> None:
        try:
            while self._waiting:
                await self._commit()
        finally:
            self._task = None

    async def _commit(self) -> None:
        # Nobody but SQLite needs turns.
        is_sqlite = self._database.dialect == "sqlite"
        turn = self._leases.hold(TURN) if is_sqlite else contextlib.nullcontext()
        units: list[_Unit] = []
        try:
            async with turn:
                # Whatever has come while the turn was waited for.
                units, self._waiting = self._waiting, []
                with _hurrying():
                    ends = await self._database.write(
                        lambda connection: _write_all(connection, units),
                        epoch=self._epoch,
                        durable=True,
                    )
        except Exception as error:  # noqa: BLE001 - it is raised where each of them is awaited
            if not units:
                # The turn was not to be had.
                units, self._waiting = self._waiting, []
            for unit in units:
                unit.come_to(None, error)
            return
        for unit, (value, failure) in zip(units, ends, strict=True):
            unit.come_to(value, failure)


@contextlib.contextmanager
def _hurrying() -> Iterator[None]:
    """Have the database's thread wait less for the loop's; it does so after each step of a query.

    Everybody waits for this turn. Not always so short, as each switch costs something.
    """
    usual_s = sys.getswitchinterval()
    sys.setswitchinterval(SWITCH_S)
    try:
        yield
    finally:
        sys.setswitchinterval(usual_s)


def is_of_all(error: Exception) -> bool:
    """Tell whether an error is the database's, and so that of all who write; else of one alone."""
    if isinstance(error, DBAPIError):
        return diagnose(error) is not Trouble.OTHER
    return isinstance(error, StoreError) and not isinstance(error, BadRow)


def _write_all(connection: Connection, units: Sequence[_Unit]) -> list[_End]:
    ends: list[_End] = []
    for _, several in groupby(units, lambda unit: id(unit.work)):
        ends += _write(connection, list(several))
    return ends


def _write(connection: Connection, units: Sequence[_Unit]) -> list[_End]:
    """Return what units of one work came to; trouble of the database ends the transaction."""
    savepoint = connection.begin_nested()
    try:
        values = units[0].work(connection, [unit.item for unit in units])
    except Exception as error:  # it is raised where it is awaited
        if is_of_all(error):
            raise
        savepoint.rollback()
        if len(units) == 1:
            return [(None, error)]
        return [end for unit in units for end in _write(connection, [unit])]
    savepoint.commit()
    return [(value, None) for value in values]
