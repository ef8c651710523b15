"""Contracts, what is in them and who bid; what ESI no longer lists stays, marked."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Double, Index, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, Isk, UtcTime, metadata


def _contract_columns() -> list[Column[Any]]:
    return [
        key_id("contract_id"),
        Column("type", Text, nullable=False, comment="item_exchange, auction, courier, ..."),
        Column("status", Text, nullable=False, comment="the last one that was listed"),
        Column("availability", Text, nullable=False, comment="public, personal, ..."),
        an_id("issuer_id", Names.CHARACTER),
        an_id("issuer_corporation_id", Names.CORPORATION),
        Column("for_corporation", Boolean, nullable=False),
        an_id("assignee_id", Names.ENTITY, "0: nobody"),
        an_id("acceptor_id", Names.ENTITY, "0: nobody"),
        Column("title", Text, comment="raw"),
        an_id("start_location_id", Names.LOCATION, needed=False),
        an_id("end_location_id", Names.LOCATION, needed=False),
        Column("price", Isk, comment="0.01 ISK"),
        Column("reward", Isk, comment="0.01 ISK"),
        Column("collateral", Isk, comment="0.01 ISK"),
        Column("buyout", Isk, comment="0.01 ISK"),
        Column("volume", Double, comment="cubic metres"),
        Column("days_to_complete", Integer),
        Column("issued_at", UtcTime, nullable=False),
        Column("expires_at", UtcTime, nullable=False),
        Column("accepted_at", UtcTime),
        Column("completed_at", UtcTime),
        Column("closed_at", UtcTime, comment="when ESI no longer listed it"),
        Column("items_at", UtcTime, comment="when its items were read; NULL: not yet"),
        Column("items_due_at", UtcTime, comment="ESI refused them: not asked again before"),
    ]


def _item_columns() -> list[Column[Any]]:
    return [
        key_id("contract_id"),
        key_id("record_id"),
        an_id("type_id", Names.TYPE),
        Column("quantity", Id, nullable=False),
        Column("raw_quantity", Id, comment="-1: a blueprint's original, -2: a copy"),
        Column("is_included", Boolean, nullable=False, comment="false: asked for in return"),
        Column("is_singleton", Boolean, nullable=False),
    ]


def _bid_columns() -> list[Column[Any]]:
    return [
        key_id("contract_id"),
        key_id("bid_id"),
        an_id("bidder_id", Names.CHARACTER),
        Column("amount", Isk, nullable=False, comment="0.01 ISK"),
        Column("bid_at", UtcTime, nullable=False),
    ]


def _tables(owner: SubjectType) -> tuple[Table, Table, Table]:
    path = f"/{owner}s/{{{owner}_id}}/contracts"
    return (
        owned_table(
            f"{owner}_contract",
            owner,
            *_contract_columns(),
            Index(None, f"{owner}_id", "closed_at"),
            comment=f"Contracts, for ever. GET {path}",
        ),
        owned_table(
            f"{owner}_contract_item",
            owner,
            *_item_columns(),
            comment=f"What contracts are about. GET {path}/{{contract_id}}/items",
        ),
        owned_table(
            f"{owner}_contract_bid",
            owner,
            *_bid_columns(),
            comment=f"Bids in auctions. GET {path}/{{contract_id}}/bids",
        ),
    )


character_contract, character_contract_item, character_contract_bid = _tables(SubjectType.CHARACTER)
corporation_contract, corporation_contract_item, corporation_contract_bid = _tables(
    SubjectType.CORPORATION
)

_PUBLIC = "GET /contracts/public/{region_id}"

public_contract = Table(
    "public_contract",
    metadata,
    key_id("contract_id"),
    an_id("region_id", Names.REGION),
    Column("type", Text, nullable=False, comment="item_exchange, auction or courier"),
    an_id("issuer_id", Names.CHARACTER),
    an_id("issuer_corporation_id", Names.CORPORATION),
    Column("for_corporation", Boolean),
    Column("title", Text, comment="raw"),
    an_id("start_location_id", Names.LOCATION, needed=False),
    an_id("end_location_id", Names.LOCATION, needed=False),
    Column("price", Isk, comment="0.01 ISK"),
    Column("reward", Isk, comment="0.01 ISK"),
    Column("collateral", Isk, comment="0.01 ISK"),
    Column("buyout", Isk, comment="0.01 ISK"),
    Column("volume", Double, comment="cubic metres"),
    Column("days_to_complete", Integer),
    Column("issued_at", UtcTime, nullable=False),
    Column("expires_at", UtcTime, nullable=False),
    Column("closed_at", UtcTime, comment="when it was no longer listed, or watched"),
    Column("items_at", UtcTime, comment="when its items were read; NULL: not yet"),
    Column("items_due_at", UtcTime, comment="ESI refused them: not asked again before"),
    Column("bids_at", UtcTime, comment="when its bids were last read"),
    Index(None, "region_id", "closed_at"),
    comment=f"Public contracts of watched regions, and those that are over. {_PUBLIC}",
    info=dict(SHARED),
)

public_contract_item = Table(
    "public_contract_item",
    metadata,
    key_id("contract_id"),
    key_id("record_id"),
    an_id("type_id", Names.TYPE),
    Column("quantity", Id, nullable=False),
    Column("is_included", Boolean, nullable=False, comment="false: asked for in return"),
    an_id("item_id", needed=False),
    Column("is_blueprint_copy", Boolean),
    Column("runs", Integer, comment="of a blueprint's copy"),
    Column("material_efficiency", Integer, comment="percent"),
    Column("time_efficiency", Integer, comment="percent"),
    comment="What they are about. GET /contracts/public/items/{contract_id}",
    info=dict(SHARED),
)

public_contract_bid = Table(
    "public_contract_bid",
    metadata,
    key_id("contract_id"),
    key_id("bid_id"),
    Column("amount", Isk, nullable=False, comment="0.01 ISK"),
    Column("bid_at", UtcTime, nullable=False),
    comment="Bids in public auctions. GET /contracts/public/bids/{contract_id}",
    info=dict(SHARED),
)
