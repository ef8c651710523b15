"""Parts that mirror lists of projects and freelance jobs: the lists, details, and who takes part.

What is told of each thing is read again when its line in the list has changed.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection, Table, select

from jobs.errors import Gone, Refused
from jobs.kinds._cursors import CURSORS, CursorList, asking_pages
from jobs.kinds._one_by_one import Found, asking, fetch_one_by_one
from jobs.kinds._projects import Things, due, listed_rows, mark_looked, mark_refused, store_listed
from jobs.spec import Context, Params, Part, PartResult, Route, Target, Wire, Write

# Of the rows of lists; rows of another form are read from the start.
FORM = 1
# Things whose people are read in one run; each is two requests or more.
MAX_READ = 20
NOBODY: frozenset[str] = frozenset()

# Things to ask about, each with the time of its line.
WantedThings = Callable[[Connection, int, Things], dict[str, datetime]]


def list_part(
    name: str,
    route: Route,
    wire: type[Wire],
    things: Things,
    *,
    section: str,
    cursors: Target = CURSORS,
    scopes: frozenset[str] = NOBODY,
    any_role: frozenset[str] = NOBODY,
) -> Part:
    """Return the part that reads a list by cursor: what changed, then on through history.

    section: of the cursor.
    """
    target = Target(
        things.table, key=things.key, write=Write.UPSERT, rows=listed_rows(things.id_name)
    )

    async def sync_list(context: Context) -> PartResult:
        def store(connection: Connection, rows: Sequence[Any], older: bool) -> int:
            return store_listed(context, connection, things, target, rows, older=older)

        ask = asking_pages(context, route, wire, {})
        return await CursorList(context, section, ask, store, FORM, cursors).sync()

    return Part(
        name=name,
        route=route,
        wire=wire,
        many=False,
        scopes=scopes,
        any_role=any_role,
        targets=(target, cursors),
        run=sync_list,
    )


def changed(connection: Connection, owner_id: int, things: Things) -> dict[str, datetime]:
    """Return the things whose line has changed since their details were read."""
    return due(connection, owner_id, things, "details_of")


def details_part(
    route: Route,
    wire: type[Wire],
    things: Things,
    targets: tuple[Target, ...],
    *,
    wanted: WantedThings = changed,
    scopes: frozenset[str] = NOBODY,
    any_role: frozenset[str] = NOBODY,
) -> Part:
    """Return the part that reads what listed things ask for; each target says its rows."""

    async def sync_details(context: Context) -> PartResult:
        me = context.subject.id
        times = await context.read(lambda connection: wanted(connection, me, things))

        def store(connection: Connection, found: Sequence[Found], refused: Sequence[Params]) -> int:
            rows = sum(
                context.apply(connection, target, list(target.rows(answer, params)), params)
                for params, answer in found
                for target in targets
                if target.rows is not None
            )
            # An answer out of a cache is of an earlier state, and asked for again.
            looked = [(_id_of(things, params), told.last_modified_at) for params, told in found]
            mark_looked(connection, me, things, "details_of", looked)
            missing = [_id_of(things, params) for params in refused]
            times_of = [(one, times[one]) for one in missing]
            mark_refused(connection, me, things, "details_of", times_of)
            return rows

        wanted_now: list[Params] = [{things.id_name: one} for one in times]
        return await fetch_one_by_one(context, asking(context, route, wire), wanted_now, store)

    return Part(
        name="details",
        route=route,
        wire=wire,
        many=False,
        scopes=scopes,
        any_role=any_role,
        targets=targets,
        run=sync_details,
    )


def people_part(
    name: str,
    route: Route,
    wire: type[Wire],
    things: Things,
    table: Table,
    *,
    person: str,
    scopes: frozenset[str],
    any_role: frozenset[str],
) -> Part:
    """Return the part that reads who takes part in each thing.

    person: the column of who it is; that of the last look is called after the part.
    """
    target = Target(table, key=(*things.key, person), write=Write.UPSERT)
    looked = f"{name}_of"

    async def sync_people(context: Context) -> PartResult:
        me = context.subject.id
        times = await context.read(lambda connection: due(connection, me, things, looked))
        unfinished = 0

        def walk(params: Params) -> CursorList:
            def write(connection: Connection, rows: Sequence[Any], older: bool) -> int:
                if older:
                    rows = _not_outdated(connection, target, me, params, rows)
                return context.apply(connection, target, rows, params)

            section = f"{name}:{_id_of(things, params)}"
            ask = asking_pages(context, route, wire, params)
            return CursorList(context, section, ask, write, FORM)

        async def ask(params: Params) -> PartResult:
            nonlocal unfinished
            people = walk(params)
            try:
                result = await people.sync()
            except (Gone, Refused):
                if not people.resumed:
                    raise
                # It may be the token that is not there any more, and not the list.
                result = await walk(params).sync()
            unfinished += result.left > 0
            return result

        def store(connection: Connection, found: Sequence[Found], refused: Sequence[Params]) -> int:
            # Of a list with more to read the next run goes on.
            read = [params for params, result in found if not result.left]
            for mark, of in ((mark_looked, read), (mark_refused, refused)):
                ids = [_id_of(things, params) for params in of]
                mark(connection, me, things, looked, [(one, times[one]) for one in ids])
            return sum(result.rows for _, result in found)

        wanted: list[Params] = [{things.id_name: one} for one in times]
        result = await fetch_one_by_one(context, ask, wanted, store, MAX_READ)
        return msgspec.structs.replace(result, left=result.left + unfinished)

    return Part(
        name=name,
        route=route,
        wire=wire,
        many=False,
        scopes=scopes,
        any_role=any_role,
        targets=(target, CURSORS),
        run=sync_people,
    )


def _id_of(things: Things, params: Params) -> str:
    return str(params[things.id_name])


def _not_outdated(
    connection: Connection, target: Target, owner_id: int, params: Params, rows: Sequence[Any]
) -> list[Any]:
    """Leave out of an older page whose row is stored and newer; what is contributed never falls."""
    table, person = target.table, target.key[-1]
    values = {target.key[0]: owner_id, **params}
    query = select(table.c[person], table.c.contributed).where(
        *(table.c[name] == value for name, value in values.items()),
        table.c[person].in_([getattr(one, person) for one in rows]),
    )
    stored = {row[0]: row[1] for row in connection.execute(query)}
    return [one for one in rows if one.contributed > stored.get(getattr(one, person), -1)]
