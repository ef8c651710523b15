"""What was earned: loyalty, medals, warfare."""

from __future__ import annotations

from simulator.clock import iso
from simulator.universe.draw import Row, draw
from simulator.universe.people import FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import FACTIONS, NPC_CORPORATIONS

DAY_S = 86_400
MEDALS = 22
MEDALS_EACH = 100


class Merits:
    """Loyalty points, medals and factional warfare."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed
        self._start_s = people.start_s

    def loyalty(self, character_id: int, at_s: float) -> list[Row]:
        """Return the points with corporations; one of them grows by the hour."""
        luck = draw(self._seed, "loyalty", character_id)
        grown = int((at_s - self._start_s) // 3_600) * 50
        return [
            {
                "corporation_id": one,
                "loyalty_points": luck.randrange(1, 900_000) + (grown if number == 0 else 0),
            }
            for number, one in enumerate(luck.sample(tuple(NPC_CORPORATIONS), 4))
        ]

    def medals(self, character_id: int) -> list[Row]:
        """Return the medals; the first one was given twice."""
        luck = draw(self._seed, "medals", character_id)
        corporation = self._people.corporation(self._people.pilot(character_id).corporation_id)
        return [
            {
                "medal_id": corporation.index * MEDALS_EACH + medal,
                "date": iso(self._start_s - luck.randrange(DAY_S) - number * 30 * DAY_S),
                "corporation_id": corporation.corporation_id,
                "issuer_id": corporation.ceo_id,
                "title": f"Медаль {medal}",
                "description": "For all of it.",
                "reason": luck.choice(("", "за отвагу")),
                "status": luck.choice(("public", "private")),
                "graphics": [
                    {"part": 1, "layer": 0, "graphic": "caldari.1_1", "color": -1},
                    {"part": 2, "layer": 0, "graphic": "caldari.2_3"},
                ],
            }
            for number, medal in enumerate((1, 1, 2))
        ]

    def warfare(self, character_id: int, at_s: float) -> Row:
        """Return the part in factional warfare; every other character has enlisted."""
        row = self._counts(character_id, at_s)
        if character_id % 2:
            luck = draw(self._seed, "enlisted", character_id)
            row |= {
                "faction_id": luck.choice(tuple(FACTIONS)),
                "enlisted_on": iso(self._start_s - luck.randrange(1, 90) * DAY_S),
                "current_rank": 1,
                "highest_rank": 3,
            }
        return row

    def made(self, corporation_id: int) -> list[Row]:
        """Return the medals that a corporation has made."""
        corporation = self._people.corporation(corporation_id)
        return [
            {
                "medal_id": corporation.index * MEDALS_EACH + number,
                "created_at": iso(self._start_s - (400 - number) * DAY_S),
                "creator_id": corporation.ceo_id,
                "title": f"Медаль {number}",
                "description": "For all of it.",
            }
            for number in range(1, MEDALS + 1)
        ]

    def issued(self, corporation_id: int) -> list[Row]:
        """Return to whom a corporation has given medals: its own characters, and others."""
        corporation = self._people.corporation(corporation_id)
        luck = draw(self._seed, "issued", corporation_id)
        rows: list[Row] = [
            {
                "medal_id": corporation.index * MEDALS_EACH + luck.randrange(1, MEDALS + 1),
                "character_id": FIRST_STRANGER + stranger,
                "issued_at": iso(self._start_s - luck.randrange(300 * DAY_S)),
                "issuer_id": corporation.ceo_id,
                "reason": luck.choice(("", "за отвагу")),
                "status": luck.choice(("public", "private")),
            }
            for stranger in luck.sample(range(STRANGERS), MEDALS)
        ]
        for one in self._people.character_ids:
            rows += [
                {
                    "character_id": one,
                    "issued_at": medal["date"],
                    **{name: medal[name] for name in ("medal_id", "issuer_id", "reason", "status")},
                }
                for medal in self.medals(one)
                if medal["corporation_id"] == corporation_id
            ]
        return rows

    def corporation_warfare(self, corporation_id: int, at_s: float) -> Row:
        """Return the part in factional warfare; every other corporation has enlisted."""
        row = self._counts(corporation_id, at_s)
        if corporation_id % 2:
            luck = draw(self._seed, "enlisted", corporation_id)
            row |= {
                "faction_id": luck.choice(tuple(FACTIONS)),
                "enlisted_on": iso(self._start_s - luck.randrange(1, 90) * DAY_S),
                "pilots": len(self._people.members_of(corporation_id)),
            }
        return row

    def _counts(self, owner_id: int, at_s: float) -> Row:
        luck = draw(self._seed, "warfare", owner_id)
        total = luck.randrange(100) + int((at_s - self._start_s) // DAY_S)
        return {
            "kills": {"yesterday": total % 3, "last_week": total % 17, "total": total},
            "victory_points": {"yesterday": 0, "last_week": total % 900, "total": total * 50},
        }
