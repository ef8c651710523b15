"""Pending rows of the outbox that no look for due rows would ever come to.

Another program may have put in a time that is none: as text it may sort after any moment. And a
moment far ahead, of a clock that was wrong, must not outlast the time for which a row is wanted.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Select,
    Text,
    and_,
    func,
    literal_column,
    not_,
    or_,
    select,
    type_coerce,
    update,
)

from ipc.subject import SubjectType
from jobs.store import claims, outbox_rows
from jobs.store.schema.core import outbox as table
from jobs.store.schema.types import UtcTime
from jobs.store.write_status import Status

_log = logging.getLogger(__name__)

_TIMES = tuple(column for column in table.c if isinstance(column.type, UtcTime))


def find(connection: Connection, now: datetime) -> list[int]:
    """Return the ids of pending rows that cannot be read, or that are over and not due."""
    is_odd = or_(
        *(_is_odd_time(column, connection.dialect.name) for column in _TIMES),
        table.c.subject_type.not_in([word.value for word in SubjectType]),
        table.c.subject_id <= 0,
        *_odd_ids(connection.dialect.name),
    )
    found = [
        id_
        for id_ in connection.scalars(_pending(is_odd)).all()
        # Times may be written in other ways than ours.
        if outbox_rows.why_unreadable(connection, id_) is not None
    ]
    late = and_(table.c.next_attempt_at > now, claims.is_over(now), table.c.id.not_in(found))
    return sorted([*found, *connection.scalars(_pending(late))])


def _pending(term: ColumnElement[bool]) -> Select[Any]:
    return select(table.c.id).where(table.c.status == Status.PENDING.value, term)


def end(connection: Connection, ids: Iterable[int], now: datetime) -> None:
    """End those that cannot be read, with the reason; make the others due, which ends them."""
    for id_ in ids:
        is_it = and_(table.c.id == id_, table.c.status == Status.PENDING.value)
        reason = outbox_rows.why_unreadable(connection, id_)
        if reason is None:
            values: dict[str, Any] = {"next_attempt_at": now}
        else:
            values = {"status": claims.UNREADABLE_END, "last_error": reason}
        changed = connection.execute(update(table).where(is_it).values(updated_at=now, **values))
        if changed.rowcount and reason is not None:
            _log.warning("outbox row %d is not sent: %s", id_, reason)


def mend_times(connection: Connection, id_: int, now: datetime) -> None:
    """Put now in the place of times that are none, so that the rest of a row can be read."""
    for column in _TIMES:
        connection.execute(
            update(table)
            .where(table.c.id == id_, _is_odd_time(column, connection.dialect.name))
            .values({column.name: None if column.nullable else now})
        )


def _is_odd_time(column: Column[Any], dialect: str) -> ColumnElement[bool]:
    if dialect == "sqlite":
        as_text = type_coerce(column, Text)
        same = func.strftime("%Y-%m-%dT%H:%M:%fZ", func.julianday(as_text))
        return and_(as_text.is_not(None), same.is_distinct_from(as_text))
    first: ColumnElement[Any] = literal_column("timestamptz '0001-01-02'")
    last: ColumnElement[Any] = literal_column("timestamptz '9999-12-30'")
    return and_(column.is_not(None), not_(column.between(first, last)))


def _odd_ids(dialect: str) -> list[ColumnElement[bool]]:
    # PostgreSQL's column holds integers alone.
    return [func.typeof(table.c.subject_id) != "integer"] if dialect == "sqlite" else []
