"""What the universe holds, in ESI's words, for a comparison that goes past all clients."""

from __future__ import annotations

from typing import Any

from simulator.errors import Refusal, bad_request, not_found
from simulator.esi import Esi
from simulator.routes.table import Ids, Read, Served
from simulator.routes.universe import name_of
from simulator.universe.assets import MUTATED
from simulator.universe.company import STRUCTURE_IDS
from simulator.universe.draw import ORDER, Row
from simulator.universe.mail import FIRST_LIST
from simulator.universe.static import MARKET, TYPES, atlas
from simulator.universe.world import World
from simulator.uuids import number_of
from simulator.zkillboard import worth_of

COMPUTED = (
    "character.mail_bodies",
    "character.structures",
    "assets.names",
    "assets.positions",
    "global.abyssal",
    "global.affiliation",
    "global.killmail",
    "global.killmail_value",
    "global.names",
)


class Model:
    """Tells sections of the universe as the routes show them now, or as they are now."""

    def __init__(self, esi: Esi) -> None:
        self._esi = esi
        self._sections: dict[str, Served] = {
            served.row.section: served
            for served in esi.table.served.values()
            if isinstance(served.row, Read)
        }

    def sections(self) -> list[str]:
        """Return the names of all sections."""
        return sorted([*self._sections, *COMPUTED])

    def tell(self, section: str, ids: Ids, *, at_s: float | None = None) -> object:
        """Return a section: as shown by its caches, or as it was at a moment."""
        if section in COMPUTED:
            return self._computed(section, ids)
        served = self._sections.get(section)
        if served is None or not isinstance(served.row, Read):
            raise not_found(f"no section {section}; there are: {', '.join(self.sections())}")
        if served.row.of and len(ids) + 1 == len(served.names):
            return self._of_all(served, served.row, ids, at_s)
        names = (*served.names, *served.row.query)
        if len(ids) != len(names):
            wanted = ", ".join(names) or "none"
            raise bad_request(f"{section} needs these ids: {wanted}")
        if at_s is not None:
            return _without_order(served.row.look(self._esi.world, ids, at_s))
        return self._esi.snapshot(served.row, served.facts, ids).content()

    def _of_all(self, served: Served, row: Read, ids: Ids, at_s: float | None) -> list[Row]:
        """Return what a route tells of each thing in a list, each row with the thing's id."""
        listed = self.tell(row.of, ids, at_s=at_s)
        name = served.names[-1]
        rows: list[Row] = []
        for one in _things(listed):
            thing_id = one[name] if name in one else one["id"]
            number = number_of(thing_id) if isinstance(thing_id, str) else thing_id
            try:
                queried = tuple(one[name] for name in row.query)
                told = self.tell(row.section, (*ids, number, *queried), at_s=at_s)
            except Refusal:
                continue  # not every thing in the list has details
            lines = told if isinstance(told, list) else [told]
            rows += [{name: thing_id, **line} for line in lines if isinstance(line, dict)]
        return rows

    def _computed(self, section: str, ids: Ids) -> list[Row]:
        if section == "global.affiliation":
            return self._affiliation()
        if section == "global.names":
            return self._names(ids)
        if len(ids) != 1:
            raise bad_request(f"{section} needs one id")
        if section == "global.abyssal":
            return [{"type_id": MUTATED.type_id, **self._esi.world.abyssals.item(ids[0])}]
        if section == "global.killmail_value":
            return [worth_of(self._esi.world, ids[0])]
        if section == "global.killmail":
            return [self._esi.world.killmails.killmail(ids[0])]
        if section == "character.mail_bodies":
            return self._bodies(ids[0])
        if section == "character.structures":
            return self._esi.world.structures.seen_by(ids[0])
        taken_s = self._taken_s(ids[0])
        if section == "assets.positions":
            places = self._esi.world.assets.positions(ids[0], taken_s)
            return [{"item_id": item_id, "position": place} for item_id, place in places.items()]
        names = self._esi.world.assets.names(ids[0], taken_s)
        return [{"item_id": item_id, "name": name} for item_id, name in names.items()]

    def _taken_s(self, owner_id: int) -> float:
        people = self._esi.world.people
        kind = "character" if owner_id in people.character_ids else "corporation"
        served = self._sections[f"{kind}.assets"]
        if not isinstance(served.row, Read):
            raise TypeError("assets are read")
        return self._esi.snapshot(served.row, served.facts, (owner_id,)).taken_s

    def _bodies(self, character_id: int) -> list[Row]:
        headers = self.tell("character.mail_headers", (character_id,))
        world, rows = self._esi.world, []
        for header in headers if isinstance(headers, list) else []:
            try:
                mail = world.mail.mail(character_id, header["mail_id"], world.start_s)
            except Refusal:
                continue  # deleted, and still in the list that the caches show
            rows.append({"mail_id": header["mail_id"], **mail})
        return rows

    def _affiliation(self) -> list[Row]:
        people, rows = self._esi.world.people, []
        for character_id in people.character_ids:
            corporation_id = people.corporation_of(character_id)
            row: Row = {"character_id": character_id, "corporation_id": corporation_id}
            alliance_id = people.alliance_of(corporation_id)
            if alliance_id:
                row["alliance_id"] = alliance_id
            rows.append(row)
        return rows

    def _names(self, ids: Ids) -> list[Row]:
        """Return the names of the ids asked for; of all that are no strangers when none is."""
        world = self._esi.world
        if not ids:
            people, places = world.people, atlas()
            ids = (
                *people.character_ids,
                *people.corporation_ids,
                *people.alliance_ids,
                *(item.type_id for item in MARKET if item.type_id in TYPES),
                *places.stations,
                *places.systems,
            )
        found = [(one, name_of(world, one) or _place(one)) for one in ids if one < FIRST_LIST]
        found += [(one, _structure(world, one)) for one in ids if one >= STRUCTURE_IDS]
        return [{"id": one, "category": name[0], "name": name[1]} for one, name in found if name]


def _without_order(content: object) -> object:
    """Return a set without the places of its rows."""
    if not isinstance(content, list):
        return content
    return [
        {name: value for name, value in row.items() if name != ORDER}
        if isinstance(row, dict)
        else row
        for row in content
    ]


def _things(listed: object) -> list[dict[str, Any]]:
    """Return the things in a list, which newer routes put into an object."""
    if isinstance(listed, dict):
        listed = next((part for part in listed.values() if isinstance(part, list)), [])
    return listed if isinstance(listed, list) else []


def _structure(world: World, structure_id: int) -> tuple[str, str] | None:
    """Return category and name of a structure, to whomever asks."""
    try:
        return "structure", str(world.structures.structure(structure_id)["name"])
    except Refusal:
        return None


def _place(place_id: int) -> tuple[str, str] | None:
    """Return category and name of what only its own route names."""
    for category, level in (("planet", atlas().planets), ("moon", atlas().moons)):
        if place_id in level:
            return category, level[place_id].name
    return None
