"""`esisyncd db`: the database's schema, and what takes room in it."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from cli.client import daemon_answers
from cli.context import (
    Command,
    Invocation,
    output_painter,
    output_width,
    pass_invocation,
    say,
)
from cli.errors import HeldElsewhere
from cli.json_documents import json_document
from cli.table import Cell, Column, render
from cli.words import room

if TYPE_CHECKING:
    from jobs.store.size import Sizes


@click.group(short_help="Upgrade the database, or see what takes room.")
def command() -> None:
    """Look after the database."""


@command.command("upgrade", cls=Command, short_help="Bring the schema up to date.")
@pass_invocation
def upgrade(invocation: Invocation) -> None:
    """Bring the database to this version's schema; SQLite is backed up beside itself first.

    A PostgreSQL database is not backed up: do that yourself before.
    """
    from cli.store import make_data_dir
    from jobs.store.upgrade import upgrade_now

    settings = invocation.settings()
    if daemon_answers(settings.socket_path):
        raise HeldElsewhere("a daemon works on this database", "Run `esisyncd stop` first.")
    make_data_dir(settings)
    upgrade_now(settings.database_url, say)


@command.command("size", cls=Command, short_help="Show what takes room.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_invocation
def size(invocation: Invocation, as_json: bool) -> None:
    """Show what takes room: tables by size with their rows, and what grows.

    Of tables that keep a history, the rows of the last 30 days are shown, and what they take.
    [retention] in the configuration has old ones removed.
    """
    from cli.store import open_database
    from ipc.clock import SystemClock
    from jobs.store.reader import open_reader
    from jobs.store.size import sizes

    settings = invocation.settings()
    with open_database(settings):
        # Its schema is ours.
        pass
    with open_reader(settings.database_url) as reader:
        found = sizes(reader, SystemClock().now())
    if as_json:
        say(json.dumps(_size_json(found), indent=2))
        return
    for line in _size_lines(found):
        say(line)


def _size_json(found: Sizes) -> dict[str, object]:
    return json_document(
        total_bytes=found.total_bytes,
        free_bytes=found.free_bytes,
        tables=[
            {
                "table": one.name,
                "rows": one.rows,
                "bytes": one.size_bytes,
                "rows_of_30_days": one.recent_rows,
                "bytes_of_30_days": one.recent_bytes,
            }
            for one in found.tables
        ],
    )


def _size_lines(found: Sizes) -> list[str]:
    columns = (
        Column("table"),
        Column("rows", right=True),
        Column("size", right=True),
        Column("rows of 30 days", right=True),
        Column("their size", right=True),
    )
    rows = [
        [
            Cell(one.name),
            Cell(f"{one.rows:,}"),
            Cell(room(one.size_bytes)),
            Cell("" if one.recent_rows is None else f"{one.recent_rows:,}"),
            Cell("" if one.recent_rows is None else room(one.recent_bytes)),
        ]
        for one in found.tables
        if one.rows
    ]
    lines = render(columns, rows, width=output_width(), paint=output_painter()) if rows else []
    empty = len(found.tables) - len(rows)
    free = "" if found.free_bytes is None else f", {room(found.free_bytes)} of it free for new rows"
    return [*lines, f"{room(found.total_bytes)} in all{free}; {empty} tables are empty"]
