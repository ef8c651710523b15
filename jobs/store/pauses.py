"""Waits that ESI asked for, kept over a restart."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Connection, Row, or_, select

from jobs.store import odd_rows
from jobs.store.inserts import insert
from jobs.store.schema.core import pause as table

# None lasts longer: one that ends later was stored while the clock was ahead.
_LONGEST = timedelta(days=1)


def load(connection: Connection, now: datetime) -> dict[str, tuple[datetime, str]]:
    """Return the pauses that are not over: scope -> until when, and why."""
    query = select(table.c.scope, table.c.until, table.c.reason).where(
        table.c.until > now, table.c.until <= now + _LONGEST
    )
    return {
        row.scope: (row.until, row.reason)
        for row in odd_rows.read_well(connection, table, query, _same)
    }


def _same(row: Row[Any]) -> Row[Any]:
    return row


def extend(connection: Connection, scope: str, until: datetime, reason: str) -> None:
    """Pause a scope until then; a longer pause that is there stands."""
    statement = insert(connection, table).values(scope=scope, until=until, reason=reason)
    connection.execute(
        statement.on_conflict_do_update(
            index_elements=["scope"],
            set_={"until": statement.excluded.until, "reason": statement.excluded.reason},
            where=or_(table.c.until < statement.excluded.until, table.c.until > until + _LONGEST),
        )
    )
