"""Views of space: colonies, structures, killmails, mining."""

from __future__ import annotations

from collections.abc import Mapping

from jobs.store.views.fields import (
    CHARACTER,
    WHERE,
    day,
    double,
    integer,
    me,
    text,
    time,
)
from jobs.store.views.view import Branch, View


def _pins(value: str, extractors: str = " AND p.product_type_id IS NOT NULL") -> str:
    return (
        f"(SELECT {value} FROM character_planet_pin AS p"  # noqa: S608 - our own words
        f" WHERE p.character_id = o.character_id AND p.planet_id = o.planet_id{extractors})"
    )


def _planets(b: Branch) -> Mapping[str, str]:
    planet = b.join("universe_planet", "planet_id", "o.planet_id")
    system = b.system("o.solar_system_id")
    ends = _pins("min(p.expires_at)")
    products = b.listed(
        "COALESCE(n.name, 'type #' || p.product_type_id)",
        "(SELECT DISTINCT product_type_id FROM character_planet_pin AS p"
        " WHERE p.character_id = o.character_id AND p.planet_id = o.planet_id"
        " AND p.product_type_id IS NOT NULL) AS p LEFT JOIN name AS n ON n.id = p.product_type_id",
    )
    return {
        **me(b),
        "planet_id": "o.planet_id",
        "planet": f"COALESCE({planet}.name, {b.name('o.planet_id', 'planet')})",
        "planet_type": "o.planet_type",
        "system": system.name,
        "region": system.region,
        "upgrade_level": "o.upgrade_level",
        "extractors": _pins("count(*)"),
        "products": products,
        "state": f"CASE WHEN {_pins('count(*)')} = 0 THEN 'no extractor'"
        f" WHEN {ends} IS NULL THEN 'idle'"
        f" WHEN {ends} <= {b.now} THEN 'ready' ELSE 'extracting' END",
        "extraction_ends_at": ends,
        "last_update_at": "o.last_update_at",
    }


PLANETS = View(
    "v_planets",
    "Colonies and their extraction",
    (
        *CHARACTER,
        integer("planet_id"),
        text("planet"),
        text("planet_type"),
        *WHERE,
        integer("upgrade_level"),
        integer("extractors", "that have something to extract"),
        text("products", "of the extractors, apart by commas"),
        text(
            "state",
            "no extractor, idle (none was ever started), extracting, or ready (one has ended)",
        ),
        time("extraction_ends_at", "the first end"),
        time("last_update_at", "by the player"),
    ),
    (("character_planet AS o", _planets),),
)


def _structures(b: Branch) -> Mapping[str, str]:
    system = b.system("o.system_id")
    seen = b.join("structure", "structure_id", "o.structure_id")
    services = b.listed(
        "s.name || CASE s.state WHEN 'online' THEN '' ELSE ' (' || s.state || ')' END",
        "corporation_structure_service AS s WHERE s.corporation_id = o.corporation_id"
        " AND s.structure_id = o.structure_id",
    )
    return {
        "corporation_id": "o.corporation_id",
        "corporation": b.corporation("o.corporation_id"),
        "structure_id": "o.structure_id",
        "structure": f"COALESCE(o.name, {seen}.name, 'structure #' || o.structure_id)",
        "type": b.type("o.type_id"),
        "system": system.name,
        "region": system.region,
        "state": "CASE WHEN o.closed_at IS NOT NULL THEN 'gone' ELSE o.state END",
        "state_timer_end": "o.state_timer_end",
        "fuel": "CASE WHEN o.closed_at IS NOT NULL THEN NULL"
        f" WHEN o.fuel_expires IS NULL OR o.fuel_expires <= {b.now} THEN 'none' ELSE 'fuelled' END",
        "fuel_expires": "o.fuel_expires",
        "services": services,
        "unanchors_at": "o.unanchors_at",
        "closed_at": "o.closed_at",
    }


STRUCTURES = View(
    "v_structures",
    "Structures of corporations, and those that are gone",
    (
        integer("corporation_id"),
        text("corporation"),
        integer("structure_id"),
        text("structure"),
        text("type"),
        *WHERE,
        text("state", "ESI's word; gone: no longer listed"),
        time("state_timer_end"),
        text("fuel", "fuelled or none"),
        time("fuel_expires"),
        text("services", "apart by commas; those not online say so"),
        time("unanchors_at"),
        time("closed_at", "when it was no longer listed"),
    ),
    (("corporation_structure AS o", _structures),),
)


def _extractions(b: Branch) -> Mapping[str, str]:
    place = b.place("o.structure_id")
    moon = b.join("universe_moon", "moon_id", "o.moon_id")
    return {
        "corporation_id": "o.corporation_id",
        "corporation": b.corporation("o.corporation_id"),
        "structure_id": "o.structure_id",
        "structure": place.name,
        "moon": f"COALESCE({moon}.name, {b.name('o.moon_id', 'moon')})",
        "system": place.system,
        "region": place.region,
        "state": f"CASE WHEN o.decays_at <= {b.now} THEN 'over'"
        f" WHEN o.closed_at IS NOT NULL AND o.closed_at < o.arrives_at THEN 'given up'"
        " WHEN o.closed_at IS NOT NULL THEN 'over'"
        f" WHEN o.arrives_at <= {b.now} THEN 'ready' ELSE 'extracting' END",
        "started_at": "o.started_at",
        "arrives_at": "o.arrives_at",
        "decays_at": "o.decays_at",
    }


EXTRACTIONS = View(
    "v_extractions",
    "Chunks cut from moons",
    (
        integer("corporation_id"),
        text("corporation"),
        integer("structure_id"),
        text("structure"),
        text("moon"),
        *WHERE,
        text("state", "extracting, ready (it can be broken up), over, or given up before its time"),
        time("started_at"),
        time("arrives_at"),
        time("decays_at", "when it breaks up by itself"),
    ),
    (("corporation_mining_extraction AS o", _extractions),),
)


def _killmails(b: Branch) -> Mapping[str, str]:
    system = b.system("o.solar_system_id")
    final = (
        "(SELECT a.{} FROM killmail_attacker AS a WHERE a.killmail_id = o.killmail_id"
        " AND a.final_blow ORDER BY a.position LIMIT 1)"
    )
    return {
        "killmail_id": "o.killmail_id",
        "killed_at": "o.killed_at",
        "victim": f"COALESCE({b.character('o.victim_character_id')},"
        f" {b.corporation('o.victim_corporation_id')},"
        f" {b.name('o.victim_faction_id', 'faction')})",
        "victim_corporation": b.corporation("o.victim_corporation_id"),
        "victim_alliance": b.name("o.victim_alliance_id", "alliance"),
        "ship": b.type("o.victim_ship_type_id"),
        "system": system.name,
        "region": system.region,
        "security": system.security,
        "damage_taken": "o.damage_taken",
        "attackers": "(SELECT count(*) FROM killmail_attacker AS a"
        " WHERE a.killmail_id = o.killmail_id)",
        "final_blow": f"COALESCE({b.character(final.format('character_id'))},"
        f" {b.corporation(final.format('corporation_id'))},"
        f" {b.name(final.format('faction_id'), 'faction')})",
        "final_blow_ship": b.type(final.format("ship_type_id")),
        "killmail_hash": "(SELECT min(k.killmail_hash) FROM (SELECT killmail_hash, killmail_id"
        " FROM character_killmail UNION ALL SELECT killmail_hash, killmail_id"
        " FROM corporation_killmail) AS k WHERE k.killmail_id = o.killmail_id)",
    }


KILLMAILS = View(
    "v_killmails",
    "Kills and losses",
    (
        integer("killmail_id"),
        time("killed_at"),
        text("victim", "a character, else its corporation or faction"),
        text("victim_corporation"),
        text("victim_alliance"),
        text("ship"),
        *WHERE,
        double("security", "of the system, -1 to 1"),
        integer("damage_taken"),
        integer("attackers", "how many"),
        text("final_blow", "a character, else its corporation or faction"),
        text("final_blow_ship"),
        text("killmail_hash"),
    ),
    (("killmail AS o", _killmails),),
)


def _mining(b: Branch) -> Mapping[str, str]:
    system = b.system("o.solar_system_id")
    known = b.join("universe_type", "type_id", "o.type_id")
    return {
        **me(b),
        "day": "o.day",
        "type_id": "o.type_id",
        "type": b.type("o.type_id"),
        "quantity": "o.quantity",
        "volume": f"o.quantity * {known}.volume",
        "system": system.name,
        "region": system.region,
    }


MINING = View(
    "v_mining",
    "What was mined, day by day",
    (
        *CHARACTER,
        day("day"),
        integer("type_id"),
        text("type"),
        integer("quantity", "of that day so far"),
        double("volume", "cubic metres"),
        *WHERE,
    ),
    (("character_mining AS o", _mining),),
)

VIEWS = (PLANETS, STRUCTURES, EXTRACTIONS, KILLMAILS, MINING)
