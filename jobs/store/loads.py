"""Rows of a section made ready: columns found, values converted, one row a key, keys sorted."""

from __future__ import annotations

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import repeat
from operator import attrgetter, itemgetter
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Column, Table

from ipc.subject import Subject, SubjectType
from jobs.store.conversion import convert, unfit
from jobs.store.errors import BadRow, UnfitValue
from jobs.store.wanted import Wanted

if TYPE_CHECKING:
    from jobs.spec import Params, Row, Target

Tuple = tuple[Any, ...]

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Load:
    """Rows with the same columns, by key; the tuples are in the order of the columns."""

    columns: tuple[str, ...]
    rows: dict[Tuple, Tuple]


@dataclass(frozen=True, slots=True)
class Loads:
    """All rows of a set, by the columns that they have, and how many rows were left out."""

    loads: list[Load]
    skipped: int = 0
    # What the last one of those lacked.
    why: UnfitValue | None = None
    # The keys of those, as they came.
    left_out: tuple[Mapping[str, Any], ...] = ()
    # Ids in the rows of which nothing is known yet; None: not looked for.
    wanted: Wanted | None = None


def fixed_columns(table: Table, subject: Subject, params: Params) -> dict[str, int | str]:
    """Return the columns whose value is the same for every row of a load."""
    fixed: dict[str, int | str] = {}
    if subject.type is not SubjectType.GLOBAL:
        fixed[f"{subject.type}_id"] = subject.id
    known = _columns(table)
    return {name: value for name, value in (fixed | dict(params)).items() if name in known}


def prepare(
    target: Target, rows: Iterable[Row | msgspec.Struct], fixed: Mapping[str, Any], dialect: str
) -> Loads:
    """Return rows ready for the driver; several loads if not all rows have the same columns.

    Of rows with the same key the last one wins. A value of the row goes before a fixed one. A row
    with a value that cannot be stored is left out.
    """
    items = list(rows)
    loads: list[Load] = []
    left_out: list[Mapping[str, Any]] = []
    why: UnfitValue | None = None
    for names, group in _groups(target, items, fixed).items():
        load, bad, error = _load(target, names, group, fixed, dialect)
        left_out += bad
        why = error or why
        if load is not None:
            loads.append(load)
    if why is not None:
        _log.warning("%d of %d rows cannot be stored, the last: %s", len(left_out), len(items), why)
    return Loads(loads, len(left_out), why, tuple(left_out))


def _groups(
    target: Target, items: list[Any], fixed: Mapping[str, Any]
) -> dict[tuple[str, ...], list[Any]]:
    if not items:
        return {}
    first = items[0]
    if isinstance(first, msgspec.Struct):
        if all(type(item) is type(first) for item in items):
            return {first.__struct_fields__: items}
        items = [msgspec.structs.asdict(item) for item in items]
    elif all(item.keys() == first.keys() for item in items):
        return {tuple(first): items}
    # Rare: the last row of a key must win over one with other columns, too.
    latest: dict[Tuple, Any] = {}
    for item in items:
        key = tuple(_key_value(target, name, item, fixed) for name in target.key)
        latest.pop(key, None)
        latest[key] = item
    groups: dict[tuple[str, ...], list[Any]] = {}
    for item in latest.values():
        groups.setdefault(tuple(sorted(item)), []).append(item)
    return groups


def _key_value(target: Target, name: str, item: Mapping[str, Any], fixed: Mapping[str, Any]) -> Any:
    if name in item:
        return item[name]
    if name in fixed:
        return fixed[name]
    raise BadRow(target.table.name, name, "is part of the key and missing")


def _load(
    target: Target,
    names: tuple[str, ...],
    items: Sequence[Any],
    fixed: Mapping[str, Any],
    dialect: str,
) -> tuple[Load | None, list[Mapping[str, Any]], UnfitValue | None]:
    """Return the rows of a group, the keys of those left out, and why; None when none is left."""
    table = target.table
    columns_of = _columns(table)
    getter = attrgetter if isinstance(items[0], msgspec.Struct) else itemgetter
    values: dict[str, Iterable[Any]] = {}
    bad: set[int] = set()
    why: UnfitValue | None = None
    for name in names:
        column = columns_of.get(name)
        if column is None:
            raise BadRow(table.name, name, "there is no such column")
        given = list(map(getter(name), items))
        try:
            values[name] = convert(column, dialect, given)
        except UnfitValue as error:
            why = error
            bad |= unfit(column, dialect, given)
    if why is not None:
        good = [item for place, item in enumerate(items) if place not in bad]
        own = [(name, getter(name)) for name in target.key if name in names]
        left_out: list[Mapping[str, Any]] = [
            {name: get(items[place]) for name, get in own} for place in sorted(bad)
        ]
        if not good:
            return None, left_out, why
        load, _, _ = _load(target, names, good, fixed, dialect)
        return load, left_out, why
    for name, value in fixed.items():
        if name not in values:
            values[name] = repeat(convert(columns_of[name], dialect, [value])[0], len(items))
    _require_columns(target, values)
    columns = tuple(values)
    tuples = list(zip(*values.values(), strict=True))
    key_of = itemgetter(*(columns.index(name) for name in target.key))
    if len(target.key) == 1:
        by_key = {(key_of(row),): row for row in tuples}
    else:
        by_key = {key_of(row): row for row in tuples}
    # Writers that lock rows in one order cannot deadlock; and SQLite likes it better.
    return Load(columns, {key: by_key[key] for key in sorted(by_key)}), [], None


def _require_columns(target: Target, values: Mapping[str, Any]) -> None:
    for name in target.key:
        if name not in values:
            raise BadRow(target.table.name, name, "is part of the key and missing")
    for name in _required(target.table):
        if name not in values:
            raise BadRow(target.table.name, name, "is missing")


@lru_cache(maxsize=1024)
def _columns(table: Table) -> dict[str, Column[Any]]:
    """Return a table's columns; looking one up in the table itself costs ten times as much."""
    return {column.name: column for column in table.columns}


@lru_cache(maxsize=1024)
def _required(table: Table) -> tuple[str, ...]:
    return tuple(
        column.name
        for column in table.columns
        if not column.nullable
        and column.server_default is None
        and column is not table.autoincrement_column
    )
