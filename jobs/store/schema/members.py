"""Members of corporations: who, where, since when, with which roles and titles."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Integer, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import UtcTime

_CORPORATION = SubjectType.CORPORATION
_PATH = "GET /corporations/{corporation_id}"

corporation_member: Table = owned_table(
    "corporation_member",
    _CORPORATION,
    key_id("character_id", Names.CHARACTER),
    Column("closed_at", UtcTime, comment="when it was no longer listed: it has left"),
    comment=f"Members, and those who have left. {_PATH}/members",
)

corporation_member_limit: Table = owned_table(
    "corporation_member_limit",
    _CORPORATION,
    Column("member_limit", Integer, nullable=False, comment="-1: an NPC corporation"),
    comment=f"How many members there can be. {_PATH}/members/limit",
)

corporation_member_tracking: Table = owned_table(
    "corporation_member_tracking",
    _CORPORATION,
    key_id("character_id", Names.CHARACTER),
    an_id("base_id", Names.LOCATION, needed=False),
    an_id("location_id", Names.LOCATION, needed=False),
    an_id("ship_type_id", Names.TYPE, needed=False),
    Column("start_at", UtcTime, comment="when it joined"),
    Column("logon_at", UtcTime),
    Column("logoff_at", UtcTime),
    comment=f"Whereabouts of members, the last known of those who left. {_PATH}/membertracking",
)

corporation_member_role: Table = owned_table(
    "corporation_member_role",
    _CORPORATION,
    key_id("character_id", Names.CHARACTER),
    Column("place", String(8), primary_key=True, comment="all, base, hq or other"),
    Column("role", String(64), primary_key=True),
    Column("grantable", Boolean, primary_key=True, comment="may be given to others"),
    comment=f"Roles of members. {_PATH}/roles",
)

corporation_member_title: Table = owned_table(
    "corporation_member_title",
    _CORPORATION,
    key_id("character_id", Names.CHARACTER),
    key_id("title_id"),
    comment=f"Titles of members. {_PATH}/members/titles",
)

corporation_title: Table = owned_table(
    "corporation_title",
    _CORPORATION,
    key_id("title_id"),
    Column("name", Text, comment="raw"),
    comment=f"Titles that can be given. {_PATH}/titles",
)

corporation_title_role: Table = owned_table(
    "corporation_title_role",
    _CORPORATION,
    key_id("title_id"),
    Column("place", String(8), primary_key=True, comment="all, base, hq or other"),
    Column("role", String(64), primary_key=True),
    Column("grantable", Boolean, primary_key=True, comment="may be given to others"),
    comment=f"Roles that come with titles. {_PATH}/titles",
)

corporation_role_history: Table = owned_table(
    "corporation_role_history",
    _CORPORATION,
    Column("changed_at", UtcTime, primary_key=True),
    key_id("character_id", Names.CHARACTER),
    Column("role_type", String(32), primary_key=True, comment="roles, roles_at_hq, ..."),
    Column("digest", String(32), primary_key=True, comment="of all fields: ESI gives no id"),
    Column(
        "occurrence",
        Integer,
        primary_key=True,
        autoincrement=False,
        comment="among entries that are alike",
    ),
    an_id("issuer_id", Names.CHARACTER),
    Column("old_roles", Text, nullable=False, comment="sorted, apart by blanks"),
    Column("new_roles", Text, nullable=False, comment="sorted, apart by blanks"),
    comment=f"Every change of roles seen. {_PATH}/roles/history",
)
