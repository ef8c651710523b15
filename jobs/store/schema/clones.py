"""Clones: home, jump clones, implants and how tired a character is of jumping."""

from __future__ import annotations

from sqlalchemy import Column, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import UtcTime

_ME = SubjectType.CHARACTER
_CLONES = "GET /characters/{character_id}/clones"

character_clone: Table = owned_table(
    "character_clone",
    _ME,
    an_id("home_location_id", Names.LOCATION, needed=False),
    Column("home_location_type", Text, comment="station or structure"),
    Column("last_clone_jump_at", UtcTime),
    Column("last_station_change_at", UtcTime),
    comment=f"Home, and when it last jumped into another clone. {_CLONES}",
)

character_jump_clone: Table = owned_table(
    "character_jump_clone",
    _ME,
    key_id("jump_clone_id"),
    an_id("location_id", Names.LOCATION),
    Column("location_type", Text, nullable=False, comment="station or structure"),
    Column("name", Text, comment="raw; NULL: it has none"),
    comment=f"Clones to jump into. {_CLONES}",
)

character_jump_clone_implant: Table = owned_table(
    "character_jump_clone_implant",
    _ME,
    key_id("jump_clone_id"),
    key_id("type_id", Names.TYPE),
    comment=f"Implants of jump clones. {_CLONES}",
)

character_implant: Table = owned_table(
    "character_implant",
    _ME,
    key_id("type_id", Names.TYPE),
    comment="Implants of the clone in use. GET /characters/{character_id}/implants",
)

character_fatigue: Table = owned_table(
    "character_fatigue",
    _ME,
    Column("fatigue_ends_at", UtcTime, comment="NULL: not tired"),
    Column("last_jump_at", UtcTime),
    Column("last_update_at", UtcTime),
    comment="Jump fatigue. GET /characters/{character_id}/fatigue",
)
