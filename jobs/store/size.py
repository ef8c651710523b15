"""How much room each table takes, and how fast those that keep a history grow."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import Date, Table

from jobs.store.history import histories
from jobs.store.reader import QueryRefused, Reader
from jobs.store.schema import metadata
from jobs.store.schema.types import text_of_time

RECENT = timedelta(days=30)

_SQLITE_SIZES = (
    "SELECT m.tbl_name, sum(s.pgsize) FROM dbstat AS s JOIN sqlite_master AS m ON m.name = s.name"
    " WHERE s.aggregate = 1 GROUP BY m.tbl_name"
)
_POSTGRES_SIZES = (
    "SELECT c.relname, pg_total_relation_size(c.oid) FROM pg_class AS c"
    " WHERE c.relkind = 'r' AND c.relnamespace = current_schema()::regnamespace"
)


@dataclass(frozen=True, slots=True)
class TableSize:
    """One table; indexes count."""

    name: str
    rows: int
    # None: this SQLite cannot tell.
    size_bytes: int | None
    # Rows that came in the last 30 days, of a table that keeps a history; None: of no such.
    recent_rows: int | None = None
    # The same in bytes, reckoned from the size of the table.
    recent_bytes: int | None = None


@dataclass(frozen=True, slots=True)
class Sizes:
    """A whole database, the largest table first."""

    tables: tuple[TableSize, ...]
    # All of the database, what is free in it included.
    total_bytes: int
    # Room that new rows will take before the file grows; SQLite only.
    free_bytes: int | None = None


def sizes(reader: Reader, now: datetime) -> Sizes:
    """Look at every table: its rows are counted, which takes a while where there are many."""
    stored = _stored_bytes(reader)
    born, parents = _births()
    found: dict[str, TableSize] = {}
    for table in metadata.sorted_tables:
        found[table.name] = _of_table(reader, table, born.get(table.name), stored, now)
    for part, parent in parents.items():
        found[part] = _as_its_parent(found[part], found[parent])
    ordered = sorted(found.values(), key=lambda one: (-(one.size_bytes or 0), -one.rows, one.name))
    if reader.dialect == "sqlite":
        page = _one(reader, "PRAGMA page_size")
        return Sizes(
            tuple(ordered),
            page * _one(reader, "PRAGMA page_count"),
            page * _one(reader, "PRAGMA freelist_count"),
        )
    return Sizes(tuple(ordered), _one(reader, "SELECT pg_database_size(current_database())"))


def _births() -> tuple[dict[str, Any], dict[str, str]]:
    """Return the column that tells when rows came, by table; and the parent of each part."""
    born = {one.table.name: one.born for one in histories() if one.born is not None}
    parents = {
        part.name: one.table.name
        for one in histories()
        if one.born is not None
        for part in one.parts
    }
    return born, parents


def _of_table(
    reader: Reader, table: Table, born: Any, stored: Mapping[str, int] | None, now: datetime
) -> TableSize:
    size = None if stored is None else stored.get(table.name, 0)
    if born is None:
        return TableSize(table.name, _one(reader, f'SELECT count(*) FROM "{table.name}"'), size)  # noqa: S608
    since = now - RECENT
    value = since.date().isoformat() if isinstance(born.type, Date) else text_of_time(since)
    query = (
        f"SELECT count(*), count(CASE WHEN \"{born.name}\" >= '{value}' THEN 1 END)"  # noqa: S608
        f' FROM "{table.name}"'
    )
    rows, recent = _row(reader, query)
    return TableSize(table.name, rows, size, recent, _share(size, recent, rows))


def _as_its_parent(part: TableSize, parent: TableSize) -> TableSize:
    """Reckon that a part grows as its parent does."""
    recent = _share(part.rows, parent.recent_rows or 0, parent.rows)
    return TableSize(
        part.name,
        part.rows,
        part.size_bytes,
        recent,
        _share(part.size_bytes, recent or 0, part.rows),
    )


def _share(size: int | None, part: int, whole: int) -> int | None:
    if size is None:
        return None
    return round(size * part / whole) if whole else 0


def _stored_bytes(reader: Reader) -> dict[str, int] | None:
    sqlite = reader.dialect == "sqlite"
    try:
        answer = reader.ask(_SQLITE_SIZES if sqlite else _POSTGRES_SIZES, ours=True)
        return {name: int(size) for rows in answer.batches for name, size in rows}
    except QueryRefused:
        # A SQLite without the table dbstat.
        if not sqlite:
            raise
        return None


def _row(reader: Reader, query: str) -> tuple[Any, ...]:
    rows = [row for batch in reader.ask(query, ours=True).batches for row in batch]
    return rows[0]


def _one(reader: Reader, query: str) -> int:
    return int(_row(reader, query)[0])
