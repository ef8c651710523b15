"""`esisyncd kinds`: the catalogue as built."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

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
from cli.table import Cell, Column, render
from cli.words import duration

if TYPE_CHECKING:
    from jobs.spec import Kind, Part


@click.command(cls=Command, short_help="Show every kind of job there is.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document, with the parts.")
@pass_invocation
def command(invocation: Invocation, as_json: bool) -> None:
    """Show every kind of job: what it mirrors, how often, and what it needs."""
    from jobs.catalog import load
    from jobs.intervals import every_s

    settings = invocation.settings()
    kinds = list(load(settings.kind_packages).values())
    if as_json:
        documents = [kind_json(kind) for kind in kinds]
        say(json_text(kinds=documents))
        return
    columns = (
        Column("kind"),
        Column("every", right=True),
        Column("feature"),
        Column("mirrors", flexible=True),
    )
    rows = [
        [
            Cell(kind.name),
            Cell(duration(every_s(kind, settings))),
            Cell(", ".join(kind.features) or "always"),
            Cell(kind.summary),
        ]
        for kind in kinds
    ]
    for line in render(columns, rows, width=output_width(), paint=output_painter()):
        say(line)


def tables_of(kind: Kind) -> list[str]:
    """Return the tables that a kind writes, each once."""
    names = (target.table.name for part in kind.parts for target in part.targets)
    return list(dict.fromkeys(names))


def kind_json(kind: Kind) -> dict[str, Any]:
    """Return a kind as programs read it."""
    return {
        "kind": kind.name,
        "subject": str(kind.subject),
        "features": list(kind.features),
        "on_by_default": not kind.off_by_default,
        "every_s": int(kind.every.total_seconds()),
        "due_at_launch": kind.due_at_launch,
        "triggers": list(kind.triggers),
        "summary": kind.summary,
        "tables": tables_of(kind),
        "parts": [_part_json(part) for part in kind.parts],
    }


def _part_json(part: Part) -> dict[str, Any]:
    routes = [route for route in (part.route, *part.uses) if route is not None]
    return {
        "part": part.name,
        "routes": [
            {
                "route": route.name,
                "pages": str(route.pages),
                "cache_age_s": route.cache_age_s,
                "rate_group": route.rate_group,
            }
            for route in routes
        ],
        "scopes": sorted(part.scopes),
        "any_role": sorted(part.any_role),
        "optional": part.optional,
        "tables": [target.table.name for target in part.targets],
        "revision": part.revision,
    }
