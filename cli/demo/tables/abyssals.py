"""Mutated items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from cli.demo.difference import Check, Difference, Key, Row, differences_of
from cli.demo.mirrored import Mirrored, Owners
from cli.demo.universe import NotThere, Universe

_MUTATED = 47740


def _expected(universe: Universe) -> Iterator[Row]:
    """Yield every unpacked mutated item that anybody owns and ESI knows."""
    for kind, owners in (
        ("character", universe.character_ids),
        ("corporation", universe.corporation_ids),
    ):
        for owner in owners:
            for one in universe.ask(f"{kind}.assets", owner):
                if one["type_id"] == _MUTATED and one["is_singleton"]:
                    try:
                        [told] = universe.ask("global.abyssal", one["item_id"])
                    except NotThere:
                        continue
                    names = ("type_id", "source_type_id", "mutator_type_id", "created_by")
                    yield {"item_id": one["item_id"], **{name: told[name] for name in names}}


def _items(found: list[Row], universe: Universe) -> Iterator[Difference]:
    """Each is there once, and nothing else is."""
    expected: dict[Key, Row] = {(row["item_id"],): row for row in _expected(universe)}
    by_key: dict[Key, Row] = {(row["item_id"],): row for row in found}
    yield from differences_of("abyssal_item", ("item_id",), expected, by_key, frozenset())


TABLES = (
    Mirrored(
        "abyssal_attribute",
        "global.abyssal",
        Owners.ROWS,
        ("item_id", "attribute_id"),
        documents=lambda answer: [one for item in answer for one in item["dogma_attributes"]],
    ),
    Mirrored(
        "abyssal_effect",
        "global.abyssal",
        Owners.ROWS,
        ("item_id", "effect_id"),
        documents=lambda answer: [one for item in answer for one in item["dogma_effects"]],
    ),
)

CHECKS: Mapping[str, Check] = {"abyssal_item": _items}
