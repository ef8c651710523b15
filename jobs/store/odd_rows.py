"""Rows that another program wrote so that they cannot be read: told apart from the others."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

from sqlalchemy import ColumnElement, Connection, Row, Select, Table, select
from sqlalchemy.exc import DBAPIError

from jobs.store.trouble import Trouble, diagnose, first_line

T = TypeVar("T")

# Of a time that is none, a word or a number that is none of ours, or what a driver cannot hold.
CAUSES = (ValueError, OverflowError, DBAPIError)


@dataclass(frozen=True, slots=True)
class OddRow:
    """A row that cannot be read, and why."""

    id: int
    reason: str


def read(
    connection: Connection,
    table: Table,
    query: Select[Any],
    make: Callable[[Row[Any]], T],
    values: Mapping[str, Any] | None = None,
) -> tuple[list[T], list[OddRow]]:
    """Return what a query of whole rows finds, and which of them cannot be read.

    values: of the query's own parameters, where it has some.
    """
    try:
        return [make(row) for row in connection.execute(query, values).all()], []
    except CAUSES as error:
        raise_if_of_database(error)
    found: list[T] = []
    odd: list[OddRow] = []
    for id_ in connection.scalars(query.with_only_columns(table.c.id), values).all():
        is_it = table.c.id == id_
        try:
            found.append(make(connection.execute(select(table).where(is_it)).one()))
        except CAUSES as error:
            raise_if_of_database(error)
            odd.append(OddRow(id_, _why(connection, table, is_it, error)))
    return found, odd


def _why(connection: Connection, table: Table, is_it: ColumnElement[bool], error: Exception) -> str:
    """Return what is wrong with a row, with the column's name if it is one alone."""
    for column in table.c:
        try:
            connection.execute(select(column).where(is_it)).all()
        except CAUSES as of_column:
            raise_if_of_database(of_column)
            return f"its {column.name} cannot be read: {first_line(of_column)}"
    return f"it cannot be read: {first_line(error)}"


def raise_if_of_database(error: Exception) -> None:
    """Raise an error that is trouble of the database, and not of a row."""
    if isinstance(error, DBAPIError) and diagnose(error) is not Trouble.OTHER:
        raise error
