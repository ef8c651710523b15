"""Affairs of New Eden that concern everybody: incursions, traffic, warfare, what is on offer."""

from __future__ import annotations

from simulator.errors import not_found
from simulator.universe.draw import Luck, Row, draw
from simulator.universe.people import FIRST_STRANGER, STRANGERS, Population
from simulator.universe.static import FACTIONS, MARKET, NPC_CORPORATIONS, SHIPS, atlas

HOUR_S = 3_600
DAY_S = 86_400
LEVELS = (("Basic", 0.5), ("Bronze", 0.6), ("Silver", 0.7), ("Platinum", 1.0))
PERIODS = ("yesterday", "last_week", "active_total")
OPEN_FACILITIES = 1_052_000_000_000


class Affairs:
    """What anybody may know."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed

    def incursions(self, at_s: float) -> list[Row]:
        """Return the incursions; their influence sinks by the hour, their places change daily."""
        day, hour = int(at_s // DAY_S), int(at_s // HOUR_S)
        constellations = tuple(atlas().constellations)
        rows: list[Row] = []
        for constellation_id in draw(self._seed, "incursions", day).sample(constellations, 2):
            systems = [
                one.place_id
                for one in atlas().systems.values()
                if one.parent_id == constellation_id
            ]
            rows.append(
                {
                    "constellation_id": constellation_id,
                    "faction_id": 500_001,
                    "staging_solar_system_id": systems[0],
                    "type": "Incursion",
                    "state": "established",
                    "influence": round(1 - hour % 24 / 24, 3),
                    "has_boss": hour % 24 > 12,
                    "infested_solar_systems": systems,
                }
            )
        return rows

    def insurance(self) -> list[Row]:
        """Return what insurance of each ship costs and pays."""
        return [
            {
                "type_id": ship.type_id,
                "levels": [
                    {
                        "name": name,
                        "cost": round(ship.price * share * 0.3, 2),
                        "payout": round(ship.price * share, 2),
                    }
                    for name, share in LEVELS
                ],
            }
            for ship in SHIPS
        ]

    def kills(self, at_s: float) -> list[Row]:
        """Return the losses of the last hour by system; quiet systems are not listed."""
        return [
            {
                "system_id": system_id,
                "ship_kills": luck.randrange(30),
                "pod_kills": luck.randrange(20),
                "npc_kills": luck.randrange(900),
            }
            for system_id, luck in self._busy("kills", at_s)
        ]

    def jumps(self, at_s: float) -> list[Row]:
        """Return the jumps of the last hour by system; quiet systems are not listed."""
        return [
            {"system_id": system_id, "ship_jumps": 1 + luck.randrange(2_000)}
            for system_id, luck in self._busy("jumps", at_s)
        ]

    def _busy(self, what: str, at_s: float) -> list[tuple[int, Luck]]:
        hour = int(at_s // HOUR_S)
        found = [(one, draw(self._seed, what, one, hour)) for one in atlas().systems]
        return [(one, luck) for one, luck in found if luck.random() < 0.8]

    def facilities(self) -> list[Row]:
        """Return where industry can be done."""
        rows: list[Row] = []
        for station in atlas().stations.values():
            place: Row = {
                "region_id": atlas().region_of(station.place_id),
                "solar_system_id": station.parent_id,
            }
            rows.append(
                {
                    "facility_id": station.place_id,
                    "owner_id": station.owner_id,
                    "type_id": 52_678,
                    "tax": 0.1,
                    **place,
                }
            )
            rows.append(
                {
                    "facility_id": OPEN_FACILITIES + station.place_id,
                    "owner_id": self._people.corporation_ids[0],
                    "type_id": 35_832,
                    **place,
                }
            )
        return rows

    def warfare_statistics(self, at_s: float) -> list[Row]:
        """Return how each faction does; all changes once a day."""
        rows: list[Row] = []
        for faction_id in FACTIONS:
            luck = draw(self._seed, "warfare", faction_id, int(at_s // DAY_S))
            rows.append(
                {
                    "faction_id": faction_id,
                    "pilots": luck.randrange(20_000),
                    "systems_controlled": luck.randrange(60),
                    "kills": _counts(luck, 100),
                    "victory_points": _counts(luck, 9_000),
                }
            )
        return rows

    def warfare_systems(self, at_s: float) -> list[Row]:
        """Return the systems that are fought over."""
        rows: list[Row] = []
        for system in atlas().systems.values():
            if system.security > 0.5:
                continue
            luck = draw(self._seed, "front", system.place_id, int(at_s // HOUR_S))
            rows.append(
                {
                    "solar_system_id": system.place_id,
                    "owner_faction_id": 500_001,
                    "occupier_faction_id": luck.choice(tuple(FACTIONS)),
                    "contested": luck.choice(("captured", "contested", "uncontested")),
                    "victory_points": luck.randrange(75_000),
                    "victory_points_threshold": 75_000,
                }
            )
        return rows

    def warfare_wars(self) -> list[Row]:
        """Return which factions are at war."""
        pairs = ((500_001, 500_004), (500_002, 500_003))
        return [
            {"faction_id": one, "against_id": other}
            for pair in pairs
            for one, other in (pair, pair[::-1])
        ]

    def leaders(self, who: str, at_s: float) -> Row:
        """Return the leading factions, corporations or characters of warfare."""
        among: dict[str, range | tuple[int, ...]] = {
            "faction": tuple(FACTIONS),
            "corporation": tuple(NPC_CORPORATIONS),
            "character": range(FIRST_STRANGER, FIRST_STRANGER + STRANGERS),
        }
        luck = draw(self._seed, "leaders", who, int(at_s // DAY_S))
        return {
            measure: {
                period: [
                    {f"{who}_id": one, "amount": 10_000 // (place + 1)}
                    for place, one in enumerate(luck.sample(among[who], 4))
                ]
                for period in PERIODS
            }
            for measure in ("kills", "victory_points")
        }

    def npc_corporations(self) -> list[int]:
        """Return the corporations of the game."""
        return list(NPC_CORPORATIONS)

    def loyalty_offers(self, corporation_id: int) -> list[Row]:
        """Return what a loyalty store sells; one corporation in three has none."""
        if corporation_id not in NPC_CORPORATIONS or corporation_id % 3 == 1:
            raise not_found("No loyalty point store found for the provided corporation")
        rows: list[Row] = []
        for number, item in enumerate(MARKET):
            luck = draw(self._seed, "offer", corporation_id, number)
            row: Row = {
                "offer_id": number + 1,
                "type_id": item.type_id,
                "quantity": 1 + luck.randrange(5),
                "lp_cost": luck.randrange(1, 90_000),
                "isk_cost": luck.randrange(90_000_000),
                "required_items": [
                    {"type_id": one.type_id, "quantity": 1 + luck.randrange(9)}
                    for one in luck.sample(MARKET, luck.randrange(3))
                ],
            }
            if number % 9 == 0:
                row["ak_cost"] = 5
            rows.append(row)
        return rows


def _counts(luck: Luck, most: int) -> Row:
    yesterday = luck.randrange(most)
    return {
        "yesterday": yesterday,
        "last_week": yesterday + luck.randrange(most * 7),
        "total": most * 1_000 + luck.randrange(most),
    }
