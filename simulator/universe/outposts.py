"""What a corporation holds: starbases, facilities, logged containers, and who holds it."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import bad_request, not_found
from simulator.universe.company import EACH, STRUCTURE_IDS
from simulator.universe.draw import Beat, Luck, Row, draw
from simulator.universe.people import FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import NPC_CORPORATIONS, STACKS, atlas, station_ids

DAY_S = 86_400
HOUR_S = 3_600
STARBASE_IDS = 1_036_000_000_000
CONTAINER_IDS = 1_037_000_000_000
STARBASES = 22
TOWER, FUEL, STRONTIUM = 16213, 4051, 16275
CONTAINER = 17366
LOG_SHOWN_S = 7 * DAY_S
MAY = ("alliance_member", "config_starbase_equipment_role", "corporation_member")


class Outposts:
    """Starbases, facilities, container logs and shareholders of every corporation."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s

    def starbases(self, corporation_id: int) -> list[Row]:
        """Return the starbases; the first one is not anchored."""
        return [self._starbase(corporation_id, number) for number in range(STARBASES)]

    def starbase(self, corporation_id: int, starbase_id: int, system_id: int, at_s: float) -> Row:
        """Return how one is set up; its fuel burns by the hour."""
        number = starbase_id - self._first(corporation_id)
        if not 0 <= number < STARBASES:
            raise not_found("Starbase not found")
        if self._starbase(corporation_id, number)["system_id"] != system_id:
            raise bad_request("the starbase is not in this system")
        luck = draw(self._seed, "starbase setup", corporation_id, number)
        roles = ("anchor", "unanchor", "online", "offline", "fuel_bay_view", "fuel_bay_take")
        row: Row = {
            **{name: luck.choice(MAY) for name in roles},
            "allow_alliance_members": number % 2 == 0,
            "allow_corporation_members": True,
            "attack_if_at_war": number % 3 == 0,
            "attack_if_other_security_status_dropping": False,
            "use_alliance_standings": number % 2 == 1,
        }
        if number:
            burnt = int((at_s - self._start_s) // HOUR_S) * 40
            row["attack_standing_threshold"] = round(luck.uniform(-10, 0), 2)
            row["fuels"] = [
                {"type_id": FUEL, "quantity": 28_000 + number - burnt % 28_000},
                {"type_id": STRONTIUM, "quantity": 12_500},
            ]
        return row

    def facilities(self, corporation_id: int) -> list[Row]:
        """Return where the corporation can do industry."""
        first = STRUCTURE_IDS + self._people.owner_index(corporation_id) * EACH
        luck = draw(self._seed, "facilities", corporation_id)
        return [
            {
                "facility_id": first + number,
                "type_id": 35832,
                "system_id": luck.choice(tuple(atlas().systems)),
            }
            for number in range(4)
        ]

    def shareholders(self, corporation_id: int) -> list[Row]:
        """Return who holds shares."""
        luck = draw(self._seed, "shares", corporation_id)
        holders = [(FIRST_STRANGER + one, "character") for one in luck.sample(range(STRANGERS), 20)]
        holders += [(one, "corporation") for one in luck.sample(tuple(NPC_CORPORATIONS), 2)]
        holders.append((self._people.corporation(corporation_id).ceo_id, "character"))
        return [
            {
                "shareholder_id": one,
                "shareholder_type": kind,
                "share_count": luck.randrange(1, 5_000_000_000),
            }
            for one, kind in holders
        ]

    def container_logs(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return what was done to containers within a week; some entries are alike."""
        beat = Beat(self._seed, f"logs {corporation_id}", self._start_s, 80, 2 * HOUR_S, 600)
        rows: list[Row] = []
        for index, logged_s in beat.between(at_s - LOG_SHOWN_S, at_s):
            luck = draw(self._seed, "log", corporation_id, index)
            row = self._entry(corporation_id, luck) | {"logged_at": iso(logged_s)}
            rows += [row, dict(row)] if index % 9 == 0 else [row]
        return rows[::-1]

    def _entry(self, corporation_id: int, luck: Luck) -> Row:
        index = self._people.owner_index(corporation_id)
        number = luck.randrange(5)
        action = luck.choice(("add", "lock", "set_password", "configure", "assemble"))
        row: Row = {
            "container_id": CONTAINER_IDS + index * EACH + number,
            "container_type_id": CONTAINER,
            "character_id": luck.choice(self._people.members_of(corporation_id)),
            "location_id": station_ids()[number],
            "location_flag": luck.choice(("CorpSAG1", "CorpSAG2", "OfficeFolder")),
            "action": action,
        }
        if action in ("add", "lock"):
            row |= {"type_id": luck.choice(STACKS).type_id, "quantity": luck.randrange(1, 900)}
        elif action == "set_password":
            row["password_type"] = luck.choice(("config", "general"))
        elif action == "configure":
            row |= {"old_config_bitmask": 0, "new_config_bitmask": luck.randrange(1, 64)}
        return row

    def _first(self, corporation_id: int) -> int:
        return STARBASE_IDS + self._people.owner_index(corporation_id) * EACH

    def _starbase(self, corporation_id: int, number: int) -> Row:
        luck = draw(self._seed, "starbase", corporation_id, number)
        moon = luck.choice(tuple(atlas().moons.values()))
        row: Row = {
            "starbase_id": self._first(corporation_id) + number,
            "type_id": TOWER,
            "system_id": moon.parent_id,
        }
        if number:
            row |= {
                "moon_id": moon.place_id,
                "state": luck.choice(("online", "offline")),
                "onlined_since": iso(self._start_s - luck.randrange(1, 90) * DAY_S),
            }
        return row
