"""Killmails: losses of characters, known by id and hash, and what happened."""

from __future__ import annotations

from hashlib import blake2b

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import FIRST_CHARACTER, FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import SHIPS, STACKS, atlas

DAY_S = 86_400
KILL_IDS = 120_000_000
KILLS_EACH = 100_000
PAST = 28


class Killmails:
    """What was lost, by whom."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s

    def recent(self, character_id: int, at_s: float) -> list[Row]:
        """Return id and hash of the losses of 60 days, newest first."""
        beat = self._beat(character_id)
        found = [index for index, _ in beat.between(at_s - 60 * DAY_S, at_s)]
        return [self._ref(self._id(character_id, index)) for index in reversed(found)]

    def of_corporation(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the losses of all members."""
        return [
            row
            for member in self._people.members_of(corporation_id)
            for row in self.recent(member, at_s)
        ]

    def hash_of(self, killmail_id: int) -> str:
        """Return the hash that belongs to a killmail."""
        return blake2b(f"{self._seed} {killmail_id}".encode(), digest_size=20).hexdigest()

    def detail(self, killmail_id: int, killmail_hash: int) -> Row:
        """Return what happened, to those who know the hash."""
        if killmail_hash != int(self.hash_of(killmail_id), 16):
            raise not_found("Killmail not found")
        return self.killmail(killmail_id)

    def killmail(self, killmail_id: int) -> Row:
        """Return what happened."""
        owner, number = divmod(killmail_id - KILL_IDS, KILLS_EACH)
        index = number - 1_000
        if not (0 <= owner < self._people.count and index >= -PAST):
            raise not_found("Killmail not found")
        character_id = FIRST_CHARACTER + owner
        luck = draw(self._seed, "killmail", killmail_id)
        stack, box = luck.choice(STACKS).type_id, 3465
        items: list[Row] = [
            {"item_type_id": stack, "flag": 5, "singleton": 0, "quantity_destroyed": 3},
            {"item_type_id": stack, "flag": 5, "singleton": 0, "quantity_dropped": 2},
            {
                "item_type_id": box,
                "flag": 5,
                "singleton": 1,
                "quantity_dropped": 1,
                "items": [{"item_type_id": 34, "flag": 0, "singleton": 0, "quantity_dropped": 70}],
            },
        ]
        victim: Row = {
            "character_id": character_id,
            "corporation_id": self._people.pilot(character_id).corporation_id,
            "ship_type_id": luck.choice(SHIPS).type_id,
            "damage_taken": luck.randrange(500, 90_000),
            "position": {axis: round(luck.uniform(-1e12, 1e12), 1) for axis in "xyz"},
            "items": items,
        }
        attackers: list[Row] = [self._attacker(killmail_id, n) for n in range(luck.randrange(1, 5))]
        attackers.append(
            {
                "damage_done": 0,
                "final_blow": False,
                "security_status": 0.0,
                "faction_id": 500001,
            }
        )
        return {
            "killmail_id": killmail_id,
            "killmail_time": iso(self._beat(character_id).at_s(index)),
            "solar_system_id": luck.choice(tuple(atlas().systems)),
            "victim": victim,
            "attackers": attackers,
        }

    def _attacker(self, killmail_id: int, number: int) -> Row:
        luck = draw(self._seed, "attacker", killmail_id, number)
        who = FIRST_STRANGER + luck.randrange(STRANGERS)
        return {
            "damage_done": luck.randrange(1, 9_000),
            "final_blow": number == 0,
            "security_status": round(luck.uniform(-10, 5), 1),
            "character_id": who,
            "corporation_id": self._people.pilot(who).corporation_id,
            "ship_type_id": luck.choice(SHIPS).type_id,
            "weapon_type_id": 2881,
        }

    def _beat(self, character_id: int) -> Beat:
        return Beat(self._seed, f"losses {character_id}", self._start_s, PAST, DAY_S, 3_600)

    def _id(self, character_id: int, index: int) -> int:
        return KILL_IDS + (character_id - FIRST_CHARACTER) * KILLS_EACH + index + 1_000

    def _ref(self, killmail_id: int) -> Row:
        return {"killmail_id": killmail_id, "killmail_hash": self.hash_of(killmail_id)}
