"""Fittings that a character has saved."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id

character_fitting: Table = owned_table(
    "character_fitting",
    SubjectType.CHARACTER,
    key_id("fitting_id"),
    Column("name", Text, nullable=False, comment="raw"),
    Column("description", Text, nullable=False, comment="raw"),
    an_id("ship_type_id", Names.TYPE),
    comment="Saved fittings. GET /characters/{character_id}/fittings",
)

character_fitting_item: Table = owned_table(
    "character_fitting_item",
    SubjectType.CHARACTER,
    key_id("fitting_id"),
    # The same type can lie in the same hold twice.
    Column("position", Integer, primary_key=True, autoincrement=False, comment="in ESI's list"),
    an_id("type_id", Names.TYPE),
    Column("flag", Text, nullable=False, comment="slot or bay"),
    Column("quantity", Id, nullable=False),
    comment="What saved fittings are made of. GET /characters/{character_id}/fittings",
)
