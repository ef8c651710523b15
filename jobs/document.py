"""Writes the pages of docs/ that follow from declarations: `python -m jobs.document`."""

from __future__ import annotations

import sys
from collections.abc import Callable, Iterator, Sequence
from datetime import timedelta
from pathlib import Path

from sqlalchemy import MetaData

from jobs.catalog import Catalog, load
from jobs.described import WRITES, ColumnFacts, Relation, relations
from jobs.spec import Kind, Pages, Part, Route
from jobs.store.schema import metadata
from jobs.writes.document import writes_page

PACKAGES = ("jobs.kinds",)
_NOTE = "<!-- Written by `python -m jobs.document`; changes made here are lost. -->"


def kinds_page(catalog: Catalog) -> str:
    """Return docs/kinds.md."""
    lines = ["# Kinds", "", _NOTE, ""]
    lines += [
        "What is mirrored, one section a kind. An interval is the shortest time between two runs;",
        "a route is never asked before its cached answer ends. A part whose scope or role is not",
        "granted is left out, and the others run.",
    ]
    for kind in catalog.values():
        lines += ["", f"## {kind.name}", "", kind.summary, "", *_facts(kind), ""]
        lines += ["| part | route | scope | role | cached | rate group | pages |"]
        lines += ["|---|---|---|---|---|---|---|"]
        for part in kind.parts:
            lines += _part_lines(part)
        lines += ["", "| table | rows |", "|---|---|"]
        lines += dict.fromkeys(
            f"| `{target.table.name}` | {WRITES[target.write]} |"
            for part in kind.parts
            for target in part.targets
        )
    return "\n".join(lines) + "\n"


def schema_page(tables: MetaData) -> str:
    """Return docs/schema.md."""
    lines = ["# Schema", "", _NOTE, ""]
    lines += [
        "The same tables and views on SQLite and PostgreSQL. Times are UTC: fixed-width text that",
        "sorts on SQLite, `timestamptz` on PostgreSQL. Amounts of ISK are integers of 0.01 ISK in",
        "tables and ISK in views. Key columns are in bold. The mirror's tables come first, then",
        "the views for people, then the daemon's own tables. What stays as it is from version to",
        "version stands in [store.md](store.md#what-stays-as-it-is).",
    ]
    part = ""
    for relation in relations(tables, load(PACKAGES)):
        title = _part_of(relation)
        if title != part:
            part = title
            lines += ["", f"# {title}"]
        lines += ["", f"## {relation.name}", "", *_about(relation)]
        lines += ["| column | type | |", "|---|---|---|"]
        lines += [_column_line(column, relation) for column in relation.columns]
    return "\n".join(lines) + "\n"


def _part_of(relation: Relation) -> str:
    if relation.internal:
        return "The daemon's own tables"
    return "Views for people" if relation.type == "view" else "The mirror's tables"


def _about(relation: Relation) -> Iterator[str]:
    about = [relation.about]
    if relation.type == "table" and not relation.internal:
        about.append(f"Belongs to `{relation.owner}`." if relation.owner else "Shared by all.")
    text = " ".join(f"{each.rstrip('.')}." for each in about if each)
    if text:
        yield from (text, "")
    for source in relation.sources:
        cached = "" if source.cache_age_s is None else f", cached {source.cache_age_s} s by ESI"
        every = _words(timedelta(seconds=source.every_s))
        yield f"- By `{source.kind}` every {every}{cached}: {source.rows}."
    if relation.sources:
        yield ""


PAGES: dict[str, Callable[[], str]] = {
    "kinds.md": lambda: kinds_page(load(PACKAGES)),
    "schema.md": lambda: schema_page(metadata),
    "writes.md": lambda: writes_page(_NOTE),
}


def _facts(kind: Kind) -> Iterator[str]:
    features = " or ".join(f"`{feature}`" for feature in kind.features) or "always on"
    if kind.off_by_default:
        features += ", off unless switched on"
    yield f"- Feature: {features}"
    yield f"- Interval: {_words(kind.every)}" + (
        "; due at every start" if kind.due_at_launch else ""
    )
    if kind.triggers:
        yield f"- A success makes due: {', '.join(f'`{name}`' for name in kind.triggers)}"
    if kind.parent is not None:
        yield f"- Writes the parent row, in `{kind.parent.name}`; the other kinds wait for it"


def _part_lines(part: Part) -> Iterator[str]:
    name = part.name + (" (optional)" if part.optional else "")
    scopes = ", ".join(f"`{scope}`" for scope in sorted(part.scopes))
    roles = " or ".join(sorted(part.any_role))
    routes: tuple[Route | None, ...] = ((part.route,) if part.route else ()) + part.uses
    for route in routes or (None,):
        cells: Sequence[str] = (name, "none", scopes, roles, "", "", "")
        if route is not None:
            cached = "" if route.cache_age_s is None else f"{route.cache_age_s} s"
            pages = "" if route.pages is Pages.NONE else route.pages.value
            group = route.rate_group or "error limit"
            cells = (name, f"`{route.name}`", scopes, roles, cached, group, pages)
        yield "| " + " | ".join(cells) + " |"


def _column_line(column: ColumnFacts, relation: Relation) -> str:
    name = f"**{column.name}**" if column.key else column.name
    # Nearly every column of a view can be NULL.
    kind = (
        f"{column.type}, or NULL" if column.nullable and relation.type == "table" else column.type
    )
    return f"| {name} | {kind} | {column.about} |"


def _words(interval: timedelta) -> str:
    seconds = int(interval.total_seconds())
    for size, word in ((86_400, "day"), (3600, "hour"), (60, "minute"), (1, "second")):
        if seconds % size == 0:
            number = seconds // size
            return f"{number} {word}" + ("" if number == 1 else "s")
    raise ValueError(f"{interval} is no whole number of seconds")


def main(folder: Path) -> int:
    """Write every page that is not as it should be; return how many."""
    changed = 0
    for name, page in PAGES.items():
        path, text = folder / name, page()
        if not path.exists() or path.read_text(encoding="utf-8") != text:
            path.write_text(text, encoding="utf-8")
            changed += 1
    return changed


if __name__ == "__main__":
    main(Path(sys.argv[1]) if len(sys.argv) > 1 else Path("docs"))
