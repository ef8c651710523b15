"""Rows that another program wrote so that they cannot be read: told apart from the others."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from typing import Any, TypeVar

from sqlalchemy import (
    Boolean,
    ColumnElement,
    Connection,
    Integer,
    Row,
    Select,
    String,
    Table,
    and_,
    select,
    tuple_,
)
from sqlalchemy.exc import DBAPIError

from jobs.store.schema.types import UtcTime
from jobs.store.trouble import Trouble, diagnose, first_line

T = TypeVar("T")

_log = logging.getLogger(__name__)

# Of a time that is none, a word or a number that is none of ours, or what a driver cannot hold.
CAUSES = (ValueError, OverflowError, DBAPIError)
# Rows that are looked at together, where one among all is odd.
_TOGETHER = 200
# SQLite keeps in a column whatever another program puts there.
_TYPES: tuple[tuple[type[Any], type[Any]], ...] = (
    (UtcTime, datetime),
    (Boolean, bool),
    (Integer, int),
    (String, str),
)
# Their values are in no text.
_SECRET = frozenset({"access_token", "refresh_token"})
# What this process has told of; it is looked at again and again.
_told: set[tuple[str, OddRow]] = set()
_MOST_TOLD = 10_000


@dataclass(frozen=True, slots=True)
class OddRow:
    """A row that cannot be read, and why."""

    # Values of the primary key.
    key: tuple[Any, ...]
    reason: str

    @property
    def id(self) -> Any:
        """Return the number of a row of a table that counts its rows."""
        return self.key[0]


def read(
    connection: Connection,
    table: Table,
    query: Select[Any],
    make: Callable[[Row[Any]], T],
    values: Mapping[str, Any] | None = None,
) -> tuple[list[T], list[OddRow]]:
    """Return what a query of one table finds, and which of its rows cannot be read.

    values: of the query's own parameters, where it has some.
    """
    try:
        return _read(connection, query, make, values), []
    except CAUSES as error:
        raise_if_of_database(error)
    own = list(table.primary_key)
    keys = [tuple(row) for row in connection.execute(query.with_only_columns(*own), values)]
    found: list[T] = []
    odd: list[OddRow] = []
    for start in range(0, len(keys), _TOGETHER):
        some = keys[start : start + _TOGETHER]
        try:
            found += _read(connection, query.where(tuple_(*own).in_(some)), make, values)
        except CAUSES as error:
            raise_if_of_database(error)
            _read_each(connection, table, query, make, values, some, found, odd)
    return found, odd


def read_well(
    connection: Connection,
    table: Table,
    query: Select[Any],
    make: Callable[[Row[Any]], T],
    values: Mapping[str, Any] | None = None,
) -> list[T]:
    """Return what a query of one table finds; a row that cannot be read is told of and left out."""
    found, odd = read(connection, table, query, make, values)
    tell(table, odd)
    return found


def tell(table: Table, odd: Iterable[OddRow]) -> None:
    """Write into the log that rows are left out, once for each in the life of this process."""
    for row in odd:
        if (table.name, row) in _told:
            continue
        if len(_told) < _MOST_TOLD:
            _told.add((table.name, row))
        key = ", ".join(
            f"{column.name} {value!r}"
            for column, value in zip(table.primary_key, row.key, strict=True)
        )
        _log.warning("a row of %s is left out (%s): %s", table.name, key, row.reason)


def require_id(value: int, name: str) -> None:
    """Raise ValueError for a number that is nobody's; name: of its column."""
    if value <= 0:
        raise ValueError(f"{name} {value} is nobody's")


def raise_if_of_database(error: Exception) -> None:
    """Raise an error that is the database's own, and no row's."""
    if isinstance(error, DBAPIError) and diagnose(error) is not Trouble.OTHER:
        raise error


def _read(
    connection: Connection,
    query: Select[Any],
    make: Callable[[Row[Any]], T],
    values: Mapping[str, Any] | None,
) -> list[T]:
    rows = connection.execute(query, values).all()
    if connection.dialect.name == "sqlite":
        _check_types(query, rows)
    return [make(row) for row in rows]


def _read_each(
    connection: Connection,
    table: Table,
    query: Select[Any],
    make: Callable[[Row[Any]], T],
    values: Mapping[str, Any] | None,
    keys: Sequence[tuple[Any, ...]],
    found: list[T],
    odd: list[OddRow],
) -> None:
    for key in keys:
        is_it = and_(
            *(column == value for column, value in zip(table.primary_key, key, strict=True))
        )
        try:
            found += _read(connection, query.where(is_it), make, values)
        except CAUSES as error:
            raise_if_of_database(error)
            odd.append(OddRow(key, _why(connection, table, is_it, error)))


def _check_types(query: Select[Any], rows: Sequence[Row[Any]]) -> None:
    """Raise ValueError where a column holds what is none of its type."""
    for column, held in zip(query.selected_columns, zip(*rows, strict=True), strict=False):
        fit = next((fit for of, fit in _TYPES if isinstance(column.type, of)), None)
        if fit is not None and set(map(type, held)) - {fit, type(None)}:
            raise ValueError(f"it holds what is no {fit.__name__}")


def _why(connection: Connection, table: Table, is_it: ColumnElement[bool], error: Exception) -> str:
    """Return what is wrong with a row, with the column's name if it is one alone."""
    for column in table.c:
        try:
            _read(connection, select(column).where(is_it), tuple, None)
        except CAUSES as of_column:
            raise_if_of_database(of_column)
            what = f"its {column.name} cannot be read"
            return what if column.name in _SECRET else f"{what}: {first_line(of_column)}"
    return f"it cannot be read: {first_line(error)}"
