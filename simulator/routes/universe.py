"""Routes that need no token: names, places, types, prices, server status."""

from __future__ import annotations

from collections.abc import Callable

from simulator.clock import iso
from simulator.contract import by_key
from simulator.errors import bad_request, not_found
from simulator.routes.bodies import ids_in
from simulator.routes.table import Call, Done, Ids, Read, Write
from simulator.universe.draw import Row, draw
from simulator.universe.mail import FIRST_LIST
from simulator.universe.people import FIRST_STRANGER, STRANGERS
from simulator.universe.static import (
    BLOODLINES,
    CATEGORIES,
    FACTIONS,
    GROUPS,
    RACES,
    TYPES,
    Atlas,
    Place,
    atlas,
)
from simulator.universe.world import World

DAY_S = 86_400
MOST_NAMES = 500
DOWNTIME_S = 11 * 3_600


def _position(place_id: int) -> Row:
    luck = draw(0, "position", place_id)
    return {axis: round(luck.uniform(-1e13, 1e13), 1) for axis in "xyz"}


def _place(level: Callable[[Atlas], dict[int, Place]], place_id: int, what: str) -> Place:
    place = level(atlas()).get(place_id)
    if place is None:
        raise not_found(f"{what} not found")
    return place


def _children(level: dict[int, Place], parent_id: int) -> list[int]:
    return [place.place_id for place in level.values() if place.parent_id == parent_id]


def _region(_world: World, ids: Ids, _at_s: float) -> Row:
    place = _place(lambda a: a.regions, ids[0], "Region")
    return {
        "region_id": ids[0],
        "name": place.name,
        "constellations": _children(atlas().constellations, ids[0]),
    }


def _constellation(_world: World, ids: Ids, _at_s: float) -> Row:
    place = _place(lambda a: a.constellations, ids[0], "Constellation")
    return {
        "constellation_id": ids[0],
        "name": place.name,
        "region_id": place.parent_id,
        "position": _position(ids[0]),
        "systems": _children(atlas().systems, ids[0]),
    }


def _system(_world: World, ids: Ids, _at_s: float) -> Row:
    place = _place(lambda a: a.systems, ids[0], "Solar system")
    planets: list[Row] = [
        {"planet_id": one, "moons": [one + 1]} for one in _children(atlas().planets, ids[0])
    ]
    return {
        "system_id": ids[0],
        "name": place.name,
        "constellation_id": place.parent_id,
        "position": _position(ids[0]),
        "security_status": place.security,
        "security_class": "B",
        "planets": planets,
        "stations": _children(atlas().stations, ids[0]),
        "stargates": [],
    }


def _station(_world: World, ids: Ids, _at_s: float) -> Row:
    place = _place(lambda a: a.stations, ids[0], "Station")
    return {
        "station_id": ids[0],
        "name": place.name,
        "system_id": place.parent_id,
        "owner": place.owner_id,
        "type_id": 52678,
        "position": _position(ids[0]),
        "services": ["market", "reprocessing-plant", "cloning"],
        "max_dockable_ship_volume": 50_000_000.0,
        "office_rental_cost": 10_000.0,
        "reprocessing_efficiency": 0.5,
        "reprocessing_stations_take": 0.05,
    }


def _planet(_world: World, ids: Ids, _at_s: float) -> Row:
    place = _place(lambda a: a.planets, ids[0], "Planet")
    return {
        "planet_id": ids[0],
        "name": place.name,
        "system_id": place.parent_id,
        "type_id": 11,
        "position": _position(ids[0]),
    }


def _moon(_world: World, ids: Ids, _at_s: float) -> Row:
    place = _place(lambda a: a.moons, ids[0], "Moon")
    return {
        "moon_id": ids[0],
        "name": place.name,
        "system_id": place.parent_id,
        "position": _position(ids[0]),
    }


def _type(_world: World, ids: Ids, _at_s: float) -> Row:
    item = TYPES.get(ids[0])
    if item is None:
        raise not_found("Type not found")
    row: Row = {
        "type_id": item.type_id,
        "group_id": item.group_id,
        "name": item.name,
        "description": f"What everybody knows as {item.name}.",
        "published": item.price > 0,
        "volume": item.volume,
        "packaged_volume": item.volume,
        "mass": 0.0,
        "capacity": 0.0,
        "portion_size": 1,
    }
    if GROUPS[item.group_id][0] == 16:
        row["dogma_attributes"] = [{"attribute_id": 275, "value": float(item.rank)}]
    return row


def _group(_world: World, ids: Ids, _at_s: float) -> Row:
    if ids[0] not in GROUPS:
        raise not_found("Group not found")
    category_id, name = GROUPS[ids[0]]
    return {
        "group_id": ids[0],
        "category_id": category_id,
        "name": name,
        "published": True,
        "types": [item.type_id for item in TYPES.values() if item.group_id == ids[0]],
    }


def _category(_world: World, ids: Ids, _at_s: float) -> Row:
    if ids[0] not in CATEGORIES:
        raise not_found("Category not found")
    return {
        "category_id": ids[0],
        "name": CATEGORIES[ids[0]],
        "published": True,
        "groups": [group for group, (category, _) in GROUPS.items() if category == ids[0]],
    }


def _races(_world: World, _ids: Ids, _at_s: float) -> list[Row]:
    return [
        {"race_id": race, "name": name, "alliance_id": faction, "description": f"The {name}."}
        for race, (name, faction) in RACES.items()
    ]


def _bloodlines(_world: World, _ids: Ids, _at_s: float) -> list[Row]:
    rows: list[Row] = []
    for bloodline_id, (race_id, name, corporation_id, ship_type_id) in BLOODLINES.items():
        luck = draw(0, "bloodline", bloodline_id)
        row: Row = {
            key: luck.randrange(3, 9)
            for key in ("charisma", "intelligence", "memory", "perception", "willpower")
        }
        row |= {
            "bloodline_id": bloodline_id,
            "race_id": race_id,
            "name": name,
            "description": f"The {name} bloodline.",
            "corporation_id": corporation_id,
            "ship_type_id": ship_type_id,
        }
        rows.append(row)
    return rows


def _factions(_world: World, _ids: Ids, _at_s: float) -> list[Row]:
    return [
        {
            "faction_id": faction_id,
            "name": name,
            "corporation_id": corporation_id,
            "solar_system_id": system_id,
            "description": f"The {name}.",
            "is_unique": True,
            "size_factor": 5.0,
            "station_count": 6,
            "station_system_count": 6,
        }
        for faction_id, (name, corporation_id, system_id) in FACTIONS.items()
    ]


def name_of(world: World, entity_id: int) -> tuple[str, str] | None:
    """Return category and name of whatever has this id; None for what cannot be resolved."""
    found = world.people.name_of(entity_id)
    if found:
        return found
    if entity_id in TYPES:
        return "inventory_type", TYPES[entity_id].name
    if entity_id in FACTIONS:
        return "faction", FACTIONS[entity_id][0]
    places = atlas()
    for category, level in (
        ("station", places.stations),
        ("solar_system", places.systems),
        ("constellation", places.constellations),
        ("region", places.regions),
    ):
        if entity_id in level:
            return category, level[entity_id].name
    return None


def _names(world: World, call: Call) -> Done:
    rows: list[Row] = []
    for entity_id in ids_in(call.body, bits=31):
        found = None if entity_id >= FIRST_LIST else name_of(world, entity_id)
        if found is None:
            raise not_found("Ensure all IDs are valid before resolving.")
        rows.append({"id": entity_id, "category": found[0], "name": found[1]})
    return Done(rows)


_LISTS = {
    "character": "characters",
    "corporation": "corporations",
    "alliance": "alliances",
    "inventory_type": "inventory_types",
    "faction": "factions",
    "station": "stations",
    "solar_system": "systems",
    "constellation": "constellations",
    "region": "regions",
}


def _ids(world: World, call: Call) -> Done:
    """Answer with what has these names, whatever their capitals."""
    body = call.body
    if not isinstance(body, list) or not 1 <= len(body) <= MOST_NAMES:
        raise bad_request(f"the body must be a list of 1 to {MOST_NAMES} names")
    if not all(isinstance(one, str) and 1 <= len(one) <= 100 for one in body):
        raise bad_request("a name has 1 to 100 characters")
    if len(set(body)) < len(body):
        raise bad_request("a name is there twice")
    wanted = {one.casefold() for one in body}
    people, places = world.people, atlas()
    everything = (
        *people.character_ids,
        *(FIRST_STRANGER + one for one in range(STRANGERS)),
        *people.corporation_ids,
        *people.alliance_ids,
        *TYPES,
        *FACTIONS,
        *places.stations,
        *places.systems,
        *places.constellations,
        *places.regions,
    )
    found: dict[str, list[Row]] = {}
    for one in everything:
        named = name_of(world, one)
        if named is not None and named[1].casefold() in wanted:
            found.setdefault(_LISTS[named[0]], []).append({"id": one, "name": named[1]})
    return Done(found)


def _status(world: World, _ids: Ids, at_s: float) -> Row:
    started_s = int(at_s) - (int(at_s) - DOWNTIME_S) % DAY_S + 330
    return {
        "players": 20_000 + draw(world.people.seed, "players", int(at_s // 60)).randrange(15_000),
        "server_version": "3141592",
        "start_time": iso(started_s if started_s <= at_s else started_s - DAY_S),
    }


def _meta_status(world: World, _ids: Ids, _at_s: float) -> Row:
    health = "Down" if world.downtime else "OK"
    return {
        "routes": [
            {"method": facts.method, "path": facts.path, "status": health}
            for facts in by_key().values()
        ]
    }


ROWS: tuple[Read | Write, ...] = (
    Read("/universe/races", _races, "global.races"),
    Read("/universe/bloodlines", _bloodlines, "global.bloodlines"),
    Read("/universe/factions", _factions, "global.factions"),
    Read("/universe/regions/{region_id}", _region, "global.region"),
    Read("/universe/constellations/{constellation_id}", _constellation, "global.constellation"),
    Read("/universe/systems/{system_id}", _system, "global.system"),
    Read("/universe/stations/{station_id}", _station, "global.station"),
    Read("/universe/planets/{planet_id}", _planet, "global.planet"),
    Read("/universe/moons/{moon_id}", _moon, "global.moon"),
    Read("/universe/types/{type_id}", _type, "global.type"),
    Read("/universe/groups/{group_id}", _group, "global.group"),
    Read("/universe/categories/{category_id}", _category, "global.category"),
    Write("POST", "/universe/names", _names),
    Write("POST", "/universe/ids", _ids),
    Read("/markets/prices", lambda world, _, at_s: world.market.prices(at_s), "global.prices"),
    Read(
        "/dogma/dynamic/items/{type_id}/{item_id}",
        lambda world, ids, _: world.abyssals.of_type(ids[0], ids[1]),
        "global.dynamic_item",
    ),
    Read("/status", _status, "global.status"),
    Read("/meta/status", _meta_status, "global.meta_status"),
)
