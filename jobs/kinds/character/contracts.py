"""Contracts of a character: every one ever listed, its items, the bids in auctions."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._contracts import Book, contract_parts
from jobs.spec import Kind, Pages
from jobs.store.schema.contracts import (
    character_contract,
    character_contract_bid,
    character_contract_item,
)

BOOK = Book(
    owner=SubjectType.CHARACTER,
    contracts=character_contract,
    items=character_contract_item,
    bids=character_contract_bid,
    rate_group="char-contract",
    scopes=frozenset({"esi-contracts.read_character_contracts.v1"}),
    bid_pages=Pages.NONE,
    bid_age_s=300,
)

KIND = Kind(
    name="character.contracts",
    subject=SubjectType.CHARACTER,
    feature="contracts",
    every=timedelta(hours=1),
    summary="Contracts with their items and bids; those that ESI forgets stay.",
    parts=contract_parts(BOOK),
)
