"""Corporations from inside: members, roles, titles, structures and customs offices."""

from __future__ import annotations

from simulator.clock import iso
from simulator.universe.draw import Beat, Luck, Row, draw
from simulator.universe.people import DIRECTOR_ROLES, Population
from simulator.universe.static import SHIPS, atlas, station_ids

DAY_S = 86_400
STRUCTURE_IDS = 1_034_000_000_000
OFFICE_IDS = 1_035_000_000_000
EACH = 1_000
BUILT = 22


class Company:
    """What a corporation's own routes tell."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s

    def tracking(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return where the members are, and when they came and went."""
        rows: list[Row] = []
        for member in self._people.members_of(corporation_id):
            luck = draw(self._seed, "tracking", member)
            seen_s = int(at_s) - int(at_s + luck.randrange(9_000)) % 9_000
            row: Row = {"character_id": member}
            if member % 7:
                row |= {
                    "location_id": luck.choice(station_ids()),
                    "ship_type_id": luck.choice(SHIPS).type_id,
                    "start_date": iso(self._start_s - 120 * DAY_S),
                    "logon_date": iso(seen_s),
                    "logoff_date": iso(seen_s - 20_000),
                }
            rows.append(row)
        return rows

    def roles(self, corporation_id: int) -> list[Row]:
        """Return the roles of the members."""
        rows: list[Row] = []
        for member in self._people.members_of(corporation_id):
            held = self._people.roles_of(member)
            row: Row = {"character_id": member, "roles": held}
            if "Director" in held:
                row |= {"grantable_roles": ["Accountant"], "roles_at_hq": ["Hangar_Take_1"]}
            rows.append(row)
        return rows

    def member_titles(self, corporation_id: int) -> list[Row]:
        """Return the titles of the members."""
        return [
            {"character_id": one, "titles": [1] if self._people.is_director(one) else []}
            for one in self._people.members_of(corporation_id)
        ]

    def titles(self) -> list[Row]:
        """Return the titles that can be given."""
        return [
            {
                "title_id": 1,
                "name": "Keeper of the keys",
                "roles": ["Accountant", "Trader"],
                "grantable_roles": ["Trader"],
            },
            {"title_id": 2, "name": "<color=0xff00ff00>Директор</color>"},
        ]

    def role_history(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return how roles changed within 30 days; some entries are alike."""
        beat = Beat(self._seed, f"roles {corporation_id}", self._start_s, 28, DAY_S, 3_600)
        director = self._people.corporation(corporation_id).ceo_id
        rows: list[Row] = []
        for index, changed_s in beat.between(at_s - 30 * DAY_S, at_s):
            luck = draw(self._seed, "role change", corporation_id, index)
            roles = luck.sample(DIRECTOR_ROLES, 2)
            row: Row = {
                "changed_at": iso(changed_s),
                "character_id": director,
                "issuer_id": director,
                "role_type": "roles",
                "old_roles": roles[:1],
                "new_roles": roles,
            }
            rows += [row, dict(row)] if index % 9 == 0 else [row]
        return rows[::-1]

    def structures(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the structures; fuel is bought by the day."""
        index = self._people.owner_index(corporation_id)
        rows: list[Row] = []
        for number in range(BUILT):
            luck = self._luck(corporation_id, number)
            system_id = luck.choice(tuple(atlas().systems))
            row: Row = {
                "corporation_id": corporation_id,
                "structure_id": STRUCTURE_IDS + index * EACH + number,
                "type_id": 35832,
                "system_id": system_id,
                "profile_id": 100_000 + index,
                "state": "shield_vulnerable",
                "reinforce_hour": luck.randrange(24),
            }
            if number:
                row["name"] = f"{atlas().systems[system_id].name} - Крепость {number}"
                row["fuel_expires"] = iso(int(at_s // DAY_S) * DAY_S + 20 * DAY_S)
                row["services"] = [
                    {"name": "Clone Bay", "state": "online"},
                    {"name": "Market Hub", "state": luck.choice(("online", "offline"))},
                ]
            rows.append(row)
        return rows

    def system_of(self, corporation_id: int, number: int) -> int:
        """Return the system of one of the structures."""
        return self._luck(corporation_id, number).choice(tuple(atlas().systems))

    def _luck(self, corporation_id: int, number: int) -> Luck:
        return draw(self._seed, "structure", corporation_id, number)

    def customs_offices(self, corporation_id: int) -> list[Row]:
        """Return the customs offices."""
        index = self._people.owner_index(corporation_id)
        rows: list[Row] = []
        for number in range(BUILT):
            luck = draw(self._seed, "customs", corporation_id, number)
            opens = luck.randrange(20)
            row: Row = {
                "office_id": OFFICE_IDS + index * EACH + number,
                "system_id": luck.choice(tuple(atlas().systems)),
                "type_id": 2233,
                "reinforce_exit_start": opens,
                "reinforce_exit_end": opens + 2,
                "allow_alliance_access": number % 2 == 0,
                "allow_access_with_standings": number % 3 == 0,
            }
            if number % 2 == 0:
                row["alliance_tax_rate"] = round(luck.uniform(0, 0.2), 2)
            if number % 3 == 0:
                row["standing_level"] = "neutral"
                row["neutral_standing_tax_rate"] = round(luck.uniform(0, 0.5), 2)
            rows.append(row)
        return rows
