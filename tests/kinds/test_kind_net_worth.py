"""Net worth: today's parts, the days before the first snapshot, and what is not known."""

from __future__ import annotations

from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from typing import Any

from sqlalchemy import Connection

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.kinds.global_ import net_worth_snapshot
from tests.kinds.fake_context import START, FakeContext, enroll, put, rows

ME = 90000001
TODAY = START.date()


def context_of(database: Connection, *only: Subject) -> FakeContext:
    return FakeContext(database, net_worth_snapshot.KIND, GLOBAL, {}, subjects=only)


def loaded(database: Connection, route: str) -> None:
    put(database, "route_state", {"route": route, "params": "{}", "owner_id": ME, "page": 1})


def entry(number: int, day: int, hour: int, balance: Any) -> dict[str, Any]:
    return {
        "character_id": ME,
        "entry_id": number,
        "posted_at": datetime(2026, 11, day, hour, tzinfo=UTC),
        "balance": None if balance is None else Decimal(balance),
    }


async def test_nothing_known_is_no_row(database: Connection) -> None:
    enroll(database, ME)
    assert (await context_of(database).run("snapshot")).rows == 0
    assert rows(database, "net_worth") == []


async def test_today_adds_up_what_is_known(database: Connection) -> None:
    enroll(database, ME)
    put(database, "character_wallet", {"character_id": ME, "balance": Decimal("100.10")})
    context = context_of(database)
    assert (await context.run("snapshot")).rows == 1
    assert rows(database, "net_worth") == [
        (ME, TODAY, Decimal("100.10"), None, None, Decimal("100.10"))
    ]
    put(database, "market_price", {"type_id": 34, "average_price": 4.07}, {"type_id": 35})
    loaded(database, net_worth_snapshot.ASSETS)
    loaded(database, net_worth_snapshot.ORDERS)
    item = {"character_id": ME, "quantity": 1000}
    put(
        database,
        "character_asset",
        {**item, "item_id": 1, "type_id": 34},
        {**item, "item_id": 2, "type_id": 34, "quantity": 1_000_000_000_000},
        {**item, "item_id": 3, "type_id": 35},
        {**item, "item_id": 4, "type_id": 34, "is_blueprint_copy": True},
        {**item, "item_id": 5, "type_id": 34, "character_id": 5},
    )
    order = {"character_id": ME, "is_buy_order": True, "escrow": Decimal("5.05")}
    put(
        database,
        "character_market_order",
        {**order, "order_id": 1},
        {**order, "order_id": 2, "is_corporation": True},
        {**order, "order_id": 3, "closed_at": START},
        {**order, "order_id": 5, "state": "expired"},
        {**order, "order_id": 4, "is_buy_order": None, "escrow": None},
    )
    assert (await context.run("snapshot")).rows == 1
    assets = Decimal("4070000004070.00")
    assert rows(database, "net_worth") == [
        (ME, TODAY, Decimal("100.10"), assets, Decimal("5.05"), assets + Decimal("105.15"))
    ]
    assert (await context.run("snapshot")).rows == 0


async def test_owning_nothing_is_not_the_same_as_not_knowing(database: Connection) -> None:
    enroll(database, ME)
    put(database, "market_price", {"type_id": 34, "average_price": 4.07})
    loaded(database, net_worth_snapshot.ASSETS)
    await context_of(database).run("snapshot")
    assert rows(database, "net_worth") == [(ME, TODAY, None, Decimal(0), None, Decimal(0))]


async def test_past_days_carry_the_last_balance_on(database: Connection) -> None:
    enroll(database, ME)
    put(
        database,
        "character_wallet_journal",
        entry(1, 26, 10, 1),
        entry(3, 26, 23, 3),
        entry(2, 26, 23, 2),
        entry(4, 28, 0, None),
        entry(5, 29, 0, 5),
        entry(6, 30, 1, 6),
    )
    await context_of(database).run("snapshot")
    days = rows(database, "net_worth", "day", "liquid", "net_worth")
    assert days == [
        (date(2026, 11, day), Decimal(balance), Decimal(balance))
        for day, balance in ((26, 3), (27, 3), (28, 3), (29, 5))
    ]


async def test_a_snapshot_of_a_past_day_is_left_alone(database: Connection) -> None:
    enroll(database, ME)
    put(database, "character_wallet_journal", entry(1, 28, 10, 1))
    taken = {"character_id": ME, "day": date(2026, 11, 29), "liquid": Decimal(9)}
    put(database, "net_worth", {**taken, "asset_value": Decimal(90), "net_worth": Decimal(99)})
    await context_of(database).run("snapshot")
    days = rows(database, "net_worth", "day", "net_worth")
    assert days == [(date(2026, 11, 28), Decimal(1)), (date(2026, 11, 29), Decimal(99))]


async def test_an_old_journal_is_not_gone_through_again(database: Connection) -> None:
    enroll(database, ME)
    old = START - timedelta(days=400)
    put(database, "character_wallet_journal", {**entry(1, 1, 0, 7), "posted_at": old})
    context = context_of(database)
    await context.run("snapshot")
    assert len(rows(database, "net_worth")) == 400
    context.clock.advance(86_400)
    assert (await context.run("snapshot")).rows == 1
    assert rows(database, "net_worth", "liquid")[-1] == (Decimal(7),)


async def test_only_the_named_characters_and_never_a_forgotten_one(database: Connection) -> None:
    enroll(database, 1, 2)
    put(
        database,
        "subject",
        {"type": "character", "id": 3, "state": "deleted"},
    )
    for one in (1, 2, 3):
        put(database, "character_wallet", {"character_id": one, "balance": Decimal(one)})
    two = Subject(SubjectType.CHARACTER, 2)
    await context_of(database, two).run("snapshot")
    assert rows(database, "net_worth", "character_id") == [(2,)]
    # A change of prices concerns all.
    await context_of(database, two, GLOBAL).run("snapshot")
    assert rows(database, "net_worth", "character_id") == [(1,), (2,)]
