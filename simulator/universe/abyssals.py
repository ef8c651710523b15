"""Mutated items: what was rolled for each; ESI has forgotten some."""

from __future__ import annotations

from simulator.errors import not_found
from simulator.universe.assets import FIRST_ITEM, ITEMS_EACH, MUTATED, Assets
from simulator.universe.draw import Row, draw
from simulator.universe.people import (
    FIRST_CHARACTER,
    FIRST_CORPORATION,
    FIRST_STRANGER,
    STRANGERS,
    Population,
)

SOURCE = 440
MUTAPLASMID = 47737
# The least and the most of each attribute.
ATTRIBUTES = {6: (90.0, 210.0), 20: (480.0, 560.0), 30: (10.0, 22.0), 50: (30.0, 60.0)}


class Abyssals:
    """The mutated items of every character and corporation."""

    def __init__(self, people: Population, assets: Assets) -> None:
        self._people = people
        self._assets = assets

    def item(self, item_id: int) -> Row:
        """Return what a mutated item can do."""
        if not self._is_mutated(item_id) or self._is_forgotten(item_id):
            raise not_found("Dynamic item not found")
        luck = draw(self._people.seed, "abyssal", item_id)
        attributes: list[Row] = [
            {"attribute_id": attribute_id, "value": luck.uniform(least, most)}
            for attribute_id, (least, most) in ATTRIBUTES.items()
        ]
        return {
            "created_by": FIRST_STRANGER + luck.randrange(STRANGERS),
            "source_type_id": SOURCE,
            "mutator_type_id": MUTAPLASMID,
            "dogma_attributes": attributes,
            "dogma_effects": [
                {"effect_id": 13, "is_default": False},
                {"effect_id": 6730, "is_default": True},
            ],
        }

    def of_type(self, type_id: int, item_id: int) -> Row:
        """Return the same, to those who know its type."""
        if type_id != MUTATED.type_id:
            raise not_found("Dynamic item not found")
        return self.item(item_id)

    def _is_mutated(self, item_id: int) -> bool:
        index = (item_id - FIRST_ITEM) // ITEMS_EACH
        if not 0 <= index < self._people.count + self._people.corporation_count:
            return False
        character = index < self._people.count
        owner = (
            FIRST_CHARACTER + index if character else FIRST_CORPORATION + index - self._people.count
        )
        return any(
            row["item_id"] == item_id and row["type_id"] == MUTATED.type_id and row["is_singleton"]
            for row in self._assets.rows(owner, self._people.start_s)
        )

    @staticmethod
    def _is_forgotten(item_id: int) -> bool:
        return item_id % 5 == 0
