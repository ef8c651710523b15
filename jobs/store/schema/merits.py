"""What was earned: loyalty points, medals given and made, the part in factional warfare."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, UtcTime

_ME, _CORPORATION = SubjectType.CHARACTER, SubjectType.CORPORATION


def _warfare_counts() -> list[Column[Any]]:
    return [
        Column("kills_yesterday", Integer, nullable=False),
        Column("kills_last_week", Integer, nullable=False),
        Column("kills_total", Integer, nullable=False),
        Column("points_yesterday", Id, nullable=False, comment="victory points"),
        Column("points_last_week", Id, nullable=False, comment="victory points"),
        Column("points_total", Id, nullable=False, comment="victory points"),
    ]


character_loyalty: Table = owned_table(
    "character_loyalty",
    _ME,
    key_id("corporation_id", Names.CORPORATION),
    Column("loyalty_points", Id, nullable=False),
    comment="Loyalty points with corporations. GET /characters/{character_id}/loyalty/points",
)

character_medal: Table = owned_table(
    "character_medal",
    _ME,
    key_id("medal_id"),
    Column("awarded_at", UtcTime, primary_key=True),
    an_id("corporation_id", Names.CORPORATION),
    an_id("issuer_id", Names.CHARACTER),
    Column("title", Text, nullable=False, comment="raw"),
    Column("description", Text, nullable=False, comment="raw"),
    Column("reason", Text, nullable=False, comment="raw"),
    Column("status", Text, nullable=False, comment="public or private"),
    comment="Medals a character was given. GET /characters/{character_id}/medals",
)

character_medal_graphic: Table = owned_table(
    "character_medal_graphic",
    _ME,
    key_id("medal_id"),
    Column("awarded_at", UtcTime, primary_key=True),
    Column("part", Integer, primary_key=True, autoincrement=False, comment="1: ribbon, 2: medal"),
    Column("layer", Integer, primary_key=True, autoincrement=False),
    Column("graphic", Text, nullable=False),
    Column("color", Id),
    comment="How medals look. GET /characters/{character_id}/medals",
)

character_factional_warfare: Table = owned_table(
    "character_factional_warfare",
    _ME,
    an_id("faction_id", Names.FACTION, "NULL: not enlisted", needed=False),
    Column("enlisted_on", UtcTime),
    Column("current_rank", Integer),
    Column("highest_rank", Integer),
    *_warfare_counts(),
    comment="Its part in factional warfare. GET /characters/{character_id}/fw/stats",
)

corporation_medal: Table = owned_table(
    "corporation_medal",
    _CORPORATION,
    key_id("medal_id"),
    an_id("creator_id", Names.CHARACTER),
    Column("created_at", UtcTime, nullable=False),
    Column("title", Text, nullable=False, comment="raw"),
    Column("description", Text, nullable=False, comment="raw"),
    comment="Medals a corporation has made. GET /corporations/{corporation_id}/medals",
)

corporation_medal_issued: Table = owned_table(
    "corporation_medal_issued",
    _CORPORATION,
    key_id("medal_id"),
    key_id("character_id", Names.CHARACTER),
    Column("issued_at", UtcTime, primary_key=True),
    an_id("issuer_id", Names.CHARACTER),
    Column("reason", Text, nullable=False, comment="raw"),
    Column("status", Text, nullable=False, comment="public or private"),
    comment="To whom medals were given. GET /corporations/{corporation_id}/medals/issued",
)

corporation_factional_warfare: Table = owned_table(
    "corporation_factional_warfare",
    _CORPORATION,
    an_id("faction_id", Names.FACTION, "NULL: not enlisted", needed=False),
    Column("enlisted_on", UtcTime),
    Column("pilots", Integer, comment="members that are enlisted"),
    *_warfare_counts(),
    comment="Its part in factional warfare. GET /corporations/{corporation_id}/fw/stats",
)
