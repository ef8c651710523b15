"""What goes on in New Eden at large: incursions, traffic, factional warfare."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Integer, String, Table, Text

from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id
from jobs.store.schema.types import Id, metadata

_PERIODS = ("yesterday", "last_week", "total")

incursion = Table(
    "incursion",
    metadata,
    key_id("constellation_id", Names.CONSTELLATION),
    an_id("faction_id", Names.FACTION),
    an_id("staging_solar_system_id", Names.SYSTEM),
    Column("type", Text, nullable=False),
    Column("state", Text, nullable=False, comment="established, mobilizing or withdrawing"),
    Column("influence", Double, nullable=False, comment="0 to 1"),
    Column("has_boss", Boolean, nullable=False),
    comment="Incursions under way. GET /incursions",
    info=dict(SHARED),
)

incursion_system = Table(
    "incursion_system",
    metadata,
    key_id("constellation_id", Names.CONSTELLATION),
    key_id("solar_system_id", Names.SYSTEM),
    comment="Systems that they have infested. GET /incursions",
    info=dict(SHARED),
)

system_kills = Table(
    "system_kills",
    metadata,
    key_id("system_id", Names.SYSTEM),
    Column("ship_kills", Integer, nullable=False),
    Column("pod_kills", Integer, nullable=False),
    Column("npc_kills", Integer, nullable=False),
    comment="Kills in the last hour, where there were any. GET /universe/system_kills",
    info=dict(SHARED),
)

system_jumps = Table(
    "system_jumps",
    metadata,
    key_id("system_id", Names.SYSTEM),
    Column("ship_jumps", Integer, nullable=False),
    comment="Jumps in the last hour, where there were any. GET /universe/system_jumps",
    info=dict(SHARED),
)

fw_statistics = Table(
    "fw_statistics",
    metadata,
    key_id("faction_id", Names.FACTION),
    Column("pilots", Id, nullable=False),
    Column("systems_controlled", Integer, nullable=False),
    *(Column(f"kills_{period}", Id, nullable=False) for period in _PERIODS),
    *(
        Column(f"points_{period}", Id, nullable=False, comment="victory points")
        for period in _PERIODS
    ),
    comment="Factional warfare by faction. GET /fw/stats",
    info=dict(SHARED),
)

fw_system = Table(
    "fw_system",
    metadata,
    key_id("solar_system_id", Names.SYSTEM),
    an_id("owner_faction_id", Names.FACTION),
    an_id("occupier_faction_id", Names.FACTION),
    Column(
        "contested", Text, nullable=False, comment="captured, contested, uncontested, vulnerable"
    ),
    Column("victory_points", Id, nullable=False),
    Column("victory_points_threshold", Id, nullable=False),
    comment="Systems of factional warfare. GET /fw/systems",
    info=dict(SHARED),
)

fw_war = Table(
    "fw_war",
    metadata,
    key_id("faction_id", Names.FACTION),
    key_id("against_id", Names.FACTION),
    comment="Which factions are at war. GET /fw/wars",
    info=dict(SHARED),
)


def _leaders(name: str, who: Names, path: str) -> Table:
    return Table(
        name,
        metadata,
        Column("measure", String(16), primary_key=True, comment="kills or victory_points"),
        Column(
            "period", String(16), primary_key=True, comment="yesterday, last_week, active_total"
        ),
        Column("position", Integer, primary_key=True, autoincrement=False, comment="0: the first"),
        an_id(f"{who}_id", who, needed=False),
        Column("amount", Id),
        comment=f"Leaders of factional warfare. GET {path}",
        info=dict(SHARED),
    )


fw_leading_faction = _leaders("fw_leading_faction", Names.FACTION, "/fw/leaderboards")
fw_leading_corporation = _leaders(
    "fw_leading_corporation", Names.CORPORATION, "/fw/leaderboards/corporations"
)
fw_leading_character = _leaders(
    "fw_leading_character", Names.CHARACTER, "/fw/leaderboards/characters"
)
