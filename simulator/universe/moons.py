"""What corporations cut from moons, and who mined it beside their structures."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.company import BUILT, EACH, STRUCTURE_IDS
from simulator.universe.draw import Row, draw
from simulator.universe.people import FIRST_STRANGER, Population
from simulator.universe.static import NPC_CORPORATIONS, atlas

DAY_S = 86_400
CUT_S = 6 * DAY_S
# From the start of one chunk to that of the next.
CYCLE_S = 7 * DAY_S
DECAY_S = 3 * 3_600
SHOWN_DAYS = 30
ORES = (45490, 45491, 45492)
MINERS = 4
# Figures of today grow in such steps.
STEP_S = 600


class Moons:
    """Extractions and mining ledgers of every corporation."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed

    def extractions(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the chunk that each structure cuts, or has cut last."""
        rows: list[Row] = []
        for structure_id in self._structures(corporation_id):
            luck = draw(self._seed, "extraction", structure_id)
            offset_s = luck.randrange(CYCLE_S)
            started_s = int(at_s) - (int(at_s) - offset_s) % CYCLE_S
            rows.append(
                {
                    "structure_id": structure_id,
                    "moon_id": luck.choice(tuple(atlas().moons)),
                    "extraction_start_time": iso(started_s),
                    "chunk_arrival_time": iso(started_s + CUT_S),
                    "natural_decay_time": iso(started_s + CUT_S + DECAY_S),
                }
            )
        return rows

    def observers(self, corporation_id: int, at_s: float) -> list[Row]:
        """Return the structures that watch; each with the last day that it saw somebody."""
        return [
            {
                "observer_id": structure_id,
                "observer_type": "structure",
                "last_updated": _day(self._days(structure_id, at_s)[-1]),
            }
            for structure_id in self._structures(corporation_id)
        ]

    def ledger(self, corporation_id: int, observer_id: int, at_s: float) -> list[Row]:
        """Return who mined what beside one structure; the figures of today grow."""
        if observer_id not in self._structures(corporation_id):
            raise not_found("Observer not found")
        today = int(at_s // DAY_S)
        rows: list[Row] = []
        for day in self._days(observer_id, at_s):
            luck = draw(self._seed, "mined", observer_id, day)
            share = (at_s // STEP_S * STEP_S % DAY_S) / DAY_S if day == today else 1.0
            for number in range(MINERS):
                employer = luck.choice(tuple(NPC_CORPORATIONS))
                rows += [
                    {
                        "last_updated": _day(day),
                        "character_id": FIRST_STRANGER + observer_id % 500 + number,
                        "type_id": type_id,
                        "recorded_corporation_id": employer,
                        "quantity": 1 + int(luck.randrange(5_000, 90_000) * share),
                    }
                    for type_id in ORES
                ]
        return rows

    def _structures(self, corporation_id: int) -> range:
        first = STRUCTURE_IDS + self._people.owner_index(corporation_id) * EACH
        return range(first, first + BUILT)

    def _days(self, structure_id: int, at_s: float) -> list[int]:
        """Return the last days with mining beside a structure; some lie quiet for long."""
        today = int(at_s // DAY_S)
        every = 3 * (structure_id % 5) or 1
        return [one for one in range(today - SHOWN_DAYS, today + 1) if one % every == 0][-3:]


def _day(day: int) -> str:
    return iso(day * DAY_S)[:10]
