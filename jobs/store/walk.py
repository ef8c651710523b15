"""Walking through a whole table by its key, a slice at a time, with a position that can be kept.

A table of millions of rows is never read at once: each slice is a short read of its own.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, datetime
from typing import Any

import msgspec
from sqlalchemy import Column, ColumnElement, Date, Row, Select, Table, literal, select, tuple_

from jobs.store.schema.types import UtcTime


def slice_after(
    table: Table, columns: Sequence[ColumnElement[Any]], position: str | None, limit: int
) -> Select[Any]:
    """Return a query for the next rows in the order of the key: the key, then these columns.

    position: as position_of() returned it; None: from the beginning.
    """
    key = list(table.primary_key.columns)
    query = select(*key, *columns).order_by(*key).limit(limit)
    if position is None:
        return query
    values = [
        literal(_value(column, value), column.type)
        for column, value in zip(key, msgspec.json.decode(position), strict=True)
    ]
    if len(key) == 1:
        return query.where(key[0] > values[0])
    return query.where(tuple_(*key) > tuple_(*values))


def position_of(table: Table, row: Row[Any] | tuple[Any, ...]) -> str:
    """Return the position right behind a row, which begins with its key."""
    return msgspec.json.encode(tuple(row)[: len(table.primary_key.columns)]).decode()


def _value(column: Column[Any], value: Any) -> Any:
    """Return a value of a key as it was before it became JSON."""
    if isinstance(column.type, UtcTime):
        return datetime.fromisoformat(value)
    return date.fromisoformat(value) if isinstance(column.type, Date) else value
