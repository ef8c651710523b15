"""Access lists that a character sees, and who is on them."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, NamesBy
from jobs.store.schema.owned import key_id, owned_table

_LIST = "GET /characters/{character_id}/access-lists/{access_list_id}"
_MEMBER = NamesBy(
    column="member_type",
    meanings=(
        ("character", Names.CHARACTER),
        ("corporation", Names.CORPORATION),
        ("alliance", Names.ALLIANCE),
    ),
)

character_access_list: Table = owned_table(
    "character_access_list",
    SubjectType.CHARACTER,
    key_id("access_list_id"),
    Column("name", Text, comment="raw; NULL: not told yet"),
    Column("description", Text, comment="raw"),
    Column("allow_everyone", Boolean),
    comment=f"Access lists. {_LIST}",
)

character_access_list_member: Table = owned_table(
    "character_access_list_member",
    SubjectType.CHARACTER,
    key_id("access_list_id"),
    Column("member_type", String(16), primary_key=True, comment="character, corporation, alliance"),
    key_id("member_id", _MEMBER),
    Column("access", Text, nullable=False, comment="Allowed, Blocked, Manager, Admin"),
    comment=f"Who is on access lists. {_LIST}",
)
