"""Industry: blueprints, jobs, mining, research, colonies, and what a job costs where."""

from __future__ import annotations

from collections.abc import Iterator

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.assets import BLUEPRINTS, Assets
from simulator.universe.draw import Beat, Row, draw
from simulator.universe.people import FIRST_AGENT, Population
from simulator.universe.static import NPC_CORPORATIONS, SKILLS, atlas, station_ids

DAY_S = 86_400
HOUR_S = 3_600
JOB_IDS = 500_000_000
JOBS_EACH = 100_000
BLUEPRINT_IDS = 1_030_000_000_000
PIN_IDS = 1_040_000_000_000
SHOWN_S = 30 * DAY_S
ORES = (1230, 1228)
MINED_DAYS = 15
ACTIVITIES = (
    "manufacturing", "researching_time_efficiency", "researching_material_efficiency", "copying",
    "invention", "reaction",
)  # fmt: skip


class Industry:
    """Everything that is made, researched or dug up."""

    def __init__(self, people: Population, assets: Assets) -> None:
        self._people = people
        self._assets = assets
        self._seed = people.seed
        self._start_s = people.start_s

    def blueprints(self, owner_id: int, at_s: float) -> list[Row]:
        """Return the blueprints among an owner's assets, and those that are in use."""
        luck = draw(self._seed, "blueprints", owner_id)
        rows = [
            self._blueprint(row, copy=row.get("is_blueprint_copy") is True)
            for row in self._assets.rows(owner_id, at_s)
            if row["type_id"] in {one.type_id for one in BLUEPRINTS}
        ]
        first = BLUEPRINT_IDS + self._people.owner_index(owner_id) * 1_000
        for number in range(22 + luck.randrange(8)):
            place: Row = {
                "item_id": first + number,
                "type_id": luck.choice(BLUEPRINTS).type_id,
                "location_id": luck.choice(station_ids()),
                "location_flag": "CorpSAG1"
                if owner_id in self._people.corporation_ids
                else "Hangar",
            }
            rows.append(self._blueprint(place, copy=number % 3 == 0))
        return rows

    def _blueprint(self, place: Row, *, copy: bool) -> Row:
        luck = draw(self._seed, "blueprint", str(place["item_id"]))
        names = ("item_id", "type_id", "location_id", "location_flag")
        return {
            **{name: place[name] for name in names},
            "quantity": -2 if copy else -1,
            "runs": luck.randrange(1, 300) if copy else -1,
            "material_efficiency": luck.randrange(11),
            "time_efficiency": luck.randrange(11) * 2,
        }

    def jobs(self, owner_id: int, at_s: float) -> list[Row]:
        """Return jobs under way, and those delivered within 30 days."""
        beat = Beat(self._seed, f"jobs {owner_id}", self._start_s, 45, DAY_S, 1_800)
        rows = [
            self._job(owner_id, index, begun_s, at_s)
            for index, begun_s in beat.between(at_s - 46 * DAY_S, at_s)
        ]
        return [row for row in rows if row]

    def _job(self, owner_id: int, index: int, begun_s: int, at_s: float) -> Row:
        luck = draw(self._seed, "job", owner_id, index)
        lasts_s = luck.randrange(1_200, 3 * DAY_S)
        delivered_s = begun_s + lasts_s + luck.randrange(600, DAY_S)
        if at_s - delivered_s > SHOWN_S:
            return {}
        company = owner_id in self._people.corporation_ids
        installer = self._people.corporation(owner_id).ceo_id if company else owner_id
        where = luck.choice(station_ids())
        blueprint = luck.choice(BLUEPRINTS)
        row: Row = {
            "job_id": JOB_IDS + self._people.owner_index(owner_id) * JOBS_EACH + index + 1_000,
            "activity_id": 1 if luck.random() < 0.7 else 5,
            "blueprint_id": BLUEPRINT_IDS + self._people.owner_index(owner_id) * 1_000,
            "blueprint_type_id": blueprint.type_id,
            "blueprint_location_id": where,
            "output_location_id": where,
            "facility_id": where,
            "location_id" if company else "station_id": where,
            "installer_id": installer,
            "runs": luck.randrange(1, 50),
            "cost": luck.randrange(1_000, 900_000_000) / 100,
            "duration": lasts_s,
            "start_date": iso(begun_s),
            "end_date": iso(begun_s + lasts_s),
            "status": "active" if begun_s + lasts_s > at_s else "ready",
        }
        if delivered_s <= at_s:
            row |= {
                "status": "delivered",
                "completed_date": iso(delivered_s),
                "completed_character_id": installer,
            }
        return row

    def mining(self, character_id: int, at_s: float) -> list[Row]:
        """Return what was mined on each of the last days; that of today grows."""
        today = int(at_s // DAY_S)
        rows: list[Row] = []
        for day in range(today - MINED_DAYS + 1, today + 1):
            luck = draw(self._seed, "mining", character_id, day)
            system_id = luck.choice(tuple(atlas().systems))
            for type_id in ORES:
                whole = luck.randrange(5_000, 90_000)
                share = (at_s % DAY_S) / DAY_S if day == today else 1.0
                rows.append(
                    {
                        "date": iso(day * DAY_S)[:10],
                        "solar_system_id": system_id,
                        "type_id": type_id,
                        "quantity": 1 + int(whole * share),
                    }
                )
        return rows

    def research(self, character_id: int) -> list[Row]:
        """Return the agents that research for a character."""
        luck = draw(self._seed, "research", character_id)
        employers = luck.sample(tuple(NPC_CORPORATIONS), 1 + luck.randrange(2))
        return [
            {
                "agent_id": FIRST_AGENT + employer % 1_000,
                "skill_type_id": luck.choice(SKILLS).type_id,
                "started_at": iso(self._start_s - luck.randrange(10, 900) * DAY_S),
                "points_per_day": round(luck.uniform(20, 90), 4),
                "remainder_points": round(luck.uniform(0, 500), 4),
            }
            for employer in employers
        ]

    def indices(self, at_s: float) -> list[Row]:
        """Return the cost indices of every system."""
        hour = int(at_s // HOUR_S)
        return [
            {
                "solar_system_id": system_id,
                "cost_indices": [
                    {
                        "activity": activity,
                        "cost_index": round(
                            draw(self._seed, activity, system_id, hour).uniform(0.001, 0.2), 6
                        ),
                    }
                    for activity in ACTIVITIES
                ],
            }
            for system_id in atlas().systems
        ]

    def colonies(self, character_id: int, at_s: float) -> list[Row]:
        """Return the colonies of a character."""
        return [
            {
                "planet_id": planet_id,
                "solar_system_id": atlas().planets[planet_id].parent_id,
                "planet_type": "barren",
                "upgrade_level": 4,
                "num_pins": 3,
                "last_update": iso(int(at_s // HOUR_S) * HOUR_S),
                "owner_id": character_id,
            }
            for planet_id in self._planets(character_id)
        ]

    def colony(self, character_id: int, planet_id: int, at_s: float) -> Row:
        """Return what stands on a planet; its store fills by the hour."""
        planets = self._planets(character_id)
        if planet_id not in planets:
            raise not_found("Colony not found")
        first = PIN_IDS + self._people.owner_index(character_id) * 100
        extractor, factory, port = (first + planets.index(planet_id) * 10 + n for n in range(3))
        hour_s = int(at_s // HOUR_S) * HOUR_S
        spots = self._spots(character_id, planet_id)
        return {
            "pins": [
                {
                    "pin_id": extractor,
                    "type_id": 2848,
                    **next(spots),
                    "install_time": iso(hour_s - DAY_S),
                    "expiry_time": iso(hour_s + 3 * DAY_S),
                    "last_cycle_start": iso(hour_s),
                    "extractor_details": {
                        "cycle_time": HOUR_S,
                        "head_radius": 0.03,
                        "product_type_id": 2268,
                        "qty_per_cycle": 4_000,
                        "heads": [{"head_id": number, **next(spots)} for number in range(3)],
                    },
                },
                {
                    "pin_id": factory,
                    "type_id": 2473,
                    **next(spots),
                    "schematic_id": 131,
                    "factory_details": {"schematic_id": 131},
                },
                {
                    "pin_id": port,
                    "type_id": 2544,
                    **next(spots),
                    "contents": [{"type_id": 2393, "amount": 20 + hour_s // HOUR_S % 500 * 20}],
                },
            ],
            "links": [
                {"source_pin_id": extractor, "destination_pin_id": factory, "link_level": 0},
                {"source_pin_id": factory, "destination_pin_id": port, "link_level": 1},
            ],
            "routes": [
                {
                    "route_id": 1,
                    "source_pin_id": extractor,
                    "destination_pin_id": port,
                    "content_type_id": 2268,
                    "quantity": 4_000.0,
                    "waypoints": [factory],
                },
                {
                    "route_id": 2,
                    "source_pin_id": factory,
                    "destination_pin_id": port,
                    "content_type_id": 2393,
                    "quantity": 20.0,
                },
            ],
        }

    def _planets(self, character_id: int) -> list[int]:
        luck = draw(self._seed, "colonies", character_id)
        return sorted(luck.sample(tuple(atlas().planets), 1 + luck.randrange(3)))

    def _spots(self, character_id: int, planet_id: int) -> Iterator[Row]:
        luck = draw(self._seed, "spots", character_id, planet_id)
        while True:
            yield {
                "latitude": round(luck.uniform(0, 3.1), 6),
                "longitude": round(luck.uniform(-3.1, 3.1), 6),
            }
