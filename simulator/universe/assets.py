"""Things: hangars, containers, fitted ships and corporation offices."""

from __future__ import annotations

from dataclasses import dataclass

from simulator.universe.draw import Row, draw
from simulator.universe.people import FIRST_CHARACTER, FIRST_CORPORATION, Population
from simulator.universe.static import SHIPS, STACKS, TYPES, ItemType, station_ids
from simulator.universe.structures import docks_of

FIRST_ITEM = 1_000_000_000_000
ITEMS_EACH = 1_000_000
RESTOCK_S = 7_200
CONTAINERS = (TYPES[3465], TYPES[3466], TYPES[17366])
BLUEPRINTS = (TYPES[691], TYPES[965])
OFFICE = TYPES[27]
MUTATED = TYPES[47740]
SLOTS = ("HiSlot0", "HiSlot1", "MedSlot0", "LoSlot0", "Cargo", "DroneBay")


@dataclass(frozen=True, slots=True)
class Ship:
    """An assembled ship of a character."""

    item_id: int
    type_id: int
    name: str


@dataclass(slots=True)
class _Shelf:
    """Rows as they are laid out, and the next free item id."""

    next_id: int
    rows: list[Row]

    def add(
        self, item: ItemType, place: tuple[int, str, str], quantity: int, *, single: bool = False
    ) -> int:
        item_id, self.next_id = self.next_id, self.next_id + 1
        location_id, location_type, flag = place
        self.rows.append(
            {
                "item_id": item_id,
                "type_id": item.type_id,
                "quantity": quantity,
                "location_id": location_id,
                "location_type": location_type,
                "location_flag": flag,
                "is_singleton": single,
            }
        )
        return item_id

    def add_mutated(self, place: tuple[int, str, str]) -> None:
        """Add mutated items; one of them is packed, and so was not mutated yet."""
        for single in (True, True, False):
            self.add(MUTATED, place, 1, single=single)


class Assets:
    """The assets of every character and corporation."""

    def __init__(self, people: Population, page_size: int) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s
        self._many = page_size + page_size // 3 + 1

    def of_character(self, character_id: int, at_s: float) -> list[Row]:
        """Return every asset of a character; each fifth owns more than a page."""
        index = character_id - FIRST_CHARACTER
        luck = draw(self._seed, "assets", character_id)
        shelf = _Shelf(FIRST_ITEM + index * ITEMS_EACH, [])
        stations = luck.sample(station_ids(), 3)
        for _ in range(3):
            ship_id = shelf.add(
                luck.choice(SHIPS), (luck.choice(stations), "station", "Hangar"), 1, single=True
            )
            for slot in SLOTS:
                shelf.add(luck.choice(STACKS), (ship_id, "item", slot), 1 + luck.randrange(5))
        for _ in range(2):
            home = (luck.choice(stations), "station", "Hangar")
            box_id = shelf.add(luck.choice(CONTAINERS), home, 1, single=True)
            for _ in range(luck.randrange(3, 12)):
                inside = (box_id, "item", "Unlocked")
                shelf.add(luck.choice(STACKS), inside, luck.randrange(1, 90_000))
        for number in range(4):
            home = (luck.choice(stations), "station", "Hangar")
            shelf.add(luck.choice(BLUEPRINTS), home, 1, single=True)
            if number != 3:  # ESI leaves the mark out where it has nothing to say
                shelf.rows[-1]["is_blueprint_copy"] = number % 2 == 0
        shelf.add_mutated((stations[0], "station", "Hangar"))
        for structure_id in docks_of(self._people, character_id):
            shelf.add(STACKS[0], (structure_id, "item", "Hangar"), 1)
        wanted = self._many if index % 5 == 4 else luck.randrange(60, 160)
        while len(shelf.rows) < wanted:
            home = (luck.choice(stations), "station", "Hangar")
            shelf.add(luck.choice(STACKS), home, luck.randrange(1, 500_000))
        self._restock(shelf, stations[0], at_s)
        return shelf.rows

    def of_corporation(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return every asset of a corporation: offices, and what lies in their hangars."""
        index = corporation_id - FIRST_CORPORATION
        luck = draw(self._seed, "corporation assets", corporation_id)
        shelf = _Shelf(FIRST_ITEM + (self._people.count + index) * ITEMS_EACH, [])
        stations = luck.sample(station_ids(), 2)
        for station_id in stations:
            office_id = shelf.add(OFFICE, (station_id, "station", "OfficeFolder"), 1, single=True)
            for division in range(1, 8):
                for _ in range(luck.randrange(2, 12)):
                    hangar = (office_id, "item", f"CorpSAG{division}")
                    shelf.add(luck.choice(STACKS), hangar, luck.randrange(1, 2_000_000))
            shelf.add_mutated((office_id, "item", "CorpSAG1"))
        self._restock(shelf, stations[0], at_s, flag="CorpDeliveries")
        return shelf.rows

    def ships(self, character_id: int) -> list[Ship]:
        """Return the ships that a character can board."""
        rows = self.of_character(character_id, self._start_s)
        hulls = {ship.type_id for ship in SHIPS}
        names = self._names(character_id, rows)
        return [
            Ship(_int(row["item_id"]), _int(row["type_id"]), names[_int(row["item_id"])])
            for row in rows
            if row["type_id"] in hulls and row["is_singleton"]
        ]

    def names(self, owner_id: int, at_s: float) -> dict[int, str]:
        """Return the names of all things of an owner; nameless ones are called None."""
        return self._names(owner_id, self.rows(owner_id, at_s))

    def positions(self, owner_id: int, at_s: float) -> dict[int, Row]:
        """Return where the things of an owner are in space; 0 for those in a hangar."""
        zero: Row = {"x": 0.0, "y": 0.0, "z": 0.0}
        return {_int(row["item_id"]): zero for row in self.rows(owner_id, at_s)}

    def rows(self, owner_id: int, at_s: float) -> list[Row]:
        """Return the assets of a character or corporation."""
        if owner_id in self._people.character_ids:
            return self.of_character(owner_id, at_s)
        return self.of_corporation(owner_id, at_s)

    def _names(self, owner_id: int, rows: list[Row]) -> dict[int, str]:
        boxes = {box.type_id for box in CONTAINERS} | {ship.type_id for ship in SHIPS}
        return {
            _int(row["item_id"]): (
                f"{TYPES[_int(row['type_id'])].name} of {owner_id % 1000}"
                if row["type_id"] in boxes and row["is_singleton"]
                else "None"
            )
            for row in rows
        }

    def _restock(self, shelf: _Shelf, station_id: int, at_s: float, flag: str = "Hangar") -> None:
        """Let time change a few stacks, add deliveries and take some away again."""
        turn = max(0, int((at_s - self._start_s) // RESTOCK_S))
        for row in shelf.rows[-3:]:
            row["quantity"] = _int(row["quantity"]) + turn * 10
        first = shelf.next_id + max(0, turn - 5)
        for item_id in range(first, shelf.next_id + turn):
            item = STACKS[item_id % len(STACKS)]
            shelf.rows.append(
                {
                    "item_id": item_id,
                    "type_id": item.type_id,
                    "quantity": 1 + item_id % 50,
                    "location_id": station_id,
                    "location_type": "station",
                    "location_flag": flag,
                    "is_singleton": False,
                }
            )


def _int(value: object) -> int:
    if not isinstance(value, int):
        raise TypeError(f"not a whole number: {value!r}")
    return value
