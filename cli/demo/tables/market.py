"""The market: prices, and orders, which follow from two lists."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from typing import Any

from cli.demo.difference import Check, Difference, Key, Row, differences_of, plain
from cli.demo.mirrored import Mirrored, Owners
from cli.demo.universe import Universe

_ORDER_TIMES = frozenset({"issued"})
_ORDER_MONEY = frozenset({"price", "escrow"})


def _order(columns: list[str], document: Mapping[str, Any], owner: str, owner_id: int) -> Row:
    row: Row = {owner: owner_id}
    for column in columns:
        row.setdefault(
            column,
            plain(
                document.get(column),
                is_time=column in _ORDER_TIMES,
                is_money=column in _ORDER_MONEY,
            ),
        )
    return row


def _character_orders(found: list[Row], universe: Universe) -> Iterator[Difference]:
    return _orders("character", universe.character_ids, found, universe)


def _corporation_orders(found: list[Row], universe: Universe) -> Iterator[Difference]:
    return _orders("corporation", universe.corporation_ids, found, universe)


def _orders(
    owner: str, owner_ids: Iterable[int], found: list[Row], universe: Universe
) -> Iterator[Difference]:
    """Open orders are open in the mirror, and past ones are there with their end.

    An order that has just left the one list need not be in the other yet: then it is closed.
    """
    table, key = f"{owner}_market_order", f"{owner}_id"
    columns = list(found[0]) if found else []
    by_key: dict[Key, Row] = {(row[key], row["order_id"]): row for row in found}
    expected: dict[Key, Row] = {}
    for owner_id in owner_ids:
        opened = {one["order_id"]: one for one in universe.ask(f"{owner}.orders", owner_id)}
        past = {one["order_id"]: one for one in universe.ask(f"{owner}.orders_history", owner_id)}
        for order_id in opened.keys() & past.keys():
            # The two lists are of different moments; each says the truth of its own.
            by_key.pop((owner_id, order_id), None)
        for order_id, one in {**opened, **past}.items():
            if order_id not in opened or order_id not in past:
                expected[owner_id, order_id] = _order(columns, one, key, owner_id)
        for order_id in opened.keys() - past.keys():
            row = by_key.get((owner_id, order_id))
            if row is not None and row["closed_at"] is not None:
                yield Difference(table, f"order_id {order_id}", "is closed")
    for at, row in list(by_key.items()):
        if at not in expected and row["closed_at"] is not None:
            del by_key[at]
    yield from differences_of(table, (key, "order_id"), expected, by_key, frozenset({"closed_at"}))


TABLES = (Mirrored("market_price", "global.prices", Owners.NOBODY, ("type_id",)),)


CHECKS: Mapping[str, Check] = {
    "character_market_order": _character_orders,
    "corporation_market_order": _corporation_orders,
}
