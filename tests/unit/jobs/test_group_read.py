"""Reads that come at the same time: one query, and each its own answer."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence

import pytest
from sqlalchemy import Connection, text

from tests.transactions import counted
from tests.unit.jobs.job_house import House


async def test_what_is_asked_together_is_one_query(house: House) -> None:
    calls: list[Sequence[int]] = []

    def double(connection: Connection, numbers: Sequence[int]) -> list[int]:
        calls.append(numbers)
        return [connection.scalar(text("SELECT 2 * :n"), {"n": each}) for each in numbers]

    reads = house.tools.reads
    with counted() as ended:
        assert await asyncio.gather(*(reads.read(double, each) for each in (1, 2, 3))) == [2, 4, 6]
    assert calls == [[1, 2, 3]]
    assert (ended.commits, ended.rollbacks) == (0, 1)
    assert await reads.read(double, 4) == 8


async def test_a_failure_is_that_of_all_who_asked_together_and_of_nobody_later(
    house: House,
) -> None:
    def fail(_connection: Connection, numbers: Sequence[int]) -> list[int]:
        if 1 in numbers:
            raise ValueError("no")
        return list(numbers)

    reads = house.tools.reads
    ends = await asyncio.gather(reads.read(fail, 1), reads.read(fail, 2), return_exceptions=True)
    assert [type(end) for end in ends] == [ValueError] * 2
    assert await reads.read(fail, 3) == 3


async def test_who_is_cancelled_takes_nobody_along(house: House) -> None:
    def same(_connection: Connection, numbers: Sequence[int]) -> list[int]:
        return list(numbers)

    tasks = [asyncio.create_task(house.tools.reads.read(same, each)) for each in (1, 2)]
    await asyncio.sleep(0)
    tasks[0].cancel()
    assert await tasks[1] == 2
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
