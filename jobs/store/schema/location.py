"""Where characters are, in which ship, and whether they play."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, name_of, owned_by
from jobs.store.schema.types import Id, UtcTime, metadata

character_location = Table(
    "character_location",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("solar_system_id", Id, nullable=False, info=name_of(Names.SYSTEM)),
    Column("station_id", Id, info=name_of(Names.STATION)),
    Column("structure_id", Id),
    comment="Where a character is now. GET /characters/{character_id}/location",
    info=owned_by(SubjectType.CHARACTER),
)

character_location_history = Table(
    "character_location_history",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("observed_at", UtcTime, primary_key=True, comment="when it was first seen there"),
    Column("solar_system_id", Id, nullable=False, info=name_of(Names.SYSTEM)),
    Column("station_id", Id, info=name_of(Names.STATION)),
    Column("structure_id", Id),
    comment="Every change of place seen. GET /characters/{character_id}/location",
    info=owned_by(SubjectType.CHARACTER),
)

character_online = Table(
    "character_online",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("online", Boolean, nullable=False),
    Column("last_login", UtcTime),
    Column("last_logout", UtcTime),
    Column("logins", Integer, comment="how often it ever logged in"),
    comment="Whether a character plays. GET /characters/{character_id}/online",
    info=owned_by(SubjectType.CHARACTER),
)

character_ship = Table(
    "character_ship",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("ship_item_id", Id, nullable=False),
    Column("ship_type_id", Id, nullable=False, info=name_of(Names.TYPE)),
    Column("ship_name", Text, nullable=False, comment="raw"),
    comment="The ship a character sits in. GET /characters/{character_id}/ship",
    info=owned_by(SubjectType.CHARACTER),
)
