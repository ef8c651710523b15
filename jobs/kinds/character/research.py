"""Agents that research for a character."""

from __future__ import annotations

from datetime import datetime, timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Part, Route, Target, Wire, Write
from jobs.store.schema.industry import character_research


class Research(Wire, frozen=True):
    """What one agent works on."""

    agent_id: int
    skill_type_id: int
    started_at: datetime
    points_per_day: float
    remainder_points: float


KIND = Kind(
    name="character.research",
    subject=SubjectType.CHARACTER,
    feature="industry",
    every=timedelta(hours=1),
    summary="Agents that research, and at what pace.",
    parts=(
        Part(
            name="agents",
            route=Route(
                "GET",
                "/characters/{character_id}/agents_research",
                cache_age_s=3600,
                rate_group="char-industry",
            ),
            wire=Research,
            scopes=frozenset({"esi-characters.read_agents_research.v1"}),
            targets=(
                Target(character_research, key=("character_id", "agent_id"), write=Write.REPLACE),
            ),
        ),
    ),
)
