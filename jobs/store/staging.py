"""Large sets: put into a temporary table first, so that the write transaction is short.

Only the difference is applied under the lock. A temporary table belongs to its connection, which
is why a set that was staged over a lost one has to be staged again.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.store import statements
from jobs.store.database import Database
from jobs.store.errors import StoreUnavailable, UnfitValue
from jobs.store.loads import Load, Loads, fixed_columns, prepare
from jobs.store.wanted import Wanted, ids_in

if TYPE_CHECKING:
    from jobs.spec import Params, Row, Target

# Sets up to this size are written as they are: beyond, the turn to write is held twice as long for
# them as for staged ones, and all in all nothing is saved.
STAGE_OVER = 1_000
CHUNK_ROWS = 5_000

_HERE = "staging"
_numbers = itertools.count(1)


@dataclass(frozen=True, slots=True)
class Staged:
    """A set that lies ready in a temporary table; given to the writer in the place of rows."""

    name: str
    columns: tuple[str, ...]
    rows: int
    # Rows that were left out, and what the last one lacked.
    skipped: int
    why: UnfitValue | None
    left_out: tuple[Mapping[str, Any], ...]
    # Of the connection that has the table.
    here: object
    # Ids in the rows that have names.
    wanted: Wanted


@asynccontextmanager
async def staged(
    database: Database,
    target: Target,
    rows: Iterable[Row | msgspec.Struct],
    *,
    subject: Subject,
    params: Params,
) -> AsyncIterator[Staged | Sequence[Row | msgspec.Struct]]:
    """Give what the writer should take: the rows, or the same staged if they are many.

    Nobody waits while they are staged but this process's other units, and those for one chunk.
    """
    items = list(rows)
    if len(items) <= STAGE_OVER:
        yield items
        return
    fixed = fixed_columns(target.table, subject, params)
    # Not in the database's thread: a unit that has the turn to write may be waiting for it.
    prepared = await asyncio.to_thread(prepare, target, items, fixed, database.dialect)
    loads = prepared.loads
    if len(loads) != 1:
        yield items
        return
    items.clear()
    wanted = await asyncio.to_thread(_ids_in, target, loads[0])
    ready = await database.stage(lambda conn: _create(conn, target, loads[0], wanted, prepared))
    try:
        tuples = list(loads.pop().rows.values())
        for start in range(0, len(tuples), CHUNK_ROWS):
            chunk = tuples[start : start + CHUNK_ROWS]
            await database.stage(partial(_fill, ready=ready, rows=chunk))
        await database.stage(partial(_analyze, ready=ready))
        yield ready
    finally:
        await database.stage(lambda conn: drop(conn, ready))


def fill(connection: Connection, target: Target, load: Load) -> Staged:
    """Stage a load inside the caller's own transaction."""
    ready = _create(connection, target, load, _ids_in(target, load), Loads([]))
    _fill(connection, ready, list(load.rows.values()))
    _analyze(connection, ready)
    return ready


def drop(connection: Connection, ready: Staged) -> None:
    """Remove a staged set; nothing is left of one whose connection was lost."""
    if connection.info.get(_HERE) is ready.here:
        connection.exec_driver_sql(f"DROP TABLE IF EXISTS {ready.name}")


def require_here(connection: Connection, ready: Staged) -> None:
    """Raise StoreUnavailable when the connection that had the set is gone."""
    if connection.info.get(_HERE) is not ready.here:
        raise StoreUnavailable("the connection was lost after a large set had been staged")


def _ids_in(target: Target, load: Load) -> Wanted:
    return ids_in(target.table, load.columns, load.rows.values())


def _create(
    connection: Connection, target: Target, load: Load, wanted: Wanted, prepared: Loads
) -> Staged:
    dialect = connection.dialect
    types = [
        f"{statements.quoted(dialect, name)} {target.table.c[name].type.compile(dialect)}"
        for name in load.columns
    ]
    ready = Staged(
        f"staged_{next(_numbers)}",
        load.columns,
        len(load.rows),
        prepared.skipped,
        prepared.why,
        prepared.left_out,
        connection.info.setdefault(_HERE, object()),
        wanted,
    )
    key = ", ".join(statements.quoted(dialect, name) for name in target.key)
    options = " WITHOUT ROWID" if dialect.name == "sqlite" else ""
    connection.exec_driver_sql(
        f"CREATE TEMPORARY TABLE {ready.name} ({', '.join(types)}, PRIMARY KEY ({key})){options}"
    )
    return ready


def _fill(connection: Connection, ready: Staged, rows: Sequence[tuple[Any, ...]]) -> None:
    require_here(connection, ready)
    names = ", ".join(statements.quoted(connection.dialect, name) for name in ready.columns)
    if connection.dialect.name == "sqlite":
        marks = ", ".join("?" * len(ready.columns))
        connection.exec_driver_sql(
            f"INSERT INTO {ready.name} ({names}) VALUES ({marks})",  # noqa: S608 - our own names
            list(rows),
        )
        return
    cursor = connection.connection.cursor()
    try:
        with cursor.copy(f"COPY {ready.name} ({names}) FROM STDIN") as copy:
            for row in rows:
                copy.write_row(row)
    finally:
        cursor.close()


def _analyze(connection: Connection, ready: Staged) -> None:
    """Let PostgreSQL know how large the set is: nothing else ever tells it of a temporary table."""
    require_here(connection, ready)
    if connection.dialect.name == "postgresql":
        connection.exec_driver_sql(f"ANALYZE {ready.name}")
