"""Access lists, mercenary dens and operations: lists by number, details one each."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.kinds.character import access_lists, mercenary_dens, mercenary_operations
from tests.kinds.declared import take
from tests.kinds.fake_context import START, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
FIRST, SECOND = "0198c2f4-7a31-7c11-9b1e-2f8f6a0f5d01", "0198c2f4-7a31-7c11-9b1e-2f8f6a0f5d02"


def put_operations(connection: Connection, *ids: str) -> None:
    listed = {"operations": [{"id": one, "mercenary_den_id": 7} for one in ids]}
    take(connection, mercenary_operations.KIND, "operations", ME, listed)


def put_operation(connection: Connection, operation_id: str, state: str) -> None:
    told = {
        "id": operation_id,
        "mercenary_den_id": 7,
        "state": state,
        "dungeon_type_id": 1,
        "expires": "2026-12-02T09:00:00Z",
    }
    params = {"operation_id": operation_id}
    take(connection, mercenary_operations.KIND, "details", ME, told, params)


def test_operations_are_asked_about_until_they_are_over(database: Connection) -> None:
    put_operations(database, FIRST, SECOND)
    asked = mercenary_operations.going_on(database, ME)
    assert asked == [{"operation_id": FIRST}, {"operation_id": SECOND}]
    put_operation(database, FIRST, "Started")
    put_operation(database, SECOND, "Completed")
    assert mercenary_operations.going_on(database, ME) == [{"operation_id": FIRST}]
    put_operation(database, FIRST, "a word of tomorrow")
    assert mercenary_operations.going_on(database, ME) == [{"operation_id": FIRST}]


def test_an_operation_that_is_no_longer_listed_stays_as_it_was_seen_last(
    database: Connection,
) -> None:
    put_operations(database, FIRST)
    put_operation(database, FIRST, "Started")
    put_operations(database)
    columns = ("operation_id", "state", "closed_at")
    assert rows(database, "character_mercenary_operation", *columns) == [(FIRST, "Started", START)]
    assert mercenary_operations.going_on(database, ME) == []


def member(kind: str, number: int, access: str = "Allowed") -> dict[str, Any]:
    return {f"{kind}_id": number, "access": access}


def test_who_is_taken_off_a_list_is_gone_and_other_lists_stay(database: Connection) -> None:
    def put(list_id: int, *people: int) -> None:
        told = {
            "id": list_id,
            "name": "Свои",
            "description": "",
            "membership": {
                "allow_everyone": False,
                "characters": [member("character", one) for one in people],
                "corporations": [member("corporation", 98000001)],
                "alliances": [],
            },
        }
        params = {"access_list_id": list_id}
        take(database, access_lists.KIND, "details", ME, told, params)

    listed = {"access_lists": [{"id": 1}, {"id": 2}]}
    take(database, access_lists.KIND, "lists", ME, listed)
    assert access_lists.lists_of(database, ME) == [{"access_list_id": 1}, {"access_list_id": 2}]
    put(1, 95000001, 95000002)
    put(2, 95000001)
    put(1, 95000002)
    columns = ("access_list_id", "member_type", "member_id")
    assert rows(database, "character_access_list_member", *columns) == [
        (1, "character", 95000002),
        (1, "corporation", 98000001),
        (2, "character", 95000001),
        (2, "corporation", 98000001),
    ]
    # The list itself names numbers only, and takes no name away.
    take(database, access_lists.KIND, "lists", ME, {"access_lists": [{"id": 1}]})
    assert rows(database, "character_access_list", "access_list_id", "name") == [(1, "Свои")]


@pytest.mark.parametrize("timer", [None, {"end": "2026-12-01T18:30:00Z"}], ids=["quiet", "fought"])
def test_a_den_without_a_timer_is_not_reinforced(
    database: Connection, timer: dict[str, Any] | None
) -> None:
    listed = {"mercenary_dens": [{"id": 7, "planet_id": 40009077}]}
    take(database, mercenary_dens.KIND, "dens", ME, listed)
    grown = {"amount": 1, "level": "Level0"}
    told = {
        "id": 7,
        "type_id": 85230,
        "state": "Running",
        "skyhook": {"id": 8, "planet_id": 40009077, "corporation_id": 98000001},
        "infomorphs": {"amount": 500},
        "evolution": {"development": grown, "anarchy": grown},
    }
    if timer is not None:
        told["reinforcement_timer"] = timer
    take(database, mercenary_dens.KIND, "details", ME, told, {"mercenary_den_id": 7})
    columns = ("planet_id", "state", "infomorphs", "reinforced_until")
    [row] = rows(database, "character_mercenary_den", *columns)
    assert row[:3] == (40009077, "Running", 500)
    assert (row[3] is None) == (timer is None)
