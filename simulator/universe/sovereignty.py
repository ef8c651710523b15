"""Sovereignty: claims on systems, fights over them, hubs and skyhooks."""

from __future__ import annotations

from simulator.clock import iso
from simulator.errors import not_found
from simulator.universe.draw import Luck, Row, draw
from simulator.universe.people import Population
from simulator.universe.static import FACTIONS, atlas

HOUR_S = 3_600
DAY_S = 86_400
HUB_IDS = 1_050_000_000_000
SKYHOOK_IDS = 1_051_000_000_000
CAMPAIGN_IDS = 40_000
HUBS_EACH = 3
SKYHOOKS_EACH = 5
REAGENTS = (2268, 2393)
UPGRADES = (2473, 2544, 2848)
STATES = ("ShieldVulnerable", "ArmorReinforced", "HullVulnerable")


class Sovereignty:
    """Who holds what, and with which structures."""

    def __init__(self, people: Population) -> None:
        self._people = people
        self._seed = people.seed

    def systems(self, at_s: float) -> Row:
        """Return every system with its claim."""
        return {"solar_systems": [self._system(one, at_s) for one in atlas().systems]}

    def _system(self, system_id: int, at_s: float) -> Row:
        luck = draw(self._seed, "claim", system_id)
        claim: Row = {"unclaimed": True}
        if atlas().systems[system_id].security > 0.5:
            claim = {"faction": {"faction_id": luck.choice(tuple(FACTIONS))}}
        elif luck.random() < 0.7:
            corporation_id = luck.choice(self._people.corporation_ids)
            hub: Row = {"id": HUB_IDS - system_id}
            if luck.random() < 0.7:
                hub["vulnerability_window"] = self._window("hub", system_id, at_s)
            claim = {
                "alliance": {
                    "alliance_id": luck.choice(self._people.alliance_ids),
                    "corporation_id": corporation_id,
                    "claimed_since": iso(self._people.start_s - luck.randrange(9 * DAY_S)),
                    "is_capital_system": luck.random() < 0.2,
                    "development": {
                        "activity_defense_multiplier": round(luck.uniform(1, 6), 1),
                        "industrial_level": luck.randrange(6),
                        "military_level": luck.randrange(6),
                        "strategic_level": luck.randrange(6),
                    },
                    "sovereignty_hub": hub,
                }
            }
        return {"solar_system_id": system_id, "claim": claim}

    def campaigns(self, at_s: float) -> list[Row]:
        """Return the fights of this hour and the next; their scores move by the hour."""
        hour = int(at_s // HOUR_S)
        return [self._campaign(number, hour) for number in range(hour, hour + 3)]

    def _campaign(self, number: int, hour: int) -> Row:
        luck = draw(self._seed, "campaign", number)
        system_id = luck.choice(tuple(atlas().systems))
        row: Row = {
            "campaign_id": CAMPAIGN_IDS + number,
            "structure_id": HUB_IDS - system_id,
            "solar_system_id": system_id,
            "constellation_id": atlas().systems[system_id].parent_id,
            "event_type": "ihub_defense",
            "start_time": iso(number * HOUR_S),
        }
        if number % 2:
            score = round(draw(self._seed, "score", number, hour).uniform(0, 1), 2)
            defender = luck.choice(self._people.alliance_ids)
            row |= {
                "defender_id": defender,
                "defender_score": score,
                "attackers_score": round(1 - score, 2),
                "participants": [{"alliance_id": defender, "score": score}],
            }
        return row

    def hubs(self, corporation_id: int) -> Row:
        """Return the hubs of a corporation."""
        return {
            "sovereignty_hubs": [
                {"id": hub_id, "solar_system_id": self._place(hub_id)}
                for hub_id in self._ids(HUB_IDS, corporation_id, HUBS_EACH)
            ]
        }

    def hub(self, corporation_id: int, hub_id: int, at_s: float) -> Row:
        """Return what is in a hub; its fuel burns by the hour."""
        ids = self._ids(HUB_IDS, corporation_id, HUBS_EACH)
        if hub_id not in ids:
            raise not_found("Sovereignty hub not found")
        luck, hour = draw(self._seed, "hub", hub_id), int(at_s // HOUR_S)
        row: Row = {
            "id": hub_id,
            "solar_system_id": self._place(hub_id),
            "reagent_bay": {
                "last_updated": iso(hour * HOUR_S),
                "reagents": [
                    {
                        "type_id": type_id,
                        "amount": 400_000 - hour % 1_000 * 200,
                        "burning_per_hour": 200,
                    }
                    for type_id in REAGENTS
                ],
            },
            "resources": {
                "power": {"allocated": 900, "available": 900 + luck.randrange(900)},
                "workforce": {"allocated": 5_000, "available": 5_000 + luck.randrange(900)},
            },
            "upgrades": [
                {"type_id": type_id, "power_state": luck.choice(("Online", "Offline", "Low"))}
                for type_id in UPGRADES[: luck.randrange(4)]
            ],
            "workforce_transport": self._transport(ids.index(hub_id), luck),
        }
        if luck.random() < 0.7:
            row["fuel_access_list_id"] = hub_id - HUB_IDS + 1
            row["vulnerability_window"] = self._window("own hub", hub_id, at_s)
        return row

    def _transport(self, number: int, luck: Luck) -> Row:
        """Return the three ways there are, one for each hub of a corporation."""
        near, far = luck.sample(tuple(atlas().systems), 2)
        if number == 0:
            return {
                "configuration": {
                    "import": {"sources": [{"solar_system_id": near}, {"solar_system_id": far}]}
                },
                "state": {"import": {"sources": [{"solar_system_id": near, "amount": 700}]}},
            }
        if number == 1:
            return {
                "configuration": {"export": {"amount": 900, "solar_system_id": far}},
                "state": {"export": {}},
            }
        return {"configuration": {"transit": True}, "state": {"transit": True}}

    def skyhooks(self, corporation_id: int) -> Row:
        """Return the skyhooks of a corporation."""
        return {
            "skyhooks": [
                {"id": skyhook_id, "planet_id": self._planet(skyhook_id)}
                for skyhook_id in self._ids(SKYHOOK_IDS, corporation_id, SKYHOOKS_EACH)
            ]
        }

    def skyhook(self, corporation_id: int, skyhook_id: int, at_s: float) -> Row:
        """Return the state of a skyhook; its stock fills by the hour."""
        if skyhook_id not in self._ids(SKYHOOK_IDS, corporation_id, SKYHOOKS_EACH):
            raise not_found("Skyhook not found")
        luck, hour = draw(self._seed, "skyhook", skyhook_id), int(at_s // HOUR_S)
        state = luck.choice(STATES)
        row: Row = {
            "id": skyhook_id,
            "planet_id": self._planet(skyhook_id),
            "is_active": luck.random() < 0.8,
            "state": state,
        }
        if state == "ArmorReinforced":
            row["reinforcement_timer"] = {"end": iso((hour + 20) * HOUR_S)}
        if skyhook_id % 2:
            row["effective_workforce"] = luck.randrange(9_000)
        else:
            row["theft_vulnerability"] = self._window("theft", skyhook_id, at_s)
            row["reagents"] = [
                {
                    "type_id": type_id,
                    "last_cycle": iso(hour * HOUR_S),
                    "secured_stock": hour % 500 * 10,
                    "unsecured_stock": hour % 300 * 20,
                }
                for type_id in REAGENTS
            ]
        return row

    def raidable(self, at_s: float) -> Row:
        """Return the skyhooks that can be robbed today; which they are changes by the day."""
        day = int(at_s // DAY_S)
        planets = draw(self._seed, "raids", day).sample(tuple(atlas().planets), 9)
        return {
            "skyhooks": [
                {
                    "planet_id": planet_id,
                    "solar_system_id": atlas().planets[planet_id].parent_id,
                    "theft_vulnerability": self._window("raid", planet_id, at_s),
                }
                for planet_id in planets
            ]
        }

    def _ids(self, first: int, corporation_id: int, count: int) -> list[int]:
        if corporation_id not in self._people.corporation_ids:
            raise not_found("Corporation not found")
        start = first + self._people.owner_index(corporation_id) * 100
        return list(range(start, start + count))

    def _place(self, structure_id: int) -> int:
        return draw(self._seed, "place", structure_id).choice(tuple(atlas().systems))

    def _planet(self, skyhook_id: int) -> int:
        return draw(self._seed, "planet", skyhook_id).choice(tuple(atlas().planets))

    def _window(self, what: str, structure_id: int, at_s: float) -> Row:
        luck = draw(self._seed, what, structure_id)
        start_s = int(at_s // DAY_S) * DAY_S + luck.randrange(24) * HOUR_S
        return {"start": iso(start_s), "end": iso(start_s + 3 * HOUR_S)}
