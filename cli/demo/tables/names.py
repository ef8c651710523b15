"""Names of ids."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cli.demo.difference import Check, Difference, Row
from cli.demo.universe import Universe

# Ids without a name, and when they are asked about again.
OWN = ("name_search", "pruning", "unknown_id", "wanted_id")


def _names(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Every id with a name has it from the universe."""
    for row in found:
        answer = universe.ask("global.names", int(row["id"] or 0))
        known = answer[0]["name"] if answer else None
        if row["name"] != known:
            what = f"name is {row['name']!r}, and {known!r} in the universe"
            yield Difference("name", f"id {row['id']}", what)


CHECKS: Mapping[str, Check] = {"name": _names}
