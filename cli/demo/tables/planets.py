"""Colonies."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners, columns, each_inner


def _pins(answer: Answer) -> Iterable[Document]:
    for planet in answer:
        for pin in planet["pins"]:
            yield {"planet_id": planet["planet_id"], **pin, **pin.get("extractor_details", {})}


def _of_pins(inner: str) -> Callable[..., Iterable[Document]]:
    def documents(answer: Answer) -> Iterable[Document]:
        for pin in _pins(answer):
            for thing in pin.get(inner, ()):
                yield {"planet_id": pin["planet_id"], "pin_id": pin["pin_id"], **thing}

    return documents


def _waypoints(answer: Answer) -> Iterable[Document]:
    for planet in answer:
        for route in planet["routes"]:
            for position, pin_id in enumerate(route.get("waypoints", ())):
                yield {
                    "planet_id": planet["planet_id"],
                    "route_id": route["route_id"],
                    "position": position,
                    "pin_id": pin_id,
                }


TABLES = (
    Mirrored(
        "character_planet",
        "character.planets",
        Owners.CHARACTERS,
        ("planet_id",),
        words={"last_update_at": "last_update"},
        times=columns("last_update_at"),
    ),
    Mirrored(
        "character_planet_pin",
        "character.planet",
        Owners.CHARACTERS,
        ("planet_id", "pin_id"),
        words={
            "install_at": "install_time",
            "expires_at": "expiry_time",
            "last_cycle_start_at": "last_cycle_start",
        },
        times=columns("install_at", "expires_at", "last_cycle_start_at"),
        documents=_pins,
    ),
    Mirrored(
        "character_planet_content",
        "character.planet",
        Owners.CHARACTERS,
        ("planet_id", "pin_id", "type_id"),
        documents=_of_pins("contents"),
    ),
    Mirrored(
        "character_planet_head",
        "character.planet",
        Owners.CHARACTERS,
        ("planet_id", "pin_id", "head_id"),
        documents=_of_pins("heads"),
    ),
    Mirrored(
        "character_planet_link",
        "character.planet",
        Owners.CHARACTERS,
        ("planet_id", "source_pin_id", "destination_pin_id"),
        documents=each_inner("planet_id", "links"),
    ),
    Mirrored(
        "character_planet_route",
        "character.planet",
        Owners.CHARACTERS,
        ("planet_id", "route_id"),
        documents=each_inner("planet_id", "routes"),
    ),
    Mirrored(
        "character_planet_waypoint",
        "character.planet",
        Owners.CHARACTERS,
        ("planet_id", "route_id", "position"),
        documents=_waypoints,
    ),
)
