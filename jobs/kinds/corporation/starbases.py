"""Starbases of a corporation, how each is set up, and its fuel."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec.structs import asdict
from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs.spec import Kind, Pages, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.structures import (
    corporation_starbase,
    corporation_starbase_detail,
    corporation_starbase_fuel,
)

PATH = "/corporations/{corporation_id}/starbases"
SCOPES = frozenset({"esi-corporations.read_starbases.v1"})
DIRECTOR = frozenset({"Director"})


class Starbase(Wire, frozen=True):
    """One starbase; one that is not anchored is at no moon and in no state."""

    starbase_id: int
    type_id: int
    system_id: int
    moon_id: int | None = None
    state: str | None = None
    unanchor_at: datetime | None = None
    reinforced_until: datetime | None = None
    onlined_since: datetime | None = None


class Fuel(Wire, frozen=True):
    """What lies in a fuel bay of one type."""

    type_id: int
    quantity: int


class Setup(Wire, frozen=True):
    """What GET /corporations/{corporation_id}/starbases/{starbase_id} tells."""

    anchor: str
    unanchor: str
    online: str
    offline: str
    fuel_bay_view: str
    fuel_bay_take: str
    allow_corporation_members: bool
    allow_alliance_members: bool
    use_alliance_standings: bool
    attack_if_at_war: bool
    attack_if_other_security_status_dropping: bool
    attack_security_status_threshold: float | None = None
    attack_standing_threshold: float | None = None
    fuels: tuple[Fuel, ...] = ()


def starbases(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the starbases whose details are asked for, each with the system that ESI wants."""
    s = corporation_starbase.c
    rows = connection.execute(
        select(s.starbase_id, s.system_id)
        .where(s.corporation_id == subject.id)
        .order_by(s.starbase_id)
    )
    return [{"starbase_id": one, "system_id": system_id} for one, system_id in rows]


def setup_rows(answer: Setup, params: Params) -> list[Row]:
    """Return the one row."""
    row = asdict(answer)
    del row["fuels"]
    return [row]


def fuel_rows(answer: Setup, params: Params) -> Iterator[Row]:
    """Yield a row for each type of fuel."""
    return (asdict(one) for one in answer.fuels)


_KEY = ("corporation_id", "starbase_id")

KIND = Kind(
    name="corporation.starbases",
    subject=SubjectType.CORPORATION,
    feature="structures",
    every=timedelta(hours=1),
    summary="Starbases, how they are set up, and their fuel.",
    parts=(
        Part(
            name="starbases",
            route=Route(
                "GET", PATH, pages=Pages.X_PAGES, cache_age_s=3600, rate_group="corp-structure"
            ),
            wire=Starbase,
            scopes=SCOPES,
            any_role=DIRECTOR,
            targets=(Target(corporation_starbase, key=_KEY, write=Write.REPLACE),),
        ),
        Part(
            name="details",
            route=Route(
                "GET", f"{PATH}/{{starbase_id}}", cache_age_s=3600, rate_group="corp-structure"
            ),
            wire=Setup,
            many=False,
            fan_out=starbases,
            scopes=SCOPES,
            any_role=DIRECTOR,
            targets=(
                Target(corporation_starbase_detail, key=_KEY, write=Write.REPLACE, rows=setup_rows),
                Target(
                    corporation_starbase_fuel,
                    key=(*_KEY, "type_id"),
                    write=Write.REPLACE,
                    rows=fuel_rows,
                ),
            ),
        ),
    ),
)
