"""Bodies: home, jump clones, implants, and how tired jumping makes."""

from __future__ import annotations

from simulator.clock import iso
from simulator.universe.draw import Row, draw
from simulator.universe.people import FIRST_CHARACTER, Population
from simulator.universe.static import TYPES, station_ids

IMPLANTS = tuple(t.type_id for t in TYPES.values() if t.group_id == 300)
CLONE_IDS = 30_000_000_000
JUMP_S = 20 * 3_600


class Clones:
    """The clones of every character."""

    def __init__(self, people: Population) -> None:
        self._seed = people.seed
        self._start_s = people.start_s

    def clones(self, character_id: int, at_s: float) -> Row:
        """Return home and jump clones; who jumps wakes up at home again a while later."""
        luck = draw(self._seed, "clones", character_id)
        first = CLONE_IDS + (character_id - FIRST_CHARACTER) * 100
        clones: list[Row] = []
        for number in range(luck.randrange(1, 5)):
            clone: Row = {
                "jump_clone_id": first + number,
                "location_id": luck.choice(station_ids()),
                "location_type": "station",
                "implants": sorted(luck.sample(IMPLANTS, luck.randrange(len(IMPLANTS) + 1))),
            }
            if number % 2:
                clone["name"] = f"Клон {number}"
            clones.append(clone)
        home: Row = {"location_id": luck.choice(station_ids()), "location_type": "station"}
        return {
            "home_location": home,
            "jump_clones": clones,
            "last_clone_jump_date": iso(self._last_jump_s(character_id, at_s)),
        }

    def implants(self, character_id: int) -> list[int]:
        """Return the implants of the body in use."""
        luck = draw(self._seed, "implants", character_id)
        return sorted(luck.sample(IMPLANTS, luck.randrange(1, len(IMPLANTS) + 1)))

    def fatigue(self, character_id: int, at_s: float) -> Row:
        """Return the fatigue; nothing for those who never jumped."""
        if character_id % 3 == 0:
            return {}
        jumped_s = self._last_jump_s(character_id, at_s)
        return {
            "last_jump_date": iso(jumped_s),
            "last_update_date": iso(jumped_s),
            "jump_fatigue_expire_date": iso(jumped_s + 3_600),
        }

    def _last_jump_s(self, character_id: int, at_s: float) -> int:
        ahead_s = character_id % 97 * 600
        return int(at_s) - int(at_s - self._start_s + ahead_s) % JUMP_S
