"""The schema as data: tables and views, columns with types and units, where rows come from.

docs/schema.md and `esisyncd schema` are written from this.
"""

from __future__ import annotations

from collections.abc import Iterator

import msgspec
from sqlalchemy import Column, MetaData, Table

from jobs.catalog import Catalog
from jobs.spec import Write
from jobs.store.schema import core
from jobs.store.schema.marks import Names, NamesBy, owner_column
from jobs.store.schema.types import Isk, UtcTime
from jobs.store.views.catalog import all_views
from jobs.store.views.view import Shape, View

WRITES = {
    Write.REPLACE: "becomes the answer",
    Write.UPSERT: "added and updated",
    Write.APPEND: "added, never changed",
    Write.CLOSE: "added and updated; what is gone is closed",
}

# Tables beside those of the mirror in which kinds keep what they need to go on.
BOOKKEEPING = frozenset(
    {
        "contact_list",
        "contact_list_character",
        "contact_list_entry",
        "mail_walk",
        "name_search",
        "pruning",
        "unknown_id",
        "wanted_id",
    }
)


class ColumnFacts(msgspec.Struct, frozen=True):
    """One column."""

    name: str
    type: str
    # Part of the primary key.
    key: bool
    nullable: bool
    # Units, meaning, what NULL says.
    about: str


class Source(msgspec.Struct, frozen=True):
    """A kind of job that writes a table, and how fresh that keeps it."""

    kind: str
    part: str
    routes: list[str]
    rows: str
    # The shortest time between two runs, and how long ESI caches the answer.
    every_s: int
    cache_age_s: int | None


class Relation(msgspec.Struct, frozen=True):
    """A table or a view."""

    name: str
    type: str
    about: str
    # Column that tells whose a row is; None: shared by all, or the daemon's own.
    owner: str | None
    # Kept for the daemon itself: its form may change with any version.
    internal: bool
    columns: list[ColumnFacts]
    sources: list[Source]


def relations(tables: MetaData, catalog: Catalog) -> list[Relation]:
    """Return the mirror's tables, the views, and the daemon's own tables, each by name."""
    own = {item.name for item in vars(core).values() if isinstance(item, Table)}
    own |= BOOKKEEPING
    found = [_of_table(table, catalog, table.name in own) for table in tables.tables.values()]
    found += [_of_view(view) for view in all_views().values()]
    return sorted(found, key=lambda one: (one.internal, one.type, one.name))


def _of_table(table: Table, catalog: Catalog, internal: bool) -> Relation:
    return Relation(
        name=str(table.name),
        type="table",
        about=table.comment or "",
        owner=owner_column(table),
        internal=internal,
        columns=[_of_column(column) for column in table.columns],
        sources=list(_sources(table, catalog)),
    )


def _of_view(view: View) -> Relation:
    columns = [
        ColumnFacts(each.name, each.shape.value, key=False, nullable=True, about=each.about)
        for each in view.fields
    ]
    return Relation(
        view.name, "view", view.about, None, internal=False, columns=columns, sources=[]
    )


def _sources(table: Table, catalog: Catalog) -> Iterator[Source]:
    for kind in catalog.values():
        for part in kind.parts:
            for target in part.targets:
                if target.table is not table:
                    continue
                routes = ([part.route] if part.route else []) + list(part.uses)
                yield Source(
                    kind=kind.name,
                    part=part.name,
                    routes=[route.name for route in routes],
                    rows=WRITES[target.write],
                    every_s=int(kind.every.total_seconds()),
                    cache_age_s=part.route.cache_age_s if part.route else None,
                )


def _of_column(column: Column[object]) -> ColumnFacts:
    words = [column.comment] if column.comment else []
    mark = column.info.get("name_of")
    if isinstance(mark, Names):
        words.append(f"id of {'an' if mark.value[0] in 'aeiou' else 'a'} {mark.value}")
    elif isinstance(mark, NamesBy):
        words.append(f"id of what `{mark.column}` says")
    return ColumnFacts(
        name=str(column.name),
        type=shape_of(column).value,
        key=column.primary_key,
        nullable=bool(column.nullable),
        about="; ".join(words),
    )


def shape_of(column: Column[object]) -> Shape:
    """Return what the values of a column are."""
    if isinstance(column.type, UtcTime):
        return Shape.TIME
    if isinstance(column.type, Isk):
        return Shape.ISK
    word = type(column.type).__name__.lower().removeprefix("big")
    return Shape({"string": "text"}.get(word, word))
