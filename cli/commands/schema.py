"""`esisyncd schema`: the tables and views there are."""

from __future__ import annotations

import difflib
from typing import TYPE_CHECKING

import click

from cli.context import (
    Command,
    Invocation,
    output_painter,
    output_width,
    pass_invocation,
    say,
)
from cli.errors import BadInput
from cli.json_documents import json_document
from cli.table import Cell, Column, render
from cli.words import duration

if TYPE_CHECKING:
    from jobs.described import Relation


@click.command(cls=Command, short_help="Show tables, views and their columns.")
@click.argument("table", required=False)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, with the columns.")
@pass_invocation
def command(invocation: Invocation, table: str | None, as_json: bool) -> None:
    """Show the tables and views of this version, or the columns of one.

    No database is needed. What stays as it is from version to version stands in docs/store.md.
    """
    from jobs.catalog import load
    from jobs.described import relations
    from jobs.store.schema import metadata

    found = relations(metadata, load(invocation.settings().kind_packages))
    if table is not None:
        found = [_chosen(found, table)]
    if as_json:
        import msgspec

        document = msgspec.json.encode(json_document(relations=found))
        say(msgspec.json.format(document).decode())
    elif table is None:
        _list(found)
    else:
        _show(found[0])


def _chosen(found: list[Relation], name: str) -> Relation:
    for relation in found:
        if relation.name == name:
            return relation
    near = difflib.get_close_matches(name, [relation.name for relation in found], 1, 0.6)
    hint = f"Did you mean {near[0]}?" if near else "`esisyncd schema` lists them."
    raise BadInput(f"there is no table or view {name}", hint)


def _list(found: list[Relation]) -> None:
    columns = (Column("name"), Column("type"), Column("of"), Column("what", flexible=True))
    rows = [
        [
            Cell(relation.name),
            Cell("internal" if relation.internal else relation.type),
            Cell((relation.owner or "").removesuffix("_id")),
            Cell(relation.about),
        ]
        for relation in found
    ]
    for line in render(columns, rows, width=output_width(), paint=output_painter()):
        say(line)


def _show(relation: Relation) -> None:
    say(f"{relation.name}: {relation.about}")
    for source in relation.sources:
        cached = (
            "" if source.cache_age_s is None else f", cached by ESI {duration(source.cache_age_s)}"
        )
        say(f"by {source.kind}, every {duration(source.every_s)}{cached}: {source.rows}")
    say()
    columns = (Column("column"), Column("type"), Column("", flexible=True))
    rows = []
    for column in relation.columns:
        empty = ", or NULL" if column.nullable and relation.type == "table" else ""
        key = "key; " if column.key and column.about else "key" if column.key else ""
        rows.append([Cell(column.name), Cell(column.type + empty), Cell(key + column.about)])
    for line in render(columns, rows, width=output_width(), paint=output_painter()):
        say(line)
