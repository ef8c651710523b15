"""Industry: blueprints, jobs, mining, research, and what a job costs where."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Date, Double, Index, Integer, String, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import SHARED, Names, name_of
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, Isk, UtcTime, metadata

_ME, _CORPORATION = SubjectType.CHARACTER, SubjectType.CORPORATION


def _blueprint_columns() -> list[Column[Any]]:
    return [
        key_id("item_id"),
        an_id("type_id", Names.TYPE),
        an_id("location_id", Names.LOCATION),
        Column("location_flag", Text, nullable=False, comment="hangar, slot or bay"),
        Column("quantity", Id, nullable=False, comment="-1: an original, -2: a copy; else a stack"),
        Column("runs", Integer, nullable=False, comment="-1: without end"),
        Column("material_efficiency", Integer, nullable=False, comment="percent"),
        Column("time_efficiency", Integer, nullable=False, comment="percent"),
    ]


def _job_columns(place: Column[Any]) -> list[Column[Any]]:
    return [
        key_id("job_id"),
        Column("activity_id", Integer, nullable=False, comment="1: manufacturing, 5: copying, ..."),
        an_id("blueprint_id"),
        an_id("blueprint_type_id", Names.TYPE),
        an_id("blueprint_location_id", Names.LOCATION),
        an_id("output_location_id", Names.LOCATION),
        an_id("facility_id", Names.LOCATION),
        place,
        an_id("installer_id", Names.CHARACTER),
        an_id("product_type_id", Names.TYPE, needed=False),
        Column("status", Text, nullable=False, comment="active, delivered, cancelled, ..."),
        Column("runs", Id, nullable=False),
        Column("licensed_runs", Id, comment="of the copy that is made"),
        Column("successful_runs", Id, comment="of an invention"),
        Column("probability", Double, comment="of an invention, 0 to 1"),
        Column("cost", Isk, comment="0.01 ISK"),
        Column("duration", Id, nullable=False, comment="seconds"),
        Column("start_at", UtcTime, nullable=False),
        Column("end_at", UtcTime, nullable=False),
        Column("pause_at", UtcTime),
        Column("completed_at", UtcTime, comment="when it was delivered"),
        an_id("completed_character_id", Names.CHARACTER, needed=False),
        Column("closed_at", UtcTime, comment="when ESI no longer listed it"),
    ]


character_blueprint: Table = owned_table(
    "character_blueprint",
    _ME,
    *_blueprint_columns(),
    comment="Blueprints a character owns. GET /characters/{character_id}/blueprints",
)

corporation_blueprint: Table = owned_table(
    "corporation_blueprint",
    _CORPORATION,
    *_blueprint_columns(),
    comment="Blueprints a corporation owns. GET /corporations/{corporation_id}/blueprints",
)

character_industry_job: Table = owned_table(
    "character_industry_job",
    _ME,
    *_job_columns(an_id("station_id", Names.LOCATION)),
    Index(None, "character_id", "closed_at"),
    comment="Industry jobs, for ever. GET /characters/{character_id}/industry/jobs",
)

corporation_industry_job: Table = owned_table(
    "corporation_industry_job",
    _CORPORATION,
    *_job_columns(an_id("location_id", Names.LOCATION)),
    Index(None, "corporation_id", "closed_at"),
    comment="Industry jobs, for ever. GET /corporations/{corporation_id}/industry/jobs",
)

character_mining: Table = owned_table(
    "character_mining",
    _ME,
    Column("day", Date, primary_key=True),
    key_id("solar_system_id", Names.SYSTEM),
    key_id("type_id", Names.TYPE),
    Column("quantity", Id, nullable=False, comment="of that day so far"),
    comment="What was mined a day; ESI shows 30 days. GET /characters/{character_id}/mining",
)

character_research: Table = owned_table(
    "character_research",
    _ME,
    key_id("agent_id", Names.CHARACTER),
    an_id("skill_type_id", Names.TYPE),
    Column("started_at", UtcTime, nullable=False),
    Column("points_per_day", Double, nullable=False),
    Column("remainder_points", Double, nullable=False, comment="those of before it started"),
    comment="Agents that research. GET /characters/{character_id}/agents_research",
)

industry_index = Table(
    "industry_index",
    metadata,
    Column(
        "solar_system_id", Id, primary_key=True, autoincrement=False, info=name_of(Names.SYSTEM)
    ),
    Column("activity", String(48), primary_key=True, comment="manufacturing, copying, ..."),
    Column("cost_index", Double, nullable=False, comment="share of the product's value"),
    comment="What industry costs in each system. GET /industry/systems",
    info=dict(SHARED),
)
