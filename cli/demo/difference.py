"""What differs between rows of the database and rows that the universe leads to."""

from __future__ import annotations

import sqlite3
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

from cli.demo.universe import Universe

Value = int | float | str | None
Key = tuple[Value, ...]
Row = dict[str, Value]


@dataclass(frozen=True, slots=True)
class Difference:
    """One thing that differs."""

    table: str
    key: str
    what: str

    def __str__(self) -> str:
        """Return it as a line."""
        return f"{self.table} {self.key}: {self.what}"


# Tells what differs in a table whose rows follow from several sections.
Check = Callable[[list[Row], Universe], Iterable[Difference]]


def rows_of(connection: sqlite3.Connection, table: str) -> list[Row]:
    """Return all rows of a table."""
    # The name comes from our own list, or from the database itself.
    return [dict(row) for row in connection.execute(f'SELECT * FROM "{table}"')]  # noqa: S608


def plain(value: Any, *, is_time: bool = False, is_money: bool = False) -> Value:
    """Return a value of the universe as SQLite holds it."""
    if value is None:
        return None
    if is_time:
        return datetime.fromisoformat(value).astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%S.000Z")
    if is_money:
        return int((Decimal(repr(value)) * 100).to_integral_value())
    if isinstance(value, bool):
        return int(value)
    if isinstance(value, int | float | str):
        return value
    raise TypeError(f"the universe tells {type(value).__name__}, which no column can hold")


def differences_of(
    table: str,
    key: tuple[str, ...],
    expected: Mapping[Key, Row],
    found: Mapping[Key, Row],
    own: frozenset[str],
) -> Iterator[Difference]:
    """Yield what lacks, what is too much, and what differs."""
    for at in sorted(expected.keys() - found.keys(), key=str):
        yield Difference(table, _shown(key, at), "is not in the database")
    for at in sorted(found.keys() - expected.keys(), key=str):
        yield Difference(table, _shown(key, at), "is not in the universe")
    for at in sorted(expected.keys() & found.keys(), key=str):
        for column, value in found[at].items():
            if column not in own and not same(value, expected[at].get(column)):
                what = f"{column} is {value!r}, and {expected[at].get(column)!r} in the universe"
                yield Difference(table, _shown(key, at), what)


def _shown(key: tuple[str, ...], values: Key) -> str:
    return ", ".join(f"{name} {value}" for name, value in zip(key, values, strict=True)) or "row"


def same(one: Value, other: Value) -> bool:
    """Tell whether two values are the same, type included; 1 and 1.0 are one number."""
    if isinstance(one, str) or isinstance(other, str) or one is None or other is None:
        return one == other and type(one) is type(other)
    return float(one) == float(other) and int(one) == int(other)
