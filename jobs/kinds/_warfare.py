"""Figures of factional warfare, alike for characters and corporations."""

from __future__ import annotations

from datetime import datetime

from msgspec.structs import asdict
from sqlalchemy import Table

from ipc.subject import SubjectType
from jobs.spec import Params, Part, Route, Row, Target, Wire, Write


class Counts(Wire, frozen=True):
    """One figure over three times."""

    yesterday: int
    last_week: int
    total: int


class Enlistment(Wire, frozen=True):
    """What GET .../fw/stats tells of anybody; who is not enlisted has no faction."""

    kills: Counts
    victory_points: Counts
    faction_id: int | None = None
    enlisted_on: datetime | None = None


def count_columns(kills: Counts, victory_points: Counts) -> Row:
    """Return the columns that both figures become."""
    return {
        "kills_yesterday": kills.yesterday,
        "kills_last_week": kills.last_week,
        "kills_total": kills.total,
        "points_yesterday": victory_points.yesterday,
        "points_last_week": victory_points.last_week,
        "points_total": victory_points.total,
    }


def stats_rows(answer: Enlistment, params: Params) -> list[Row]:
    """Return the one row."""
    told = asdict(answer)
    return [{**count_columns(told.pop("kills"), told.pop("victory_points")), **told}]


def stats_part(owner: SubjectType, wire: type[Enlistment], table: Table, scope: str) -> Part:
    """Return the one part of such a kind."""
    key = f"{owner}_id"
    path = f"/{owner}s/{{{key}}}/fw/stats"
    return Part(
        name="stats",
        route=Route("GET", path, rate_group="factional-warfare"),
        wire=wire,
        many=False,
        scopes=frozenset({scope}),
        targets=(Target(table, key=(key,), write=Write.UPSERT, rows=stats_rows),),
    )
