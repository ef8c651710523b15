"""Contracts of a corporation: every one ever listed, its items, the bids in auctions."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._contracts import Book, contract_parts
from jobs.spec import Kind, Pages
from jobs.store.schema.contracts import (
    corporation_contract,
    corporation_contract_bid,
    corporation_contract_item,
)

BOOK = Book(
    owner=SubjectType.CORPORATION,
    contracts=corporation_contract,
    items=corporation_contract_item,
    bids=corporation_contract_bid,
    rate_group="corp-contract",
    scopes=frozenset({"esi-contracts.read_corporation_contracts.v1"}),
    bid_pages=Pages.X_PAGES,
    bid_age_s=3600,
)

KIND = Kind(
    name="corporation.contracts",
    subject=SubjectType.CORPORATION,
    feature="contracts",
    every=timedelta(hours=1),
    summary="Contracts with their items and bids; those that ESI forgets stay.",
    parts=contract_parts(BOOK),
)
