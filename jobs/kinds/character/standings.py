"""What agents, NPC corporations and factions think of a character."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._contacts import Standing
from jobs.spec import Kind, Part, Route, Target, Write
from jobs.store.schema.contacts import character_standing

KIND = Kind(
    name="character.standings",
    subject=SubjectType.CHARACTER,
    feature="contacts",
    every=timedelta(hours=1),
    summary="Standings of agents, NPC corporations and factions towards a character.",
    parts=(
        Part(
            name="standings",
            route=Route(
                "GET",
                "/characters/{character_id}/standings",
                cache_age_s=3600,
                rate_group="char-social",
            ),
            wire=Standing,
            scopes=frozenset({"esi-characters.read_standings.v1"}),
            targets=(
                Target(
                    character_standing,
                    key=("character_id", "from_type", "from_id"),
                    write=Write.REPLACE,
                ),
            ),
        ),
    ),
)
