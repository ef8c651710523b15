"""Whereabouts: the system, the ship and the sessions of a character."""

from __future__ import annotations

from simulator.clock import iso
from simulator.universe.assets import Assets
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import Population
from simulator.universe.static import atlas, station_ids

SESSION_S = 5_400
BREAK_S = 9_000


class Telemetry:
    """Where every character is and in what."""

    def __init__(self, people: Population, assets: Assets) -> None:
        self._people = people
        self._assets = assets
        self._ships: dict[int, list[Row]] = {}

    def location(self, character_id: int, at_s: float) -> Row:
        """Return the system of a character, and the station when docked."""
        luck = draw(self._people.seed, "jump", character_id, self._move(character_id, at_s))
        places = atlas()
        station_id = luck.choice(station_ids())
        row: Row = {"solar_system_id": places.stations[station_id].parent_id}
        if luck.random() < 0.5:
            row["station_id"] = station_id
        return row

    def ship(self, character_id: int, at_s: float) -> Row:
        """Return the ship that a character flies."""
        ships = self._ships.get(character_id)
        if ships is None:
            ships = self._ships[character_id] = [
                {
                    "ship_item_id": ship.item_id,
                    "ship_type_id": ship.type_id,
                    "ship_name": ship.name,
                }
                for ship in self._assets.ships(character_id)
            ]
        return ships[self._move(character_id, at_s) // 4 % len(ships)]

    def online(self, character_id: int, at_s: float) -> Row:
        """Return whether a character is logged in, and since or until when."""
        cycle_s = SESSION_S + BREAK_S
        phase_s = draw(self._people.seed, "session", character_id).randrange(cycle_s)
        logins, into_s = divmod(
            int(at_s) - (self._people.start_s - 365 * 86_400) + phase_s, cycle_s
        )
        login_s = int(at_s) - into_s
        online = into_s < SESSION_S
        logout_s = login_s - BREAK_S if online else login_s + SESSION_S
        return {
            "online": online,
            "last_login": iso(login_s),
            "last_logout": iso(logout_s),
            "logins": logins + 1,
        }

    def _move(self, character_id: int, at_s: float) -> int:
        start_s = self._people.start_s
        beat = Beat(self._people.seed, f"move {character_id}", start_s, 100, 7_200, 40)
        return beat.last(at_s)
