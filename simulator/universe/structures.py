"""Structures as those see them who may dock there."""

from __future__ import annotations

from simulator.errors import not_found
from simulator.universe.company import BUILT, EACH, STRUCTURE_IDS, Company
from simulator.universe.draw import Row, draw
from simulator.universe.people import FIRST_CORPORATION, Population
from simulator.universe.static import atlas

FOREIGN_IDS = 1_036_000_000_000
FOREIGN = 10
FOREIGN_OWNER = 1000035
STRUCTURE_TYPE = 35832
# A corporation's own that is no longer there.
DESTROYED = 900
# Of the foreign ones: open to all, to some, to none.
OPEN, CHOOSY, SHUT = 2, 3, 7


def docks_of(people: Population, character_id: int) -> list[int]:
    """Return the structures in which a character keeps things."""
    company = STRUCTURE_IDS + people.owner_index(people.pilot(character_id).corporation_id) * EACH
    own = [company, company + 1, company + DESTROYED]
    return [*own, *(FOREIGN_IDS + number for number in (OPEN, CHOOSY, SHUT))]


class Structures:
    """Every structure, whoever owns it."""

    def __init__(self, people: Population, company: Company) -> None:
        self._people = people
        self._company = company

    def structure(self, structure_id: int) -> Row:
        """Return name, owner and place of a structure."""
        owner_id, number = self._owner(structure_id)
        luck = draw(self._people.seed, "place", structure_id)
        row: Row = {
            "owner_id": owner_id,
            "position": {axis: round(luck.uniform(-1e12, 1e12), 1) for axis in "xyz"},
        }
        if owner_id == FOREIGN_OWNER:
            system_id = luck.choice(tuple(atlas().systems))
        else:
            system_id = self._company.system_of(owner_id, number)
        name = f"{atlas().systems[system_id].name} - Крепость {number}"
        row |= {"name": name, "solar_system_id": system_id}
        if number:
            row["type_id"] = STRUCTURE_TYPE
        return row

    def may_dock(self, character_id: int, structure_id: int) -> bool:
        """Tell whether a character may see a structure; none is told of those that are not."""
        first = structure_id - FOREIGN_IDS
        if not 0 <= first < FOREIGN:
            return True
        if first == CHOOSY:
            return character_id % 2 == 1
        return first % 2 == 0

    def seen_by(self, character_id: int) -> list[Row]:
        """Return the structures that a character keeps things in and may see."""
        return [
            {"structure_id": structure_id, **self.structure(structure_id)}
            for structure_id in docks_of(self._people, character_id)
            if self.may_dock(character_id, structure_id) and self._is_there(structure_id)
        ]

    def _is_there(self, structure_id: int) -> bool:
        return structure_id % EACH != DESTROYED

    def _owner(self, structure_id: int) -> tuple[int, int]:
        if 0 <= structure_id - FOREIGN_IDS < FOREIGN:
            return FOREIGN_OWNER, structure_id - FOREIGN_IDS
        index, number = divmod(structure_id - STRUCTURE_IDS, EACH)
        owner_id = FIRST_CORPORATION + index - self._people.count
        if owner_id not in self._people.corporation_ids or number >= BUILT:
            raise not_found("Structure not found")
        return owner_id, number
