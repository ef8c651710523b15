"""What a character holds beyond ships: access lists, mercenary dens and their operations."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import FIRST_CHARACTER, FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import atlas
from simulator.uuids import parts_of, uuid_of

LIST_IDS = 500_000_000_000
DEN_IDS = 1_047_000_000_000
SKYHOOK_IDS = 1_046_000_000_000
EACH = 10
DEN_TYPE = 85230
OPERATIONS = 0x0E
PAST = 12
HOUR_S = 3_600
# An operation is started after the first, done after the second, listed until the third.
STARTED_S, DONE_S, LISTED_S = HOUR_S, 2 * HOUR_S, 4 * HOUR_S
# The list and each operation are cached apart: what either shows, the other tells of.
CACHED_S = 300


class Holdings:
    """Access lists, dens and operations of every character."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s

    def access_lists(self, character_id: int) -> Row:
        """Return the numbers of the lists that a character sees."""
        rows: list[Row] = [{"id": one} for one in self._ids(LIST_IDS, character_id, 4)]
        return {"access_lists": rows}

    def access_list(self, character_id: int, list_id: int) -> Row:
        """Return who is on a list."""
        number = self._number(LIST_IDS, character_id, list_id, 4)
        luck = draw(self._seed, "access list", list_id)
        corporation_id = self._people.pilot(character_id).corporation_id
        friends: list[Row] = [
            {"character_id": one, "access": luck.choice(("Allowed", "Blocked"))}
            for one in sorted({FIRST_STRANGER + luck.randrange(STRANGERS) for _ in range(5)})
        ]
        return {
            "id": list_id,
            "name": f"Список {number}" if number else "Everybody",
            "description": "" if number % 2 else "who may dock",
            "membership": {
                "allow_everyone": number == 0,
                "characters": [{"character_id": character_id, "access": "Admin"}, *friends],
                "corporations": [{"corporation_id": corporation_id, "access": "Manager"}],
                "alliances": [
                    {"alliance_id": one, "access": "Allowed"}
                    for one in (self._people.alliance_of(corporation_id),)
                    if one and number
                ],
            },
        }

    def dens(self, character_id: int) -> Row:
        """Return the dens of a character, and the planets that they are at."""
        rows: list[Row] = [
            {"id": den_id, "planet_id": self._planet(den_id)} for den_id in self._dens(character_id)
        ]
        return {"mercenary_dens": rows}

    def den(self, character_id: int, den_id: int, at_s: float) -> Row:
        """Return how a den does; infomorphs come by the hour."""
        number = self._number(DEN_IDS, character_id, den_id, self._den_count(character_id))
        hours = max(0, int((at_s - self._start_s) // HOUR_S))
        row: Row = {
            "id": den_id,
            "type_id": DEN_TYPE,
            "state": "Paused" if number else "Running",
            "skyhook": {
                "id": SKYHOOK_IDS + den_id - DEN_IDS,
                "planet_id": self._planet(den_id),
                "corporation_id": self._people.pilot(character_id).corporation_id,
            },
            "infomorphs": {"amount": 500 + 20 * hours},
            "evolution": {
                "development": {"amount": 100 + hours, "level": f"Level{hours // 24 % 5}"},
                "anarchy": {"amount": number, "level": "Level0"},
            },
        }
        if number:
            row["reinforcement_timer"] = {"end": iso(self._start_s + 86_400)}
        return row

    def operations(self, character_id: int, at_s: float) -> Row:
        """Return the operations that are there or were until lately."""
        beat = self._beat(character_id)
        rows: list[Row] = [
            {
                "id": uuid_of(OPERATIONS, character_id, index + PAST),
                "mercenary_den_id": self._den_of(character_id, index),
            }
            for index, _ in beat.between(at_s - LISTED_S, at_s)
        ]
        return {"operations": rows}

    def operation(self, character_id: int, operation_id: int, at_s: float) -> Row:
        """Return how an operation goes."""
        found = parts_of(OPERATIONS, operation_id)
        if found is None or found[0] != character_id:
            raise not_found("Operation not found")
        index = found[1] - PAST
        began_s = self._beat(character_id).at_s(index)
        age_s = at_s - began_s
        if not -CACHED_S < age_s <= LISTED_S + CACHED_S:
            raise not_found("Operation not found")
        started = "Started" if age_s >= STARTED_S else "Available"
        return {
            "id": uuid_of(OPERATIONS, character_id, index + PAST),
            "mercenary_den_id": self._den_of(character_id, index),
            "state": "Completed" if age_s >= DONE_S else started,
            "dungeon_type_id": 12_000 + index % 7,
            "expires": iso(began_s + LISTED_S),
        }

    def _beat(self, character_id: int) -> Beat:
        name = f"operations {character_id}"
        return Beat(self._seed, name, self._start_s, PAST, 2 * HOUR_S, 2 * HOUR_S)

    def _den_of(self, character_id: int, index: int) -> int:
        dens = self._dens(character_id)
        return dens[index % len(dens)]

    def _dens(self, character_id: int) -> list[int]:
        return self._ids(DEN_IDS, character_id, self._den_count(character_id))

    @staticmethod
    def _den_count(character_id: int) -> int:
        # The rate group has few tokens.
        return 2 if character_id % 4 == 0 else 1

    @staticmethod
    def _planet(den_id: int) -> int:
        planets = sorted(atlas().planets)
        return planets[den_id % len(planets)]

    @staticmethod
    def _ids(first: int, character_id: int, count: int) -> list[int]:
        begin = first + (character_id - FIRST_CHARACTER) * EACH
        return list(range(begin, begin + count))

    def _number(self, first: int, character_id: int, thing_id: int, count: int) -> int:
        ids = self._ids(first, character_id, count)
        if thing_id not in ids:
            raise not_found("not found")
        return thing_id - ids[0]
