"""What a corporation holds its systems with: sovereignty hubs and skyhooks."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from msgspec.structs import asdict
from sqlalchemy import Connection, Table, select

from ipc.subject import Subject, SubjectType
from jobs.kinds._windows import Window, window_columns
from jobs.kinds.corporation._hub import HUB_TARGETS
from jobs.kinds.corporation._hub import Hub as HubDetail
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.sovereignty import (
    corporation_skyhook,
    corporation_skyhook_detail,
    corporation_skyhook_reagent,
    corporation_sovereignty_hub,
)

PATH = "/corporations/{corporation_id}/structures"
SCOPES = frozenset({"esi-structures.read_corporation.v1"})
ROLES = frozenset({"Station_Manager"})


class Hub(Wire, frozen=True, rename={"sovereignty_hub_id": "id"}):
    """One hub of the list."""

    sovereignty_hub_id: int
    solar_system_id: int


class Hubs(Wire, frozen=True):
    """The list of hubs."""

    sovereignty_hubs: tuple[Hub, ...]


class Skyhook(Wire, frozen=True, rename={"skyhook_id": "id"}):
    """One skyhook of the list."""

    skyhook_id: int
    planet_id: int


class Skyhooks(Wire, frozen=True):
    """The list of skyhooks."""

    skyhooks: tuple[Skyhook, ...]


class Reagent(Wire, frozen=True, rename={"last_cycle_at": "last_cycle"}):
    """One reagent in a skyhook."""

    type_id: int
    secured_stock: int
    unsecured_stock: int
    last_cycle_at: datetime


class Timer(Wire, frozen=True):
    """Until when a structure is reinforced."""

    end: datetime


class SkyhookDetail(Wire, frozen=True, rename={"skyhook_id": "id"}):
    """What the detail route tells."""

    skyhook_id: int
    planet_id: int
    is_active: bool
    state: str
    effective_workforce: int | None = None
    reinforcement_timer: Timer | None = None
    theft_vulnerability: Window | None = None
    reagents: tuple[Reagent, ...] = ()


def hub_rows(answer: Hubs, params: Params) -> list[Row]:
    """Return a row for each hub."""
    return [asdict(one) for one in answer.sovereignty_hubs]


def skyhook_rows(answer: Skyhooks, params: Params) -> list[Row]:
    """Return a row for each skyhook."""
    return [asdict(one) for one in answer.skyhooks]


def detail_rows(answer: SkyhookDetail, params: Params) -> Iterator[Row]:
    """Yield the one row of the skyhook."""
    timer = answer.reinforcement_timer
    yield {
        "skyhook_id": answer.skyhook_id,
        "is_active": answer.is_active,
        "state": answer.state,
        "effective_workforce": answer.effective_workforce,
        "reinforced_until": timer.end if timer else None,
        **window_columns(answer.theft_vulnerability),
    }


def reagent_rows(answer: SkyhookDetail, params: Params) -> Iterator[Row]:
    """Yield a row for each reagent."""
    for one in answer.reagents:
        yield {"skyhook_id": answer.skyhook_id, **asdict(one)}


def _listed(connection: Connection, subject: Subject, table: Table, name: str) -> Sequence[Params]:
    column = table.c[name]
    query = select(column).where(table.c.corporation_id == subject.id).order_by(column)
    return [{name: one} for one in connection.scalars(query)]


def hub_ids(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the hubs whose details are asked for."""
    return _listed(connection, subject, corporation_sovereignty_hub, "sovereignty_hub_id")


def skyhook_ids(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the skyhooks whose details are asked for."""
    return _listed(connection, subject, corporation_skyhook, "skyhook_id")


def _route(below: str) -> Route:
    return Route("GET", f"{PATH}/{below}", cache_age_s=3600, rate_group="corp-structure")


_SKYHOOK_KEY = ("corporation_id", "skyhook_id")

KIND = Kind(
    name="corporation.sovereignty",
    subject=SubjectType.CORPORATION,
    feature="sovereignty",
    every=timedelta(hours=1),
    off_by_default=True,
    summary="Sovereignty hubs and skyhooks, with what is in them.",
    parts=(
        Part(
            name="hubs",
            route=_route("sovereignty-hubs"),
            wire=Hubs,
            many=False,
            scopes=SCOPES,
            targets=(
                Target(
                    corporation_sovereignty_hub,
                    key=("corporation_id", "sovereignty_hub_id"),
                    write=Write.REPLACE,
                    rows=hub_rows,
                ),
            ),
        ),
        Part(
            name="hub_details",
            route=_route("sovereignty-hubs/{sovereignty_hub_id}"),
            wire=HubDetail,
            many=False,
            fan_out=hub_ids,
            scopes=SCOPES,
            any_role=ROLES,
            targets=HUB_TARGETS,
        ),
        Part(
            name="skyhooks",
            route=_route("skyhooks"),
            wire=Skyhooks,
            many=False,
            scopes=SCOPES,
            any_role=ROLES,
            targets=(
                Target(
                    corporation_skyhook, key=_SKYHOOK_KEY, write=Write.REPLACE, rows=skyhook_rows
                ),
            ),
        ),
        Part(
            name="skyhook_details",
            route=_route("skyhooks/{skyhook_id}"),
            wire=SkyhookDetail,
            many=False,
            fan_out=skyhook_ids,
            scopes=SCOPES,
            any_role=ROLES,
            targets=(
                Target(
                    corporation_skyhook_detail,
                    key=_SKYHOOK_KEY,
                    write=Write.REPLACE,
                    rows=detail_rows,
                ),
                Target(
                    corporation_skyhook_reagent,
                    key=(*_SKYHOOK_KEY, "type_id"),
                    write=Write.REPLACE,
                    rows=reagent_rows,
                ),
            ),
        ),
    ),
)
