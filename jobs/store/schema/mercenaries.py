"""Mercenary dens of characters, and the operations that they bring."""

from __future__ import annotations

from sqlalchemy import Column, Integer, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, UtcTime

_ME = SubjectType.CHARACTER
_DEN = "GET /characters/{character_id}/structures/mercenary-dens/{mercenary_den_id}"
_OPERATION = "GET /characters/{character_id}/mercenary-tactical-operations/{operation_id}"

character_mercenary_den: Table = owned_table(
    "character_mercenary_den",
    _ME,
    key_id("mercenary_den_id"),
    an_id("planet_id", Names.PLANET, needed=False),
    an_id("type_id", Names.TYPE, "NULL: its details are not told yet", needed=False),
    Column("state", Text, comment="Running, Paused or Disabled"),
    Column("infomorphs", Id, comment="aboard"),
    Column("development_amount", Integer),
    Column("development_level", Text, comment="Level0 to Level4"),
    Column("anarchy_amount", Integer),
    Column("anarchy_level", Text, comment="Level0 to Level4"),
    Column("reinforced_until", UtcTime, comment="NULL: not reinforced"),
    an_id("skyhook_id", comment="of the planet", needed=False),
    an_id("skyhook_corporation_id", Names.CORPORATION, needed=False),
    comment=f"Mercenary dens. {_DEN}",
)

character_mercenary_operation: Table = owned_table(
    "character_mercenary_operation",
    _ME,
    Column("operation_id", String(36), primary_key=True),
    an_id("mercenary_den_id"),
    Column("state", Text, comment="Available, Started, Completed, Expired, Removed; the last seen"),
    an_id("dungeon_type_id", needed=False),
    Column("expires_at", UtcTime),
    Column("closed_at", UtcTime, comment="when it was no longer listed: over"),
    comment=f"Mercenary tactical operations, past ones too. {_OPERATION}",
)
