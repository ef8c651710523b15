"""The parts of the universe that never change: types, places, factions, races.

A small slice of New Eden with its real ids, filled up with invented neighbours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import lru_cache

CATEGORIES = {
    2: "Celestial", 4: "Material", 6: "Ship", 7: "Module", 8: "Charge", 9: "Blueprint",
    16: "Skill", 18: "Drone", 3: "Station", 25: "Asteroid", 5: "Accessories", 20: "Implant",
    41: "Planetary Industry", 42: "Planetary Resources", 43: "Planetary Commodities",
    46: "Orbitals", 65: "Structure", 17: "Commodity", 23: "Starbase",
}  # fmt: skip

# group id: (category id, name)
GROUPS = {
    5: (2, "Solar System"), 7: (2, "Planet"), 8: (2, "Moon"), 15: (3, "Station"),
    12: (2, "Cargo Container"), 448: (2, "Audit Log Secure Container"),
    18: (4, "Mineral"), 25: (6, "Frigate"), 26: (6, "Cruiser"), 28: (6, "Hauler"),
    419: (6, "Combat Battlecruiser"), 463: (6, "Mining Barge"), 29: (6, "Capsule"),
    53: (7, "Energy Weapon"), 55: (7, "Projectile Weapon"), 60: (7, "Damage Control"),
    46: (7, "Propulsion Module"), 83: (8, "Projectile Ammo"), 85: (8, "Hybrid Charge"),
    105: (9, "Frigate Blueprint"), 106: (9, "Cruiser Blueprint"), 100: (18, "Combat Drone"),
    101: (18, "Mining Drone"), 255: (16, "Gunnery"), 257: (16, "Spaceship Command"),
    1216: (16, "Engineering"), 1210: (16, "Armor"), 1209: (16, "Shields"),
    274: (16, "Trade"), 1218: (16, "Resource Processing"), 450: (25, "Arkonor"),
    16: (3, "Station Services"), 1875: (5, "PLEX"), 300: (20, "Cyberimplant"),
    462: (25, "Veldspar"), 460: (25, "Scordite"), 1063: (41, "Extractor Control Units"),
    1028: (41, "Processors"), 1030: (41, "Spaceports"), 1033: (42, "Planet Liquids"),
    1042: (43, "Basic Commodities"), 1025: (46, "Orbital Infrastructure"),
    1657: (65, "Citadel"), 1964: (17, "Mutaplasmids"), 365: (23, "Control Tower"),
    1136: (4, "Fuel Block"), 423: (4, "Ice Product"), 1884: (25, "Ubiquitous Moon Asteroids"),
}  # fmt: skip


@dataclass(frozen=True, slots=True)
class ItemType:
    """A type of item; `price` in whole ISK is what a market would ask, 0 for none."""

    type_id: int
    group_id: int
    name: str
    volume: float
    price: int
    rank: int = 1


TYPES = {
    item.type_id: item
    for item in (
        ItemType(34, 18, "Tritanium", 0.01, 4), ItemType(35, 18, "Pyerite", 0.01, 12),
        ItemType(36, 18, "Mexallon", 0.01, 70), ItemType(37, 18, "Isogen", 0.01, 140),
        ItemType(38, 18, "Nocxium", 0.01, 900), ItemType(39, 18, "Zydrine", 0.01, 1400),
        ItemType(40, 18, "Megacyte", 0.01, 3200), ItemType(11399, 18, "Morphite", 0.01, 24000),
        ItemType(587, 25, "Rifter", 27289.0, 520000), ItemType(603, 25, "Merlin", 16500.0, 480000),
        ItemType(597, 25, "Punisher", 28600.0, 500000),
        ItemType(593, 25, "Tristan", 26500.0, 510000),
        ItemType(621, 26, "Caracal", 92000.0, 11500000),
        ItemType(622, 26, "Stabber", 80000.0, 10900000),
        ItemType(626, 26, "Vexor", 115000.0, 12100000),
        ItemType(648, 28, "Badger", 270000.0, 1250000),
        ItemType(24702, 419, "Hurricane", 216000.0, 62000000),
        ItemType(24698, 419, "Drake", 252000.0, 58000000),
        ItemType(17480, 463, "Procurer", 150000.0, 31000000),
        ItemType(670, 29, "Capsule", 500.0, 0),
        ItemType(3465, 12, "Large Secure Container", 65.0, 1100000),
        ItemType(3466, 12, "Medium Secure Container", 33.0, 350000),
        ItemType(17366, 448, "Station Container", 10000.0, 900000),
        ItemType(2881, 55, "150mm Light AutoCannon II", 5.0, 620000),
        ItemType(2873, 55, "125mm Gatling AutoCannon II", 5.0, 480000),
        ItemType(3033, 53, "Small Focused Beam Laser II", 5.0, 1300000),
        ItemType(2048, 60, "Damage Control II", 5.0, 430000),
        ItemType(438, 46, "1MN Afterburner II", 10.0, 710000),
        ItemType(440, 46, "5MN Microwarpdrive II", 10.0, 3900000),
        ItemType(191, 83, "Nuclear S", 0.0025, 9), ItemType(185, 83, "EMP S", 0.0025, 31),
        ItemType(215, 85, "Iron Charge S", 0.0025, 4),
        ItemType(222, 85, "Antimatter S", 0.0025, 11),
        ItemType(691, 105, "Rifter Blueprint", 0.01, 2900000),
        ItemType(965, 106, "Stabber Blueprint", 0.01, 39000000),
        ItemType(2486, 100, "Warrior I", 5.0, 11000),
        ItemType(2488, 100, "Warrior II", 5.0, 760000),
        ItemType(10246, 101, "Mining Drone I", 5.0, 14000),
        ItemType(44992, 1875, "PLEX", 0.01, 4800000),
        ItemType(3300, 255, "Gunnery", 0.01, 20000, 1),
        ItemType(3301, 255, "Small Hybrid Turret", 0.01, 36000, 1),
        ItemType(3302, 255, "Small Projectile Turret", 0.01, 36000, 1),
        ItemType(3303, 255, "Small Energy Turret", 0.01, 36000, 1),
        ItemType(3305, 255, "Medium Projectile Turret", 0.01, 140000, 3),
        ItemType(3327, 257, "Spaceship Command", 0.01, 20000, 1),
        ItemType(3329, 257, "Minmatar Frigate", 0.01, 48000, 2),
        ItemType(3330, 257, "Caldari Frigate", 0.01, 48000, 2),
        ItemType(3333, 257, "Minmatar Cruiser", 0.01, 600000, 5),
        ItemType(3413, 1216, "Power Grid Management", 0.01, 20000, 1),
        ItemType(3426, 1216, "CPU Management", 0.01, 20000, 1),
        ItemType(3418, 1216, "Capacitor Management", 0.01, 170000, 3),
        ItemType(3392, 1210, "Mechanics", 0.01, 20000, 1),
        ItemType(3394, 1210, "Hull Upgrades", 0.01, 66000, 2),
        ItemType(3419, 1209, "Shield Management", 0.01, 170000, 3),
        ItemType(3425, 1209, "Shield Upgrades", 0.01, 66000, 2),
        ItemType(3443, 274, "Trade", 0.01, 20000, 1),
        ItemType(3446, 274, "Broker Relations", 0.01, 96000, 2),
        ItemType(16622, 274, "Accounting", 0.01, 2000000, 3),
        ItemType(3386, 1218, "Mining", 0.01, 20000, 1),
        ItemType(3385, 1218, "Reprocessing", 0.01, 66000, 1),
        ItemType(27, 16, "Office", 0.0, 0), ItemType(11, 7, "Planet (Temperate)", 1.0, 0),
        ItemType(14, 8, "Moon", 1.0, 0), ItemType(5, 5, "System", 1.0, 0),
        ItemType(52678, 15, "Trade Hub Station", 1.0, 0),
        ItemType(9899, 300, "Ocular Filter - Basic", 1.0, 0),
        ItemType(9941, 300, "Memory Augmentation - Basic", 1.0, 0),
        ItemType(9956, 300, "Social Adaptation Chip - Basic", 1.0, 0),
        ItemType(1230, 462, "Veldspar", 0.1, 0), ItemType(1228, 460, "Scordite", 0.15, 0),
        ItemType(2848, 1063, "Barren Extractor Control Unit", 0.0, 0),
        ItemType(2473, 1028, "Barren Basic Industry Facility", 0.0, 0),
        ItemType(2544, 1030, "Barren Launchpad", 0.0, 0),
        ItemType(2268, 1033, "Aqueous Liquids", 0.01, 0),
        ItemType(2393, 1042, "Bacteria", 0.38, 0),
        ItemType(2233, 1025, "Customs Office", 0.0, 0),
        ItemType(35832, 1657, "Astrahus", 8000.0, 0),
        ItemType(85230, 1025, "Mercenary Den", 0.0, 0),
        ItemType(47740, 46, "5MN Abyssal Microwarpdrive", 10.0, 0),
        ItemType(47737, 1964, "Unstable 5MN Microwarpdrive Mutaplasmid", 1.0, 0),
        ItemType(16213, 365, "Caldari Control Tower", 8000.0, 0),
        ItemType(4051, 1136, "Nitrogen Fuel Block", 5.0, 0),
        ItemType(16275, 423, "Strontium Clathrates", 3.0, 0),
        ItemType(45490, 1884, "Zeolites", 10.0, 0), ItemType(45491, 1884, "Sylvite", 10.0, 0),
        ItemType(45492, 1884, "Bitumens", 10.0, 0),
    )
}  # fmt: skip

SKILLS = tuple(t for t in TYPES.values() if GROUPS[t.group_id][0] == 16)
SHIPS = tuple(t for t in TYPES.values() if GROUPS[t.group_id][0] == 6 and t.type_id != 670)
STACKS = tuple(t for t in TYPES.values() if GROUPS[t.group_id][0] in (4, 7, 8, 18) and t.price)
MARKET = tuple(t for t in TYPES.values() if t.price)

RACES = {
    1: ("Caldari", 500001), 2: ("Minmatar", 500002), 4: ("Amarr", 500003), 8: ("Gallente", 500004),
}  # fmt: skip

# bloodline id: (race id, name, corporation id, ship type id)
BLOODLINES = {
    1: (1, "Deteis", 1000006, 603), 2: (1, "Civire", 1000007, 603),
    3: (2, "Sebiestor", 1000046, 587), 4: (2, "Brutor", 1000049, 587),
    5: (4, "Amarr", 1000066, 597), 6: (4, "Ni-Kunni", 1000072, 597),
    7: (8, "Gallente", 1000115, 593), 8: (8, "Intaki", 1000121, 593),
}  # fmt: skip

# faction id: (name, corporation id, solar system id)
FACTIONS = {
    500001: ("Caldari State", 1000035, 30000142),
    500002: ("Minmatar Republic", 1000051, 30002510),
    500003: ("Amarr Empire", 1000084, 30002187),
    500004: ("Gallente Federation", 1000120, 30002659),
}

NPC_CORPORATIONS = {
    1000006: "Deteis Holdings", 1000007: "Civire Works", 1000046: "Sebiestor Tribe",
    1000049: "Brutor Tribe", 1000066: "Amarr Estates", 1000072: "Ni-Kunni Guild",
    1000115: "Garoune Trade", 1000121: "Intaki Commons", 1000035: "Caldari Navy",
    1000051: "Republic Fleet", 1000084: "Amarr Navy", 1000120: "Federation Navy",
    1000125: "CONCORD", 1000132: "Secure Commerce Commission",
}  # fmt: skip

_HOMES = (
    # region, constellation, system, station: ids and names, and the security of the system
    (10000002, "The Forge", 20000020, "Kimotoro", 30000142, "Jita", 60003760, 0.946, 500001),
    (10000043, "Domain", 20000322, "Throne Worlds", 30002187, "Amarr", 60008494, 1.0, 500003),
    (10000032, "Sinq Laison", 20000389, "Algintal", 30002659, "Dodixie", 60011866, 0.863, 500004),
    (10000030, "Heimatar", 20000367, "Hed", 30002510, "Rens", 60004588, 0.901, 500002),
)
_NEIGHBOURS = ("Ashvale", "Borrun", "Cindara", "Dovoka", "Ekelen", "Fyrnas", "Gelhan", "Hosterra")


@dataclass(frozen=True, slots=True)
class Place:
    """A named place, and the place that holds it."""

    place_id: int
    name: str
    parent_id: int
    security: float = 0.0
    owner_id: int = 0


@dataclass(frozen=True, slots=True)
class Atlas:
    """Every place there is, by level."""

    regions: dict[int, Place] = field(default_factory=dict)
    constellations: dict[int, Place] = field(default_factory=dict)
    systems: dict[int, Place] = field(default_factory=dict)
    planets: dict[int, Place] = field(default_factory=dict)
    moons: dict[int, Place] = field(default_factory=dict)
    stations: dict[int, Place] = field(default_factory=dict)

    def region_of(self, station_id: int) -> int:
        """Return the region in which a station lies."""
        system = self.systems[self.stations[station_id].parent_id]
        return self.constellations[system.parent_id].parent_id


@lru_cache(maxsize=1)
def atlas() -> Atlas:
    """Lay out the regions with their systems, planets, moons and stations."""
    made = Atlas()
    spare_system, spare_station = 30100001, 60100001
    for region, region_name, group, group_name, system, name, station, security, faction in _HOMES:
        made.regions[region] = Place(region, region_name, 0)
        made.constellations[group] = Place(group, group_name, region)
        owner = FACTIONS[faction][1]
        _add_system(made, Place(system, name, group, security), station, owner)
        for step, prefix in enumerate(_NEIGHBOURS[:5]):
            neighbour = Place(
                spare_system, f"{prefix} {name[:3]}", group, round(0.7 - step * 0.2, 3)
            )
            _add_system(made, neighbour, spare_station, owner)
            spare_system, spare_station = spare_system + 1, spare_station + 1
    return made


@lru_cache(maxsize=1)
def station_ids() -> tuple[int, ...]:
    """Return every station there is."""
    return tuple(atlas().stations)


def _add_system(made: Atlas, system: Place, station_id: int, owner_id: int) -> None:
    made.systems[system.place_id] = system
    base = 40000000 + (system.place_id - 30000000) * 16
    for number in range(1, 4):
        planet = Place(base + number * 4, f"{system.name} {'I' * number}", system.place_id)
        made.planets[planet.place_id] = planet
        moon = Place(planet.place_id + 1, f"{planet.name} - Moon 1", system.place_id)
        made.moons[moon.place_id] = moon
    name = f"{system.name} III - Moon 1 - Trade Hub"
    made.stations[station_id] = Place(station_id, name, system.place_id, 0.0, owner_id)
