"""Who exists: characters, their corporations and alliances, and the strangers they meet."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache

from simulator.clock import iso
from simulator.universe.draw import Row, draw
from simulator.universe.static import BLOODLINES, NPC_CORPORATIONS, station_ids

FIRST_CHARACTER = 90_000_001
FIRST_CORPORATION = 98_000_001
FIRST_ALLIANCE = 99_000_001
FIRST_AGENT = 3_000_000
FIRST_STRANGER = 95_000_001
STRANGERS = 5_000
DAY_S = 86_400

DIRECTOR_ROLES = (
    "Accountant", "Director", "Factory_Manager", "Fitting_Manager", "Junior_Accountant",
    "Personnel_Manager", "Project_Manager", "Station_Manager", "Trader",
)  # fmt: skip

_GIVEN = (
    "Aiko", "Boran", "Cela", "Dorn", "Eskil", "Fenna", "Goran", "Hala", "Ivo", "Jorun", "Kesh",
    "Lira", "Marek", "Nadja", "Oskar", "Petra", "Quill", "Rina", "Soren", "Tamsin", "Ульяна",
)  # fmt: skip
_FAMILY = (
    "Aldane", "Brecht", "Corvane", "Dusk", "Ekeren", "Farrow", "Grinwald", "Holt", "Ishukari",
    "Jarrow", "Kador", "Lindqvist", "Moreau", "Näkki", "Oberon", "Pryde", "Rask", "Sarum-Veil",
)  # fmt: skip
_FIRMS = ("Freight", "Salvage", "Holdings", "Mining Union", "Expeditions", "Foundry", "Traders")


@dataclass(frozen=True, slots=True)
class Pilot:
    """A character as it is born; what changes later is kept by the population."""

    character_id: int
    index: int
    name: str
    corporation_id: int
    bloodline_id: int
    gender: str
    birthday_s: int
    security_status: float
    description: str


@dataclass(frozen=True, slots=True)
class Corporation:
    """A player corporation, founded by its first director."""

    corporation_id: int
    index: int
    name: str
    ticker: str
    ceo_id: int
    alliance_id: int | None
    home_station_id: int
    founded_s: int
    tax_rate: float


class Population:
    """All characters, corporations and alliances of one universe."""

    def __init__(self, seed: int, characters: int, start_s: int) -> None:
        self.seed = seed
        self.start_s = start_s
        self.count = characters
        self.corporation_count = min(characters, characters // 5 + 1)
        self.alliance_count = (self.corporation_count + 2) // 3
        self._dropped: dict[int, set[str]] = {}
        self._moved: dict[int, tuple[int, int]] = {}
        self.pilot = lru_cache(maxsize=None)(self._pilot)
        self.corporation = lru_cache(maxsize=None)(self._corporation)

    @property
    def character_ids(self) -> range:
        """The characters that can be logged in."""
        return range(FIRST_CHARACTER, FIRST_CHARACTER + self.count)

    @property
    def corporation_ids(self) -> range:
        """The corporations of these characters."""
        return range(FIRST_CORPORATION, FIRST_CORPORATION + self.corporation_count)

    @property
    def alliance_ids(self) -> range:
        """The alliances of these corporations."""
        return range(FIRST_ALLIANCE, FIRST_ALLIANCE + self.alliance_count)

    def is_stranger(self, character_id: int) -> bool:
        """True for a character that exists but belongs to nobody here."""
        return FIRST_STRANGER <= character_id < FIRST_STRANGER + STRANGERS

    def exists(self, character_id: int) -> bool:
        """True for every character of this universe, strangers and agents included."""
        return (
            character_id in self.character_ids
            or self.is_stranger(character_id)
            or self.agent_corporation(character_id) is not None
        )

    def corporation_of(self, character_id: int) -> int:
        """Return the corporation in which a character is now."""
        moved = self._moved.get(character_id)
        return moved[0] if moved else self.pilot(character_id).corporation_id

    def alliance_of(self, corporation_id: int) -> int | None:
        """Return the alliance of a corporation, if it is in one."""
        if corporation_id in self.corporation_ids:
            return self.corporation(corporation_id).alliance_id
        return None

    def agent_corporation(self, agent_id: int) -> int | None:
        """Return the corporation that an NPC heads; None for who is no NPC."""
        for corporation_id in NPC_CORPORATIONS:
            if agent_id == FIRST_AGENT + corporation_id % 1000:
                return corporation_id
        return None

    def owner_index(self, owner_id: int) -> int:
        """Return a number of its own for each character and corporation, counted from 0."""
        if owner_id in self.corporation_ids:
            return self.count + owner_id - FIRST_CORPORATION
        return owner_id - FIRST_CHARACTER

    def members_of(self, corporation_id: int) -> list[int]:
        """Return the characters that are in a corporation now."""
        return [who for who in self.character_ids if self.corporation_of(who) == corporation_id]

    def is_director(self, character_id: int) -> bool:
        """True for a character that still holds the role of a director."""
        return "Director" in self.roles_of(character_id)

    def roles_of(self, character_id: int) -> list[str]:
        """Return the corporation roles that a character holds now."""
        if character_id in self._moved:
            return []
        corporation = self.corporation(self.pilot(character_id).corporation_id)
        held = DIRECTOR_ROLES if corporation.ceo_id == character_id else ("Trader",)
        dropped = self._dropped.get(character_id, set())
        return [role for role in held if role not in dropped]

    def drop_roles(self, character_id: int, roles: set[str]) -> None:
        """Take roles from a character."""
        self._dropped.setdefault(character_id, set()).update(roles)

    def restore_roles(self, character_id: int) -> None:
        """Give back every role that was taken from a character."""
        self._dropped.pop(character_id, None)

    def move(self, character_id: int, corporation_id: int, at_s: int) -> None:
        """Let a character change its corporation, which costs it all roles."""
        self._moved[character_id] = (corporation_id, at_s)

    def history_of(self, character_id: int) -> list[Row]:
        """Return the corporations in which a character was, the latest first."""
        pilot = self.pilot(character_id)
        school = BLOODLINES[pilot.bloodline_id][2]
        past = [(school, pilot.birthday_s), (pilot.corporation_id, self.start_s - 120 * DAY_S)]
        if character_id in self._moved:
            past.append(self._moved[character_id])
        rows: list[Row] = [
            {
                "corporation_id": corporation_id,
                "record_id": pilot.index * 100 + 500_000 + number,
                "start_date": iso(since_s),
            }
            for number, (corporation_id, since_s) in enumerate(past)
        ]
        return rows[::-1]

    def name_of(self, entity_id: int) -> tuple[str, str] | None:
        """Return category and name of a character, corporation or alliance."""
        if self.exists(entity_id):
            return "character", self.pilot(entity_id).name
        if entity_id in self.corporation_ids:
            return "corporation", self.corporation(entity_id).name
        if entity_id in NPC_CORPORATIONS:
            return "corporation", NPC_CORPORATIONS[entity_id]
        if FIRST_AGENT <= entity_id < FIRST_AGENT + 1000:
            return "character", f"Agent {entity_id - FIRST_AGENT}"
        if entity_id in self.alliance_ids:
            return "alliance", self.alliance_name(entity_id)
        return None

    def alliance_name(self, alliance_id: int) -> str:
        """Return the name of an alliance."""
        return (
            f"{_FAMILY[(alliance_id * 7) % len(_FAMILY)]} Accord {alliance_id - FIRST_ALLIANCE + 1}"
        )

    def _pilot(self, character_id: int) -> Pilot:
        luck = draw(self.seed, "pilot", character_id)
        index = character_id - FIRST_CHARACTER
        bloodline_id = luck.choice(list(BLOODLINES))
        if character_id in self.character_ids:
            corporation_id = FIRST_CORPORATION + index % self.corporation_count
        else:
            employer = self.agent_corporation(character_id)
            corporation_id = employer or BLOODLINES[bloodline_id][2]
        name = f"{luck.choice(_GIVEN)} {luck.choice(_FAMILY)} {character_id % 100_000}"
        return Pilot(
            character_id=character_id,
            index=index,
            name=name,
            corporation_id=corporation_id,
            bloodline_id=bloodline_id,
            gender=luck.choice(("male", "female")),
            birthday_s=self.start_s - luck.randrange(400, 4000) * DAY_S - luck.randrange(DAY_S),
            security_status=round(luck.uniform(-4, 5), 6),
            description=luck.choice(
                ("", "Just here to haul.", "<font color='#bfffffff'>o7</font>")
            ),
        )

    def _corporation(self, corporation_id: int) -> Corporation:
        index = corporation_id - FIRST_CORPORATION
        luck = draw(self.seed, "corporation", corporation_id)
        family = luck.choice(_FAMILY)
        alliance = FIRST_ALLIANCE + index // 3 if index % 3 != 2 else None
        return Corporation(
            corporation_id=corporation_id,
            index=index,
            name=f"{family} {luck.choice(_FIRMS)} {index + 1}",
            ticker=f"{family[:2].upper()}{index + 1}"[:5],
            ceo_id=FIRST_CHARACTER + index,
            alliance_id=alliance,
            home_station_id=luck.choice(station_ids()),
            founded_s=self.start_s - luck.randrange(150, 2000) * DAY_S,
            tax_rate=round(luck.uniform(0.0, 0.15), 2),
        )
