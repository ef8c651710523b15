"""What stays: orders that closed, money that moved, places that were left."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs import catalog
from jobs.spec import Part, Write
from jobs.store import writer
from tests.kinds import kind_samples
from tests.kinds.fake_context import START, rows

CATALOG = catalog.load(["jobs.kinds"])
ME = Subject(SubjectType.CHARACTER, 90000001)
ORDERS = {part.name: part for part in CATALOG["character.market_orders"].parts}
LATER = START + timedelta(minutes=20)

# Tables that hold what ESI no longer shows, or shows to one of several owners only.
KEPT = {
    "alliance",
    "bloodline",
    "character",
    "character_corporation_history",
    "character_location_history",
    "character_market_order",
    "character_wallet_journal",
    "character_wallet_transaction",
    "corporation",
    "corporation_alliance_history",
    "corporation_wallet_journal",
    "corporation_wallet_transaction",
    "mail",
    "mail_body",
    "mail_recipient",
    "name",
    "net_worth",
    "race",
    "server_status",
}
# Tables that show what is so now, and nothing that was.
CURRENT = {
    "character_asset",
    "character_role",
    "character_skill",
    "character_skillqueue",
    "character_title",
    "corporation_asset",
    "corporation_division",
    "mail_label",
    "mailing_list",
    "market_price",
    "route_status",
}


def test_what_ended_stays_and_what_is_current_is_exact() -> None:
    modes = {(t.table.name, t.write) for k in CATALOG.values() for p in k.parts for t in p.targets}
    replaced = {name for name, write in modes if write is Write.REPLACE}
    assert replaced >= CURRENT
    assert not replaced & KEPT
    assert {name for name, _ in modes} >= KEPT


def order(order_id: int, **more: Any) -> dict[str, Any]:
    sample = kind_samples.load(CATALOG["character.market_orders"])["open"]
    first = kind_samples.rows_of(ORDERS["open"], ORDERS["open"].targets[0], sample)[0]
    return {**first, "order_id": order_id, **more}


def load(connection: Connection, part: Part, *loaded: dict[str, Any], at: Any = START) -> int:
    return writer.apply(connection, part.targets[0], loaded, subject=ME, params={}, now=at)


def state(connection: Connection) -> list[tuple[Any, ...]]:
    return rows(connection, "character_market_order", "order_id", "state", "closed_at")


def test_an_order_closes_and_its_end_comes_from_the_history(database: Connection) -> None:
    load(database, ORDERS["open"], order(1), order(2))
    load(database, ORDERS["open"], order(2), at=LATER)
    assert state(database) == [(1, None, LATER), (2, None, None)]
    load(database, ORDERS["history"], order(1, state="expired"), order(3, state="cancelled"))
    assert state(database) == [(1, "expired", LATER), (2, None, None), (3, "cancelled", None)]


def test_the_end_of_an_order_is_not_forgotten(database: Connection) -> None:
    """The two lists are cached apart: an older list of open orders can come after the history."""
    load(database, ORDERS["history"], order(1, state="cancelled"))
    load(database, ORDERS["open"], order(1), order(2))
    assert state(database)[0] == (1, "cancelled", None)
    load(database, ORDERS["open"], order(2), at=LATER)
    load(database, ORDERS["history"], at=LATER)
    assert state(database) == [(1, "cancelled", LATER), (2, None, None)]


@pytest.mark.parametrize("noun", ["character", "corporation"])
def test_a_journal_entry_is_never_rewritten(database: Connection, noun: str) -> None:
    kind = CATALOG[f"{noun}.wallet"]
    part = next(part for part in kind.parts if part.name == "journal")
    assert part.targets[0].write is Write.APPEND
    assert ("division" in part.targets[0].key) == (noun == "corporation")


def test_one_transfer_is_two_entries_in_two_divisions(database: Connection) -> None:
    part = next(p for p in CATALOG["corporation.wallet"].parts if p.name == "journal")
    sample = kind_samples.load(CATALOG["corporation.wallet"])["journal"]
    entries = kind_samples.rows_of(part, part.targets[0], sample)
    us = Subject(SubjectType.CORPORATION, 98000001)
    for division in (1, 2):
        params = {"division": division}
        writer.apply(database, part.targets[0], entries, subject=us, params=params, now=START)
    found = rows(database, "corporation_wallet_journal", "division", "entry_id")
    assert found == [(d, one["entry_id"]) for d in (1, 2) for one in entries]
