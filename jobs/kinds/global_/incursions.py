"""Incursions: where they are, and how far they have got."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.activity import incursion, incursion_system


class Incursion(Wire, frozen=True):
    """One incursion."""

    constellation_id: int
    faction_id: int
    staging_solar_system_id: int
    type: str
    state: str
    influence: float
    has_boss: bool
    infested_solar_systems: tuple[int, ...]


def incursion_rows(answer: Iterable[Incursion], params: Params) -> Iterator[Row]:
    """Yield a row for each incursion."""
    for one in answer:
        row = asdict(one)
        del row["infested_solar_systems"]
        yield row


def system_rows(answer: Iterable[Incursion], params: Params) -> Iterator[Row]:
    """Yield a row for each infested system."""
    for one in answer:
        for system_id in one.infested_solar_systems:
            yield {"constellation_id": one.constellation_id, "solar_system_id": system_id}


KIND = Kind(
    name="global.incursions",
    subject=SubjectType.GLOBAL,
    feature="incursions",
    every=timedelta(minutes=5),
    off_by_default=True,
    summary="Incursions under way and the systems they have infested.",
    parts=(
        Part(
            name="incursions",
            route=Route("GET", "/incursions", cache_age_s=300, rate_group="incursion"),
            wire=Incursion,
            targets=(
                Target(
                    incursion, key=("constellation_id",), write=Write.REPLACE, rows=incursion_rows
                ),
                Target(
                    incursion_system,
                    key=("constellation_id", "solar_system_id"),
                    write=Write.REPLACE,
                    rows=system_rows,
                ),
            ),
        ),
    ),
)
