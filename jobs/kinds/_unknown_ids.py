"""Ids that ESI could not explain: asked about again after a while, and a longer one each time.

Each refusal counts against the error limit that all routes share.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, exists, select

from jobs.kinds._batches import slices
from jobs.spec import Context, Row, Target, Write
from jobs.store.moments import Moment, is_to_come
from jobs.store.schema.universe import unknown_id

FIRST_REFUSAL = timedelta(hours=1)
LONGEST_REFUSAL = timedelta(days=30)

UNKNOWN = Target(unknown_id, key=("category", "id"), write=Write.UPSERT)


def refused_until(refusals: int, now: datetime) -> datetime:
    """Return when an id is asked about again that was refused so many times in a row."""
    doublings = min(max(refusals, 1) - 1, 20)
    wait: timedelta = min(FIRST_REFUSAL * 2**doublings, LONGEST_REFUSAL)
    return now + wait


def waits(category: str, column: Any, now: datetime) -> ColumnElement[bool]:
    """Return whether the id in a column is not to be asked about yet."""
    return waits_until(category, column, now, now + LONGEST_REFUSAL)


def waits_until(category: str, column: Any, now: Moment, latest: Moment) -> ColumnElement[bool]:
    """Return what waits() does, of parameters; latest: the longest refusal from now on."""
    return exists().where(
        unknown_id.c.category == category,
        unknown_id.c.id == column,
        is_to_come(unknown_id.c.unknown_until, now, latest),
    )


def waiting_ids(connection: Connection, category: str, now: datetime) -> set[int]:
    """Return the ids that are not to be asked about yet."""
    u = unknown_id.c
    still = is_to_come(u.unknown_until, now, now + LONGEST_REFUSAL)
    return set(connection.scalars(select(u.id).where(u.category == category, still)))


def note_unknown(
    context: Context, category: str, ids: Sequence[int], connection: Connection
) -> None:
    """Remember ids that ESI refused, for longer each time; what is known of them stays."""
    now = context.now()
    u = unknown_id.c
    before: dict[int, int] = {
        row.id: row.refusals
        for some in slices(ids)
        for row in connection.execute(
            select(u.id, u.refusals).where(u.category == category, u.id.in_(some))
        )
    }
    rows: list[Row] = [
        {
            "category": category,
            "id": one,
            "refusals": before.get(one, 0) + 1,
            "unknown_until": refused_until(before.get(one, 0) + 1, now),
        }
        for one in ids
    ]
    context.apply(connection, UNKNOWN, rows, {})


def forget_unknown(connection: Connection, category: str, ids: Sequence[int]) -> None:
    """Forget that ids were once refused."""
    u = unknown_id.c
    for some in slices(ids):
        connection.execute(delete(unknown_id).where(u.category == category, u.id.in_(some)))
