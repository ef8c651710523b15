"""What was spent of ESI's rate buckets, kept over a restart."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Connection, Row, delete, or_, select

from jobs.store import odd_rows, statements
from jobs.store.schema.core import rate_bucket as table
from jobs.store.schema.types import same_time, text_of_time

# No window is longer: what comes back later was stored while the clock was ahead.
_LONGEST = timedelta(days=1)
_COLUMNS = tuple(column.name for column in table.columns)


class SpentBucket(msgspec.Struct, frozen=True, gc=False):
    """One bucket: what is spent of it, and when that has come back to the last token."""

    name: str
    tokens_limit: int
    window_s: int
    spent: int
    back_at: datetime
    # ESI refused until then.
    blocked_until: datetime | None = None


def load(connection: Connection, now: datetime) -> list[SpentBucket]:
    """Return the buckets of which something is still spent."""
    last = now + _LONGEST
    query = select(table).where(table.c.back_at > now, table.c.back_at <= last)
    return odd_rows.read_well(connection, table, query, _row)


def save(connection: Connection, buckets: Iterable[SpentBucket], now: datetime) -> None:
    """Store buckets in the place of what was known of them; what has come back is dropped."""
    connection.execute(
        delete(table).where(or_(table.c.back_at <= now, table.c.back_at > now + _LONGEST))
    )
    time = text_of_time if connection.dialect.name == "sqlite" else same_time
    rows = sorted(
        (
            one.name,
            one.tokens_limit,
            one.window_s,
            one.spent,
            time(one.back_at),
            None if one.blocked_until is None else time(one.blocked_until),
        )
        for one in buckets
    )
    sql = statements.upsert(table, connection.dialect, _COLUMNS, ("name",))
    statements.run_many(connection, sql, rows)


def _row(row: Row[Any]) -> SpentBucket:
    return SpentBucket(*(getattr(row, name) for name in _COLUMNS))
