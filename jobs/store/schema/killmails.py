"""Killmails: which ones concern whom, and what happened, told once for all."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Index, Integer, String, Table

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, Isk, UtcTime, metadata

_DETAIL = "GET /killmails/{killmail_id}/{killmail_hash}"

character_killmail: Table = owned_table(
    "character_killmail",
    SubjectType.CHARACTER,
    key_id("killmail_id"),
    Column("killmail_hash", String(64), nullable=False),
    comment="Kills and losses of a character. GET /characters/{character_id}/killmails/recent",
)

corporation_killmail: Table = owned_table(
    "corporation_killmail",
    SubjectType.CORPORATION,
    key_id("killmail_id"),
    Column("killmail_hash", String(64), nullable=False),
    comment="Kills and losses of members. GET /corporations/{corporation_id}/killmails/recent",
)

killmail = Table(
    "killmail",
    metadata,
    key_id("killmail_id"),
    Column("killed_at", UtcTime, nullable=False),
    an_id("solar_system_id", Names.SYSTEM),
    an_id("moon_id", Names.MOON, needed=False),
    Column("war_id", Id),
    an_id("victim_character_id", Names.CHARACTER, needed=False),
    an_id("victim_corporation_id", Names.CORPORATION, needed=False),
    an_id("victim_alliance_id", Names.ALLIANCE, needed=False),
    an_id("victim_faction_id", Names.FACTION, needed=False),
    an_id("victim_ship_type_id", Names.TYPE),
    Column("damage_taken", Id, nullable=False),
    *(Column(axis, Double, comment="metres from the sun") for axis in "xyz"),
    Index(None, "killed_at"),
    comment=f"What was destroyed. {_DETAIL}",
    info=dict(SHARED),
)

killmail_attacker = Table(
    "killmail_attacker",
    metadata,
    key_id("killmail_id"),
    Column("position", Integer, primary_key=True, autoincrement=False, comment="in ESI's list"),
    an_id("character_id", Names.CHARACTER, needed=False),
    an_id("corporation_id", Names.CORPORATION, needed=False),
    an_id("alliance_id", Names.ALLIANCE, needed=False),
    an_id("faction_id", Names.FACTION, needed=False),
    an_id("ship_type_id", Names.TYPE, needed=False),
    an_id("weapon_type_id", Names.TYPE, needed=False),
    Column("damage_done", Id, nullable=False),
    Column("final_blow", Boolean, nullable=False),
    Column("security_status", Double, nullable=False),
    comment=f"By whom. {_DETAIL}",
    info=dict(SHARED),
)

killmail_item = Table(
    "killmail_item",
    metadata,
    key_id("killmail_id"),
    # One type can be there twice in one place, once dropped and once destroyed.
    Column("position", Integer, primary_key=True, autoincrement=False, comment="in ESI's order"),
    Column("inside", Integer, comment="position of the container that it lay in"),
    an_id("item_type_id", Names.TYPE),
    Column("flag", Integer, nullable=False, comment="number of the slot or bay"),
    Column("singleton", Integer, nullable=False, comment="2: a blueprint's copy"),
    Column("quantity_destroyed", Id),
    Column("quantity_dropped", Id),
    comment=f"What was aboard. {_DETAIL}",
    info=dict(SHARED),
)

killmail_value = Table(
    "killmail_value",
    metadata,
    key_id("killmail_id"),
    Column("local_value", Isk, comment="0.01 ISK at average prices; NULL: none were known"),
    Column("value", Isk, comment="0.01 ISK as zKillboard says; NULL: it has not said"),
    Column("destroyed_value", Isk, comment="0.01 ISK"),
    Column("dropped_value", Isk, comment="0.01 ISK"),
    Column("fitted_value", Isk, comment="0.01 ISK"),
    Column("points", Integer),
    Column("valued_at", UtcTime, nullable=False, comment="when the local value was worked out"),
    Column("asked_at", UtcTime, comment="when zKillboard was last asked"),
    Column("tries", Integer, nullable=False, server_default="0", comment="how often it was asked"),
    comment="What killmails are worth. zKillboard: GET /api/killID/{killmail_id}/",
    info=dict(SHARED),
)
