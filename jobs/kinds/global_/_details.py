"""Parts of the universe that have a route of their own: types, systems, stations and the like."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from msgspec.structs import asdict

from jobs.spec import Route, Row, Target, Wire, Write
from jobs.store.schema import universe
from jobs.store.schema.marks import Names


class Position(Wire, frozen=True):
    """A point, in metres."""

    x: float
    y: float
    z: float


class Type(Wire, frozen=True):
    """A type of things."""

    type_id: int
    name: str
    group_id: int
    published: bool
    description: str
    market_group_id: int | None = None
    volume: float | None = None
    packaged_volume: float | None = None
    capacity: float | None = None
    mass: float | None = None
    radius: float | None = None
    portion_size: int | None = None
    graphic_id: int | None = None
    icon_id: int | None = None


class Group(Wire, frozen=True):
    """A group of types."""

    group_id: int
    name: str
    category_id: int
    published: bool


class Category(Wire, frozen=True):
    """A category of groups."""

    category_id: int
    name: str
    published: bool


class System(Wire, frozen=True):
    """A solar system."""

    system_id: int
    name: str
    constellation_id: int
    security_status: float
    position: Position
    security_class: str | None = None
    star_id: int | None = None


class Constellation(Wire, frozen=True):
    """A constellation of systems."""

    constellation_id: int
    name: str
    region_id: int
    position: Position


class Region(Wire, frozen=True):
    """A region of constellations."""

    region_id: int
    name: str
    description: str | None = None


class Station(Wire, frozen=True, rename={"owner_id": "owner"}):
    """A station."""

    station_id: int
    name: str
    system_id: int
    type_id: int
    max_dockable_ship_volume: float
    office_rental_cost: float
    reprocessing_efficiency: float
    reprocessing_stations_take: float
    position: Position
    owner_id: int | None = None
    race_id: int | None = None


class Planet(Wire, frozen=True):
    """A planet."""

    planet_id: int
    name: str
    system_id: int
    type_id: int
    position: Position


class Moon(Wire, frozen=True):
    """A moon."""

    moon_id: int
    name: str
    system_id: int
    position: Position


@dataclass(frozen=True, slots=True)
class Detail:
    """One such part: what its ids are called, its route, and its table."""

    names: Names
    key: str
    route: Route
    wire: type[Wire]
    target: Target
    # Only here is its name to be had: POST /universe/names does not know it.
    gives_name: bool = False


def detail_row(answer: Any) -> Row:
    """Return an answer as a row: its point becomes three columns."""
    row = asdict(answer)
    point: Position | None = row.pop("position", None)
    return row if point is None else {**row, **asdict(point)}


def _detail(names: Names, plural: str, wire: type[Wire], *, gives_name: bool = False) -> Detail:
    key = f"{names}_id"
    rows: Callable[[Any, Any], list[Row]] = lambda answer, _params: [detail_row(answer)]  # noqa: E731
    return Detail(
        names=names,
        key=key,
        route=Route("GET", f"/universe/{plural}/{{{key}}}"),
        wire=wire,
        target=Target(
            vars(universe)[f"universe_{names}"], key=(key,), write=Write.UPSERT, rows=rows
        ),
        gives_name=gives_name,
    )


# Each names ids of the later ones, so that one run follows them to the end.
DETAILS = (
    _detail(Names.PLANET, "planets", Planet, gives_name=True),
    _detail(Names.MOON, "moons", Moon, gives_name=True),
    _detail(Names.STATION, "stations", Station),
    _detail(Names.SYSTEM, "systems", System),
    _detail(Names.CONSTELLATION, "constellations", Constellation),
    _detail(Names.REGION, "regions", Region),
    _detail(Names.TYPE, "types", Type),
    _detail(Names.GROUP, "groups", Group),
    _detail(Names.CATEGORY, "categories", Category),
)
