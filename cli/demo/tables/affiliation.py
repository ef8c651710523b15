"""Who belongs to which corporation."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cli.demo.difference import Check, Difference, Row
from cli.demo.universe import NotThere, Universe


def _affiliations(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Every character in the mirror is where the universe has it, strangers included."""
    for missing in set(universe.character_ids) - {row["character_id"] for row in found}:
        yield Difference("affiliation", f"character_id {missing}", "is not in the database")
    for row in found:
        name = f"character_id {row['character_id']}"
        try:
            profile = universe.ask("character.profile", int(row["character_id"] or 0))
        except NotThere:
            yield Difference("affiliation", name, "is not in the universe")
            continue
        for column in ("corporation_id", "alliance_id", "faction_id"):
            if row[column] != profile.get(column):
                what = f"{column} is {row[column]}, and {profile.get(column)} in the universe"
                yield Difference("affiliation", name, what)


CHECKS: Mapping[str, Check] = {"affiliation": _affiliations}
