"""What can be taken out of the mirror by name: a table, a view, or all tables of a kind.

Values are exact and alike on both databases: ISK as decimals, times aware, truths as such.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from typing import Any

from sqlalchemy import Table

from jobs.catalog import Catalog
from jobs.described import shape_of
from jobs.store.guard import TOKEN_TABLE, TOKENS
from jobs.store.reader import Answer, Reader
from jobs.store.schema import metadata
from jobs.store.views.catalog import all_views
from jobs.store.views.view import Dialect, Field, Shape, View


@dataclass(frozen=True, slots=True)
class Section:
    """A table or view, with its columns."""

    name: str
    fields: tuple[Field, ...]
    _source: Table | View

    def ask(self, reader: Reader) -> Answer:
        """Return all rows, as they are stored."""
        dialect: Dialect = "sqlite" if reader.dialect == "sqlite" else "postgresql"
        if isinstance(self._source, View):
            # Not as the view itself has it: ISK would be a double on SQLite.
            query = self._source.select(dialect, exact=True)
        else:
            names = ", ".join(_quoted(field.name) for field in self.fields)
            key = ", ".join(_quoted(column.name) for column in self._source.primary_key.columns)
            query = f"SELECT {names} FROM {_quoted(self.name)} ORDER BY {key}"  # noqa: S608
        answer = reader.ask(query, ours=True)
        return Answer(answer.columns, _exact(self.fields, answer.batches))


def sections(name: str, catalog: Catalog) -> list[Section]:
    """Return the section of that name, or those of the kind; none: there is no such thing."""
    if name in metadata.tables:
        return [_of_table(metadata.tables[name])]
    if name in all_views():
        view = all_views()[name]
        return [Section(name, view.fields, view)]
    if name not in catalog:
        return []
    tables = (target.table for part in catalog[name].parts for target in part.targets)
    return [_of_table(table) for table in dict.fromkeys(tables)]


def known_names(catalog: Catalog) -> list[str]:
    """Return every name of which there are sections."""
    kinds = (name for name, kind in catalog.items() if any(part.targets for part in kind.parts))
    return [*kinds, *metadata.tables, *all_views()]


def _of_table(table: Table) -> Section:
    fields = tuple(
        Field(str(column.name), shape_of(column), column.comment or "")
        for column in table.columns
        if not (table.name == TOKEN_TABLE and column.name in TOKENS)
    )
    return Section(str(table.name), fields, table)


def _quoted(name: str) -> str:
    return f'"{name}"'


def _exact(
    fields: Sequence[Field], batches: Iterator[Sequence[tuple[Any, ...]]]
) -> Iterator[Sequence[tuple[Any, ...]]]:
    changes = [(at, _CHANGES[f.shape]) for at, f in enumerate(fields) if f.shape in _CHANGES]
    for rows in batches:
        changed = [list(row) for row in rows]
        for at, change in changes:
            for row in changed:
                if row[at] is not None:
                    row[at] = change(row[at])
        yield [tuple(row) for row in changed]


def _time(value: Any) -> datetime:
    return datetime.fromisoformat(value) if isinstance(value, str) else value


def _day(value: Any) -> date:
    return date.fromisoformat(value) if isinstance(value, str) else value


_CHANGES: dict[Shape, Callable[[Any], Any]] = {
    # Decimal of a product on PostgreSQL, a double of one beyond 64 bits on SQLite.
    Shape.ISK: lambda value: Decimal(int(value)).scaleb(-2),
    Shape.BOOLEAN: bool,
    Shape.TIME: _time,
    Shape.DAY: _day,
}
