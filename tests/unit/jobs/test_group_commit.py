"""Transactions that come at the same time: one commit, and each its own end."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from sqlalchemy import Connection, text
from sqlalchemy.exc import DBAPIError, IntegrityError, OperationalError

from jobs.store.errors import BadRow, StoreUnavailable
from tests.transactions import counted
from tests.unit.jobs.job_house import House


def note(connection: Connection, scopes: Sequence[str]) -> list[str]:
    """Store things to be found again; some cannot be."""
    for scope in scopes:
        connection.execute(
            text("INSERT INTO pause VALUES (:s, '2026-11-30T12:00:00.000Z', 'r')"), {"s": scope}
        )
        if scope == "failed":
            raise ValueError("of this one alone")
        if scope == "unfit":
            raise BadRow("pause", "scope", "too long")
    return list(scopes)


def clash(connection: Connection, scopes: Sequence[str]) -> list[str]:
    """Store something, and break a constraint."""
    return note(connection, [*scopes, *scopes])


async def stored(house: House) -> list[str]:
    """Return what was stored."""
    query = text("SELECT scope FROM pause ORDER BY scope")
    found: list[str] = await house.tools.read(lambda c: list(c.scalars(query)))
    return found


async def test_what_comes_together_is_one_transaction_and_one_call(house: House) -> None:
    calls: list[Sequence[str]] = []

    def work(connection: Connection, scopes: Sequence[str]) -> list[str]:
        calls.append(scopes)
        return note(connection, scopes)

    marks = house.tools.marks
    with counted() as ended:
        ends = await asyncio.gather(*(marks.write(work, scope) for scope in "abc"))
    assert ends == ["a", "b", "c"]
    assert calls == [["a", "b", "c"]]
    assert ended.commits == 1
    assert await stored(house) == ["a", "b", "c"]


@pytest.mark.parametrize(
    ("work", "scope", "error"),
    [(note, "failed", ValueError), (note, "unfit", BadRow), (clash, "c", IntegrityError)],
)
async def test_what_is_wrong_with_one_costs_the_others_nothing(
    house: House,
    work: Callable[[Connection, Sequence[str]], list[str]],
    scope: str,
    error: type[Exception],
) -> None:
    marks = house.tools.marks
    a, refused, b = await asyncio.gather(
        marks.write(note, "a"),
        marks.write(work, scope),
        marks.write(note, "b"),
        return_exceptions=True,
    )
    assert (a, b) == ("a", "b")
    assert isinstance(refused, error)
    assert await stored(house) == ["a", "b"]


async def test_a_lost_connection_is_the_trouble_of_all(house: House) -> None:
    def lose(_connection: Connection, _items: Sequence[str]) -> list[str]:
        raise OperationalError("", {}, Exception("gone"), connection_invalidated=True)

    marks = house.tools.marks
    ends = await asyncio.gather(
        marks.write(note, "a"), marks.write(lose, "b"), return_exceptions=True
    )
    assert all(isinstance(end, StoreUnavailable | DBAPIError) for end in ends)
    assert await stored(house) == []


async def test_trouble_of_the_database_is_that_of_all(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def away(*_: Any, **__: Any) -> None:
        raise StoreUnavailable("away")

    marks = house.tools.marks
    with monkeypatch.context() as patch:
        patch.setattr(house.tools.database, "write", away)
        ends = await asyncio.gather(
            *(marks.write(note, scope) for scope in "ab"), return_exceptions=True
        )
    assert [type(end) for end in ends] == [StoreUnavailable] * 2
    assert await marks.write(note, "c") == "c"


async def test_one_that_waits_can_be_cancelled(house: House) -> None:
    marks = house.tools.marks
    tasks = [asyncio.create_task(marks.write(note, scope)) for scope in "ab"]
    await asyncio.sleep(0)
    tasks[0].cancel()
    assert await tasks[1] == "b"
    with pytest.raises(asyncio.CancelledError):
        await tasks[0]
    assert "b" in await stored(house)
