"""Contracts."""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from cli.demo.mirrored import Answer, Document, Extra, Mirrored, Owners, columns


def _bids(answer: Answer, contracts: Answer) -> Iterable[Document]:
    """Auctions that are over are not asked about any more."""
    outstanding = {one["contract_id"] for one in contracts if one["status"] == "outstanding"}
    return (one for one in answer if one["contract_id"] in outstanding)


_CONTRACT: dict[str, Any] = {
    "words": {
        "issued_at": "date_issued",
        "expires_at": "date_expired",
        "accepted_at": "date_accepted",
        "completed_at": "date_completed",
    },
    "times": columns("issued_at", "expires_at", "accepted_at", "completed_at"),
    "money": columns("price", "reward", "collateral", "buyout"),
    "own": columns("items_at", "items_due_at"),
    "extra": Extra.CLOSED,
}
_ITEMS: dict[str, Any] = {"extra": Extra.OTHERS, "age": "contract_id"}
_BIDS: dict[str, Any] = {
    "words": {"bid_at": "date_bid"},
    "times": columns("bid_at"),
    "money": columns("amount"),
    "documents": _bids,
    "extra": Extra.OTHERS,
    "age": "contract_id",
}

TABLES = (
    Mirrored(
        "character_contract",
        "character.contracts",
        Owners.CHARACTERS,
        ("contract_id",),
        **_CONTRACT,
    ),
    Mirrored(
        "character_contract_item",
        "character.contract_items",
        Owners.CHARACTERS,
        ("contract_id", "record_id"),
        **_ITEMS,
    ),
    Mirrored(
        "character_contract_bid",
        "character.contract_bids",
        Owners.CHARACTERS,
        ("contract_id", "bid_id"),
        beside="character.contracts",
        **_BIDS,
    ),
    Mirrored(
        "corporation_contract",
        "corporation.contracts",
        Owners.CORPORATIONS,
        ("contract_id",),
        **_CONTRACT,
    ),
    Mirrored(
        "corporation_contract_item",
        "corporation.contract_items",
        Owners.CORPORATIONS,
        ("contract_id", "record_id"),
        **_ITEMS,
    ),
    Mirrored(
        "corporation_contract_bid",
        "corporation.contract_bids",
        Owners.CORPORATIONS,
        ("contract_id", "bid_id"),
        beside="corporation.contracts",
        **_BIDS,
    ),
)
