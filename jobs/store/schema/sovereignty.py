"""Who holds which system, the fights over it, and what corporations have built to hold it."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Integer, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, UtcTime, metadata

_CORPORATION = SubjectType.CORPORATION
_HUB = "GET /corporations/{corporation_id}/structures/sovereignty-hubs/{sovereignty_hub_id}"
_SKYHOOK = "GET /corporations/{corporation_id}/structures/skyhooks/{skyhook_id}"
_SYSTEMS, _CAMPAIGNS = "GET /sovereignty/systems", "GET /sovereignty/campaigns"


def _window() -> list[Column[object]]:
    return [
        Column("vulnerable_from", UtcTime, comment="NULL: no window is set"),
        Column("vulnerable_until", UtcTime),
    ]


sovereignty_system = Table(
    "sovereignty_system",
    metadata,
    key_id("solar_system_id", Names.SYSTEM),
    an_id("faction_id", Names.FACTION, "held by it", needed=False),
    an_id("alliance_id", Names.ALLIANCE, "claimed by it", needed=False),
    an_id("corporation_id", Names.CORPORATION, "owner of the hub", needed=False),
    Column("claimed_at", UtcTime),
    Column("is_capital_system", Boolean),
    Column("military_level", Integer),
    Column("industrial_level", Integer),
    Column("strategic_level", Integer),
    Column("activity_defense_multiplier", Double),
    Column("hub_id", Id),
    *_window(),
    comment=f"Systems, and who claims them; all NULL: nobody. {_SYSTEMS}",
    info=dict(SHARED),
)

sovereignty_campaign = Table(
    "sovereignty_campaign",
    metadata,
    key_id("campaign_id"),
    an_id("structure_id"),
    an_id("solar_system_id", Names.SYSTEM),
    an_id("constellation_id", Names.CONSTELLATION),
    Column("event_type", Text, nullable=False, comment="ihub_defense, station_freeport, ..."),
    Column("start_at", UtcTime, nullable=False),
    an_id("defender_id", Names.ALLIANCE, needed=False),
    Column("defender_score", Double, comment="0 to 1"),
    Column("attackers_score", Double, comment="0 to 1"),
    comment=f"Fights over structures, under way or to come. {_CAMPAIGNS}",
    info=dict(SHARED),
)

sovereignty_campaign_participant = Table(
    "sovereignty_campaign_participant",
    metadata,
    key_id("campaign_id"),
    key_id("alliance_id", Names.ALLIANCE),
    Column("score", Double, nullable=False, comment="0 to 1"),
    comment=f"Alliances in such a fight. {_CAMPAIGNS}",
    info=dict(SHARED),
)

corporation_sovereignty_hub: Table = owned_table(
    "corporation_sovereignty_hub",
    _CORPORATION,
    key_id("sovereignty_hub_id"),
    an_id("solar_system_id", Names.SYSTEM),
    comment="Sovereignty hubs. GET /corporations/{corporation_id}/structures/sovereignty-hubs",
)

corporation_sovereignty_hub_detail: Table = owned_table(
    "corporation_sovereignty_hub_detail",
    _CORPORATION,
    key_id("sovereignty_hub_id"),
    an_id("fuel_access_list_id", needed=False),
    Column("reagents_updated_at", UtcTime, nullable=False),
    Column("power_allocated", Id, nullable=False),
    Column("power_available", Id, nullable=False),
    Column("workforce_allocated", Id, nullable=False),
    Column("workforce_available", Id, nullable=False),
    *_window(),
    comment=f"Resources of sovereignty hubs. {_HUB}",
)

corporation_sovereignty_hub_reagent: Table = owned_table(
    "corporation_sovereignty_hub_reagent",
    _CORPORATION,
    key_id("sovereignty_hub_id"),
    key_id("type_id", Names.TYPE),
    Column("amount", Id, nullable=False, comment="at reagents_updated_at"),
    Column("burning_per_hour", Id, nullable=False),
    comment=f"Reagents in sovereignty hubs. {_HUB}",
)

corporation_sovereignty_hub_upgrade: Table = owned_table(
    "corporation_sovereignty_hub_upgrade",
    _CORPORATION,
    key_id("sovereignty_hub_id"),
    key_id("type_id", Names.TYPE),
    Column("power_state", Text, nullable=False, comment="Online, Offline, Low, Pending"),
    comment=f"Upgrades of sovereignty hubs. {_HUB}",
)

corporation_sovereignty_transport: Table = owned_table(
    "corporation_sovereignty_transport",
    _CORPORATION,
    key_id("sovereignty_hub_id"),
    Column("is_state", Boolean, primary_key=True, comment="false: as configured; true: as it is"),
    Column("position", Integer, primary_key=True, autoincrement=False, comment="in ESI's list"),
    Column("direction", String(16), nullable=False, comment="import, export or transit"),
    an_id("solar_system_id", Names.SYSTEM, "from or to where", needed=False),
    Column("amount", Id, comment="workforce"),
    comment=f"Workforce that sovereignty hubs pass on. {_HUB}",
)

corporation_skyhook: Table = owned_table(
    "corporation_skyhook",
    _CORPORATION,
    key_id("skyhook_id"),
    an_id("planet_id", Names.PLANET),
    comment="Skyhooks. GET /corporations/{corporation_id}/structures/skyhooks",
)

corporation_skyhook_detail: Table = owned_table(
    "corporation_skyhook_detail",
    _CORPORATION,
    key_id("skyhook_id"),
    Column("is_active", Boolean, nullable=False),
    Column("state", Text, nullable=False, comment="ShieldVulnerable, ArmorReinforced, ..."),
    Column("effective_workforce", Id),
    Column("reinforced_until", UtcTime, comment="NULL: not reinforced"),
    *_window(),
    comment=f"State of skyhooks; the window is that of thieves. {_SKYHOOK}",
)

corporation_skyhook_reagent: Table = owned_table(
    "corporation_skyhook_reagent",
    _CORPORATION,
    key_id("skyhook_id"),
    key_id("type_id", Names.TYPE),
    Column("secured_stock", Id, nullable=False),
    Column("unsecured_stock", Id, nullable=False, comment="what thieves can take"),
    Column("last_cycle_at", UtcTime, nullable=False),
    comment=f"Reagents in skyhooks. {_SKYHOOK}",
)

raidable_skyhook = Table(
    "raidable_skyhook",
    metadata,
    key_id("planet_id", Names.PLANET),
    an_id("solar_system_id", Names.SYSTEM),
    Column("vulnerable_from", UtcTime, nullable=False),
    Column("vulnerable_until", UtcTime, nullable=False),
    comment="Skyhooks that can be robbed, now or soon. GET /skyhooks/raidable",
    info=dict(SHARED),
)
