"""Kinds that are lists: what is odd, absent, gone or said twice in each of them."""

from __future__ import annotations

from datetime import UTC, date, datetime
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.kinds._occurrences import numbered
from jobs.kinds.character import (
    clones,
    contacts,
    fittings,
    industry_jobs,
    medals,
    mining,
    notifications,
    planets,
)
from jobs.kinds.corporation import (
    blueprints,
    customs_offices,
    market_orders,
    members,
    structures,
)
from tests.kinds.declared import take
from tests.kinds.fake_context import START, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
COMPANY = Subject(SubjectType.CORPORATION, 98000001)
RIVAL = Subject(SubjectType.CORPORATION, 98000002)
T = "2026-11-01T00:00:00Z"


# --- notifications ------------------------------------------------------------------------------


def told(number: int, **more: Any) -> dict[str, Any]:
    return {
        "notification_id": number,
        "type": "StructureUnderAttack",
        "sender_id": 1000125,
        "sender_type": "corporation",
        "timestamp": T,
        **more,
    }


def test_unknown_words_and_one_odd_row_cost_nothing_else(database: Connection) -> None:
    strange = told(2, type="unknown notification type (281)", sender_type="other", text="\u202e")
    without_time = {k: v for k, v in told(3).items() if k != "timestamp"}
    taken = take(
        database, notifications.KIND, "notifications", ME, [told(1), strange, without_time]
    )
    assert taken == (2, 1)
    assert rows(database, "character_notification", "type", "text") == [
        ("StructureUnderAttack", None),
        ("unknown notification type (281)", "\u202e"),
    ]


def test_a_notification_becomes_read_and_stays_when_it_is_listed_no_more(
    database: Connection,
) -> None:
    take(database, notifications.KIND, "notifications", ME, [told(1), told(2)])
    take(database, notifications.KIND, "notifications", ME, [told(2, is_read=True)])
    assert rows(database, "character_notification", "notification_id", "is_read") == [
        (1, None),
        (2, True),
    ]


# --- mining -------------------------------------------------------------------------------------


def test_mining_of_a_day_grows_and_the_last_word_counts(database: Connection) -> None:
    def mined(quantity: int, day: str = "2024-02-29") -> dict[str, Any]:
        return {"date": day, "solar_system_id": 30000142, "type_id": 1230, "quantity": quantity}

    take(database, mining.KIND, "mining", ME, [mined(10), mined(25), mined(1, "2024-03-01")])
    assert take(database, mining.KIND, "mining", ME, [mined(40)]) == (1, 0)
    assert rows(database, "character_mining", "day", "quantity") == [
        (date(2024, 2, 29), 40),
        (date(2024, 3, 1), 1),
    ]


# --- industry -----------------------------------------------------------------------------------


def job(number: int, **more: Any) -> dict[str, Any]:
    place = 60003760
    return {
        "job_id": number,
        "activity_id": 1,
        "blueprint_id": 1,
        "blueprint_type_id": 691,
        "blueprint_location_id": place,
        "output_location_id": place,
        "facility_id": place,
        "station_id": place,
        "installer_id": ME.id,
        "status": "active",
        "runs": 1,
        "duration": 60,
        "start_date": T,
        "end_date": T,
        **more,
    }


def test_a_delivered_job_stays_when_it_is_listed_no_more(database: Connection) -> None:
    take(database, industry_jobs.KIND, "jobs", ME, [job(1), job(2, cost=12.34)])
    take(database, industry_jobs.KIND, "jobs", ME, [job(2, status="delivered")])
    columns = ("job_id", "status", "closed_at", "cost")
    assert rows(database, "character_industry_job", *columns) == [
        (1, "active", START, None),
        (2, "delivered", None, None),
    ]
    assert industry_jobs.KIND.parts[0].route is not None
    assert ("include_completed", "true") in industry_jobs.KIND.parts[0].route.query


def test_an_item_that_went_to_another_owner_is_not_lost_with_the_first(
    database: Connection,
) -> None:
    item = {
        "item_id": 7,
        "type_id": 691,
        "location_id": 1,
        "location_flag": "CorpSAG1",
        "quantity": -1,
        "runs": -1,
        "material_efficiency": 0,
        "time_efficiency": 0,
    }
    for who in (COMPANY, RIVAL):
        take(database, blueprints.KIND, "blueprints", who, [item])
    take(database, blueprints.KIND, "blueprints", COMPANY, [])
    found = rows(database, "corporation_blueprint", "corporation_id", "item_id")
    assert found == [(RIVAL.id, 7)]


# --- planets ------------------------------------------------------------------------------------


def test_a_pin_that_makes_and_digs_nothing_is_a_row(database: Connection) -> None:
    pin = {"pin_id": 2**40, "type_id": 2544, "latitude": 1.0, "longitude": 1.0}
    layout = {"pins": [pin], "links": [], "routes": []}
    params = {"planet_id": 40002276}
    take(database, planets.KIND, "layouts", ME, layout, params)
    take(database, planets.KIND, "layouts", ME, layout, {"planet_id": 40002280})
    columns = ("planet_id", "pin_id", "schematic_id", "product_type_id", "expires_at")
    assert rows(database, "character_planet_pin", *columns) == [
        (40002276, 2**40, None, None, None),
        (40002280, 2**40, None, None, None),
    ]
    # A planet's rows are replaced together, and no other planet's with them.
    take(database, planets.KIND, "layouts", ME, {**layout, "pins": []}, params)
    assert rows(database, "character_planet_pin", "planet_id") == [(40002280,)]


# --- clones, contacts, medals, fittings ---------------------------------------------------------


def test_who_has_no_home_and_never_jumped_has_nulls(database: Connection) -> None:
    take(database, clones.KIND, "clones", ME, {"jump_clones": []})
    take(database, clones.KIND, "fatigue", ME, {})
    assert rows(database, "character_clone", "home_location_id", "last_clone_jump_at") == [
        (None, None)
    ]
    assert rows(database, "character_fatigue", "fatigue_ends_at") == [(None,)]


def test_a_label_taken_off_a_contact_is_gone(database: Connection) -> None:
    contact = {"contact_id": 95000007, "contact_type": "character", "standing": 5.0}
    labelled = {**contact, "label_ids": [1, 2**62]}
    take(database, contacts.KIND, "contacts", ME, [labelled])
    assert rows(database, "character_contact_label_link", "label_id") == [(1,), (2**62,)]
    take(database, contacts.KIND, "contacts", ME, [contact])
    assert rows(database, "character_contact_label_link") == []
    assert rows(database, "character_contact", "standing") == [(5.0,)]


def test_one_medal_can_be_given_twice(database: Connection) -> None:
    medal = {
        "medal_id": 1,
        "date": T,
        "corporation_id": COMPANY.id,
        "issuer_id": 1,
        "title": "Медаль",
        "description": "",
        "reason": "",
        "status": "public",
        "graphics": [],
    }
    take(database, medals.KIND, "medals", ME, [medal, {**medal, "date": "2026-11-02T00:00:00Z"}])
    assert len(rows(database, "character_medal")) == 2


def test_one_type_can_lie_in_a_hold_twice(database: Connection) -> None:
    item = {"type_id": 191, "flag": "Cargo", "quantity": 100}
    fitting = {"fitting_id": 1, "name": "x", "description": "", "ship_type_id": 587}
    take(database, fittings.KIND, "fittings", ME, [{**fitting, "items": [item, item]}])
    assert len(rows(database, "character_fitting_item")) == 2
    take(database, fittings.KIND, "fittings", ME, [{**fitting, "items": [item]}])
    assert len(rows(database, "character_fitting_item")) == 1


# --- corporations -------------------------------------------------------------------------------


def structure(number: int, **more: Any) -> dict[str, Any]:
    return {
        "corporation_id": COMPANY.id,
        "structure_id": number,
        "type_id": 35832,
        "system_id": 30000142,
        "profile_id": 1,
        "state": "shield_vulnerable",
        **more,
    }


def test_a_structure_that_is_gone_is_marked_and_keeps_its_name(database: Connection) -> None:
    named = structure(1, name="Крепость", fuel_expires=T)
    take(database, structures.KIND, "structures", COMPANY, [named, structure(2)])
    take(database, structures.KIND, "structures", COMPANY, [structure(2, state="a_new_state")])
    columns = ("structure_id", "name", "state", "closed_at")
    assert rows(database, "corporation_structure", *columns) == [
        (1, "Крепость", "shield_vulnerable", START),
        (2, None, "a_new_state", None),
    ]
    # Back again, out of fuel and without its name: the last known one stays.
    take(database, structures.KIND, "structures", COMPANY, [structure(1), structure(2)])
    assert rows(database, "corporation_structure", "name", "fuel_expires", "closed_at")[0] == (
        "Крепость",
        None,
        None,
    )


def test_a_structure_given_away_is_not_lost_with_its_first_owner(database: Connection) -> None:
    for who in (COMPANY, RIVAL):
        take(database, structures.KIND, "structures", who, [structure(1)])
    take(database, structures.KIND, "structures", COMPANY, [])
    found = rows(database, "corporation_structure", "corporation_id", "closed_at")
    assert found == [(COMPANY.id, START), (RIVAL.id, None)]


def test_a_customs_office_without_type_and_taxes_is_a_row(database: Connection) -> None:
    office = {
        "office_id": 1,
        "system_id": 30000142,
        "reinforce_exit_start": 1,
        "reinforce_exit_end": 3,
        "allow_alliance_access": False,
        "allow_access_with_standings": False,
    }
    assert take(database, customs_offices.KIND, "offices", COMPANY, [office]) == (1, 0)
    assert rows(database, "corporation_customs_office", "type_id", "alliance_tax_rate") == [
        (None, None)
    ]


def test_an_order_is_closed_and_its_end_is_told_by_the_history(database: Connection) -> None:
    order = {
        "order_id": 2**33,
        "type_id": 34,
        "region_id": 10000002,
        "location_id": 1,
        "price": 0.07,
        "volume_total": 10,
        "volume_remain": 5,
        "range": "a new range",
        "duration": 90,
        "issued": T,
        "wallet_division": 7,
        "issued_by": ME.id,
    }
    take(database, market_orders.KIND, "open", COMPANY, [order])
    take(database, market_orders.KIND, "open", COMPANY, [])
    past = {k: v for k, v in order.items() if k != "issued_by"}
    take(database, market_orders.KIND, "history", COMPANY, [{**past, "state": "cancelled"}])
    columns = ("price", "state", "closed_at", "wallet_division")
    assert rows(database, "corporation_market_order", *columns) == [
        (Decimal("0.07"), "cancelled", START, 7)
    ]


def test_who_left_is_marked_and_loses_roles(database: Connection) -> None:
    take(database, members.KIND, "members", COMPANY, [1, 2])
    held = [{"character_id": 1, "roles": ["Director"]}, {"character_id": 2}]
    take(database, members.KIND, "roles", COMPANY, held)
    take(database, members.KIND, "members", COMPANY, [2])
    take(database, members.KIND, "roles", COMPANY, held[1:])
    found = rows(database, "corporation_member", "character_id", "closed_at")
    assert found == [(1, START), (2, None)]
    assert rows(database, "corporation_member_role") == []


def test_changes_of_roles_that_are_alike_are_all_kept_and_none_is_doubled(
    database: Connection,
) -> None:
    change = {
        "changed_at": T,
        "character_id": 1,
        "issuer_id": 2,
        "role_type": "roles",
        "old_roles": ["Trader"],
        "new_roles": ["Trader", "Director"],
    }
    other_order = {**change, "new_roles": ["Director", "Trader"]}
    answer = [change, other_order, {**change, "issuer_id": 3}]
    assert take(database, members.KIND, "role_history", COMPANY, answer) == (3, 0)
    assert take(database, members.KIND, "role_history", COMPANY, answer[::-1]) == (0, 0)
    # What ESI has forgotten stays.
    assert take(database, members.KIND, "role_history", COMPANY, []) == (0, 0)
    found = rows(database, "corporation_role_history", "issuer_id", "occurrence", "new_roles")
    assert sorted(found) == [
        (2, 0, "Director Trader"),
        (2, 1, "Director Trader"),
        (3, 0, "Director Trader"),
    ]


@pytest.mark.parametrize("value", [datetime(2026, 1, 1, tzinfo=UTC), "x", 1, None])
def test_rows_without_an_id_are_told_apart_by_all_they_say(value: object) -> None:
    first, second, third = numbered([{"a": value}, {"a": value}, {"a": "another"}])
    assert (first["occurrence"], second["occurrence"], third["occurrence"]) == (0, 1, 0)
    assert first["digest"] == second["digest"] != third["digest"]
