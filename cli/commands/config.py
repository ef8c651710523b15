"""`esisyncd config`: check and show the configuration."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import click

from cli.context import (
    Command,
    Invocation,
    output_painter,
    output_width,
    pass_invocation,
    say,
    tell,
)
from cli.json_documents import json_text
from cli.settings_check import check_startable
from cli.table import Cell, Column, render

if TYPE_CHECKING:
    from ipc.config import Loaded
    from jobs.catalog import Catalog

Value = str | int | bool | tuple[int, ...] | tuple[tuple[int, int], ...]


@click.group(short_help="Check or show the configuration.")
def command() -> None:
    """Check or show the configuration."""


@command.command("check", cls=Command)
@pass_invocation
def check(invocation: Invocation) -> None:
    """Check the configuration as the daemon would, without starting it.

    The exit code is the daemon's: 78 if the configuration is bad, 77 if a folder may not be used.
    What is set and does nothing is told, and is no fault.
    """
    from jobs.catalog import load
    from jobs.configured import idle_settings

    loaded = invocation.loaded()
    check_startable(loaded)
    for line in idle_settings(loaded.settings, load(loaded.settings.kind_packages)):
        tell(line)
    say(f"{loaded.path or 'no file, defaults only'}: good")


@command.command("show", cls=Command, short_help="Show every setting and its source.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_invocation
def show(invocation: Invocation, as_json: bool) -> None:
    """Show every setting, its value and where it comes from; a password is not shown."""
    from jobs.catalog import load

    loaded = invocation.loaded()
    rows = setting_rows(loaded, load(loaded.settings.kind_packages))
    if as_json:
        documents = [{"key": key, "value": value, "from": source} for key, value, source in rows]
        say(json_text(settings=documents))
        return
    columns = (Column("key"), Column("value", flexible=True), Column("from", flexible=True))
    cells = [[Cell(key), Cell(_text(value)), Cell(source)] for key, value, source in rows]
    for line in render(columns, cells, width=output_width(), paint=output_painter()):
        say(line)


def setting_rows(loaded: Loaded, catalog: Catalog) -> list[tuple[str, Value, str]]:
    """Return key, value and source of every setting, each named thing included."""
    from ipc.config import KEYS
    from jobs.intervals import every_s

    settings = loaded.settings
    rows: list[tuple[str, Value, str]] = []
    for key in KEYS:
        table, _, name = key.rpartition(".")
        if key == "intervals.profile":
            table = ""
        holder = getattr(settings, table) if table else settings
        value: Value = getattr(holder, name)
        if key == "store.url":
            value = without_password(settings.database_url)
        elif key == "control.socket":
            value = str(settings.socket_path)
        rows.append((key, value, loaded.sources.get(key, "default")))
    features: dict[str, int | bool] = {**catalog.features(), **settings.features}
    intervals: dict[str, int | bool] = {
        name: int(every_s(kind, settings)) for name, kind in catalog.items()
    } | settings.intervals
    retention: dict[str, int | bool] = dict(settings.retention)
    tables = (("features", features), ("intervals", intervals), ("retention", retention))
    for table, entries in tables:
        for name, entry in sorted(entries.items()):
            key = f"{table}.{name}"
            rows.append((key, entry, loaded.sources.get(key, "default")))
    return rows


def without_password(url: str) -> str:
    """Return a database URL whose password is masked, wherever it stands."""
    from sqlalchemy.engine import make_url

    parsed = make_url(url)
    secret = dict.fromkeys((name for name in parsed.query if "password" in name), "***")
    return parsed.update_query_dict(secret).render_as_string(hide_password=True)


def _text(value: Value) -> str:
    if isinstance(value, tuple):
        # As it would be written in the file.
        return json.dumps(value)
    return str(value).lower() if isinstance(value, bool) else str(value)
