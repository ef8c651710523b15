"""What the game itself offers: insurance, loyalty stores, places to build."""

from __future__ import annotations

from sqlalchemy import Column, Double, String, Table

from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id
from jobs.store.schema.types import Id, Isk, UtcTime, metadata

_OFFERS = "GET /loyalty/stores/{corporation_id}/offers"

insurance_price = Table(
    "insurance_price",
    metadata,
    key_id("type_id", Names.TYPE),
    Column("level", String(64), primary_key=True, comment="Basic, Gold, ..."),
    Column("cost", Isk, nullable=False, comment="0.01 ISK"),
    Column("payout", Isk, nullable=False, comment="0.01 ISK"),
    comment="What insurance costs and pays. GET /insurance/prices",
    info=dict(SHARED),
)

industry_facility = Table(
    "industry_facility",
    metadata,
    key_id("facility_id", Names.LOCATION),
    an_id("owner_id", Names.CORPORATION),
    an_id("region_id", Names.REGION),
    an_id("solar_system_id", Names.SYSTEM),
    an_id("type_id", Names.TYPE),
    Column("tax", Double, comment="0 to 1; NULL: none is set"),
    comment="Facilities for industry that are open to all. GET /industry/facilities",
    info=dict(SHARED),
)

npc_corporation = Table(
    "npc_corporation",
    metadata,
    key_id("corporation_id", Names.CORPORATION),
    Column("offers_at", UtcTime, comment="when its loyalty store was read; NULL: not yet"),
    comment="Corporations of the game. GET /corporations/npccorps",
    info=dict(SHARED),
)

loyalty_offer = Table(
    "loyalty_offer",
    metadata,
    key_id("corporation_id", Names.CORPORATION),
    key_id("offer_id"),
    an_id("type_id", Names.TYPE),
    Column("quantity", Id, nullable=False),
    Column("lp_cost", Id, nullable=False, comment="loyalty points"),
    Column("isk_cost", Isk, nullable=False, comment="0.01 ISK"),
    Column("ak_cost", Id, comment="analysis kredits"),
    comment=f"What loyalty stores sell. {_OFFERS}",
    info=dict(SHARED),
)

loyalty_offer_item = Table(
    "loyalty_offer_item",
    metadata,
    key_id("corporation_id"),
    key_id("offer_id"),
    key_id("type_id", Names.TYPE),
    Column("quantity", Id, nullable=False),
    comment=f"What has to be given besides. {_OFFERS}",
    info=dict(SHARED),
)
