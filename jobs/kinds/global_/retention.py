"""Removes what is older than [retention] in the configuration says; nothing unless it says so.

Tables are walked by their keys, a slice at a time, and rows go in small batches: nobody waits long
for the database meanwhile. Only rows of the past go, those that ESI lists no longer. What is the
past, the clock says, and a wrong one would take what nothing brings back: it has to agree with the
game server, which starts anew each day.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from sqlalchemy import Column, Connection, literal, select, tuple_

from ipc.subject import SubjectType
from jobs.spec import Context, Kind, Part, PartResult, Row, Target, Write
from jobs.store import statements
from jobs.store.conversion import convert
from jobs.store.history import History, histories
from jobs.store.schema.status import server_status
from jobs.store.schema.universe import pruning
from jobs.store.statements import run_many
from jobs.store.walk import position_of, slice_after

# Rows of one read, and rows that go in one transaction, their parts with them.
SLICE = 20_000
BATCH = 200
EVERY = timedelta(days=1)
# The game server is up for a day; the clock is not believed when it says that it was for longer.
LONGEST_UPTIME = timedelta(days=7)

STATE = Target(pruning, key=("table_name",), write=Write.UPSERT)

Key = tuple[Any, ...]


async def prune(context: Context) -> PartResult:
    """Walk through every table whose past is kept for a time only, as far as one run may."""
    kept, now, rows = context.retention, context.now(), 0
    if kept and (trouble := await context.read(partial(_trouble_of_clock, now))):
        return PartResult(note=trouble)
    positions = await context.read(_positions)
    for history in histories():
        name = history.table.name
        if name not in kept:
            continue
        before = now - timedelta(days=kept[name])
        position, is_stored = positions.get(name), name in positions
        while True:
            if context.budget_s <= 0:
                return _result(rows, left=1)
            old, position = await context.read(partial(_read_slice, history, before, position))
            for at in range(0, len(old), BATCH):
                batch = old[at : at + BATCH]
                rows += await context.write(partial(_remove, history, before, batch))
            if position is not None or is_stored:
                await context.write(partial(_keep_position, context, name, position))
                is_stored = True
            if position is None:
                break
    return _result(rows)


def _result(rows: int, left: int = 0) -> PartResult:
    return PartResult(rows=rows, left=left, note=f"{rows} old rows removed" if rows else "")


def _trouble_of_clock(now: datetime, connection: Connection) -> str:
    """Return why rows may not be called old by a clock; empty if they may."""
    s = server_status.c
    query = select(s.started_at).where(s.observed_at <= now).order_by(s.observed_at.desc())
    started_at = connection.scalar(query.limit(1))
    if started_at is None or now - started_at <= LONGEST_UPTIME:
        return ""
    return (
        f"nothing is removed: the game server was last seen to start at {started_at:%Y-%m-%d}, so"
        " the clock may be wrong"
    )


def _read_slice(
    history: History, before: datetime, position: str | None, connection: Connection
) -> tuple[list[Key], str | None]:
    """Return the keys of the old rows among the next ones, and the position behind these."""
    table = history.table
    width = len(table.primary_key.columns)
    query = slice_after(table, [history.is_old(before).label("is_old")], position, SLICE)
    found = connection.execute(query).all()
    old = [tuple(row)[:width] for row in found if row.is_old]
    return old, position_of(table, found[-1]) if len(found) == SLICE else None


def _remove(history: History, before: datetime, keys: Sequence[Key], connection: Connection) -> int:
    """Remove rows with all that belongs to them, but for those that are not old any more."""
    table = history.table
    columns = list(table.primary_key.columns)
    # All old rows from the first to the last: SQLite would look for a list of keys by a full scan.
    first, last = (_row_value(columns, key) for key in (keys[0], keys[-1]))
    row = tuple_(*columns)
    query = select(*columns).where(row >= first, row <= last, history.is_old(before))
    gone = [tuple(row) for row in connection.execute(query)]
    if gone:
        values = [
            convert(column, connection.dialect.name, list(each))
            for column, each in zip(columns, zip(*gone, strict=True), strict=True)
        ]
        keys = list(zip(*values, strict=True))
        names = tuple(column.name for column in columns)
        for one in (*history.parts, table):
            run_many(connection, statements.delete(one, connection.dialect, names), keys)
    return len(gone)


def _row_value(columns: Sequence[Column[Any]], key: Key) -> Any:
    values = zip(columns, key, strict=True)
    return tuple_(*(literal(value, column.type) for column, value in values))


def _positions(connection: Connection) -> dict[str, str | None]:
    return {row.table_name: row.position for row in connection.execute(select(pruning))}


def _keep_position(
    context: Context, name: str, position: str | None, connection: Connection
) -> None:
    row: Row = {"table_name": name, "position": position}
    context.apply(connection, STATE, [row], {})


KIND = Kind(
    name="global.retention",
    subject=SubjectType.GLOBAL,
    feature=None,
    every=EVERY,
    summary="Removes rows of the past that [retention] says are not to be kept; off by default.",
    parts=(Part(name="prune", targets=(STATE,), run=prune),),
)
