"""Views of money: wallets and worth."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from jobs.store.views.fields import (
    BOTH,
    CHARACTER,
    OWNER,
    WHERE,
    day,
    integer,
    isk,
    owner,
    text,
    time,
)
from jobs.store.views.view import Branch, View

_DIVISION = (
    integer("division", "1 to 7; NULL: of a character"),
    text("division_name", "NULL: never renamed"),
)


def _division(kind: str) -> dict[str, str]:
    if kind == "character":
        return {"division": "CAST(NULL AS INTEGER)", "division_name": "CAST(NULL AS TEXT)"}
    return {
        "division": "o.division",
        "division_name": "(SELECT d.name FROM corporation_division AS d WHERE d.kind = 'wallet'"
        " AND d.corporation_id = o.corporation_id AND d.division = o.division)",
    }


def _wallets(kind: str, b: Branch) -> Mapping[str, str]:
    return {**owner(kind, b), **_division(kind), "balance": b.isk("o.balance")}


WALLETS = View(
    "v_wallets",
    "Balances",
    (*OWNER, *_DIVISION, isk("balance")),
    tuple((f"{kind}_wallet AS o", partial(_wallets, kind)) for kind in BOTH),
)


def _journal(kind: str, b: Branch) -> Mapping[str, str]:
    return {
        **owner(kind, b),
        **_division(kind),
        "entry_id": "o.entry_id",
        "posted_at": "o.posted_at",
        "ref_type": "o.ref_type",
        "amount": b.isk("o.amount"),
        "balance": b.isk("o.balance"),
        "first_party": b.name("o.first_party_id", ""),
        "second_party": b.name("o.second_party_id", ""),
        "tax": b.isk("o.tax"),
        "tax_receiver": b.corporation("o.tax_receiver_id"),
        "description": "o.description",
        "reason": "o.reason",
        "context_id": "o.context_id",
        "context_id_type": "o.context_id_type",
    }


JOURNAL = View(
    "v_wallet_journal",
    "Every entry of every journal",
    (
        *OWNER,
        *_DIVISION,
        integer("entry_id"),
        time("posted_at"),
        text("ref_type"),
        isk("amount", "negative: paid"),
        isk("balance", "after this entry"),
        text("first_party"),
        text("second_party"),
        isk("tax"),
        text("tax_receiver"),
        text("description"),
        text("reason"),
        integer("context_id"),
        text("context_id_type", "what context_id is"),
    ),
    tuple((f"{kind}_wallet_journal AS o", partial(_journal, kind)) for kind in BOTH),
)


def _transactions(kind: str, b: Branch) -> Mapping[str, str]:
    place = b.place("o.location_id")
    return {
        **owner(kind, b),
        **_division(kind),
        "transaction_id": "o.transaction_id",
        "traded_at": "o.traded_at",
        "side": "CASE WHEN o.is_buy THEN 'buy' ELSE 'sell' END",
        "type_id": "o.type_id",
        "type": b.type("o.type_id"),
        "quantity": "o.quantity",
        "unit_price": b.isk("o.unit_price"),
        "total": b.times("o.quantity", "o.unit_price"),
        "client": b.name("o.client_id", ""),
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "journal_ref_id": "o.journal_ref_id",
    }


TRANSACTIONS = View(
    "v_wallet_transactions",
    "Every trade on the market",
    (
        *OWNER,
        *_DIVISION,
        integer("transaction_id"),
        time("traded_at"),
        text("side", "buy or sell"),
        integer("type_id"),
        text("type"),
        integer("quantity"),
        isk("unit_price"),
        isk("total"),
        text("client"),
        text("place"),
        *WHERE,
        integer("journal_ref_id", "entry of the journal"),
    ),
    tuple((f"{kind}_wallet_transaction AS o", partial(_transactions, kind)) for kind in BOTH),
)


def _net_worth(b: Branch) -> Mapping[str, str]:
    return {
        "character_id": "o.character_id",
        "character": b.character("o.character_id"),
        "day": "o.day",
        "liquid": b.isk("o.liquid"),
        "asset_value": b.isk("o.asset_value"),
        "escrow": b.isk("o.escrow"),
        "net_worth": b.isk("o.net_worth"),
    }


NET_WORTH = View(
    "v_net_worth",
    "Worth of characters, day by day",
    (
        *CHARACTER,
        day("day", "of UTC"),
        isk("liquid", "in the wallet"),
        isk("asset_value", "at average prices"),
        isk("escrow", "set aside by open buy orders"),
        isk("net_worth", "sum of what is known"),
    ),
    (("net_worth AS o", _net_worth),),
)

VIEWS = (WALLETS, JOURNAL, TRANSACTIONS, NET_WORTH)
