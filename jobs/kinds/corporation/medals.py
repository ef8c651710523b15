"""Medals that a corporation has made, and to whom they were given."""

from __future__ import annotations

from datetime import datetime, timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Pages, Part, Route, Target, Wire, Write
from jobs.store.schema.merits import corporation_medal, corporation_medal_issued

PATH = "/corporations/{corporation_id}/medals"
SCOPES = frozenset({"esi-corporations.read_medals.v1"})


class Medal(Wire, frozen=True):
    """One medal that can be given."""

    medal_id: int
    creator_id: int
    created_at: datetime
    title: str
    description: str


class Issued(Wire, frozen=True):
    """One medal as it was given to a character."""

    medal_id: int
    character_id: int
    issued_at: datetime
    issuer_id: int
    reason: str
    status: str


def _route(path: str) -> Route:
    return Route("GET", path, pages=Pages.X_PAGES, cache_age_s=3600, rate_group="corp-detail")


KIND = Kind(
    name="corporation.medals",
    subject=SubjectType.CORPORATION,
    feature="medals",
    every=timedelta(hours=1),
    summary="Medals it has made, and to whom they were given.",
    parts=(
        Part(
            name="medals",
            route=_route(PATH),
            wire=Medal,
            scopes=SCOPES,
            targets=(
                Target(corporation_medal, key=("corporation_id", "medal_id"), write=Write.UPSERT),
            ),
        ),
        Part(
            name="issued",
            route=_route(f"{PATH}/issued"),
            wire=Issued,
            scopes=SCOPES,
            any_role=frozenset({"Director"}),
            targets=(
                Target(
                    corporation_medal_issued,
                    key=("corporation_id", "medal_id", "character_id", "issued_at"),
                    write=Write.UPSERT,
                ),
            ),
        ),
    ),
)
