"""Who the subjects are: characters, corporations, alliances and where they belonged."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names, name_of, owned_by
from jobs.store.schema.types import Id, UtcTime, metadata

character = Table(
    "character",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("corporation_id", Id, nullable=False, info=name_of(Names.CORPORATION)),
    Column("alliance_id", Id, info=name_of(Names.ALLIANCE)),
    Column("faction_id", Id, info=name_of(Names.FACTION)),
    Column("birthday", UtcTime, nullable=False),
    Column("gender", Text, nullable=False),
    Column("race_id", Id, nullable=False),
    Column("bloodline_id", Id, nullable=False),
    Column("security_status", Double, comment="-10 to 10"),
    Column("corporation_title", Text, comment="raw, can hold markup"),
    Column("character_title_id", Text, comment="UUID of the shown title"),
    Column("achievement_score", Id),
    Column("description", Text, comment="raw, can hold markup"),
    comment="Mirrored characters. GET /characters/{character_id}, corporation by affiliation",
    info=owned_by(SubjectType.CHARACTER),
)

character_corporation_history = Table(
    "character_corporation_history",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("record_id", Id, primary_key=True, autoincrement=False),
    Column("corporation_id", Id, nullable=False, info=name_of(Names.CORPORATION)),
    Column("started_at", UtcTime, nullable=False),
    Column("is_deleted", Boolean, comment="the corporation was closed"),
    comment="Corporations a character was in. GET /characters/{character_id}/corporationhistory",
    info=owned_by(SubjectType.CHARACTER),
)

character_portrait = Table(
    "character_portrait",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("px64", Text, comment="URL, 64 x 64 pixels"),
    Column("px128", Text, comment="URL, 128 x 128 pixels"),
    Column("px256", Text, comment="URL, 256 x 256 pixels"),
    Column("px512", Text, comment="URL, 512 x 512 pixels"),
    Column("image_checked_at", UtcTime, comment="when the picture itself was last asked for"),
    comment="Where portraits are. GET /characters/{character_id}/portrait",
    info=owned_by(SubjectType.CHARACTER),
)

corporation = Table(
    "corporation",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("ticker", Text, nullable=False),
    Column("alliance_id", Id, info=name_of(Names.ALLIANCE)),
    Column("faction_id", Id, info=name_of(Names.FACTION)),
    Column("ceo_id", Id, nullable=False, info=name_of(Names.CHARACTER)),
    Column("creator_id", Id, nullable=False, info=name_of(Names.CHARACTER)),
    Column("home_station_id", Id, info=name_of(Names.LOCATION)),
    Column("member_count", Id, nullable=False),
    Column("shares", Id),
    Column("tax_rate", Double, nullable=False, comment="0 to 1"),
    Column("founded_at", UtcTime),
    Column("url", Text),
    Column("war_eligible", Boolean),
    Column("description", Text, comment="raw, can hold markup"),
    comment="Corporations met, mirrored or not. GET /corporations/{corporation_id}",
    info=dict(SHARED),
)

corporation_alliance_history = Table(
    "corporation_alliance_history",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("record_id", Id, primary_key=True, autoincrement=False),
    Column("alliance_id", Id, comment="NULL: none", info=name_of(Names.ALLIANCE)),
    Column("started_at", UtcTime, nullable=False),
    Column("is_deleted", Boolean, comment="the alliance was closed"),
    comment="Alliances a corporation was in. GET /corporations/{corporation_id}/alliancehistory",
    info=owned_by(SubjectType.CORPORATION),
)

corporation_icon = Table(
    "corporation_icon",
    metadata,
    Column("corporation_id", Id, primary_key=True, autoincrement=False),
    Column("px64", Text, comment="URL, 64 x 64 pixels"),
    Column("px128", Text, comment="URL, 128 x 128 pixels"),
    Column("px256", Text, comment="URL, 256 x 256 pixels"),
    Column("image_checked_at", UtcTime, comment="when the picture itself was last asked for"),
    comment="Where logos are. GET /corporations/{corporation_id}/icons",
    info=owned_by(SubjectType.CORPORATION),
)

alliance = Table(
    "alliance",
    metadata,
    Column("alliance_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("ticker", Text, nullable=False),
    Column("founded_at", UtcTime, nullable=False),
    Column("creator_id", Id, nullable=False, info=name_of(Names.CHARACTER)),
    Column("creator_corporation_id", Id, nullable=False, info=name_of(Names.CORPORATION)),
    Column(
        "executor_corporation_id",
        Id,
        comment="NULL: the alliance is closed",
        info=name_of(Names.CORPORATION),
    ),
    Column("faction_id", Id, info=name_of(Names.FACTION)),
    comment="Alliances met, mirrored or not. GET /alliances/{alliance_id}",
    info=dict(SHARED),
)

alliance_corporation = Table(
    "alliance_corporation",
    metadata,
    Column("alliance_id", Id, primary_key=True, autoincrement=False),
    Column(
        "corporation_id",
        Id,
        primary_key=True,
        autoincrement=False,
        info=name_of(Names.CORPORATION),
    ),
    comment="Members of alliances. GET /alliances/{alliance_id}/corporations",
    info=owned_by(SubjectType.ALLIANCE),
)

alliance_icon = Table(
    "alliance_icon",
    metadata,
    Column("alliance_id", Id, primary_key=True, autoincrement=False),
    Column("px64", Text, comment="URL, 64 x 64 pixels"),
    Column("px128", Text, comment="URL, 128 x 128 pixels"),
    Column("image_checked_at", UtcTime, comment="when the picture itself was last asked for"),
    comment="Where logos are. GET /alliances/{alliance_id}/icons",
    info=owned_by(SubjectType.ALLIANCE),
)

affiliation = Table(
    "affiliation",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column(
        "corporation_id",
        Id,
        comment="NULL: ESI knows no such character",
        info=name_of(Names.CORPORATION),
    ),
    Column("alliance_id", Id, info=name_of(Names.ALLIANCE)),
    Column("faction_id", Id, info=name_of(Names.FACTION)),
    Column("checked_at", UtcTime, nullable=False, comment="when ESI last said so"),
    comment="Where every character in the mirror belongs. POST /characters/affiliation",
    info=dict(SHARED),
)

race = Table(
    "race",
    metadata,
    Column("race_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("alliance_id", Id, nullable=False, comment="id of the race's faction"),
    Column("description", Text, nullable=False),
    comment="Playable races. GET /universe/races",
    info=dict(SHARED),
)

bloodline = Table(
    "bloodline",
    metadata,
    Column("bloodline_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False),
    Column("race_id", Id, nullable=False),
    Column("corporation_id", Id, nullable=False, info=name_of(Names.CORPORATION)),
    Column("ship_type_id", Id, nullable=False, info=name_of(Names.TYPE)),
    Column("charisma", Id, nullable=False),
    Column("intelligence", Id, nullable=False),
    Column("memory", Id, nullable=False),
    Column("perception", Id, nullable=False),
    Column("willpower", Id, nullable=False),
    Column("description", Text, nullable=False),
    comment="Bloodlines with their starting attributes. GET /universe/bloodlines",
    info=dict(SHARED),
)

character_role = Table(
    "character_role",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("place", String(8), primary_key=True, comment="all, base, hq or other"),
    Column("role", Text, primary_key=True),
    comment="Roles in the corporation and where they hold. GET /characters/{character_id}/roles",
    info=owned_by(SubjectType.CHARACTER),
)

character_title = Table(
    "character_title",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("title_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, comment="raw, can hold markup"),
    comment="Titles in the corporation. GET /characters/{character_id}/titles",
    info=owned_by(SubjectType.CHARACTER),
)
