"""Watched markets and public contracts."""

from __future__ import annotations

from collections.abc import Iterator

from cli.demo.difference import Difference, Row, plain
from cli.demo.mirrored import Extra, Mirrored, Owners, columns
from cli.demo.universe import NotThere, Universe


def _items(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """The items of open contracts are there; those of past ones are as they were."""
    stored: dict[object, set[object]] = {}
    for row in found:
        stored.setdefault(row["contract_id"], set()).add((row["record_id"], row["quantity"]))
    for region_id in universe.watch.regions:
        for contract in universe.ask("global.public_contracts", region_id):
            stored.setdefault(contract["contract_id"], set())
    for contract_id, items in sorted(stored.items(), key=str):
        told = universe.ask("global.public_contract_items", int(str(contract_id)))
        if items != {(one["record_id"], one["quantity"]) for one in told}:
            what = f"holds {len(items)} items, and {len(told)} in the universe"
            yield Difference("public_contract_item", f"contract_id {contract_id}", what)


def _bids(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Each bid is in the universe; an auction's latest can be as old as the last look at it."""
    told: dict[object, dict[int, object]] = {}
    for row in found:
        contract_id = int(str(row["contract_id"]))
        if contract_id not in told:
            try:
                bids = universe.ask("global.public_contract_bids", contract_id)
            except NotThere:
                bids = []
            told[contract_id] = {one["bid_id"]: plain(one["amount"], is_money=True) for one in bids}
        if told[contract_id].get(int(str(row["bid_id"]))) != row["amount"]:
            key = f"contract_id {contract_id}, bid_id {row['bid_id']}"
            yield Difference("public_contract_bid", key, f"is {row['amount']} for nothing")
    for region_id in universe.watch.regions:
        for contract in universe.ask("global.public_contracts", region_id):
            contract_id = contract["contract_id"]
            is_bid_for = contract["type"] == "auction" and universe.ask(
                "global.public_contract_bids", contract_id
            )
            if is_bid_for and not told.get(contract_id):
                key = f"contract_id {contract_id}"
                yield Difference("public_contract_bid", key, "its bids are not in the database")


TABLES = (
    Mirrored(
        "region_market_order",
        "global.region_orders",
        Owners.REGIONS,
        ("order_id",),
        times=columns("issued"),
        money=columns("price"),
    ),
    Mirrored(
        "structure_market_order",
        "global.structure_orders",
        Owners.STRUCTURES,
        ("order_id",),
        times=columns("issued"),
        money=columns("price"),
    ),
    Mirrored(
        "market_history",
        "global.market_history",
        Owners.TRADE,
        ("region_id", "day"),
        words={"day": "date"},
        money=columns("highest", "lowest"),
        extra=Extra.OLDER,
        age="day",
    ),
    Mirrored(
        "public_contract",
        "global.public_contracts",
        Owners.REGIONS,
        ("contract_id",),
        words={"issued_at": "date_issued", "expires_at": "date_expired"},
        times=columns("issued_at", "expires_at"),
        money=columns("price", "reward", "collateral", "buyout"),
        own=columns("items_at", "items_due_at", "bids_at"),
        extra=Extra.CLOSED,
    ),
)

CHECKS = {"public_contract_item": _items, "public_contract_bid": _bids}
