"""Structures as those who may dock there see them, and who may not."""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import UtcTime, metadata

_STRUCTURE = "GET /universe/structures/{structure_id}"

structure = Table(
    "structure",
    metadata,
    key_id("structure_id"),
    Column("name", Text, comment="raw; the last known one"),
    an_id("owner_id", Names.CORPORATION, needed=False),
    an_id("system_id", Names.SYSTEM, needed=False),
    an_id("type_id", Names.TYPE, needed=False),
    *(Column(axis, Double, comment="metres from the sun; NULL: not told") for axis in "xyz"),
    Column("checked_at", UtcTime, nullable=False, comment="when ESI last said so"),
    Column("gone_at", UtcTime, comment="when ESI first said that it is no longer there"),
    comment=f"Structures that rows name; what is known of those that are gone stays. {_STRUCTURE}",
    info=dict(SHARED),
)

character_structure_refusal: Table = owned_table(
    "character_structure_refusal",
    SubjectType.CHARACTER,
    key_id("structure_id"),
    Column("refusals", Integer, nullable=False, comment="times in a row"),
    Column("refused_until", UtcTime, nullable=False, comment="not asked about before"),
    comment=f"Structures that a character may not see, and when it asks again. {_STRUCTURE}",
)
