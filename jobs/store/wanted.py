"""Ids that want a name or details: put down in the transaction that writes the rows they are in.

Who resolves names then need not search tables of millions of rows. Columns say what their ids
name, so a new table joins in by itself.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from operator import itemgetter
from typing import Any

from sqlalchemy import Connection, Table

from jobs.store import statements
from jobs.store.schema import metadata
from jobs.store.schema.marks import Names, NamesBy

# What POST /universe/names resolves; the other categories are the words of Names.
BY_NAME = "name"
# Above this are structures and items, which that route does not take.
MAX_NAMED_ID = 2**31 - 1
# 0 and 1 stand for nobody and for the game itself.
MIN_NAMED_ID = 2
# What has a route, and a table universe_<word>, of its own.
DETAILED = (
    Names.PLANET,
    Names.MOON,
    Names.STATION,
    Names.SYSTEM,
    Names.CONSTELLATION,
    Names.REGION,
    Names.TYPE,
    Names.GROUP,
    Names.CATEGORY,
)
# Only their own routes tell these names, and groups and categories have no ids of their own.
NOT_BY_NAME = frozenset({Names.PLANET, Names.MOON, Names.GROUP, Names.CATEGORY, Names.STRUCTURE})
# A location's number tells what it is; beyond these it is a structure or an item.
_LOCATIONS = {
    Names.SYSTEM: (30_000_000, 39_999_999),
    Names.STATION: (60_000_000, 69_999_999),
}
_ANY_ID = (1, 2**63 - 1)

# Category -> ids.
Wanted = dict[str, set[int]]
# Key in Connection.info: what the transaction has come upon so far.
_FOUND = "wanted"


@dataclass(frozen=True, slots=True)
class _Look:
    """Where one category of ids is found in a row."""

    category: str
    at: int
    low: int
    high: int
    # Another place of the row must hold one of these words.
    word_at: int | None = None
    words: frozenset[str] = frozenset()


def ids_in(table: Table, columns: tuple[str, ...], rows: Collection[tuple[Any, ...]]) -> Wanted:
    """Return the ids in rows that have names or details, be these known or not."""
    found: Wanted = {}
    for look in _looks(table, columns):
        if look.word_at is None:
            ids = set(map(itemgetter(look.at), rows))
        else:
            word_at, words, at = look.word_at, look.words, look.at
            ids = {row[at] for row in rows if row[word_at] in words}
        ids.discard(None)
        ids = {one for one in ids if look.low <= one <= look.high}
        if ids:
            found.setdefault(look.category, set()).update(ids)
    return found


def unknown(connection: Connection, wanted: Wanted) -> Wanted:
    """Return those ids of which nothing is known yet: for a look before the turn to write."""
    found: Wanted = {}
    for category, ids in wanted.items():
        sql = _select_unknown(category, sqlite=connection.dialect.name == "sqlite")
        rows = statements.rows(connection, sql, (_list_of(connection, ids), category))
        if rows:
            found[category] = {one for (one,) in rows}
    return found


def begin(connection: Connection) -> None:
    """Forget what an earlier transaction came upon."""
    connection.info.pop(_FOUND, None)


def note(connection: Connection, wanted: Wanted) -> None:
    """Remember ids of rows that this transaction wrote, for put_down()."""
    found: Wanted = connection.info.setdefault(_FOUND, {})
    for category, ids in wanted.items():
        found.setdefault(category, set()).update(ids)


def put_down(connection: Connection) -> None:
    """Write down the ids noted since begin() of which nothing is known yet.

    Last in its transaction, and in one order: so no two of them can wait for each other.
    """
    found: Wanted = connection.info.pop(_FOUND, {})
    for category in sorted(found):
        store(connection, category, found[category])


def store(connection: Connection, category: str, ids: Collection[int]) -> int:
    """Write down ids of which nothing is known yet; return how many were new."""
    if not ids:
        return 0
    sql = _insert(category, sqlite=connection.dialect.name == "sqlite")
    return statements.run_one(connection, sql, (category, _list_of(connection, ids)))


def _list_of(connection: Connection, ids: Collection[int]) -> str | list[int]:
    """Return ids as one parameter, whatever their number, so that there is one statement."""
    return statements.listed(connection.dialect, sorted(ids))


@lru_cache(maxsize=64)
def _insert(category: str, *, sqlite: bool) -> str:
    ids = "SELECT ?, value AS id FROM json_each(?)" if sqlite else ""
    ids = ids or "SELECT %s, unnest(%s::bigint[]) AS id"
    return (
        "INSERT INTO wanted_id (category, id) SELECT * FROM"  # noqa: S608 - our own names
        f" ({ids}) AS asked WHERE {_is_unnamed(category)} ON CONFLICT DO NOTHING"
    )


@lru_cache(maxsize=64)
def _select_unknown(category: str, *, sqlite: bool) -> str:
    ids = "SELECT value AS id FROM json_each(?)" if sqlite else "SELECT unnest(%s::bigint[]) AS id"
    mark = "?" if sqlite else "%s"
    return (
        f"SELECT id FROM ({ids}) AS asked WHERE {_is_unnamed(category)}"  # noqa: S608
        f" AND NOT EXISTS (SELECT 1 FROM wanted_id WHERE category = {mark} AND id = asked.id)"
    )


def _is_unnamed(category: str) -> str:
    table, key = ("name", "id")
    if category != BY_NAME:
        table, key = f"universe_{category}", f"{category}_id"
    return f"NOT EXISTS (SELECT 1 FROM {table} WHERE {table}.{key} = asked.id)"  # noqa: S608


@lru_cache(maxsize=1024)
def _looks(table: Table, columns: tuple[str, ...]) -> tuple[_Look, ...]:
    found: list[_Look] = []
    for at, name in enumerate(columns):
        mark = table.c[name].info.get("name_of")
        if isinstance(mark, Names):
            found += [_Look(category, at, *span) for category, span in _categories(mark)]
        elif isinstance(mark, NamesBy) and mark.column in columns:
            word_at = columns.index(mark.column)
            found += [
                _Look(category, at, *span, word_at, words)
                for category, span, words in _by_word(mark)
            ]
    return tuple(found)


def marked(table: Table) -> tuple[str, ...]:
    """Return the columns whose ids have names, with those that say what the ids are."""
    names: dict[str, None] = {}
    for column in table.columns:
        mark = column.info.get("name_of")
        if mark is not None:
            names[column.name] = None
            if isinstance(mark, NamesBy):
                names[mark.column] = None
    return tuple(names)


def searched() -> Iterator[Table]:
    """Yield each table that has such columns."""
    return (table for table in metadata.sorted_tables if marked(table))


def marks_of(table: Table) -> str:
    """Return in a text what is looked for in a table: another text, another search."""
    columns = marked(table)
    return " ".join(
        f"{columns[look.at]}:{look.category}:{look.low}:{look.high}:{','.join(sorted(look.words))}"
        for look in _looks(table, columns)
    )


def _by_word(mark: NamesBy) -> Iterator[tuple[str, tuple[int, int], frozenset[str]]]:
    words: dict[tuple[str, tuple[int, int]], set[str]] = {}
    for word, names in mark.meanings:
        for category, span in _categories(names):
            words.setdefault((category, span), set()).add(word)
    return ((category, span, frozenset(those)) for (category, span), those in words.items())


def _categories(names: Names) -> Iterator[tuple[str, tuple[int, int]]]:
    """Yield what is asked about an id, and within which numbers."""
    if names is Names.LOCATION:
        for place, span in _LOCATIONS.items():
            yield BY_NAME, span
            yield place.value, span
        return
    if names not in NOT_BY_NAME:
        yield BY_NAME, (MIN_NAMED_ID, MAX_NAMED_ID)
    if names in DETAILED:
        yield names.value, _ANY_ID
