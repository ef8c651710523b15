"""What agents, NPC corporations and factions think of a corporation."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._contacts import Standing
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.contacts import corporation_standing

KIND = Kind(
    name="corporation.standings",
    subject=SubjectType.CORPORATION,
    feature="contacts",
    every=timedelta(hours=1),
    summary="Standings of agents, NPC corporations and factions towards a corporation.",
    parts=(
        Part(
            name="standings",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/standings",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="corp-member",
            ),
            wire=Standing,
            scopes=frozenset({"esi-corporations.read_standings.v1"}),
            targets=(
                Target(
                    corporation_standing,
                    key=("corporation_id", "from_type", "from_id"),
                    write=Write.REPLACE,
                ),
            ),
        ),
    ),
)
