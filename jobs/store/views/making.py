"""Makes the views in a database, and makes those anew that this version has otherwise.

What each was made of is remembered, so that only those that changed are made anew.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping
from functools import cache

from sqlalchemy import Connection, delete, insert, select, text
from sqlalchemy.exc import DBAPIError

from jobs.store.errors import StoreRefused
from jobs.store.schema.core import view_made
from jobs.store.stamp import ALL, stamp
from jobs.store.trouble import is_name_taken
from jobs.store.views.catalog import all_views
from jobs.store.views.view import Dialect


def make(connection: Connection) -> int:
    """Drop views that changed or are no more, make those that lack; return how many were made."""
    dialect = _dialect(connection)
    made, wanted = _made(connection), digests(dialect)
    _drop(connection, [name for name, digest in made.items() if wanted.get(name) != digest])
    lacking = [name for name, digest in wanted.items() if made.get(name) != digest]
    for name in lacking:
        _make(connection, name, all_views()[name].select(dialect))
        connection.execute(insert(view_made).values(name=name, digest=wanted[name]))
    connection.execute(delete(view_made).where(view_made.c.name == ALL))
    connection.execute(insert(view_made).values(name=ALL, digest=stamp()))
    return len(lacking)


def drop_all(connection: Connection) -> None:
    """Drop all views that were made: tables that change must have none on them."""
    _drop(connection, list(_made(connection)))
    connection.execute(delete(view_made))


@cache
def digests(dialect: Dialect) -> Mapping[str, str]:
    """Return by view what tells one form of it from another."""
    return {
        name: hashlib.sha256(view.select(dialect).encode()).hexdigest()
        for name, view in all_views().items()
    }


def _dialect(connection: Connection) -> Dialect:
    return "sqlite" if connection.dialect.name == "sqlite" else "postgresql"


def _made(connection: Connection) -> dict[str, str]:
    query = select(view_made.c.name, view_made.c.digest).where(view_made.c.name != ALL)
    rows = connection.execute(query)
    return {row.name: row.digest for row in rows}


def _make(connection: Connection, name: str, query: str) -> None:
    try:
        connection.exec_driver_sql(f"CREATE VIEW {name} AS\n{query}")
    except DBAPIError as error:
        if _is_taken(connection, name, error):
            raise StoreRefused(
                f"the database has a view or table {name} that is not esisyncd's: rename it"
            ) from error
        raise


def _is_taken(connection: Connection, name: str, error: DBAPIError) -> bool:
    if _dialect(connection) == "postgresql":
        return is_name_taken(error)
    # A statement that failed leaves SQLite's transaction as it was.
    query = text("SELECT 1 FROM sqlite_master WHERE name = :name")
    return connection.scalar(query, {"name": name}) is not None


def _drop(connection: Connection, names: list[str]) -> None:
    for name in names:
        try:
            connection.exec_driver_sql(f"DROP VIEW IF EXISTS {name}")
        except DBAPIError as error:
            if getattr(error.orig, "sqlstate", None) == "2BP01":
                raise StoreRefused(
                    f"something of yours is built on the view {name}: drop it, upgrade, and make"
                    " it again"
                ) from error
            raise
    if names:
        connection.execute(delete(view_made).where(view_made.c.name.in_(names)))
