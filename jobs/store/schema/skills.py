"""What characters can do and what they learn."""

from __future__ import annotations

from sqlalchemy import Column, Integer, Table

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, name_of, owned_by
from jobs.store.schema.types import Id, UtcTime, metadata

character_skill = Table(
    "character_skill",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("skill_id", Id, primary_key=True, autoincrement=False, info=name_of(Names.TYPE)),
    Column("trained_level", Integer, nullable=False, comment="0 to 5"),
    Column("active_level", Integer, nullable=False, comment="0 to 5, usable now"),
    Column("skillpoints", Id, nullable=False),
    comment="Skills. GET /characters/{character_id}/skills",
    info=owned_by(SubjectType.CHARACTER),
)

character_skillpoints = Table(
    "character_skillpoints",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("total_sp", Id, nullable=False),
    Column("unallocated_sp", Id),
    comment="Sums of skill points. GET /characters/{character_id}/skills",
    info=owned_by(SubjectType.CHARACTER),
)

character_skillqueue = Table(
    "character_skillqueue",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("queue_position", Integer, primary_key=True, autoincrement=False),
    Column("skill_id", Id, nullable=False, info=name_of(Names.TYPE)),
    Column("finished_level", Integer, nullable=False, comment="1 to 5, when done"),
    Column("start_at", UtcTime, comment="NULL: the queue is paused"),
    Column("finish_at", UtcTime, comment="NULL: the queue is paused; may be past until a login"),
    Column("level_start_sp", Id),
    Column("level_end_sp", Id),
    Column("training_start_sp", Id),
    comment="What is being learned, in order. GET /characters/{character_id}/skillqueue",
    info=owned_by(SubjectType.CHARACTER),
)

character_attributes = Table(
    "character_attributes",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("charisma", Integer, nullable=False),
    Column("intelligence", Integer, nullable=False),
    Column("memory", Integer, nullable=False),
    Column("perception", Integer, nullable=False),
    Column("willpower", Integer, nullable=False),
    Column("bonus_remaps", Integer),
    Column("last_remap_at", UtcTime),
    Column("next_remap_at", UtcTime, comment="when the yearly remap is back"),
    comment="Attributes, implants included. GET /characters/{character_id}/attributes",
    info=owned_by(SubjectType.CHARACTER),
)
