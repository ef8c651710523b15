"""Wars, and what is destroyed in them.

There are hundreds of thousands in the past, so the mirror begins with the newest two thousand and
follows each to its end. Wars share their rate group with the details of killmails, which come
first: a run asks for little.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, and_, or_, select, update

from ipc.subject import SubjectType
from jobs.kinds._one_by_one import Ask, Found, fetch_one_by_one
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, waits
from jobs.kinds.global_._war import (
    ALLY_ROWS,
    KILLED_ROWS,
    WAR_ROWS,
    Killed,
    War,
    ally_rows,
    war_rows,
)
from jobs.spec import (
    Context,
    Fetched,
    Kind,
    Pages,
    Params,
    Part,
    PartResult,
    Route,
    Row,
    Target,
    Write,
)
from jobs.store.moments import is_due
from jobs.store.schema.wars import war

LIST = Route("GET", "/wars", cache_age_s=3600, rate_group="killmail")
DETAIL = Route("GET", "/wars/{war_id}", cache_age_s=3600, rate_group="killmail")
KILLMAILS = Route(
    "GET",
    "/wars/{war_id}/killmails",
    pages=Pages.X_PAGES,
    cache_age_s=3600,
    rate_group="killmail",
)
# Killmails that ESI refused are asked for again after this.
REFUSED_FOR = timedelta(days=1)
# No war is put off for longer.
LONGEST_WAIT = timedelta(days=30)
# Requests of one part in one run: at one run every 15 s a third of the rate group for each.
MAX_ASKED = 10
# What unknown_id calls wars that ESI does not tell about.
REFUSED = "war"


def number_rows(answer: Sequence[int], params: Params) -> list[Row]:
    """Return a row for each number."""
    return [{"war_id": one} for one in answer]


def wars_to_read(connection: Connection, now: datetime) -> list[Params]:
    """Return the wars that are not known yet, newest first, then those longest due."""
    c = war.c
    goes_on = or_(c.finished_at.is_(None), c.finished_at >= c.read_at, c.read_at > now)
    query = (
        select(c.war_id)
        .where(
            or_(c.read_at.is_(None), and_(goes_on, is_due(c.due_at, now, LONGEST_WAIT))),
            ~waits(REFUSED, c.war_id, now),
        )
        .order_by(c.due_at.is_not(None), c.due_at, c.war_id.desc())
    )
    return [{"war_id": one} for one in connection.scalars(query)]


def killmails_to_read(connection: Connection, now: datetime) -> list[Params]:
    """Return the wars in which there can be killmails that are not known yet."""
    c = war.c
    seen = c.killmails_at
    goes_on = or_(c.finished_at.is_(None), c.finished_at >= seen, seen > now)
    query = (
        select(c.war_id)
        .where(
            c.started_at <= now,
            or_(
                c.killmails_at.is_(None),
                and_(goes_on, is_due(c.killmails_due_at, now, LONGEST_WAIT)),
            ),
        )
        .order_by(c.killmails_due_at.is_not(None), c.killmails_due_at, c.war_id.desc())
    )
    return [{"war_id": one} for one in connection.scalars(query)]


async def sync_wars(context: Context) -> PartResult:
    """Read what the wars that are due have become."""
    now = context.now()

    def store(connection: Connection, found: Sequence[Found], refused: Sequence[Params]) -> int:
        rows = 0
        for params, fetched in found:
            if fetched.changed:
                told = fetched.value
                rows += context.apply(connection, WAR_ROWS, war_rows(told, params), params)
                allies = ally_rows(told, params)
                rows += context.apply(connection, ALLY_ROWS, allies, params, answer=fetched)
            _mark(connection, params, read_at=now, due_at=_due(fetched, now))
        forget_unknown(connection, REFUSED, [int(params["war_id"]) for params, _ in found])
        note_unknown(context, REFUSED, [int(one["war_id"]) for one in refused], connection)
        return rows

    wanted = await context.read(lambda connection: wars_to_read(connection, now))
    return await fetch_one_by_one(context, _asking(context, DETAIL, War), wanted, store, MAX_ASKED)


async def sync_killmails(context: Context) -> PartResult:
    """Read what was destroyed in the wars that are due."""
    now = context.now()

    def store(connection: Connection, found: Sequence[Found], refused: Sequence[Params]) -> int:
        rows = 0
        for params, fetched in found:
            if fetched.changed:
                rows += context.apply(connection, KILLED_ROWS, fetched.value, params)
            due_at = _due(fetched, now)
            _mark(connection, params, killmails_at=now, killmails_due_at=due_at)
        for params in refused:
            _mark(connection, params, killmails_at=now, killmails_due_at=now + REFUSED_FOR)
        return rows

    wanted = await context.read(lambda connection: killmails_to_read(connection, now))
    ask = _asking(context, KILLMAILS, list[Killed])
    return await fetch_one_by_one(context, ask, wanted, store, MAX_ASKED)


def _asking(context: Context, route: Route, wire: Any) -> Ask:
    """Return what asks again for what changes."""

    async def ask(params: Params) -> Fetched:
        return await context.fetch(route, params, wire)

    return ask


def _due(fetched: Fetched, now: datetime) -> datetime:
    return fetched.fresh_until or now + timedelta(hours=1)


def _mark(connection: Connection, params: Params, **values: datetime) -> None:
    connection.execute(update(war).where(war.c.war_id == params["war_id"]).values(**values))


KIND = Kind(
    name="global.wars",
    subject=SubjectType.GLOBAL,
    feature="wars",
    every=timedelta(hours=1),
    off_by_default=True,
    summary="Wars from the newest two thousand on, their allies and killmails.",
    parts=(
        Part(
            name="numbers",
            route=LIST,
            wire=int,
            targets=(Target(war, key=("war_id",), write=Write.UPSERT, rows=number_rows),),
        ),
        Part(
            name="wars",
            route=DETAIL,
            wire=War,
            many=False,
            targets=(WAR_ROWS, ALLY_ROWS),
            run=sync_wars,
        ),
        Part(
            name="killmails",
            route=KILLMAILS,
            wire=Killed,
            targets=(KILLED_ROWS,),
            run=sync_killmails,
        ),
    ),
)
