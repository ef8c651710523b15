"""Structures of a corporation; what is gone or was given away stays, marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.spec import Kind, Pages, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.structures import (
    corporation_structure,
    corporation_structure_service,
)


class Service(Wire, frozen=True):
    """One service of a structure."""

    name: str
    state: str


class Structure(Wire, frozen=True):
    """One structure; without fuel it has no date until which it lasts."""

    structure_id: int
    type_id: int
    system_id: int
    profile_id: int
    state: str
    name: str | None = None
    state_timer_start: datetime | None = None
    state_timer_end: datetime | None = None
    fuel_expires: datetime | None = None
    unanchors_at: datetime | None = None
    reinforce_hour: int | None = None
    next_reinforce_hour: int | None = None
    next_reinforce_apply: datetime | None = None
    services: tuple[Service, ...] = ()


def structure_rows(answer: Iterable[Structure], params: Params) -> Iterator[Row]:
    """Yield a row for each structure; a name that is left out is no reason to forget it."""
    for one in answer:
        row = asdict(one)
        del row["services"]
        if one.name is None:
            del row["name"]
        yield row


def service_rows(answer: Iterable[Structure], params: Params) -> Iterator[Row]:
    """Yield a row for each service of each structure."""
    for one in answer:
        for service in one.services:
            yield {"structure_id": one.structure_id, **asdict(service)}


KIND = Kind(
    name="corporation.structures",
    subject=SubjectType.CORPORATION,
    feature="structures",
    every=timedelta(hours=1),
    summary="Structures with state, fuel and services.",
    parts=(
        Part(
            name="structures",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/structures",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
                rate_group="corp-structure",
            ),
            wire=Structure,
            scopes=frozenset({"esi-corporations.read_structures.v1"}),
            any_role=frozenset({"Station_Manager"}),
            targets=(
                Target(
                    corporation_structure,
                    key=("corporation_id", "structure_id"),
                    write=Write.CLOSE,
                    rows=structure_rows,
                ),
                Target(
                    corporation_structure_service,
                    key=("corporation_id", "structure_id", "name"),
                    write=Write.REPLACE,
                    rows=service_rows,
                ),
            ),
        ),
    ),
)
