"""The market: prices, orders of mirrored characters and corporations, and what is watched."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Date, Double, Index, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names, name_of
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, Isk, UtcTime, metadata


def _order_columns(*own: Column[Any]) -> list[Column[Any]]:
    return [
        key_id("order_id"),
        an_id("type_id", Names.TYPE),
        an_id("region_id", Names.REGION),
        an_id("location_id", Names.LOCATION),
        Column("is_buy_order", Boolean, comment="NULL: a sell order"),
        *own,
        Column("price", Isk, nullable=False, comment="0.01 ISK for one"),
        Column("escrow", Isk, comment="0.01 ISK set aside by a buy order"),
        Column("volume_total", Id, nullable=False),
        Column("volume_remain", Id, nullable=False),
        Column("min_volume", Id),
        Column("range", Text, nullable=False, comment="station, solarsystem, region or jumps"),
        Column("duration", Integer, nullable=False, comment="days"),
        Column("issued", UtcTime, nullable=False),
        Column("state", Text, comment="cancelled or expired, once the history says so"),
        Column("closed_at", UtcTime, comment="when it was no longer listed as open"),
    ]


market_price = Table(
    "market_price",
    metadata,
    Column("type_id", Id, primary_key=True, autoincrement=False, info=name_of(Names.TYPE)),
    Column("average_price", Double, comment="ISK, a mean of trades"),
    Column("adjusted_price", Double, comment="ISK, what industry is charged by"),
    comment="Prices over all regions. GET /markets/prices",
    info=dict(SHARED),
)

character_market_order: Table = owned_table(
    "character_market_order",
    SubjectType.CHARACTER,
    *_order_columns(
        Column("is_corporation", Boolean, nullable=False, comment="placed for the corporation")
    ),
    Index(None, "character_id", "closed_at"),
    comment="Market orders, open and past. GET /characters/{character_id}/orders and its history",
)

corporation_market_order: Table = owned_table(
    "corporation_market_order",
    SubjectType.CORPORATION,
    *_order_columns(
        Column("wallet_division", Integer, nullable=False, comment="1 to 7"),
        an_id("issued_by", Names.CHARACTER, needed=False),
    ),
    Index(None, "corporation_id", "closed_at"),
    comment="Market orders, open and past."
    " GET /corporations/{corporation_id}/orders and its history",
)


def _listed_columns() -> list[Column[Any]]:
    return [
        key_id("order_id"),
        an_id("type_id", Names.TYPE),
        an_id("location_id", Names.LOCATION),
        Column("is_buy_order", Boolean, nullable=False),
        Column("price", Isk, nullable=False, comment="0.01 ISK for one"),
        Column("volume_total", Id, nullable=False),
        Column("volume_remain", Id, nullable=False),
        Column("min_volume", Id, nullable=False),
        Column("range", Text, nullable=False, comment="station, solarsystem, region or jumps"),
        Column("duration", Integer, nullable=False, comment="days"),
        Column("issued", UtcTime, nullable=False),
    ]


region_market_order = Table(
    "region_market_order",
    metadata,
    key_id("region_id", Names.REGION),
    *_listed_columns(),
    an_id("system_id", Names.SYSTEM),
    Index(None, "region_id", "type_id"),
    comment="Open orders in watched regions, whoever placed them. GET /markets/{region_id}/orders",
    info=dict(SHARED),
)

structure_market_order = Table(
    "structure_market_order",
    metadata,
    key_id("structure_id", Names.LOCATION),
    *_listed_columns(),
    Index(None, "structure_id", "type_id"),
    comment="Open orders in watched structures. GET /markets/structures/{structure_id}",
    info=dict(SHARED),
)

market_history = Table(
    "market_history",
    metadata,
    key_id("region_id", Names.REGION),
    key_id("type_id", Names.TYPE),
    Column("day", Date, primary_key=True, comment="UTC"),
    Column("average", Double, nullable=False, comment="ISK"),
    Column("highest", Isk, nullable=False, comment="0.01 ISK"),
    Column("lowest", Isk, nullable=False, comment="0.01 ISK"),
    Column("order_count", Id, nullable=False, comment="orders filled"),
    Column("volume", Id, nullable=False, comment="pieces traded"),
    comment="Trade by day of watched types, for ever. GET /markets/{region_id}/history",
    info=dict(SHARED),
)
