"""What corporations hold: entries without an id, details of listed things only, what is kept."""

from __future__ import annotations

from datetime import date
from typing import Any

from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.kinds.corporation import (
    container_logs,
    medals,
    mining_extractions,
    mining_observers,
    shareholders,
    starbases,
)
from jobs.leftovers import left_over, remove
from tests.kinds.declared import take
from tests.kinds.fake_context import START, rows

COMPANY = Subject(SubjectType.CORPORATION, 98000001)
RIVAL = Subject(SubjectType.CORPORATION, 98000002)
T = "2026-11-01T00:00:00Z"


def entry(**more: Any) -> dict[str, Any]:
    return {
        "logged_at": T,
        "container_id": 1,
        "container_type_id": 17366,
        "character_id": 90000001,
        "location_id": 60003760,
        "location_flag": "CorpSAG1",
        "action": "add",
        "type_id": 34,
        "quantity": 5,
        **more,
    }


def test_log_entries_that_are_alike_stay_apart_and_none_is_doubled(database: Connection) -> None:
    def load(*entries: dict[str, Any]) -> tuple[int, int]:
        return take(database, container_logs.KIND, "entries", COMPANY, list(entries))

    assert load(entry(), entry(), entry(quantity=6)) == (3, 0)
    # A later load has them in another order, and one more that is alike.
    assert load(entry(quantity=6), entry(), entry(), entry()) == (1, 0)
    assert load(entry()) == (0, 0)
    found = rows(database, "corporation_container_log", "quantity", "occurrence")
    assert sorted(found) == [(5, 0), (5, 1), (5, 2), (6, 0)]


def test_an_entry_of_an_unknown_action_is_kept(database: Connection) -> None:
    load = [entry(action="incinerate", location_flag="NoSuchBay")]
    assert take(database, container_logs.KIND, "entries", COMPANY, load) == (1, 0)


def starbase(number: int, **more: Any) -> dict[str, Any]:
    return {"starbase_id": number, "type_id": 16213, "system_id": 30000142 + number, **more}


def setup(**more: Any) -> dict[str, Any]:
    who = dict.fromkeys(
        ("anchor", "unanchor", "online", "offline", "fuel_bay_view", "fuel_bay_take"),
        "alliance_member",
    )
    what = dict.fromkeys(
        (
            "allow_alliance_members",
            "allow_corporation_members",
            "attack_if_at_war",
            "attack_if_other_security_status_dropping",
            "use_alliance_standings",
        ),
        True,
    )
    return {**who, **what, **more}


def test_each_starbase_is_asked_for_with_its_system_and_what_is_gone_goes_whole(
    database: Connection,
) -> None:
    part = starbases.KIND.parts[1]
    take(database, starbases.KIND, "starbases", COMPANY, [starbase(1), starbase(2, moon_id=7)])
    take(database, starbases.KIND, "starbases", RIVAL, [starbase(3)])
    asked = starbases.starbases(database, COMPANY)
    assert asked == [
        {"starbase_id": 1, "system_id": 30000143},
        {"starbase_id": 2, "system_id": 30000144},
    ]
    fuels = [{"type_id": 4051, "quantity": 8589934592}, {"type_id": 16275, "quantity": 1}]
    for params in asked:
        take(database, starbases.KIND, "details", COMPANY, setup(fuels=fuels), params)
    # Fuel that is used up is gone; an empty bay is left out of the answer.
    take(database, starbases.KIND, "details", COMPANY, setup(fuels=fuels[:1]), asked[0])
    assert rows(database, "corporation_starbase_fuel", "starbase_id", "type_id") == [
        (1, 4051),
        (2, 4051),
        (2, 16275),
    ]
    take(database, starbases.KIND, "details", COMPANY, setup(), asked[0])
    take(database, starbases.KIND, "starbases", COMPANY, [starbase(1)])
    left = starbases.starbases(database, COMPANY)
    for one in left_over(database, part, left, COMPANY):
        remove(database, one)
    assert rows(database, "corporation_starbase_detail", "starbase_id") == [(1,)]
    assert rows(database, "corporation_starbase_fuel", "starbase_id") == []


def extraction(number: int, start: str = T) -> dict[str, Any]:
    return {
        "structure_id": number,
        "moon_id": 40009081,
        "extraction_start_time": start,
        "chunk_arrival_time": "2026-11-08T00:00:00Z",
        "natural_decay_time": "2026-11-08T03:00:00Z",
    }


def test_a_past_extraction_stays_and_is_marked(database: Connection) -> None:
    def load(*found: dict[str, Any]) -> None:
        take(database, mining_extractions.KIND, "extractions", COMPANY, list(found))

    load(extraction(1), extraction(2))
    load(extraction(1, "2026-11-08T00:00:00Z"), extraction(2))
    columns = ("structure_id", "closed_at")
    found = rows(database, "corporation_mining_extraction", *columns)
    assert sorted(found, key=str) == sorted([(1, START), (1, None), (2, None)], key=str)


def observer(number: int, day: str) -> dict[str, Any]:
    return {"observer_id": number, "observer_type": "structure", "last_updated": day}


def test_only_listed_observers_are_asked_latest_news_first_and_ledgers_stay(
    database: Connection,
) -> None:
    listed = [observer(1, "2026-10-01"), observer(2, "2026-11-29"), observer(3, "2026-11-01")]
    take(database, mining_observers.KIND, "observers", COMPANY, listed)
    take(database, mining_observers.KIND, "observers", RIVAL, [observer(9, "2026-11-30")])
    asked = mining_observers.observers(database, COMPANY)
    assert asked == [{"observer_id": 2}, {"observer_id": 3}, {"observer_id": 1}]

    def mined(quantity: int, day: str, corporation_id: int = COMPANY.id) -> dict[str, Any]:
        return {
            "last_updated": day,
            "character_id": 2112000001,
            "type_id": 45490,
            "recorded_corporation_id": corporation_id,
            "quantity": quantity,
        }

    def ledger(*found: dict[str, Any]) -> tuple[int, int]:
        params = {"observer_id": 2}
        return take(database, mining_observers.KIND, "ledger", COMPANY, list(found), params)

    assert ledger(mined(5, "2026-11-29"), mined(7, "2026-11-29", RIVAL.id)) == (2, 0)
    # The day grows; the first row is listed no more, and stays.
    assert ledger(mined(9, "2026-11-29", RIVAL.id)) == (1, 0)
    assert rows(database, "corporation_mining_ledger", "observer_id", "day", "quantity") == [
        (2, date(2026, 11, 29), 5),
        (2, date(2026, 11, 29), 9),
    ]
    take(database, mining_observers.KIND, "observers", COMPANY, listed[:1])
    assert mining_observers.observers(database, COMPANY) == [{"observer_id": 1}]
    assert left_over(database, mining_observers.KIND.parts[1], [{"observer_id": 1}], COMPANY) == []


def test_one_medal_can_be_given_to_one_character_twice(database: Connection) -> None:
    def given(when: str, **more: Any) -> dict[str, Any]:
        return {
            "medal_id": 1,
            "character_id": 90000001,
            "issued_at": when,
            "issuer_id": 90000002,
            "reason": "",
            "status": "public",
            **more,
        }

    take(database, medals.KIND, "issued", COMPANY, [given(T), given("2026-11-02T00:00:00Z")])
    # Its owner hides it; ESI lists the latest only.
    take(database, medals.KIND, "issued", COMPANY, [given(T, status="private")])
    assert sorted(rows(database, "corporation_medal_issued", "status")) == [
        ("private",),
        ("public",),
    ]


def test_a_shareholder_who_sold_is_gone(database: Connection) -> None:
    def holds(number: int, kind: str = "character") -> dict[str, Any]:
        return {"shareholder_id": number, "shareholder_type": kind, "share_count": 5_000_000_000}

    load = [holds(1), holds(1, "corporation")]
    take(database, shareholders.KIND, "shareholders", COMPANY, load)
    take(database, shareholders.KIND, "shareholders", COMPANY, load[1:])
    assert rows(database, "corporation_shareholder", "shareholder_type", "share_count") == [
        ("corporation", 5_000_000_000)
    ]
