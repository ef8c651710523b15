"""SQL of the hot paths, built once for each table, database and set of columns.

Parameters are positional, in the order of the columns, so that rows go to the driver as tuples.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, cast

import msgspec
from sqlalchemy import JSON, Column, Connection, Dialect, Table
from sqlalchemy.exc import DBAPIError
from sqlalchemy.sql.elements import quoted_name

CLOSED_AT = "closed_at"


@lru_cache(maxsize=4096)
def upsert(
    table: Table,
    dialect: Dialect,
    columns: tuple[str, ...],
    key: tuple[str, ...],
    *,
    update: bool = True,
    keep: tuple[str, ...] = (),
    reopen: bool = False,
    source: str | None = None,
    together: int = 1,
) -> str:
    """Return INSERT that updates the row of the same key where a column differs.

    update False leaves a row that is there alone; keep names columns that are set only once;
    reopen clears closed_at; source is a table to insert from, in place of parameters; together
    is for how many rows the statement has parameters.
    """
    own = quoted(dialect, table.name)
    names = ", ".join(quoted(dialect, name) for name in columns)
    keys = [quoted(dialect, name) for name in key]
    conflict = ", ".join(keys)
    changes = _changes(table, dialect, columns, key, keep, reopen=reopen) if update else []
    if source is None:
        row = f"({', '.join([placeholder(dialect)] * len(columns))})"
        origin = f"VALUES {', '.join([row] * together)}"
    else:
        news = "true"
        if dialect.name == "postgresql":
            # It locks, and so rewrites, each row that conflicts, be it equal or not. SQLite does
            # not, and would look each row up twice.
            equal = [f"staged.{column} = {own}.{column}" for column in keys]
            equal += [f"NOT ({change.differs.format(new='staged')})" for change in changes]
            news = f"NOT EXISTS (SELECT 1 FROM {own} WHERE {' AND '.join(equal)})"  # noqa: S608
        origin = f"SELECT {names} FROM {source} AS staged WHERE {news} ORDER BY {conflict}"  # noqa: S608
    action = "NOTHING"
    if changes:
        sets = ", ".join(change.sets for change in changes)
        differs = " OR ".join(change.differs.format(new="excluded") for change in changes)
        action = f"UPDATE SET {sets} WHERE {differs}"
    return f"INSERT INTO {own} ({names}) {origin} ON CONFLICT ({conflict}) DO {action}"


@dataclass(frozen=True, slots=True)
class _Change:
    """How one column is updated, and the condition under which it has to be ({new}: the row)."""

    sets: str
    differs: str


def _changes(
    table: Table,
    dialect: Dialect,
    columns: Sequence[str],
    key: Sequence[str],
    keep: Sequence[str],
    *,
    reopen: bool,
) -> list[_Change]:
    own = quoted(dialect, table.name)
    changes: list[_Change] = []
    for name in columns:
        column = quoted(dialect, name)
        old, new = f"{own}.{column}", f"{{new}}.{column}"
        if name in key:
            continue
        if name in keep:
            sets = f"{column} = COALESCE({old}, excluded.{column})"
            changes.append(_Change(sets, f"({old} IS NULL AND {new} IS NOT NULL)"))
        else:
            differs = _differs(table.c[name], dialect, old, new)
            changes.append(_Change(f"{column} = excluded.{column}", differs))
    if reopen and CLOSED_AT not in columns:
        changes.append(_Change(f"{CLOSED_AT} = NULL", f"{own}.{CLOSED_AT} IS NOT NULL"))
    return changes


def _differs(column: Column[object], dialect: Dialect, left: str, right: str) -> str:
    if dialect.name == "sqlite":
        return f"{left} IS NOT {right}"
    kind = column.type.dialect_impl(dialect)
    # By its name: PostgreSQL's own types cost a SQLite daemon 4 MB in each process.
    if isinstance(kind, JSON) and kind.__visit_name__ != "JSONB":
        # PostgreSQL has no equality of json; the writer's text of it is canonical.
        return f"{left}::text IS DISTINCT FROM {right}::text"
    return f"{left} IS DISTINCT FROM {right}"


@lru_cache(maxsize=4096)
def select_keys(
    table: Table, dialect: Dialect, key: tuple[str, ...], scope: tuple[str, ...], *, open_only: bool
) -> str:
    """Return SELECT of the keys of the rows in scope; open_only: those not closed."""
    names = ", ".join(quoted(dialect, name) for name in key)
    where = within(dialect, scope, open_only=open_only)
    return f"SELECT {names} FROM {quoted(dialect, table.name)} WHERE {where}"  # noqa: S608


@lru_cache(maxsize=4096)
def count(
    table: Table, dialect: Dialect, columns: tuple[str, ...], empty: tuple[str, ...] = ()
) -> str:
    """Return SELECT of how many rows have these values, and nothing in the empty columns."""
    terms = [f"{quoted(dialect, name)} = {placeholder(dialect)}" for name in columns]
    terms += [f"{quoted(dialect, name)} IS NULL" for name in empty]
    where = " AND ".join(terms) or "true"
    return f"SELECT count(*) FROM {quoted(dialect, table.name)} WHERE {where}"  # noqa: S608


@lru_cache(maxsize=4096)
def delete(table: Table, dialect: Dialect, key: tuple[str, ...]) -> str:
    """Return DELETE of one row by its key."""
    where = within(dialect, key)
    return f"DELETE FROM {quoted(dialect, table.name)} WHERE {where}"  # noqa: S608


@lru_cache(maxsize=4096)
def close(table: Table, dialect: Dialect, key: tuple[str, ...]) -> str:
    """Return UPDATE that closes one row by its key."""
    where = within(dialect, key)
    return (
        f"UPDATE {quoted(dialect, table.name)}"  # noqa: S608
        f" SET {CLOSED_AT} = {placeholder(dialect)} WHERE {where}"
    )


@lru_cache(maxsize=4096)
def select_absent(
    table: Table,
    dialect: Dialect,
    key: tuple[str, ...],
    scope: tuple[str, ...],
    source: str,
    *,
    open_only: bool,
) -> str:
    """Return SELECT of the keys of the rows in scope that are not in the source table."""
    own = quoted(dialect, table.name)
    names = ", ".join(f"{own}.{quoted(dialect, name)}" for name in key)
    where = (
        f"{within(dialect, scope, open_only=open_only)} AND {_absent(dialect, own, key, source)}"
    )
    return f"SELECT {names} FROM {own} WHERE {where}"  # noqa: S608


@lru_cache(maxsize=4096)
def delete_absent(
    table: Table, dialect: Dialect, key: tuple[str, ...], scope: tuple[str, ...], source: str
) -> str:
    """Return DELETE of the rows in scope whose key is not in the source table."""
    own = quoted(dialect, table.name)
    where = f"{within(dialect, scope)} AND {_absent(dialect, own, key, source)}"
    return f"DELETE FROM {own} WHERE {where}"  # noqa: S608


@lru_cache(maxsize=4096)
def close_absent(
    table: Table, dialect: Dialect, key: tuple[str, ...], scope: tuple[str, ...], source: str
) -> str:
    """Return UPDATE that closes the open rows in scope whose key is not in the source table."""
    own = quoted(dialect, table.name)
    where = f"{within(dialect, scope, open_only=True)} AND {_absent(dialect, own, key, source)}"
    return f"UPDATE {own} SET {CLOSED_AT} = {placeholder(dialect)} WHERE {where}"  # noqa: S608


@lru_cache(maxsize=4096)
def has_absent(
    table: Table, dialect: Dialect, scope: tuple[str, ...], source: str, *, open_only: bool
) -> str:
    """Return SELECT that tells whether more rows are in scope than the source table has there.

    The scope's parameters come twice. Where every row of the source is in the table, this finds
    for a tenth of the cost that nothing is absent, as is most often so.
    """
    own = quoted(dialect, table.name)
    ours, theirs = within(dialect, scope, open_only=open_only), within(dialect, scope)
    return (
        f"SELECT (SELECT count(*) FROM {own} WHERE {ours})"  # noqa: S608
        f" > (SELECT count(*) FROM {source} WHERE {theirs})"
    )


def _absent(dialect: Dialect, own: str, key: Sequence[str], source: str) -> str:
    same = " AND ".join(
        f"staged.{quoted(dialect, name)} = {own}.{quoted(dialect, name)}" for name in key
    )
    return f"NOT EXISTS (SELECT 1 FROM {source} AS staged WHERE {same})"  # noqa: S608


def within(dialect: Dialect, columns: Sequence[str], *, open_only: bool = False) -> str:
    """Return the condition that all of these columns equal their parameters."""
    mark = placeholder(dialect)
    terms = [f"{quoted(dialect, name)} = {mark}" for name in columns]
    if open_only:
        terms.append(f"{CLOSED_AT} IS NULL")
    return " AND ".join(terms) or "true"


def quoted(dialect: Dialect, name: str) -> str:
    """Return an identifier, quoted where the database needs it."""
    return dialect.identifier_preparer.quote(quoted_name(name, None))


def placeholder(dialect: Dialect) -> str:
    """Return the mark of a positional parameter."""
    return "?" if dialect.paramstyle == "qmark" else "%s"


def within_list(dialect: Dialect, column: str) -> str:
    """Return the condition that a column is one of listed(): one statement for any number."""
    if dialect.name == "sqlite":
        return f"{column} IN (SELECT value FROM json_each(?))"  # noqa: S608 - our own names
    return f"{column} = ANY(%s::bigint[])"


def listed(dialect: Dialect, ids: Sequence[int]) -> str | list[int]:
    """Return ids as one parameter."""
    return msgspec.json.encode(ids).decode() if dialect.name == "sqlite" else list(ids)


def run_many(connection: Connection, sql: str, rows: Sequence[tuple[Any, ...]]) -> int:
    """Run a statement for every row, of which there may be none; return how many changed."""
    return _run(connection, sql, list(rows)) if rows else 0


def run_one(connection: Connection, sql: str, values: tuple[Any, ...] = ()) -> int:
    """Run a statement once and return how many rows changed."""
    return _run(connection, sql, values or None)


def rows(connection: Connection, sql: str, values: tuple[Any, ...] = ()) -> list[tuple[Any, ...]]:
    """Return what a query finds, as the driver gives it."""
    if connection.dialect.name != "sqlite":
        return list(map(tuple, connection.exec_driver_sql(sql, values or None)))
    try:
        found: list[tuple[Any, ...]] = driver_of(connection).execute(sql, values).fetchall()
    except sqlite3.Error as error:
        raise _as_sqlalchemy(connection, sql, error) from error
    return found


def scalar(connection: Connection, sql: str, values: tuple[Any, ...] = ()) -> Any:
    """Return the first value of the first row that a query finds; None if it finds none."""
    found = rows(connection, sql, values)
    return found[0][0] if found else None


def _run(
    connection: Connection, sql: str, parameters: list[tuple[Any, ...]] | tuple[Any, ...] | None
) -> int:
    if connection.dialect.name != "sqlite":
        return max(0, connection.exec_driver_sql(sql, parameters).rowcount)
    driver = driver_of(connection)
    # What the driver says of an upsert that did nothing depends on its version; this does not.
    before = driver.total_changes
    try:
        if isinstance(parameters, list):
            driver.executemany(sql, parameters)
        else:
            driver.execute(sql, parameters or ())
    except sqlite3.Error as error:
        raise _as_sqlalchemy(connection, sql, error) from error
    return driver.total_changes - before


def driver_of(connection: Connection) -> sqlite3.Connection:
    """Return SQLite's own connection: SQLAlchemy's way costs several times what SQLite does."""
    return cast("sqlite3.Connection", connection.connection.dbapi_connection)


def _as_sqlalchemy(connection: Connection, sql: str, error: sqlite3.Error) -> BaseException:
    """Return an error of the driver as SQLAlchemy would have raised it."""
    return DBAPIError.instance(
        sql, None, error, sqlite3.Error, hide_parameters=True, dialect=connection.dialect
    )
