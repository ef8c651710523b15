"""Views of characters: what they are, learn and have been made."""

from __future__ import annotations

from collections.abc import Mapping

from jobs.store.views.fields import (
    CHARACTER,
    WHERE,
    double,
    flag,
    integer,
    isk,
    me,
    text,
    time,
)
from jobs.store.views.view import Branch, View


def _characters(b: Branch) -> Mapping[str, str]:
    here = b.join("character_location", "character_id", "o.character_id")
    ship = b.join("character_ship", "character_id", "o.character_id")
    online = b.join("character_online", "character_id", "o.character_id")
    wallet = b.join("character_wallet", "character_id", "o.character_id")
    points = b.join("character_skillpoints", "character_id", "o.character_id")
    place = b.place(f"COALESCE({here}.station_id, {here}.structure_id)")
    system = b.system(f"{here}.solar_system_id")
    return {
        "character_id": "o.character_id",
        "character": "o.name",
        "corporation": b.corporation("o.corporation_id"),
        "alliance": b.name("o.alliance_id", "alliance"),
        "faction": b.name("o.faction_id", "faction"),
        "birthday": "o.birthday",
        "security_status": "o.security_status",
        "balance": b.isk(f"{wallet}.balance"),
        "total_sp": f"{points}.total_sp",
        "unallocated_sp": f"{points}.unallocated_sp",
        "online": f"{online}.online",
        "last_login": f"{online}.last_login",
        "ship": b.type(f"{ship}.ship_type_id"),
        "ship_name": f"{ship}.ship_name",
        "docked_at": place.name,
        "system": system.name,
        "region": system.region,
    }


CHARACTERS = View(
    "v_characters",
    "Mirrored characters, where they are and what they have",
    (
        *CHARACTER,
        text("corporation"),
        text("alliance"),
        text("faction"),
        time("birthday"),
        double("security_status", "-10 to 10"),
        isk("balance", "of the wallet"),
        integer("total_sp", "skill points"),
        integer("unallocated_sp", "skill points"),
        flag("online"),
        time("last_login"),
        text("ship"),
        text("ship_name"),
        text("docked_at", "station or structure; NULL: in space"),
        *WHERE,
    ),
    (("character AS o", _characters),),
)


def _skills(b: Branch) -> Mapping[str, str]:
    known = b.join("universe_type", "type_id", "o.skill_id")
    group = b.join("universe_group", "group_id", f"{known}.group_id")
    return {
        **me(b),
        "skill_id": "o.skill_id",
        "skill": b.type("o.skill_id"),
        "skill_group": f"{group}.name",
        "trained_level": "o.trained_level",
        "active_level": "o.active_level",
        "skillpoints": "o.skillpoints",
    }


SKILLS = View(
    "v_skills",
    "Skills, by name",
    (
        *CHARACTER,
        integer("skill_id"),
        text("skill"),
        text("skill_group"),
        integer("trained_level", "0 to 5"),
        integer("active_level", "0 to 5, usable now"),
        integer("skillpoints"),
    ),
    (("character_skill AS o", _skills),),
)


def _queue(b: Branch) -> Mapping[str, str]:
    return {
        **me(b),
        "queue_position": "o.queue_position",
        "skill_id": "o.skill_id",
        "skill": b.type("o.skill_id"),
        "finished_level": "o.finished_level",
        "state": "CASE WHEN o.start_at IS NULL OR o.finish_at IS NULL THEN 'paused'"
        f" WHEN o.finish_at <= {b.now} THEN 'finished'"
        f" WHEN o.start_at <= {b.now} THEN 'active' ELSE 'waiting' END",
        "start_at": "o.start_at",
        "finish_at": "o.finish_at",
        "sp_left": "o.level_end_sp - o.training_start_sp",
    }


QUEUE = View(
    "v_skill_queue",
    "What is being learned, in order",
    (
        *CHARACTER,
        integer("queue_position"),
        integer("skill_id"),
        text("skill"),
        integer("finished_level", "1 to 5, when done"),
        text("state", "by its times: finished, active, waiting; paused: it has none"),
        time("start_at"),
        time("finish_at"),
        integer("sp_left", "skill points it needed when its training began"),
    ),
    (("character_skillqueue AS o", _queue),),
)


def _implants(b: Branch, table: str, clone: str) -> str:
    return b.listed(
        "COALESCE(n.name, 'type #' || i.type_id)",
        f"{table} AS i LEFT JOIN name AS n ON n.id = i.type_id"
        f" WHERE i.character_id = o.character_id{clone}",
    )


def _home(b: Branch) -> Mapping[str, str]:
    place = b.place("o.home_location_id")
    return {
        **me(b),
        "clone": "'home'",
        "name": "CAST(NULL AS TEXT)",
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "implants": "CAST(NULL AS TEXT)",
        "last_clone_jump_at": "o.last_clone_jump_at",
    }


def _jump_clone(b: Branch) -> Mapping[str, str]:
    place = b.place("o.location_id")
    clones = b.join("character_clone", "character_id", "o.character_id")
    return {
        **me(b),
        "clone": "'jump clone'",
        "name": "o.name",
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "implants": _implants(
            b, "character_jump_clone_implant", " AND i.jump_clone_id = o.jump_clone_id"
        ),
        "last_clone_jump_at": f"{clones}.last_clone_jump_at",
    }


def _in_use(b: Branch) -> Mapping[str, str]:
    place = b.place("COALESCE(o.station_id, o.structure_id, o.solar_system_id)")
    clones = b.join("character_clone", "character_id", "o.character_id")
    return {
        **me(b),
        "clone": "'in use'",
        "name": "CAST(NULL AS TEXT)",
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "implants": _implants(b, "character_implant", ""),
        "last_clone_jump_at": f"{clones}.last_clone_jump_at",
    }


CLONES = View(
    "v_clones",
    "Clones: the one in use, home, and those to jump into, with their implants",
    (
        *CHARACTER,
        text("clone", "in use, home or jump clone"),
        text("name", "NULL: it has none"),
        text("place"),
        *WHERE,
        text("implants", "apart by commas"),
        time("last_clone_jump_at", "of the character"),
    ),
    (
        ("character_location AS o", _in_use),
        ("character_clone AS o", _home),
        ("character_jump_clone AS o", _jump_clone),
    ),
)


VIEWS = (CHARACTERS, SKILLS, QUEUE, CLONES)
