"""zKillboard: one request a second, and what its answers mean."""

from __future__ import annotations

from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any

import msgspec
import pytest
from aioresponses import aioresponses

from jobs.errors import BadAnswer, PauseBucket, Transient
from jobs.esi.transport import Transport
from jobs.esi.zkillboard import Zkillboard
from tests.clocks import ManualClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
BASE = "https://zkillboard.example"
ZKB = {
    "locationID": 40000000,
    "hash": "a" * 40,
    "fittedValue": 0.1,
    "droppedValue": 2,
    "destroyedValue": 118234567890.29,
    "totalValue": 118234567892.29,
    "points": 7,
    "npc": False,
}


class Killboard:
    """A client whose sleeping moves its clock."""

    def __init__(self, mock: aioresponses, transport: Transport) -> None:
        self.mock = mock
        self.clock = ManualClock(NOW)
        self.slept: list[float] = []
        self.client = Zkillboard(BASE + "/", transport, self.clock, 1.0, self.sleep)

    async def sleep(self, seconds: float) -> None:
        self.slept.append(seconds)
        self.clock.advance(seconds)

    def answer(
        self, content: Any, status: int = 200, *, number: int = 1, retry_after: str = ""
    ) -> None:
        body = content if isinstance(content, bytes) else msgspec.json.encode(content)
        url = f"{BASE}/api/killID/{number}/"
        headers = {"Content-Length": str(len(body))}
        if retry_after:
            headers["Retry-After"] = retry_after
        self.mock.get(url, status=status, body=body, headers=headers)


@pytest.fixture
async def board(mocked: aioresponses) -> AsyncIterator[Killboard]:
    transport = Transport("me@example.com")
    yield Killboard(mocked, transport)
    await transport.close()


async def test_a_value_is_exact(board: Killboard) -> None:
    another = {"killmail_id": 2, "zkb": ZKB | {"totalValue": 1}}
    board.answer([another, {"killmail_id": 1, "zkb": ZKB}])
    found = await board.client.value(1)
    assert found is not None
    assert found.value == Decimal("118234567892.29")
    assert found.destroyed_value == Decimal("118234567890.29")
    assert (found.dropped_value, found.fitted_value) == (Decimal(2), Decimal("0.1"))
    assert found.points == 7


@pytest.mark.parametrize(("content", "status"), [([], 200), (b"not found", 404)])
async def test_what_it_does_not_know_is_nothing(
    board: Killboard, content: Any, status: int
) -> None:
    board.answer(content, status)
    assert await board.client.value(1) is None


async def test_one_request_a_second_and_no_wait_for_the_first(board: Killboard) -> None:
    for number in (1, 2, 3):
        board.answer([], number=number)
        board.clock.advance(0.25 if number == 3 else 0)
        await board.client.value(number)
    assert board.slept == [1.0, 0.75]


async def test_it_is_told_who_asks_and_no_more(board: Killboard) -> None:
    board.answer([])
    await board.client.value(1)
    ((call,),) = board.mock.requests.values()
    assert set(call.kwargs["headers"]) == {"Accept", "User-Agent"}
    assert "me@example.com" in call.kwargs["headers"]["User-Agent"]


async def test_too_many_requests_wait_as_long_as_it_says(board: Killboard) -> None:
    board.answer(b"slow down", 429, retry_after="30")
    with pytest.raises(PauseBucket) as caught:
        await board.client.value(1)
    assert caught.value.until == NOW + timedelta(seconds=30)


@pytest.mark.parametrize(
    ("content", "status", "error"),
    [
        (b"<html>", 502, Transient),
        (b"<html>", 403, Transient),
        (b"<html>", 200, Transient),
        (b'[{"x":' + b"[" * 20_000 + b"]" * 20_000 + b"}]", 200, Transient),
        ({"error": "x"}, 200, BadAnswer),
        ([{"killmail_id": 1, "zkb": {}}], 200, BadAnswer),
        ([{"killmail_id": 1, "zkb": {"totalValue": None}}], 200, BadAnswer),
    ],
)
async def test_trouble_and_odd_answers_are_no_value(
    board: Killboard, content: Any, status: int, error: type[Exception]
) -> None:
    board.answer(content, status)
    with pytest.raises(error):
        await board.client.value(1)
