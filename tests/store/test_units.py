"""Ends of units of work on their way from a database's thread to the loop that waits for them."""

from __future__ import annotations

import asyncio
from collections.abc import Callable
from typing import Any

import pytest

from jobs.store.units import Awaiting, Ends, to_its_end


class _Counting:
    """A loop that counts how often a thread wakes it."""

    def __init__(self, loop: asyncio.AbstractEventLoop) -> None:
        self._loop = loop
        self.wakes = 0

    def call_soon_threadsafe(self, call: Callable[[], Any]) -> None:
        self.wakes += 1
        self._loop.call_soon_threadsafe(call)

    def create_future(self) -> asyncio.Future[Any]:
        return self._loop.create_future()


async def test_ends_that_lie_there_together_wake_the_loop_once() -> None:
    loop = _Counting(asyncio.get_running_loop())
    ends = Ends(loop)  # type: ignore[arg-type]
    first, second, third = (Awaiting[int](ends) for _ in range(3))

    first.end(1, None)
    second.end(None, ValueError("two"))
    assert await first.future == 1
    with pytest.raises(ValueError, match="two"):
        await second.future
    assert loop.wakes == 1

    third.end(3, None)
    assert await third.future == 3
    assert loop.wakes == 2


async def test_who_has_left_is_not_told() -> None:
    ends = Ends(asyncio.get_running_loop())
    left, stays = Awaiting[int](ends), Awaiting[int](ends)
    left.future.cancel()

    assert not left.begin()
    left.end(1, None)
    stays.end(2, None)

    assert await stays.future == 2
    assert left.future.cancelled()


def test_an_end_after_the_loop_is_nobodys() -> None:
    loop = asyncio.new_event_loop()
    waiting = Awaiting[int](Ends(loop))
    loop.close()

    waiting.end(1, None)

    assert not waiting.future.done()


async def test_who_is_cancelled_is_so_once_the_unit_has_ended() -> None:
    waiting = Awaiting[int](Ends(asyncio.get_running_loop()))
    task = asyncio.create_task(to_its_end(waiting.future))
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    task.cancel()
    await asyncio.sleep(0)
    assert not task.done()

    waiting.end(1, None)

    with pytest.raises(asyncio.CancelledError):
        await task
    assert waiting.future.result() == 1
