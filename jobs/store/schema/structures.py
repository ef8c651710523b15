"""What corporations have built: structures, starbases, customs offices, facilities, containers."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Integer, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, UtcTime

_CORPORATION = SubjectType.CORPORATION
_STRUCTURES = "GET /corporations/{corporation_id}/structures"

corporation_structure: Table = owned_table(
    "corporation_structure",
    _CORPORATION,
    key_id("structure_id", Names.STRUCTURE),
    an_id("type_id", Names.TYPE),
    an_id("system_id", Names.SYSTEM),
    Column("name", Text, comment="raw; the last known one"),
    an_id("profile_id"),
    Column("state", Text, nullable=False, comment="shield_vulnerable, armor_reinforce, ..."),
    Column("state_timer_start", UtcTime),
    Column("state_timer_end", UtcTime),
    Column("fuel_expires", UtcTime, comment="NULL: without fuel"),
    Column("unanchors_at", UtcTime),
    Column("reinforce_hour", Integer, comment="UTC"),
    Column("next_reinforce_hour", Integer, comment="UTC"),
    Column("next_reinforce_apply", UtcTime),
    Column("closed_at", UtcTime, comment="when it was no longer listed: gone, or given away"),
    comment=f"Structures, and those that are gone. {_STRUCTURES}",
)

corporation_structure_service: Table = owned_table(
    "corporation_structure_service",
    _CORPORATION,
    key_id("structure_id"),
    Column("name", String(128), primary_key=True),
    Column("state", Text, nullable=False, comment="online, offline or cleanup"),
    comment=f"Services of structures. {_STRUCTURES}",
)

corporation_customs_office: Table = owned_table(
    "corporation_customs_office",
    _CORPORATION,
    key_id("office_id"),
    an_id("system_id", Names.SYSTEM),
    an_id("type_id", Names.TYPE, needed=False),
    Column("reinforce_exit_start", Integer, nullable=False, comment="hour, UTC"),
    Column("reinforce_exit_end", Integer, nullable=False, comment="hour, UTC"),
    Column("allow_alliance_access", Boolean, nullable=False),
    Column("allow_access_with_standings", Boolean, nullable=False),
    Column("standing_level", Text, comment="needed for access"),
    *(
        Column(f"{who}_tax_rate", Double, comment="0 to 1")
        for who in (
            "corporation",
            "alliance",
            "excellent_standing",
            "good_standing",
            "neutral_standing",
            "bad_standing",
            "terrible_standing",
        )
    ),
    comment="Customs offices. GET /corporations/{corporation_id}/customs_offices",
)

corporation_facility: Table = owned_table(
    "corporation_facility",
    _CORPORATION,
    key_id("facility_id", Names.LOCATION),
    an_id("type_id", Names.TYPE),
    an_id("system_id", Names.SYSTEM),
    comment="Industry facilities. GET /corporations/{corporation_id}/facilities",
)

_STARBASE = "GET /corporations/{corporation_id}/starbases"

corporation_starbase: Table = owned_table(
    "corporation_starbase",
    _CORPORATION,
    key_id("starbase_id"),
    an_id("type_id", Names.TYPE),
    an_id("system_id", Names.SYSTEM),
    an_id("moon_id", Names.MOON, "NULL: not anchored", needed=False),
    Column("state", Text, comment="offline, online, onlining, reinforced or unanchoring"),
    Column("unanchor_at", UtcTime, comment="when it will be free to be taken"),
    Column("reinforced_until", UtcTime),
    Column("onlined_since", UtcTime),
    comment=f"Starbases (POS). {_STARBASE}",
)

corporation_starbase_detail: Table = owned_table(
    "corporation_starbase_detail",
    _CORPORATION,
    key_id("starbase_id"),
    *(
        Column(what, Text, nullable=False, comment="who may: a role, a member, an ally")
        for what in ("anchor", "unanchor", "online", "offline", "fuel_bay_view", "fuel_bay_take")
    ),
    Column("allow_corporation_members", Boolean, nullable=False, comment="through its shield"),
    Column("allow_alliance_members", Boolean, nullable=False, comment="through its shield"),
    Column("use_alliance_standings", Boolean, nullable=False),
    Column("attack_if_at_war", Boolean, nullable=False),
    Column("attack_if_other_security_status_dropping", Boolean, nullable=False),
    Column("attack_security_status_threshold", Double, comment="-10 to 10; NULL: does not count"),
    Column("attack_standing_threshold", Double, comment="-10 to 10; NULL: does not count"),
    comment=f"How starbases are set up. {_STARBASE}/{{starbase_id}}",
)

corporation_starbase_fuel: Table = owned_table(
    "corporation_starbase_fuel",
    _CORPORATION,
    key_id("starbase_id"),
    key_id("type_id", Names.TYPE),
    Column("quantity", Id, nullable=False),
    comment=f"What lies in the fuel bays of starbases. {_STARBASE}/{{starbase_id}}",
)

corporation_container_log: Table = owned_table(
    "corporation_container_log",
    _CORPORATION,
    Column("logged_at", UtcTime, primary_key=True),
    key_id("container_id"),
    Column("digest", String(32), primary_key=True, comment="of all fields: ESI gives no id"),
    Column(
        "occurrence",
        Integer,
        primary_key=True,
        autoincrement=False,
        comment="among entries that are alike",
    ),
    an_id("container_type_id", Names.TYPE),
    an_id("character_id", Names.CHARACTER),
    an_id("location_id", Names.LOCATION),
    Column("location_flag", Text, nullable=False, comment="hangar, slot or bay"),
    Column("action", Text, nullable=False, comment="add, move, lock, set_password, ..."),
    an_id("type_id", Names.TYPE, "of what was moved or locked", needed=False),
    Column("quantity", Id),
    Column("password_type", Text, comment="config or general"),
    Column("old_config_bitmask", Id),
    Column("new_config_bitmask", Id),
    comment=(
        "What was done to containers that keep a log, for ever."
        " GET /corporations/{corporation_id}/containers/logs"
    ),
)
