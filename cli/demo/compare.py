"""Compares the database with the universe, row by row, in plain SQL."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterable, Iterator, Mapping
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

from cli.demo.difference import Check, Difference, Key, Row, Value, differences_of, plain, rows_of
from cli.demo.mirrored import Extra, Mirrored, Owners
from cli.demo.tables import CHECKS, TABLES
from cli.demo.universe import NotThere, Universe


@dataclass
class Comparison:
    """What was compared, and what differed."""

    rows: dict[str, int] = field(default_factory=dict)
    differences: list[Difference] = field(default_factory=list)

    @property
    def agrees(self) -> bool:
        """Tell whether something was compared, and nothing differed."""
        return sum(self.rows.values()) > 0 and not self.differences


@contextmanager
def open_plain(path: Path) -> Iterator[sqlite3.Connection]:
    """Open the database to read it.

    Not as mode=ro: such a connection leaves an empty -wal and -shm behind.
    """
    with closing(sqlite3.connect(f"{path.as_uri()}?mode=rw", uri=True)) as connection:
        connection.execute("PRAGMA query_only=ON")
        connection.row_factory = sqlite3.Row
        yield connection


def table_names(connection: sqlite3.Connection) -> list[str]:
    """Return every table of the database."""
    found = connection.execute("SELECT name FROM sqlite_master WHERE type = 'table' ORDER BY name")
    return [row["name"] for row in found if not row["name"].startswith("sqlite_")]


def compare_all(connection: sqlite3.Connection, universe: Universe) -> Comparison:
    """Compare every table of the database that a topic knows."""
    result = Comparison()
    present = set(table_names(connection))
    checks: dict[str, Check] = {one.table: partial(compare_table, one) for one in TABLES}
    for table, check in (checks | CHECKS).items():
        if table in present:
            found = rows_of(connection, table)
            result.rows[table] = len(found)
            result.differences += check(found, universe)
    return result


def compare_table(mirrored: Mirrored, found: list[Row], universe: Universe) -> list[Difference]:
    """Return what differs between a table's rows and the universe."""
    if mirrored.owners is Owners.ROWS:
        return list(_compare_shared(mirrored, found, universe))
    columns = list(found[0]) if found else []
    owner = "corporation_id" if mirrored.owners is Owners.DIVISIONS else mirrored.owners.value
    key = tuple(filter(None, (owner, *mirrored.key)))
    expected: dict[Key, Row] = {}
    for fixed, subject, division in universe.owners(mirrored.owners):
        documents = _documents(mirrored, universe, subject, division)
        rows = [_expected(mirrored, columns, document, fixed) for document in documents]
        expected |= {tuple(row.get(name) for name in key): row for row in rows}
        if mirrored.extra is not Extra.NONE:
            found = _set_aside(mirrored, found, rows, fixed)
    by_key = {tuple(row[name] for name in key): row for row in found} if found else {}
    return list(differences_of(mirrored.table, key, expected, by_key, mirrored.own))


def _documents(
    mirrored: Mirrored, universe: Universe, subject: int | None, division: int | None
) -> Iterable[Mapping[str, Any]]:
    answer = universe.ask(mirrored.section, subject, division)
    if mirrored.documents is not None:
        beside = [universe.ask(mirrored.beside, subject)] if mirrored.beside else []
        return mirrored.documents(answer, *beside)
    return answer if isinstance(answer, list) else [answer]


def _expected(
    mirrored: Mirrored,
    columns: Iterable[str],
    document: Mapping[str, Any],
    fixed: Mapping[str, int],
) -> Row:
    row: Row = {}
    for column in {*columns, *mirrored.key, *fixed}:
        value = fixed.get(column, document.get(mirrored.words.get(column, column)))
        row[column] = plain(
            value, is_time=column in mirrored.times, is_money=column in mirrored.money
        )
    return row


def _set_aside(
    mirrored: Mirrored, found: list[Row], shown: list[Row], fixed: Mapping[str, int]
) -> list[Row]:
    """Return the rows to compare, without those that the mirror may hold beyond what is shown."""
    others = [row for row in found if any(row[name] != value for name, value in fixed.items())]
    ours = [row for row in found if all(row[name] == value for name, value in fixed.items())]
    return others + _to_compare(mirrored, ours, shown)


def _to_compare(mirrored: Mirrored, ours: list[Row], shown: list[Row]) -> list[Row]:
    """Return those rows of one owner that the universe should show."""
    age = mirrored.age
    if not ours:
        return []
    match mirrored.extra:
        case Extra.NONE:
            return ours
        case Extra.HISTORY:
            since = max((str(row[age]) for row in ours), default="")
            return [row for row in ours if str(row[age]) >= since]
        case Extra.OLDER:
            oldest: dict[Key, str] = {}
            for row in shown:
                one = tuple(row[name] for name in mirrored.each)
                oldest[one] = min(str(row[age]), oldest.get(one, "9999"))
            return [
                row
                for row in ours
                if str(row[age]) >= oldest.get(tuple(row[name] for name in mirrored.each), "9999")
            ]
        case Extra.CLOSED:
            keys = {tuple(row[name] for name in mirrored.key) for row in shown}
            return [
                row
                for row in ours
                if row["closed_at"] is None or tuple(row[name] for name in mirrored.key) in keys
            ]
        case Extra.OTHERS:
            listed = {row[age] for row in shown}
            return [row for row in ours if row[age] in listed]


def _compare_shared(
    mirrored: Mirrored, found: list[Row], universe: Universe
) -> Iterator[Difference]:
    """Compare rows that all share, with what the universe tells of the id that their key begins."""
    first = mirrored.key[0]
    by_id: dict[Value, list[Row]] = {}
    for row in found:
        by_id.setdefault(row[first], []).append(row)
    for identity, rows in by_id.items():
        fixed = {first: int(identity or 0)}
        try:
            documents = list(_documents(mirrored, universe, fixed[first], None))
        except NotThere:
            yield Difference(mirrored.table, f"{first} {identity}", "is not in the universe")
            continue
        expected = [_expected(mirrored, rows[0], document, fixed) for document in documents]
        yield from differences_of(
            mirrored.table,
            mirrored.key,
            {tuple(row[name] for name in mirrored.key): row for row in expected},
            {tuple(row[name] for name in mirrored.key): row for row in rows},
            mirrored.own,
        )
