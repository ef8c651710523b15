"""The game server and ESI's routes: who is on, since when, and what is down.

Downtime shows here first.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from msgspec.structs import asdict
from sqlalchemy import Connection, select

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Params, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store.schema.status import route_status, server_status

STATUS = Route("GET", "/status", cache_age_s=30, rate_group="status")
ROUTES = Route("GET", "/meta/status", cache_age_s=0, rate_group="meta")


class Status(Wire, frozen=True, rename={"started_at": "start_time"}):
    """What GET /status tells."""

    players: int
    server_version: str
    started_at: datetime
    vip: bool | None = None


class RouteStatus(Wire, frozen=True):
    """How one route does."""

    method: str
    path: str
    status: str


class RouteStatuses(Wire, frozen=True):
    """What GET /meta/status tells."""

    routes: tuple[RouteStatus, ...]


HISTORY = Target(server_status, key=("observed_at",), write=Write.APPEND)


def last_status(connection: Connection) -> Status | None:
    """Return what was last stored; None for the first time."""
    row = connection.execute(
        select(server_status).order_by(server_status.c.observed_at.desc()).limit(1)
    ).first()
    if row is None:
        return None
    return Status(row.players, row.server_version, row.started_at, row.vip)


async def sync_status(context: Context) -> PartResult:
    """Append a row when the answer differs from the last one stored."""
    fetched = await context.fetch(STATUS, {}, Status)
    status = fetched.value
    if status is None:
        return PartResult(fresh_until=fetched.fresh_until)
    observed = {**asdict(status), "observed_at": context.now()}

    def store(connection: Connection) -> int:
        if status == last_status(connection):
            return 0
        return context.apply(connection, HISTORY, [observed], {})

    return PartResult(rows=await context.write(store), fresh_until=fetched.fresh_until)


def route_rows(answer: RouteStatuses, params: Params) -> list[Row]:
    """Return a row for each route."""
    return [asdict(route) for route in answer.routes]


KIND = Kind(
    name="global.server_status",
    subject=SubjectType.GLOBAL,
    feature=None,
    every=timedelta(minutes=1),
    summary="Players online, server version and start, and which routes of ESI are down.",
    parts=(
        Part(
            name="server",
            route=STATUS,
            wire=Status,
            many=False,
            targets=(HISTORY,),
            run=sync_status,
        ),
        Part(
            name="routes",
            route=ROUTES,
            wire=RouteStatuses,
            many=False,
            optional=True,
            targets=(
                Target(route_status, key=("method", "path"), write=Write.REPLACE, rows=route_rows),
            ),
        ),
    ),
)
