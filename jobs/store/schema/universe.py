"""Names of what the mirror's ids stand for, and the parts of the universe they lie in."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Boolean, Column, Double, Index, Integer, String, Table, Text

from jobs.store.schema.marks import SHARED, Names, name_of
from jobs.store.schema.types import Id, UtcTime, metadata


def _position_columns(origin: str) -> list[Column[Any]]:
    return [Column(axis, Double, nullable=False, comment=f"metres from {origin}") for axis in "xyz"]


name = Table(
    "name",
    metadata,
    Column("id", Id, primary_key=True, autoincrement=False),
    Column(
        "category",
        Text,
        nullable=False,
        comment="character, corporation, alliance, faction, type, system, station, ...",
    ),
    Column("name", Text, nullable=False),
    Column("checked_at", UtcTime, nullable=False, comment="when ESI last said so"),
    Index(None, "checked_at"),
    comment="Name of every id in the mirror; the last known one stays. POST /universe/names",
    info=dict(SHARED),
)

unknown_id = Table(
    "unknown_id",
    metadata,
    Column("category", String(16), primary_key=True, comment="name, or what its details are of"),
    Column("id", Id, primary_key=True, autoincrement=False),
    Column("refusals", Integer, nullable=False, comment="times in a row that ESI knew nothing"),
    Column("unknown_until", UtcTime, nullable=False, comment="not asked about before"),
    comment="Ids that ESI could not explain, and when it is asked again",
    info=dict(SHARED),
)

wanted_id = Table(
    "wanted_id",
    metadata,
    Column("category", String(16), primary_key=True, comment="name, or what its details are of"),
    Column("id", Id, primary_key=True, autoincrement=False),
    comment="Ids met in rows of which nothing is known yet",
    info=dict(SHARED),
)

name_search = Table(
    "name_search",
    metadata,
    Column("table_name", String(64), primary_key=True),
    Column("marks", Text, nullable=False, comment="what is looked for in it"),
    Column("position", Text, comment="key of the row looked at last, as JSON; NULL: at the end"),
    Column("finished_at", UtcTime, comment="when its end was last reached"),
    comment="How far tables were looked through for ids without a name",
    info=dict(SHARED),
)

pruning = Table(
    "pruning",
    metadata,
    Column("table_name", String(64), primary_key=True),
    Column("position", Text, comment="key of the row looked at last, as JSON; NULL: at the end"),
    comment="How far tables were looked through for rows that are too old",
    info=dict(SHARED),
)

universe_type = Table(
    "universe_type",
    metadata,
    Column("type_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("group_id", Id, nullable=False, info=name_of(Names.GROUP)),
    Column("market_group_id", Id),
    Column("published", Boolean, nullable=False),
    Column("volume", Double, comment="cubic metres, assembled"),
    Column("packaged_volume", Double, comment="cubic metres"),
    Column("capacity", Double, comment="cubic metres"),
    Column("mass", Double, comment="kilograms"),
    Column("radius", Double, comment="metres"),
    Column("portion_size", Id),
    Column("graphic_id", Id),
    Column("icon_id", Id),
    Column("description", Text, nullable=False, comment="raw, can hold markup"),
    comment="Types of things. GET /universe/types/{type_id}",
    info=dict(SHARED),
)

universe_group = Table(
    "universe_group",
    metadata,
    Column("group_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("category_id", Id, nullable=False, info=name_of(Names.CATEGORY)),
    Column("published", Boolean, nullable=False),
    comment="Groups of types. GET /universe/groups/{group_id}",
    info=dict(SHARED),
)

universe_category = Table(
    "universe_category",
    metadata,
    Column("category_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("published", Boolean, nullable=False),
    comment="Categories of groups. GET /universe/categories/{category_id}",
    info=dict(SHARED),
)

universe_system = Table(
    "universe_system",
    metadata,
    Column("system_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("constellation_id", Id, nullable=False, info=name_of(Names.CONSTELLATION)),
    Column("security_status", Double, nullable=False, comment="-1 to 1"),
    Column("security_class", Text),
    Column("star_id", Id),
    *_position_columns("the middle of New Eden"),
    comment="Solar systems. GET /universe/systems/{system_id}",
    info=dict(SHARED),
)

universe_constellation = Table(
    "universe_constellation",
    metadata,
    Column("constellation_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("region_id", Id, nullable=False, info=name_of(Names.REGION)),
    *_position_columns("the middle of New Eden"),
    comment="Constellations. GET /universe/constellations/{constellation_id}",
    info=dict(SHARED),
)

universe_region = Table(
    "universe_region",
    metadata,
    Column("region_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("description", Text),
    comment="Regions. GET /universe/regions/{region_id}",
    info=dict(SHARED),
)

universe_station = Table(
    "universe_station",
    metadata,
    Column("station_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("system_id", Id, nullable=False, info=name_of(Names.SYSTEM)),
    Column("type_id", Id, nullable=False, info=name_of(Names.TYPE)),
    Column("owner_id", Id, comment="corporation", info=name_of(Names.CORPORATION)),
    Column("race_id", Id),
    Column("max_dockable_ship_volume", Double, nullable=False, comment="cubic metres"),
    Column("office_rental_cost", Double, nullable=False, comment="ISK"),
    Column("reprocessing_efficiency", Double, nullable=False, comment="0 to 1"),
    Column("reprocessing_stations_take", Double, nullable=False, comment="0 to 1"),
    *_position_columns("the sun"),
    comment="Stations. GET /universe/stations/{station_id}",
    info=dict(SHARED),
)

universe_planet = Table(
    "universe_planet",
    metadata,
    Column("planet_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("system_id", Id, nullable=False, info=name_of(Names.SYSTEM)),
    Column("type_id", Id, nullable=False, info=name_of(Names.TYPE)),
    *_position_columns("the sun"),
    comment="Planets. GET /universe/planets/{planet_id}",
    info=dict(SHARED),
)

universe_moon = Table(
    "universe_moon",
    metadata,
    Column("moon_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("system_id", Id, nullable=False, info=name_of(Names.SYSTEM)),
    *_position_columns("the sun"),
    comment="Moons. GET /universe/moons/{moon_id}",
    info=dict(SHARED),
)

universe_faction = Table(
    "universe_faction",
    metadata,
    Column("faction_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("corporation_id", Id, info=name_of(Names.CORPORATION)),
    Column("militia_corporation_id", Id, info=name_of(Names.CORPORATION)),
    Column("solar_system_id", Id, info=name_of(Names.SYSTEM)),
    Column("is_unique", Boolean, nullable=False),
    Column("size_factor", Double, nullable=False),
    Column("station_count", Integer, nullable=False),
    Column("station_system_count", Integer, nullable=False),
    Column("description", Text, nullable=False),
    comment="Factions. GET /universe/factions",
    info=dict(SHARED),
)
