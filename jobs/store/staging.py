"""Sets made ready before their write transaction, so that it is short; large ones in a table.

What a set needs is worked out outside of the lock: its values are converted, and ids in it that
nobody has met yet are looked up. A large one is put into a temporary table. That belongs to its
connection, which is why a set that was staged over a lost one has to be staged again.
"""

from __future__ import annotations

import asyncio
import itertools
from collections.abc import AsyncIterator, Iterable, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.store import statements, wanted
from jobs.store.database import Database
from jobs.store.errors import StoreUnavailable, UnfitValue
from jobs.store.loads import Load, Loads, fixed_columns, prepare
from jobs.store.wanted import Wanted

if TYPE_CHECKING:
    from jobs.spec import Params, Row, Target

# Sets up to this size are written as they are: beyond, the turn to write is held twice as long for
# them as for staged ones, and all in all nothing is saved.
STAGE_OVER = 1_000
# Up to so many rows are made ready in no time, and so in the transaction itself.
PREPARE_OVER = 100
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
    # Ids in the rows of which nothing is known yet.
    wanted: Wanted


@asynccontextmanager
async def staged(
    database: Database,
    target: Target,
    rows: Iterable[Row | msgspec.Struct],
    *,
    subject: Subject,
    params: Params,
) -> AsyncIterator[Staged | Loads | Sequence[Row | msgspec.Struct]]:
    """Give what the writer should take: the rows, the same made ready, or staged if they are many.

    Nobody waits while they are staged but this process's other units, and those for one chunk.
    """
    items = list(rows)
    if len(items) <= PREPARE_OVER:
        yield items
        return
    fixed = fixed_columns(target.table, subject, params)
    # Not in the database's thread: a unit that has the turn to write may be waiting for it.
    prepared = await asyncio.to_thread(_prepare, target, items, fixed, database.dialect)
    is_large = len(items) > STAGE_OVER and len(prepared.loads) == 1
    items.clear()
    if prepared.wanted:
        found = prepared.wanted
        unknown = await database.read(lambda conn: wanted.unknown(conn, found))
        prepared = replace(prepared, wanted=unknown)
    if not is_large:
        yield prepared
        return
    load = prepared.loads.pop()
    ready = await database.stage(lambda conn: _create(conn, target, load, prepared))
    try:
        tuples = list(load.rows.values())
        load.rows.clear()
        for start in range(0, len(tuples), CHUNK_ROWS):
            chunk = tuples[start : start + CHUNK_ROWS]
            await database.stage(partial(_fill, ready=ready, rows=chunk))
        await database.stage(partial(_analyze, ready=ready))
        yield ready
    finally:
        await database.stage(lambda conn: drop(conn, ready))


def fill(connection: Connection, target: Target, load: Load) -> Staged:
    """Stage a load inside the caller's own transaction."""
    ready = _create(connection, target, load, Loads([]))
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


def ids_of(target: Target, ready: Loads) -> Wanted:
    """Return the ids in rows made ready that have names or details."""
    found: Wanted = {}
    for load in ready.loads:
        for category, ids in wanted.ids_in(target.table, load.columns, load.rows.values()).items():
            found.setdefault(category, set()).update(ids)
    return found


def _prepare(target: Target, items: list[Any], fixed: Mapping[str, Any], dialect: str) -> Loads:
    loads = prepare(target, items, fixed, dialect)
    return replace(loads, wanted=ids_of(target, loads))


def _create(connection: Connection, target: Target, load: Load, prepared: Loads) -> Staged:
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
        prepared.wanted or {},
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
