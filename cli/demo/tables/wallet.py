"""Wallets: balances, journals, trades."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cli.demo.difference import Check, Difference, Row
from cli.demo.mirrored import Extra, Mirrored, Owners, columns
from cli.demo.universe import Universe

_JOURNAL: dict[str, Any] = {
    "words": {"entry_id": "id", "posted_at": "date"},
    "times": columns("posted_at"),
    "money": columns("amount", "balance", "tax"),
    "extra": Extra.OLDER,
    "age": "posted_at",
}
_TRADES: dict[str, Any] = {
    "words": {"traded_at": "date"},
    "times": columns("traded_at"),
    "money": columns("unit_price"),
    "extra": Extra.OLDER,
    "age": "traded_at",
}


def _gaps(found: list[Row], _universe: Universe) -> Iterator[Difference]:
    """The journals of the universe add up, so the mirror finds no gap in them."""
    for row in found:
        yield Difference("wallet_gap", f"entry_id {row['entry_id']}", "is no gap in the universe")


TABLES = (
    Mirrored(
        "character_wallet",
        "character.wallet_balance",
        Owners.CHARACTERS,
        money=columns("balance"),
        documents=lambda answer: [{"balance": answer}],
    ),
    Mirrored(
        "character_wallet_journal",
        "character.wallet_journal",
        Owners.CHARACTERS,
        ("entry_id",),
        **_JOURNAL,
    ),
    Mirrored(
        "character_wallet_transaction",
        "character.wallet_transactions",
        Owners.CHARACTERS,
        ("transaction_id",),
        **_TRADES,
    ),
    Mirrored(
        "corporation_wallet",
        "corporation.wallets",
        Owners.CORPORATIONS,
        ("division",),
        money=columns("balance"),
    ),
    Mirrored(
        "corporation_wallet_journal",
        "corporation.wallet_journal",
        Owners.DIVISIONS,
        ("division", "entry_id"),
        **_JOURNAL,
    ),
    Mirrored(
        "corporation_wallet_transaction",
        "corporation.wallet_transactions",
        Owners.DIVISIONS,
        ("division", "transaction_id"),
        **_TRADES,
    ),
)


CHECKS: Mapping[str, Check] = {"character_wallet_gap": _gaps, "corporation_wallet_gap": _gaps}
