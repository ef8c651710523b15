"""Several requests of one job at once: how many, in which order, and what ends them."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime

from jobs.errors import Gone, JobError, PauseAll
from jobs.together import AT_ONCE, as_far_as

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


async def _settle() -> None:
    for _ in range(5):
        await asyncio.sleep(0)


async def test_a_few_are_under_way_and_the_next_begins_when_one_ends() -> None:
    begun: list[int] = []
    ends = [asyncio.Event() for _ in range(10)]

    async def work(item: int) -> None:
        begun.append(item)
        await ends[item].wait()

    task = asyncio.create_task(as_far_as(range(10), work, lambda _under_way: True))
    await _settle()
    assert begun == list(range(AT_ONCE))
    ends[2].set()
    await _settle()
    assert begun == list(range(AT_ONCE + 1))
    for end in ends:
        end.set()
    assert await task is None
    assert begun == list(range(10))


async def test_trouble_lets_what_is_under_way_end_and_begins_nothing() -> None:
    done: list[int] = []
    released = asyncio.Event()

    async def work(item: int) -> None:
        if item == 1:
            await asyncio.sleep(0)
            raise Gone("not there")
        await released.wait()
        done.append(item)

    task = asyncio.create_task(as_far_as(range(10), work, lambda _under_way: True))
    await _settle()
    released.set()
    trouble = await task
    assert isinstance(trouble, Gone)
    assert done == [0, 2, 3]


async def test_a_pause_for_all_is_the_trouble_that_is_told() -> None:
    pause = PauseAll(NOW, 60)
    errors: list[JobError] = [Gone("not there"), pause, Gone("neither")]

    async def work(item: int) -> None:
        await asyncio.sleep(0)
        raise errors[item]

    assert await as_far_as(range(3), work, lambda _under_way: True) is pause


async def test_no_more_fail_than_may_even_if_all_under_way_do() -> None:
    failed = 0

    async def work(_item: int) -> None:
        nonlocal failed
        await asyncio.sleep(0)
        failed += 1

    await as_far_as(range(100), work, lambda under_way: failed + under_way < 10)
    assert failed == 10
