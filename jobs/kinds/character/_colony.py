"""A colony's layout: pins with what lies in them, links and routes, and the rows they become."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime

from msgspec.structs import asdict

from jobs.spec import Params, Row, Target, Wire, Write
from jobs.store.schema import planets


class Content(Wire, frozen=True):
    """What lies in a pin."""

    type_id: int
    amount: int


class Head(Wire, frozen=True):
    """One head of an extractor."""

    head_id: int
    latitude: float
    longitude: float


class Extractor(Wire, frozen=True):
    """What an extractor does."""

    heads: tuple[Head, ...]
    product_type_id: int | None = None
    cycle_time: int | None = None
    qty_per_cycle: int | None = None
    head_radius: float | None = None


class Factory(Wire, frozen=True):
    """What a factory makes."""

    schematic_id: int


class Pin(
    Wire,
    frozen=True,
    rename={
        "expires_at": "expiry_time",
        "install_at": "install_time",
        "last_cycle_start_at": "last_cycle_start",
    },
):
    """One installation."""

    pin_id: int
    type_id: int
    latitude: float
    longitude: float
    schematic_id: int | None = None
    install_at: datetime | None = None
    expires_at: datetime | None = None
    last_cycle_start_at: datetime | None = None
    contents: tuple[Content, ...] = ()
    extractor_details: Extractor | None = None
    factory_details: Factory | None = None


class Link(Wire, frozen=True):
    """A link between two pins."""

    source_pin_id: int
    destination_pin_id: int
    link_level: int


class RouteWay(Wire, frozen=True):
    """What is carried from one pin to another, and past which."""

    route_id: int
    source_pin_id: int
    destination_pin_id: int
    content_type_id: int
    quantity: float
    waypoints: tuple[int, ...] = ()


class Layout(Wire, frozen=True):
    """What GET /characters/{character_id}/planets/{planet_id} tells."""

    pins: tuple[Pin, ...]
    links: tuple[Link, ...]
    routes: tuple[RouteWay, ...]


def pin_rows(answer: Layout, params: Params) -> Iterator[Row]:
    """Yield a row for each pin; what a factory makes is told in one of two places."""
    for one in answer.pins:
        made = one.factory_details.schematic_id if one.factory_details else one.schematic_id
        digs = one.extractor_details or Extractor(())
        yield {
            "pin_id": one.pin_id,
            "type_id": one.type_id,
            "latitude": one.latitude,
            "longitude": one.longitude,
            "schematic_id": made,
            "install_at": one.install_at,
            "expires_at": one.expires_at,
            "last_cycle_start_at": one.last_cycle_start_at,
            "product_type_id": digs.product_type_id,
            "cycle_time": digs.cycle_time,
            "qty_per_cycle": digs.qty_per_cycle,
            "head_radius": digs.head_radius,
        }


def content_rows(answer: Layout, params: Params) -> Iterator[Row]:
    """Yield a row for each type in each pin."""
    for one in answer.pins:
        for content in one.contents:
            yield {"pin_id": one.pin_id, **asdict(content)}


def head_rows(answer: Layout, params: Params) -> Iterator[Row]:
    """Yield a row for each head of each extractor."""
    for one in answer.pins:
        if one.extractor_details is not None:
            for head in one.extractor_details.heads:
                yield {"pin_id": one.pin_id, **asdict(head)}


def link_rows(answer: Layout, params: Params) -> Iterator[Row]:
    """Yield a row for each link."""
    return (asdict(one) for one in answer.links)


def route_rows(answer: Layout, params: Params) -> Iterator[Row]:
    """Yield a row for each route."""
    for one in answer.routes:
        row = asdict(one)
        del row["waypoints"]
        yield row


def waypoint_rows(answer: Layout, params: Params) -> Iterator[Row]:
    """Yield a row for each pin that a route passes."""
    for one in answer.routes:
        for position, pin_id in enumerate(one.waypoints):
            yield {"route_id": one.route_id, "position": position, "pin_id": pin_id}


_PLANET = ("character_id", "planet_id")
LAYOUT_TARGETS = tuple(
    Target(table, key=(*_PLANET, *key), write=Write.REPLACE, rows=rows)
    for table, key, rows in (
        (planets.character_planet_pin, ("pin_id",), pin_rows),
        (planets.character_planet_content, ("pin_id", "type_id"), content_rows),
        (planets.character_planet_head, ("pin_id", "head_id"), head_rows),
        (planets.character_planet_link, ("source_pin_id", "destination_pin_id"), link_rows),
        (planets.character_planet_route, ("route_id",), route_rows),
        (planets.character_planet_waypoint, ("route_id", "position"), waypoint_rows),
    )
)
