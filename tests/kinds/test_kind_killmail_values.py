"""What killmails are worth: at average prices, then as zKillboard says, with an end to asking."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import GLOBAL
from jobs.errors import BadAnswer, Transient
from jobs.kinds.global_ import killmail_values
from jobs.kinds.global_.killmail_values import GIVE_UP_AFTER, MAX_ASKED, MAX_TRIES
from jobs.spec import KillmailValue
from tests.kinds.fake_context import START, FakeContext, put, rows

HOUR_S = 3600.0
WORTH = KillmailValue(Decimal("12.34"), Decimal(10), Decimal("2.34"), Decimal(5), 3)


def context_of(connection: Connection, **values: Any) -> FakeContext:
    return FakeContext(connection, killmail_values.KIND, GLOBAL, {}, **values)


def know(connection: Connection, *ids: int) -> None:
    put(
        connection,
        "killmail",
        *({"killmail_id": one, "victim_ship_type_id": 587} for one in ids),
    )


def prices(connection: Connection, **by_type: float | None) -> None:
    put(
        connection,
        "market_price",
        *({"type_id": int(name[1:]), "average_price": one} for name, one in by_type.items()),
    )


def local(connection: Connection) -> list[tuple[Any, ...]]:
    return rows(connection, "killmail_value", "killmail_id", "local_value")


async def test_ship_and_cargo_add_up_to_the_cent(connection: Connection) -> None:
    know(connection, 1, 2)
    prices(connection, t587=1000.1, t34=0.07, t691=500.0, t40=None)
    lines = [
        {"item_type_id": 34, "quantity_destroyed": 3, "quantity_dropped": 4},
        {"item_type_id": 34, "quantity_dropped": 2**40},
        {"item_type_id": 691, "singleton": 2, "quantity_dropped": 1},
        {"item_type_id": 691, "singleton": 0, "quantity_destroyed": 1},
        {"item_type_id": 40, "quantity_destroyed": 1},
        {"item_type_id": 41, "quantity_destroyed": 1},
    ]
    for position, line in enumerate(lines):
        put(connection, "killmail_item", {"killmail_id": 2, "position": position, **line})
    assert (await context_of(connection).run("estimates")).rows == 2
    cargo = Decimal("0.07") * (7 + 2**40) + 500
    assert local(connection) == [
        (1, Decimal("1000.10")),
        (2, (Decimal("1000.1") + cargo).quantize(Decimal("0.01"))),
    ]
    assert (await context_of(connection).run("estimates")).empty


async def test_without_prices_the_value_comes_when_they_do(database: Connection) -> None:
    know(database, 1)
    context = context_of(database)
    await context.run("estimates")
    assert local(database) == [(1, None)]
    assert (await context.run("estimates")).empty
    prices(database, t587=2.0)
    context.clock.advance(HOUR_S)
    await context.run("estimates")
    assert local(database) == [(1, Decimal("2.00"))]
    assert rows(database, "killmail_value", "valued_at") == [(START,)]


async def test_a_run_asks_for_a_few_the_newest_first(database: Connection) -> None:
    know(database, *range(1, 41))
    context = context_of(database, values=dict.fromkeys(range(1, 41), WORTH))
    await context.run("estimates")
    result = await context.run("zkillboard")
    assert (result.rows, result.left) == (MAX_ASKED, 0)
    assert result.note == "15 more wait for the next run"
    assert context.valued == list(range(40, 15, -1))
    await context.run("zkillboard")
    assert (await context.run("zkillboard")).empty
    assert len(context.valued) == 40
    found = rows(database, "killmail_value", "value", "destroyed_value", "points", "tries")
    assert set(found) == {(Decimal("12.34"), Decimal("10.00"), 3, 1)}


async def test_it_is_final_after_ten_tries(database: Connection) -> None:
    know(database, 1)
    context = context_of(database)
    await context.run("estimates")
    for _ in range(MAX_TRIES + 5):
        await context.run("zkillboard")
        await context.run("zkillboard")
        context.clock.advance(HOUR_S)
    assert context.valued == [1] * MAX_TRIES


async def test_it_is_final_after_seven_days(database: Connection) -> None:
    know(database, 1)
    context = context_of(database)
    await context.run("estimates")
    context.clock.advance((GIVE_UP_AFTER - timedelta(seconds=1)).total_seconds())
    await context.run("zkillboard")
    context.clock.advance(HOUR_S)
    await context.run("zkillboard")
    assert context.valued == [1]


async def test_an_odd_answer_costs_a_try_and_trouble_does_not(database: Connection) -> None:
    know(database, 1, 2, 3)
    context = context_of(database, values={3: WORTH, 2: BadAnswer("odd"), 1: Transient("502")})
    await context.run("estimates")
    with pytest.raises(Transient):
        await context.run("zkillboard")
    assert rows(database, "killmail_value", "killmail_id", "tries") == [(1, 0), (2, 1), (3, 1)]
    context.values[1] = WORTH
    await context.run("zkillboard")
    assert context.valued == [3, 2, 1, 1]
