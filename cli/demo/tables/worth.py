"""What characters are worth."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from decimal import ROUND_HALF_EVEN, Decimal
from typing import Any

from cli.demo.difference import Check, Difference, Row
from cli.demo.universe import Universe


def _worth(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """The newest day of each character adds up to what it has now, to the last cent."""
    newest: dict[Any, Row] = {}
    for row in sorted(found, key=lambda row: str(row["day"])):
        newest[row["character_id"]] = row
    for character_id in universe.character_ids:
        name = f"character_id {character_id}"
        worth = newest.get(character_id)
        if worth is None:
            yield Difference("net_worth", name, "is not in the database")
            continue
        for column, amount in _worth_now(character_id, universe).items():
            cents = int((amount * 100).quantize(Decimal(1), rounding=ROUND_HALF_EVEN))
            if worth[column] != cents:
                what = f"{column} is {worth[column]}, and {cents} in the universe"
                yield Difference("net_worth", name, what)


def _worth_now(character_id: int, universe: Universe) -> dict[str, Decimal]:
    prices = {
        one["type_id"]: Decimal(repr(one["average_price"]))
        for one in universe.ask("global.prices")
        if one.get("average_price") is not None
    }
    assets = sum(
        (
            one["quantity"] * prices[one["type_id"]]
            for one in universe.ask("character.assets", character_id)
            # The price is the original's, and not a copy's.
            if one["type_id"] in prices and not one.get("is_blueprint_copy")
        ),
        Decimal(0),
    )
    escrow = sum(
        (
            Decimal(repr(one.get("escrow", 0.0)))
            for one in universe.ask("character.orders", character_id)
            if one.get("is_buy_order") and not one["is_corporation"]
        ),
        Decimal(0),
    )
    liquid = Decimal(repr(universe.ask("character.wallet_balance", character_id)))
    return {
        "liquid": liquid,
        "asset_value": assets,
        "escrow": escrow,
        "net_worth": liquid + assets + escrow,
    }


CHECKS: Mapping[str, Check] = {"net_worth": _worth}
