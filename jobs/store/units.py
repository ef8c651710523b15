"""Units of work on their way to a database's thread, and their ends on the way back."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections import deque
from collections.abc import Callable
from concurrent.futures import Future
from dataclasses import dataclass
from typing import Any, Generic, Protocol, TypeVar, cast

from sqlalchemy import Connection

from jobs.store.link import Mode

T = TypeVar("T")
Work = Callable[[Connection], T]

_log = logging.getLogger(__name__)


class Waiting(Protocol):
    """Who waits for the end of a unit; used in the database's thread."""

    def begin(self) -> bool:
        """Tell whether anybody waits still."""

    def end(self, result: Any, error: BaseException | None) -> None:
        """Tell how it ended."""


@dataclass(slots=True)
class Unit(Generic[T]):
    """One unit of work, and who waits for it."""

    work: Work[T]
    mode: Mode
    epoch: int | None
    durable: bool
    waiting: Waiting


class Blocked(Generic[T]):
    """Another thread that stands still until a unit has ended."""

    __slots__ = ("future",)

    def __init__(self) -> None:
        """Wait for a unit that is about to be handed in."""
        self.future: Future[T] = Future()

    def begin(self) -> bool:
        """Tell whether the thread waits still."""
        return self.future.set_running_or_notify_cancel()

    def end(self, result: Any, error: BaseException | None) -> None:
        """Let the thread go on."""
        if error is not None:
            self.future.set_exception(error)
        else:
            self.future.set_result(cast("T", result))


class Ends:
    """Ends of units on their way to a loop: those that lie there together wake it once.

    A future of concurrent.futures for each, chained to one of asyncio, costs several times as much.
    """

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        """Take the loop of those who wait."""
        self.loop = loop
        self._ended: deque[tuple[asyncio.Future[Any], Any, BaseException | None]] = deque()
        self._is_called = False

    def put(self, future: asyncio.Future[Any], result: Any, error: BaseException | None) -> None:
        """Hand over one, in the database's thread."""
        self._ended.append((future, result, error))
        if self._is_called:
            # The loop takes this back before it looks, so it will see this one.
            return
        self._is_called = True
        try:
            self.loop.call_soon_threadsafe(self._take)
        except RuntimeError:
            if not self.loop.is_closed():
                raise
            _log.debug("a unit of work ended after the loop that waited for it")

    def _take(self) -> None:
        self._is_called = False
        while self._ended:
            future, result, error = self._ended.popleft()
            if future.cancelled():
                continue
            if error is not None:
                future.set_exception(error)
            else:
                future.set_result(result)


class Awaiting(Generic[T]):
    """A coroutine that waits for a unit."""

    __slots__ = ("_ends", "future")

    def __init__(self, ends: Ends) -> None:
        """Wait for a unit that is about to be handed in."""
        self._ends = ends
        self.future: asyncio.Future[T] = ends.loop.create_future()

    def begin(self) -> bool:
        """Tell whether the coroutine waits still."""
        return not self.future.cancelled()

    def end(self, result: Any, error: BaseException | None) -> None:
        """Let the coroutine go on."""
        self._ends.put(self.future, result, error)


async def to_its_end(unit: asyncio.Future[T]) -> T:
    """Wait for a unit; who is cancelled meanwhile is so once it has ended."""
    try:
        return await asyncio.shield(unit)
    except asyncio.CancelledError as error:
        cancelled = error
    while not unit.done():
        with contextlib.suppress(asyncio.CancelledError):
            await asyncio.wait((unit,))
    if (failure := unit.exception()) is not None:
        _log.warning("a transaction whose caller had left failed: %s", failure)
    raise cancelled
