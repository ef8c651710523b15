"""Fittings that characters have saved, and what clients save and delete."""

from __future__ import annotations

from simulator.errors import not_found
from simulator.universe.draw import Row, draw
from simulator.universe.people import Population
from simulator.universe.static import SHIPS, STACKS

SLOTS = ("HiSlot0", "MedSlot0", "LoSlot0", "Cargo", "Cargo")


class Fittings:
    """The fittings of every character."""

    def __init__(self, people: Population) -> None:
        self._seed = people.seed
        self._changed: dict[int, list[Row]] = {}
        self._saved = 0

    def of(self, character_id: int) -> list[Row]:
        """Return the saved fittings."""
        changed = self._changed.get(character_id)
        return self._made(character_id) if changed is None else list(changed)

    def save(self, character_id: int, fitting: Row) -> int:
        """Save a fitting and return its number."""
        self._saved += 1
        fitting_id = 1_000_000_000 + self._saved
        self._box(character_id).append({"fitting_id": fitting_id, **fitting})
        return fitting_id

    def delete(self, character_id: int, fitting_id: int) -> None:
        """Delete a fitting."""
        box = self._box(character_id)
        left = [one for one in box if one["fitting_id"] != fitting_id]
        if len(left) == len(box):
            raise not_found("fitting not found")
        self._changed[character_id] = left

    def _box(self, character_id: int) -> list[Row]:
        return self._changed.setdefault(character_id, self._made(character_id))

    def _made(self, character_id: int) -> list[Row]:
        """Return the fittings that were there; one type can lie in the cargo hold twice."""
        luck = draw(self._seed, "fittings", character_id)
        return [
            {
                "fitting_id": character_id % 1_000_000 * 100 + number,
                "name": luck.choice(("Rifter <b>1</b>", "Фит", "travel")),
                "description": "",
                "ship_type_id": luck.choice(SHIPS).type_id,
                "items": [
                    {
                        "type_id": luck.choice(STACKS[:2]).type_id,
                        "flag": slot,
                        "quantity": luck.randrange(1, 200),
                    }
                    for slot in SLOTS
                ],
            }
            for number in range(1, 4)
        ]
