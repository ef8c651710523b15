"""What a view is made of, and how its SQL is written for either database.

A view joins names to ids, and never loses a row by it: all joins are LEFT, each to one row at most,
and what has no name yet is shown as its id.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Literal

Dialect = Literal["sqlite", "postgresql"]
# Items lie in containers that lie in ships; what runs in a circle ends here.
DEEPEST = 20


class Shape(StrEnum):
    """What the values of a view's column are."""

    INTEGER = "integer"
    DOUBLE = "double"
    TEXT = "text"
    BOOLEAN = "boolean"
    TIME = "time"
    DAY = "date"
    ISK = "ISK"


@dataclass(frozen=True, slots=True)
class Field:
    """One column of a view."""

    name: str
    shape: Shape
    about: str = ""


@dataclass(frozen=True, slots=True)
class Place:
    """SQL of what a location is called and where it is."""

    name: str
    system: str
    security: str
    region: str


class Branch:
    """One SELECT of a view: what it selects from, with the joins that its columns ask for."""

    def __init__(self, source: str, dialect: Dialect, *, exact: bool = False) -> None:
        """exact: amounts of ISK stay integers of 0.01 ISK."""
        self.dialect = dialect
        self._source = source
        self._exact = exact
        # Table and condition -> alias.
        self._joins: dict[tuple[str, str], str] = {}

    # --- what columns are made of ---

    def join(self, table: str, key: str, value: str) -> str:
        """Join the one row of a table whose key is a value; return its alias.

        A key of several columns has {} where the alias belongs, but for the first.
        """
        return self._joins.setdefault((table, f"{key} = {value}"), f"j{len(self._joins) + 1}")

    def name(self, of: str, word: str) -> str:
        """Return the name of an id, or the word with the id; NULL for none, and for 0."""
        alias = self.join("name", "id", of)
        return f"COALESCE({alias}.name, '{f'{word} #'.lstrip()}' || NULLIF({of}, 0))"

    def type(self, of: str) -> str:
        """Return the name of a type."""
        return self.name(of, "type")

    def character(self, of: str) -> str:
        """Return the name of a character, mirrored or not."""
        alias = self.join("character", "character_id", of)
        return f"COALESCE({alias}.name, {self.name(of, 'character')})"

    def corporation(self, of: str) -> str:
        """Return the name of a corporation, mirrored or not."""
        known = self.name(of, "corporation")
        alias = self.join("corporation", "corporation_id", of)
        return f"COALESCE({alias}.name, {known})"

    def owner(self, kind: str, of: str) -> str:
        """Return the name of the subject that a row belongs to."""
        return self.character(of) if kind == "character" else self.corporation(of)

    def system(self, of: str) -> Place:
        """Return a system as a place."""
        system = self.join("universe_system", "system_id", of)
        constellation = self.join(
            "universe_constellation", "constellation_id", f"{system}.constellation_id"
        )
        region = self.join("universe_region", "region_id", f"{constellation}.region_id")
        name = f"COALESCE({system}.name, {self.name(of, 'system')})"
        return Place(
            name,
            name,
            f"{system}.security_status",
            f"COALESCE({region}.name, {self.name(f'{constellation}.region_id', 'region')})",
        )

    def place(self, of: str) -> Place:
        """Return what a station, structure or system is called, and where it is."""
        station = self.join("universe_station", "station_id", of)
        structure = self.join("structure", "structure_id", of)
        own = self.join(OWN_STRUCTURES, "structure_id", of)
        inside = self.system(
            f"COALESCE({station}.system_id, {structure}.system_id, {own}.system_id,"
            f" {_if_system(of)})"
        )
        named = self.join("name", "id", of)
        system = self.join("universe_system", "system_id", of)
        name = (
            f"COALESCE({station}.name, {structure}.name, {own}.name, {named}.name, {system}.name,"
            f" CASE {of} WHEN 2004 THEN 'asset safety' END, 'place #' || {of})"
        )
        return Place(name, inside.system, inside.security, inside.region)

    def isk(self, value: str) -> str:
        """Return an amount stored in 0.01 ISK as ISK."""
        return value if self._exact else f"round({value} / 100.0, 2)"

    def times(self, number: str, price: str) -> str:
        """Return what so many of a price in 0.01 ISK are together, as ISK."""
        if self.dialect == "sqlite":
            return self.isk(f"({number} * {price})")
        # The product of two large numbers is beyond 64 bits.
        return self.isk(f"(CAST({number} AS numeric) * {price})")

    @property
    def now(self) -> str:
        """Return the present time, as times are stored."""
        if self.dialect == "sqlite":
            return "strftime('%Y-%m-%dT%H:%M:%fZ', 'now')"
        return "now()"

    def days_after(self, time: str, days: str) -> str:
        """Return the time so many days after another."""
        if self.dialect == "sqlite":
            return f"strftime('%Y-%m-%dT%H:%M:%fZ', {time}, {days} || ' days')"
        return f"({time} + {days} * interval '1 day')"

    def listed(self, value: str, of: str) -> str:
        """Return texts in a row, sorted and apart by commas; `of`: FROM and WHERE."""
        function = "group_concat" if self.dialect == "sqlite" else "string_agg"
        # As SQLite sorts, whatever the database's language is.
        order = "1" if self.dialect == "sqlite" else f'({value}) COLLATE "C"'
        rows = f"SELECT {value} AS one FROM {of} ORDER BY {order}"  # noqa: S608 - our own words
        return f"(SELECT {function}(one, ', ') FROM ({rows}) AS ones)"  # noqa: S608

    # --- the whole ---

    def text(self, fields: tuple[Field, ...], columns: Mapping[str, str]) -> str:
        """Return the SELECT, its columns in the order of the fields."""
        chosen = ",\n  ".join(f"{columns[each.name]} AS {each.name}" for each in fields)
        joins = "".join(
            f"\nLEFT JOIN {table} AS {alias} ON {alias}.{condition.replace('{}', alias)}"
            for (table, condition), alias in self._joins.items()
        )
        return f"SELECT\n  {chosen}\nFROM {self._source}{joins}"


def _if_system(of: str) -> str:
    return f"CASE WHEN {of} BETWEEN 30000000 AND 39999999 THEN {of} END"


# A structure can be in the lists of two corporations, after one gave it to the other.
OWN_STRUCTURES = (
    "(SELECT structure_id, max(name) AS name, max(system_id) AS system_id"
    " FROM corporation_structure GROUP BY structure_id)"
)

Columns = Callable[[Branch], Mapping[str, str]]


@dataclass(frozen=True, slots=True)
class View:
    """A view: its columns, and the SELECTs whose rows it has."""

    name: str
    about: str
    fields: tuple[Field, ...]
    # FROM of each SELECT, and its columns.
    branches: tuple[tuple[str, Columns], ...]

    def select(self, dialect: Dialect, *, exact: bool = False) -> str:
        """Return the query; exact: amounts of ISK stay integers of 0.01 ISK."""
        texts = []
        for source, columns in self.branches:
            branch = Branch(source, dialect, exact=exact)
            texts.append(branch.text(self.fields, columns(branch)))
        return "\nUNION ALL\n".join(texts)


def place_of_item(kind: str, item: str) -> str:
    """Return SQL of the place in which an item is, through all that it lies in.

    item: alias of a row with location_id and its owner.
    """
    table, owner = f"{kind}_asset", f"{kind}_id"
    return (
        "(WITH RECURSIVE up(id, depth) AS ("  # noqa: S608 - our own words
        f"SELECT {item}.location_id, 1 UNION ALL SELECT above.location_id, up.depth + 1 FROM up"
        f" JOIN {table} AS above ON above.{owner} = {item}.{owner} AND above.item_id = up.id"
        f" WHERE up.depth < {DEEPEST}) SELECT id FROM up ORDER BY depth DESC LIMIT 1)"
    )


def way_to_item(kind: str, item: str) -> str:
    """Return SQL of what an item lies in, the outermost first; NULL: in nothing."""
    table, owner = f"{kind}_asset", f"{kind}_id"
    called = "COALESCE(given.name, type_name.name, 'type #' || above.type_id)"
    return (
        "(WITH RECURSIVE up(id, depth, way) AS ("  # noqa: S608 - our own words
        f"SELECT {item}.location_id, 1, CAST(NULL AS TEXT) UNION ALL"
        f" SELECT above.location_id, up.depth + 1, {called} || COALESCE(' > ' || up.way, '')"
        f" FROM up JOIN {table} AS above ON above.{owner} = {item}.{owner}"
        " AND above.item_id = up.id"
        f" LEFT JOIN {table}_name AS given ON given.{owner} = above.{owner}"
        " AND given.item_id = above.item_id"
        " LEFT JOIN name AS type_name ON type_name.id = above.type_id"
        f" WHERE up.depth < {DEEPEST}) SELECT way FROM up ORDER BY depth DESC LIMIT 1)"
    )
