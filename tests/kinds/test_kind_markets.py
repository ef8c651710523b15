"""Watched markets: place by place, through whoever may look; public contracts to their ends."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.settings import MarketWatch
from ipc.subject import GLOBAL
from jobs.errors import BadAnswer, Gone, MissingRole, Transient
from jobs.kinds._unknown_ids import FIRST_REFUSAL
from jobs.kinds.global_ import _places, market_history, market_orders, public_contracts
from jobs.spec import Params, Watched
from tests.kinds.declared import take
from tests.kinds.fake_context import START, FakeContext, Unchanged, put, rows

REGION = "GET /markets/{region_id}/orders"
STRUCTURE = "GET /markets/structures/{structure_id}"
ITEMS = "GET /contracts/public/items/{contract_id}"
BIDS = "GET /contracts/public/bids/{contract_id}"
T = "2026-11-01T00:00:00Z"
BIG = 1035466617946


def order(number: int, **more: Any) -> dict[str, Any]:
    return {
        "order_id": number,
        "type_id": 34,
        "location_id": 60003760,
        "system_id": 30000142,
        "is_buy_order": False,
        "price": 0.01,
        "volume_total": 2,
        "volume_remain": 1,
        "min_volume": 1,
        "range": "region",
        "duration": 90,
        "issued": T,
        **more,
    }


def regions(connection: Connection, answers: dict[int, Any], *watched: int) -> FakeContext:
    def answer(params: Params, _body: Any) -> Any:
        found = answers[int(params["region_id"])]
        if isinstance(found, Exception):
            raise found
        return found

    watch = MarketWatch(regions=watched)
    return FakeContext(connection, market_orders.KIND, GLOBAL, {REGION: answer}, watch=watch)


def in_regions(connection: Connection) -> list[tuple[Any, ...]]:
    return rows(connection, "region_market_order", "region_id", "order_id")


async def test_each_region_is_replaced_by_itself(connection: Connection) -> None:
    answers: dict[int, Any] = {1: [order(1), order(2)], 2: [order(2), order(2**40)]}
    context = regions(connection, answers, 1, 2)
    assert (await context.run("regions")).rows == 4
    assert context.writes == 2
    answers[1] = [order(3)]
    assert (await context.run("regions")).rows == 3
    assert in_regions(connection) == [(1, 3), (2, 2), (2, 2**40)]


async def test_an_order_that_cannot_be_read_is_spared_alone(connection: Connection) -> None:
    answers: dict[int, Any] = {1: [order(1), order(2), order(3)]}
    context = regions(connection, answers, 1)
    await context.run("regions")
    answers[1] = [order(1), order(2, price="much")]
    await context.run("regions")
    assert in_regions(connection) == [(1, 1), (1, 2)]


async def test_a_region_that_is_watched_no_more_is_removed(connection: Connection) -> None:
    await regions(connection, {1: [order(1)], 2: [order(2)]}, 1, 2).run("regions")
    assert (await regions(connection, {2: [order(2)]}, 2).run("regions")).rows == 1
    assert in_regions(connection) == [(2, 2)]
    assert (await regions(connection, {}).run("regions")).empty
    assert in_regions(connection) == []


def know(connection: Connection, route: str, *params: str) -> None:
    """Have it known of requests when they were answered."""
    for one in params:
        for page in (1, 2):
            put(connection, "route_state", {"route": route, "params": one, "page": page})


def known(connection: Connection) -> list[str]:
    return sorted({row[0] for row in rows(connection, "route_state", "params")})


async def test_what_is_known_of_a_place_goes_with_its_rows(
    connection: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Watched again, it would be answered with a 304 for rows that are gone."""
    monkeypatch.setattr(_places, "REMOVED_AT_ONCE", 2)
    answers: dict[int, Any] = {1: [order(number) for number in range(5)], 2: [order(9)]}
    answers[12] = [order(1), order(2)]
    await regions(connection, answers, *answers).run("regions")
    asked = '{"order_type":"all","region_id":%d}'
    know(connection, REGION, asked % 1, asked % 2, asked % 12)
    answers[2] = Unchanged()
    context = regions(connection, answers, 2)
    assert (await context.run("regions")).rows == 7
    # Five, and two with a look whether there are more.
    assert context.writes == 3 + 2
    assert in_regions(connection) == [(2, 9)]
    assert known(connection) == [asked % 2]


async def test_trouble_with_one_region_costs_the_others_nothing(database: Connection) -> None:
    answers = {1: Transient("502"), 2: [order(2)], 3: Gone("404"), 4: [order(4)]}
    context = regions(database, answers, 1, 2, 3, 4)
    with pytest.raises(Transient, match="502"):
        await context.run("regions")
    assert in_regions(database) == [(2, 2), (4, 4)]
    answers[1] = Unchanged()
    assert (await context.run("regions")).note == "1 of 4 were not there"
    assert in_regions(database) == [(2, 2), (4, 4)]


async def test_what_the_time_does_not_reach_to_is_left_for_the_next_run(
    database: Connection,
) -> None:
    context = regions(database, {1: [order(1)], 2: [order(2)]}, 1, 2)
    context.budget = 1
    assert (await context.run("regions")).left == 1
    assert in_regions(database) == [(1, 1)]


class Doors:
    """Structures that are open to some credentials."""

    def __init__(self, connection: Connection, *open_to: tuple[int, int]) -> None:
        self.open = set(open_to)
        self.trouble: Exception | None = None
        self.context = FakeContext(
            connection,
            market_orders.KIND,
            GLOBAL,
            {STRUCTURE: self.answer},
            watch=MarketWatch(structures=(5, BIG)),
            readers=(1, 2, 3),
        )

    def answer(self, params: Params, _body: Any) -> Any:
        reader, structure_id = self.context.asked[-1].reader, int(params["structure_id"])
        if self.trouble is not None:
            raise self.trouble
        if (reader, structure_id) not in self.open:
            raise MissingRole("Market access denied", reader)
        without_system = order(structure_id * 10)
        del without_system["system_id"]
        return [without_system]

    def tried(self) -> list[tuple[int, int]]:
        tried = [(one.reader, int(one.params["structure_id"])) for one in self.context.asked]
        self.context.asked.clear()
        return tried


async def test_a_structure_is_read_through_the_first_who_may(database: Connection) -> None:
    doors = Doors(database, (2, 5), (3, 5), (3, BIG))
    assert (await doors.context.run("structures")).rows == 2
    assert doors.tried() == [(1, 5), (2, 5), (1, BIG), (2, BIG), (3, BIG)]
    assert (await doors.context.run("structures")).rows == 0
    assert doors.tried() == [(2, 5), (3, BIG)]


async def test_a_refusal_is_remembered_of_each_and_grows(database: Connection) -> None:
    doors = Doors(database)
    result = await doors.context.run("structures")
    assert (result.note, len(doors.tried())) == ("2 of 2 were not there", 6)
    await doors.context.run("structures")
    assert doors.tried() == []
    doors.context.clock.advance(FIRST_REFUSAL.total_seconds())
    await doors.context.run("structures")
    assert len(doors.tried()) == 6
    doors.context.clock.advance(FIRST_REFUSAL.total_seconds())
    await doors.context.run("structures")
    assert doors.tried() == []
    doors.open = {(1, 5)}
    doors.context.clock.advance(FIRST_REFUSAL.total_seconds())
    await doors.context.run("structures")
    assert rows(database, "structure_market_order", "structure_id", "order_id") == [(5, 50)]
    assert ("market 1", 5) not in rows(database, "unknown_id", "category", "id")
    assert ("market 2", BIG) in rows(database, "unknown_id", "category", "id")


async def test_an_odd_answer_says_nothing_about_who_may_look(database: Connection) -> None:
    doors = Doors(database, (1, 5))
    await doors.context.run("structures")
    doors.context.clock.advance(FIRST_REFUSAL.total_seconds())
    doors.tried()
    doors.trouble = BadAnswer("no list")
    await doors.context.run("structures")
    assert doors.tried() == [(1, 5), (1, BIG)]
    refused = rows(database, "unknown_id", "category", "id", "refusals")
    assert refused == [("market 1", BIG, 1), ("market 2", BIG, 1), ("market 3", BIG, 1)]
    assert rows(database, "structure_market_order", "structure_id") == [(5,)]


def test_history_is_asked_for_the_pairs_that_are_watched_and_kept(database: Connection) -> None:
    [part] = market_history.KIND.parts
    assert isinstance(part.fan_out, Watched)
    assert part.fan_out.requests(MarketWatch(types=((1, 34), (2, 34)))) == [
        {"region_id": 1, "type_id": 34},
        {"region_id": 2, "type_id": 34},
    ]

    def day(text: str, volume: int = 1) -> dict[str, Any]:
        return {
            "date": text,
            "average": 1.5,
            "highest": 2.0,
            "lowest": 1.0,
            "order_count": 1,
            "volume": volume,
        }

    for answer in ([day("2025-01-01"), day("2025-01-02")], [day("2025-01-02", 9)]):
        params = {"region_id": 1, "type_id": 34}
        take(database, market_history.KIND, "history", GLOBAL, answer, params)
    found = rows(database, "market_history", "day", "volume")
    assert [(str(one), volume) for one, volume in found] == [("2025-01-01", 1), ("2025-01-02", 1)]


# --- public contracts ---------------------------------------------------------------------------


def listed(number: int, kind: str = "item_exchange") -> dict[str, Any]:
    return {
        "contract_id": number,
        "type": kind,
        "issuer_id": 1,
        "issuer_corporation_id": 2,
        "date_issued": T,
        "date_expired": T,
    }


def list_contracts(connection: Connection, region_id: int, *contracts: dict[str, Any]) -> None:
    params = {"region_id": region_id}
    take(connection, public_contracts.KIND, "contracts", GLOBAL, list(contracts), params)


def item(number: int) -> dict[str, Any]:
    return {"record_id": number, "type_id": 34, "quantity": 1, "is_included": True}


def contracts_context(
    connection: Connection, answers: dict[str, Any], *watched: int
) -> FakeContext:
    watch = MarketWatch(regions=watched)
    return FakeContext(connection, public_contracts.KIND, GLOBAL, answers, watch=watch)


async def test_items_are_read_once_newest_first_and_refused_ones_wait(
    database: Connection,
) -> None:
    list_contracts(database, 1, listed(1), listed(2, "courier"), listed(3), listed(4))

    def answer(params: Params, _body: Any) -> Any:
        if params["contract_id"] == 3:
            raise Gone("204")
        return [item(1), item(2)]

    context = contracts_context(database, {ITEMS: answer}, 1)
    assert (await context.run("items")).rows == 4
    assert [one.params["contract_id"] for one in context.asked] == [4, 3, 1]
    assert (await context.run("items")).empty
    context.clock.advance(timedelta(days=1).total_seconds())
    await context.run("items")
    assert [one.params["contract_id"] for one in context.asked] == [4, 3, 1, 3]
    list_contracts(database, 1, listed(4))
    context.clock.advance(timedelta(days=1).total_seconds())
    assert (await context.run("items")).empty


async def test_bids_are_asked_of_open_auctions_each_at_its_time(database: Connection) -> None:
    list_contracts(database, 1, listed(1), listed(2, "auction"), listed(3, "auction"))
    bids = [{"bid_id": 1, "amount": 5.05, "date_bid": T}]
    context = contracts_context(database, {BIDS: lambda _params, _body: bids}, 1)
    assert (await context.run("bids")).rows == 2
    assert (await context.run("bids")).empty
    list_contracts(database, 1, listed(3, "auction"))
    context.clock.advance(public_contracts.BIDS_EVERY.total_seconds())
    await context.run("bids")
    assert [one.params["contract_id"] for one in context.asked] == [2, 3, 3]
    assert rows(database, "public_contract_bid", "contract_id") == [(2,), (3,)]


async def test_contracts_of_a_region_that_is_watched_no_more_are_closed(
    database: Connection,
) -> None:
    list_contracts(database, 1, listed(1))
    list_contracts(database, 2, listed(2, "auction"))
    know(database, public_contracts.CONTRACTS.name, '{"region_id":1}', '{"region_id":2}')
    context = contracts_context(database, {ITEMS: lambda _params, _body: [item(1)]}, 1)
    await context.run("items")
    assert [one.params["contract_id"] for one in context.asked] == [1]
    # Watched again, the region is read whole: a 304 would leave its contracts closed.
    assert known(database) == ['{"region_id":1}']
    found = rows(database, "public_contract", "contract_id", "closed_at")
    assert found == [(1, None), (2, START)]
