"""INSERT with ON CONFLICT, which both databases have but SQLAlchemy knows as two."""

from __future__ import annotations

from typing import cast

from sqlalchemy import Connection, Table
from sqlalchemy.dialects import sqlite


def insert(connection: Connection, table: Table) -> sqlite.Insert:
    """Return the insert construct of the connection's database."""
    if connection.dialect.name == "sqlite":
        return sqlite.insert(table)
    from sqlalchemy.dialects import postgresql  # noqa: PLC0415 - 4 MB that SQLite does without

    # The same methods with the same meaning; only the type differs.
    return cast("sqlite.Insert", postgresql.insert(table))
