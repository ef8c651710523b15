"""Colonies: planets with their pins, what lies in them, links and routes."""

from __future__ import annotations

from sqlalchemy import Column, Double, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import Id, UtcTime

_ME = SubjectType.CHARACTER
_LAYOUT = "GET /characters/{character_id}/planets/{planet_id}"

character_planet: Table = owned_table(
    "character_planet",
    _ME,
    key_id("planet_id", Names.PLANET),
    an_id("solar_system_id", Names.SYSTEM),
    Column("planet_type", Text, nullable=False, comment="temperate, barren, ..."),
    Column("upgrade_level", Integer, nullable=False),
    Column("num_pins", Integer, nullable=False),
    Column("last_update_at", UtcTime, nullable=False, comment="by the player"),
    comment="Colonies. GET /characters/{character_id}/planets",
)

character_planet_pin: Table = owned_table(
    "character_planet_pin",
    _ME,
    key_id("planet_id"),
    key_id("pin_id"),
    an_id("type_id", Names.TYPE),
    Column("latitude", Double, nullable=False, comment="radians"),
    Column("longitude", Double, nullable=False, comment="radians"),
    Column("schematic_id", Id, comment="what a factory makes"),
    Column("install_at", UtcTime),
    Column("expires_at", UtcTime, comment="of an extractor"),
    Column("last_cycle_start_at", UtcTime),
    an_id("product_type_id", Names.TYPE, "of an extractor", needed=False),
    Column("cycle_time", Integer, comment="seconds, of an extractor"),
    Column("qty_per_cycle", Id, comment="of an extractor"),
    Column("head_radius", Double, comment="of an extractor"),
    comment=f"Installations on planets. {_LAYOUT}",
)

character_planet_content: Table = owned_table(
    "character_planet_content",
    _ME,
    key_id("planet_id"),
    key_id("pin_id"),
    key_id("type_id", Names.TYPE),
    Column("amount", Id, nullable=False),
    comment=f"What lies in installations. {_LAYOUT}",
)

character_planet_head: Table = owned_table(
    "character_planet_head",
    _ME,
    key_id("planet_id"),
    key_id("pin_id"),
    Column("head_id", Integer, primary_key=True, autoincrement=False),
    Column("latitude", Double, nullable=False, comment="radians"),
    Column("longitude", Double, nullable=False, comment="radians"),
    comment=f"Heads of extractors. {_LAYOUT}",
)

character_planet_link: Table = owned_table(
    "character_planet_link",
    _ME,
    key_id("planet_id"),
    key_id("source_pin_id"),
    key_id("destination_pin_id"),
    Column("link_level", Integer, nullable=False),
    comment=f"Links between installations. {_LAYOUT}",
)

character_planet_route: Table = owned_table(
    "character_planet_route",
    _ME,
    key_id("planet_id"),
    key_id("route_id"),
    an_id("source_pin_id"),
    an_id("destination_pin_id"),
    an_id("content_type_id", Names.TYPE),
    Column("quantity", Double, nullable=False),
    comment=f"What is carried between installations. {_LAYOUT}",
)

character_planet_waypoint: Table = owned_table(
    "character_planet_waypoint",
    _ME,
    key_id("planet_id"),
    key_id("route_id"),
    Column("position", Integer, primary_key=True, autoincrement=False, comment="on the way"),
    an_id("pin_id"),
    comment=f"Installations that routes pass. {_LAYOUT}",
)
