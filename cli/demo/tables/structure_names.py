"""Structures that rows name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import Any

from cli.demo.difference import Check, Difference, Row, same
from cli.demo.universe import NotThere, Universe

# Who may not see which structure, and when it asks again.
OWN = ("character_structure_refusal",)
_COLUMNS = {
    "name": "name",
    "owner_id": "owner_id",
    "system_id": "solar_system_id",
    "type_id": "type_id",
}


def _structures(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """What somebody may see is there, as it is; what is not there any more is marked."""
    known = {row["structure_id"]: row for row in found}
    for character_id in universe.character_ids:
        for one in universe.ask("character.structures", character_id):
            if one["structure_id"] not in known:
                name = f"structure_id {one['structure_id']}"
                yield Difference("structure", name, "is not in the database")
    for structure_id, row in known.items():
        try:
            told = universe.ask("global.structure", int(structure_id or 0))
        except NotThere:
            if row["gone_at"] is None:
                yield Difference("structure", f"structure_id {structure_id}", "is gone")
            continue
        yield from _compared(row, told)


def _compared(row: Row, told: Mapping[str, Any]) -> Iterator[Difference]:
    expected = {column: told.get(word) for column, word in _COLUMNS.items()}
    if row["x"] is not None:
        # A corporation's own list tells no position.
        expected |= told["position"]
    if row["type_id"] is not None:
        # ... but a type, which those who dock are not always told.
        expected["type_id"] = expected["type_id"] or row["type_id"]
    for column, value in expected.items():
        if not same(row[column], value):
            what = f"{column} is {row[column]!r}, and {value!r} in the universe"
            yield Difference("structure", f"structure_id {row['structure_id']}", what)


CHECKS: Mapping[str, Check] = {"structure": _structures}
