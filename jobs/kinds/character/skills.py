"""A character's skills, the queue of what it learns, and its attributes.

Entries of the queue that are done stay in it until the player logs in: what is being learned
now is told by the times, not by the position.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.skills import (
    character_attributes,
    character_skill,
    character_skillpoints,
    character_skillqueue,
)

SKILLS = frozenset({"esi-skills.read_skills.v1"})


class Skill(
    Wire,
    frozen=True,
    rename={
        "trained_level": "trained_skill_level",
        "active_level": "active_skill_level",
        "skillpoints": "skillpoints_in_skill",
    },
):
    """One skill; without Omega less of it can be active than was trained."""

    skill_id: int
    trained_level: int
    active_level: int
    skillpoints: int


class Skills(Wire, frozen=True):
    """What GET /characters/{character_id}/skills tells."""

    skills: tuple[Skill, ...]
    total_sp: int
    unallocated_sp: int | None = None


class Queued(Wire, frozen=True, rename={"start_at": "start_date", "finish_at": "finish_date"}):
    """One level in the queue; without times the queue is paused."""

    queue_position: int
    skill_id: int
    finished_level: int
    start_at: datetime | None = None
    finish_at: datetime | None = None
    level_start_sp: int | None = None
    level_end_sp: int | None = None
    training_start_sp: int | None = None


class Attributes(
    Wire,
    frozen=True,
    rename={"last_remap_at": "last_remap_date", "next_remap_at": "accrued_remap_cooldown_date"},
):
    """What GET /characters/{character_id}/attributes tells."""

    charisma: int
    intelligence: int
    memory: int
    perception: int
    willpower: int
    bonus_remaps: int | None = None
    last_remap_at: datetime | None = None
    next_remap_at: datetime | None = None


def skill_rows(answer: Skills, params: Params) -> list[Row]:
    """Return a row for each skill."""
    return [asdict(skill) for skill in answer.skills]


def sum_rows(answer: Skills, params: Params) -> list[Row]:
    """Return the one row with the sums."""
    return [{"total_sp": answer.total_sp, "unallocated_sp": answer.unallocated_sp}]


KIND = Kind(
    name="character.skills",
    subject=SubjectType.CHARACTER,
    feature="skills",
    every=timedelta(minutes=1),
    summary="Skills, skill queue and attributes.",
    parts=(
        Part(
            name="skills",
            route=Route(
                "GET",
                "/characters/{character_id}/skills",
                cache_age_s=60,
                rate_group="char-detail",
            ),
            wire=Skills,
            many=False,
            scopes=SKILLS,
            targets=(
                Target(
                    character_skill,
                    key=("character_id", "skill_id"),
                    write=Write.REPLACE,
                    rows=skill_rows,
                ),
                Target(
                    character_skillpoints,
                    key=("character_id",),
                    write=Write.UPSERT,
                    rows=sum_rows,
                ),
            ),
        ),
        Part(
            name="queue",
            route=Route(
                "GET",
                "/characters/{character_id}/skillqueue",
                cache_age_s=60,
                rate_group="char-detail",
            ),
            wire=Queued,
            scopes=frozenset({"esi-skills.read_skillqueue.v1"}),
            targets=(
                Target(
                    character_skillqueue,
                    key=("character_id", "queue_position"),
                    write=Write.REPLACE,
                ),
            ),
        ),
        Part(
            name="attributes",
            route=Route(
                "GET",
                "/characters/{character_id}/attributes",
                cache_age_s=120,
                rate_group="char-detail",
            ),
            wire=Attributes,
            many=False,
            scopes=SKILLS,
            targets=(Target(character_attributes, key=("character_id",), write=Write.UPSERT),),
        ),
    ),
)
