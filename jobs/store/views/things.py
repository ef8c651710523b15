"""Views of things owned: assets, blueprints, industry jobs."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from jobs.store.views.fields import (
    BOTH,
    OWNER,
    WHERE,
    double,
    flag,
    integer,
    isk,
    owner,
    text,
    time,
)
from jobs.store.views.view import Branch, View, place_of_item, way_to_item


def _assets(kind: str, b: Branch) -> Mapping[str, str]:
    place = b.place("a.place_id")
    given = f"{kind}_asset_name"
    price = b.join("market_price", "type_id", "a.type_id")
    known = b.join("universe_type", "type_id", "a.type_id")
    group = b.join("universe_group", "group_id", f"{known}.group_id")
    category = b.join("universe_category", "category_id", f"{group}.category_id")
    return {
        **owner(kind, b, "a"),
        "item_id": "a.item_id",
        "type_id": "a.type_id",
        "type": b.type("a.type_id"),
        "item_group": f"{group}.name",
        "category": f"{category}.name",
        "name": f"(SELECT given.name FROM {given} AS given WHERE given.{kind}_id = a.{kind}_id"  # noqa: S608 - our own words
        " AND given.item_id = a.item_id)",
        "quantity": "a.quantity",
        "place_id": "a.place_id",
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "inside": way_to_item(kind, "a"),
        "location_id": "a.location_id",
        "location_flag": "a.location_flag",
        "is_singleton": "a.is_singleton",
        "is_blueprint_copy": "a.is_blueprint_copy",
        "worth": f"CASE WHEN a.is_blueprint_copy THEN NULL ELSE a.quantity * {price}.average_price"
        " END",
    }


def _asset_source(kind: str) -> str:
    return f"(SELECT o.*, {place_of_item(kind, 'o')} AS place_id FROM {kind}_asset AS o) AS a"  # noqa: S608 - our own words


ASSETS = View(
    "v_assets",
    "What is owned and where: items in containers in ships in stations",
    (
        *OWNER,
        integer("item_id"),
        integer("type_id"),
        text("type"),
        text("item_group"),
        text("category"),
        text("name", "that its owner gave it"),
        integer("quantity"),
        integer("place_id", "station, structure or system, through all that the item lies in"),
        text("place"),
        *WHERE,
        text("inside", "what it lies in, the outermost first; NULL: in nothing"),
        integer("location_id", "as ESI has it: the place, or the item that it lies in"),
        text("location_flag", "hangar, slot or bay"),
        flag("is_singleton", "unpacked"),
        flag("is_blueprint_copy", "NULL: no blueprint"),
        double("worth", "ISK, quantity x average price; NULL: not known, or a copy"),
    ),
    tuple((_asset_source(kind), partial(_assets, kind)) for kind in BOTH),
)


def _blueprints(kind: str, b: Branch) -> Mapping[str, str]:
    place = b.place("a.place_id")
    return {
        **owner(kind, b, "a"),
        "item_id": "a.item_id",
        "type_id": "a.type_id",
        "type": b.type("a.type_id"),
        "kind": "CASE a.quantity WHEN -2 THEN 'copy' ELSE 'original' END",
        "quantity": "CASE WHEN a.quantity < 0 THEN 1 ELSE a.quantity END",
        "runs": "NULLIF(a.runs, -1)",
        "material_efficiency": "a.material_efficiency",
        "time_efficiency": "a.time_efficiency",
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "location_flag": "a.location_flag",
    }


def _blueprint_source(kind: str) -> str:
    return f"(SELECT o.*, {place_of_item(kind, 'o')} AS place_id FROM {kind}_blueprint AS o) AS a"  # noqa: S608 - our own words


BLUEPRINTS = View(
    "v_blueprints",
    "Blueprints, originals and copies",
    (
        *OWNER,
        integer("item_id"),
        integer("type_id"),
        text("type"),
        text("kind", "original or copy"),
        integer("quantity"),
        integer("runs", "NULL: without end"),
        integer("material_efficiency", "percent"),
        integer("time_efficiency", "percent"),
        text("place"),
        *WHERE,
        text("location_flag", "hangar, slot or bay"),
    ),
    tuple((_blueprint_source(kind), partial(_blueprints, kind)) for kind in BOTH),
)

_ACTIVITIES = (
    (1, "manufacturing"),
    (3, "time efficiency research"),
    (4, "material efficiency research"),
    (5, "copying"),
    (7, "reverse engineering"),
    (8, "invention"),
    (9, "reaction"),
    (11, "reaction"),
)


def _jobs(kind: str, b: Branch) -> Mapping[str, str]:
    place = b.place("o.facility_id")
    activities = " ".join(f"WHEN {number} THEN '{word}'" for number, word in _ACTIVITIES)
    return {
        **owner(kind, b),
        "job_id": "o.job_id",
        "activity": f"CASE o.activity_id {activities} ELSE 'activity #' || o.activity_id END",
        "blueprint": b.type("o.blueprint_type_id"),
        "product": b.type("o.product_type_id"),
        "runs": "o.runs",
        "state": "CASE WHEN o.status = 'active' AND o.closed_at IS NOT NULL THEN 'closed'"
        f" WHEN o.status = 'active' AND o.end_at <= {b.now} THEN 'ready' ELSE o.status END",
        "installer": b.character("o.installer_id"),
        "facility": place.name,
        "system": place.system,
        "region": place.region,
        "cost": b.isk("o.cost"),
        "probability": "o.probability",
        "successful_runs": "o.successful_runs",
        "start_at": "o.start_at",
        "end_at": "o.end_at",
        "pause_at": "o.pause_at",
        "completed_at": "o.completed_at",
    }


INDUSTRY_JOBS = View(
    "v_industry_jobs",
    "Industry jobs, running and past",
    (
        *OWNER,
        integer("job_id"),
        text("activity"),
        text("blueprint"),
        text("product"),
        integer("runs"),
        text(
            "state",
            "active, ready (its time is over), paused, delivered, cancelled, reverted, or closed"
            " (ESI lists it no longer)",
        ),
        text("installer"),
        text("facility"),
        *WHERE,
        isk("cost"),
        double("probability", "of an invention, 0 to 1"),
        integer("successful_runs", "of an invention"),
        time("start_at"),
        time("end_at"),
        time("pause_at"),
        time("completed_at", "when it was delivered"),
    ),
    tuple((f"{kind}_industry_job AS o", partial(_jobs, kind)) for kind in BOTH),
)

VIEWS = (ASSETS, BLUEPRINTS, INDUSTRY_JOBS)
