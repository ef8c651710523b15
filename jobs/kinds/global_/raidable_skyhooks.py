"""Skyhooks that can be robbed: which, and when."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._windows import Window, window_columns
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.sovereignty import raidable_skyhook


class Skyhook(Wire, frozen=True):
    """One skyhook."""

    planet_id: int
    solar_system_id: int
    theft_vulnerability: Window


class Raidable(Wire, frozen=True):
    """What GET /skyhooks/raidable tells."""

    skyhooks: tuple[Skyhook, ...]


def skyhook_rows(answer: Raidable, params: Params) -> Iterator[Row]:
    """Yield a row for each skyhook."""
    for one in answer.skyhooks:
        yield {
            "planet_id": one.planet_id,
            "solar_system_id": one.solar_system_id,
            **window_columns(one.theft_vulnerability),
        }


KIND = Kind(
    name="global.raidable_skyhooks",
    subject=SubjectType.GLOBAL,
    feature="raidable_skyhooks",
    every=timedelta(minutes=5),
    off_by_default=True,
    summary="Skyhooks that can be robbed now or soon.",
    parts=(
        Part(
            name="skyhooks",
            route=Route("GET", "/skyhooks/raidable", cache_age_s=300, rate_group="activity"),
            wire=Raidable,
            many=False,
            targets=(
                Target(
                    raidable_skyhook, key=("planet_id",), write=Write.REPLACE, rows=skyhook_rows
                ),
            ),
        ),
    ),
)
