"""`esisyncd features`: what is switched on."""

from __future__ import annotations

import click

from cli.context import (
    Command,
    Invocation,
    output_painter,
    output_width,
    pass_invocation,
    say,
)
from cli.json_documents import json_text
from cli.paint import Style
from cli.table import Cell, Column, render


@click.command(cls=Command, short_help="Show which features are on.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_invocation
def command(invocation: Invocation, as_json: bool) -> None:
    """Show which features are on, and the kinds that each switches.

    A feature is a part of EVE that is mirrored or not, as wallet or mail: the word for its kinds of
    job in [features], `login --features` and `sync --kind`. They are set in the
    configuration; `esisyncd reload` takes a change over.
    """
    from jobs.catalog import load

    settings = invocation.settings()
    catalog = load(settings.kind_packages)
    kinds_of: dict[str, list[str]] = {}
    for kind in catalog.values():
        for feature in kind.features:
            kinds_of.setdefault(feature, []).append(kind.name)
    rows = []
    for feature, default in catalog.features().items():
        on = settings.features.get(feature, default)
        rows.append((feature, on, feature in settings.features, kinds_of[feature]))
    if as_json:
        documents = [
            {"feature": name, "on": on, "set": is_set, "kinds": kinds}
            for name, on, is_set, kinds in rows
        ]
        say(json_text(features=documents))
        return
    cells = [
        [
            Cell(name),
            Cell("on", Style.GOOD) if on else Cell("off", Style.DIM),
            Cell("configuration" if is_set else "default"),
            Cell(", ".join(kinds)),
        ]
        for name, on, is_set, kinds in rows
    ]
    columns = (Column("feature"), Column("state"), Column("from"), Column("kinds", flexible=True))
    for line in render(columns, cells, width=output_width(), paint=output_painter()):
        say(line)
