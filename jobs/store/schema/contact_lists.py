"""Lists of contacts that are kept here, and the characters that they are pushed to."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import key_id, owned_table
from jobs.store.schema.types import UtcTime, metadata

contact_list = Table(
    "contact_list",
    metadata,
    Column("name", Text, primary_key=True),
    Column("standing", Double, nullable=False, comment="-10 to 10, of all its contacts"),
    Column("is_watched", Boolean, nullable=False),
    Column("created_at", UtcTime, nullable=False),
    comment="Lists of contacts that are kept here: `esisyncd contact lists`",
    info=dict(SHARED),
)

contact_list_entry = Table(
    "contact_list_entry",
    metadata,
    Column("list_name", Text, primary_key=True),
    key_id("contact_id", Names.ENTITY),
    comment="Who is on a list of contacts",
    info=dict(SHARED),
)

contact_list_character: Table = owned_table(
    "contact_list_character",
    SubjectType.CHARACTER,
    Column("list_name", Text, primary_key=True),
    comment="Whose contacts a list is added to, by the kind character.contact_sync",
)
