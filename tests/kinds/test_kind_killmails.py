"""Killmails: read once for all whom they concern, whole, and never changed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.errors import BadAnswer, Gone, Transient
from jobs.kinds._unknown_ids import FIRST_REFUSAL
from jobs.kinds.character import killmails
from jobs.kinds.global_ import killmail_details
from jobs.spec import Params
from tests.kinds.declared import take
from tests.kinds.fake_context import START, FakeContext, put, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
DETAIL = "GET /killmails/{killmail_id}/{killmail_hash}"
HASH = "a" * 40


def killmail(params: Params, _body: Any = None) -> dict[str, Any]:
    tritanium = {"item_type_id": 34, "flag": 5, "singleton": 0}
    inside = {"item_type_id": 35, "flag": 0, "singleton": 0, "quantity_dropped": 3}
    return {
        "killmail_id": int(params["killmail_id"]),
        "killmail_time": "2026-11-01T00:00:00Z",
        "solar_system_id": 30000142,
        "victim": {
            "ship_type_id": 648,
            "damage_taken": 1,
            "items": [
                {**tritanium, "quantity_destroyed": 1},
                {**tritanium, "quantity_dropped": 2},
                {"item_type_id": 3465, "flag": 5, "singleton": 1, "items": [inside, inside]},
                {**tritanium, "quantity_dropped": 4},
            ],
        },
        "attackers": [
            {"damage_done": 1, "final_blow": True, "security_status": 0.0, "faction_id": 500010},
            {"damage_done": 1, "final_blow": True, "security_status": 0.0, "faction_id": 500010},
        ],
    }


def context_of(connection: Connection, answer: Any = killmail) -> FakeContext:
    return FakeContext(connection, killmails.KIND, ME, {DETAIL: answer})


def know(connection: Connection, *ids: int) -> None:
    refs = [{"killmail_id": one, "killmail_hash": HASH} for one in ids]
    take(connection, killmails.KIND, "recent", ME, refs)


async def test_the_same_type_twice_and_things_within_things_are_all_kept(
    database: Connection,
) -> None:
    know(database, 5)
    assert (await context_of(database).run("details")).rows == 1 + 2 + 6
    columns = ("position", "inside", "item_type_id", "quantity_destroyed", "quantity_dropped")
    assert rows(database, "killmail_item", *columns) == [
        (0, None, 34, 1, None),
        (1, None, 34, None, 2),
        (2, None, 3465, None, None),
        (3, 2, 35, None, 3),
        (4, 2, 35, None, 3),
        (5, None, 34, None, 4),
    ]


async def test_it_is_read_once_for_all_owners_and_without_one_no_request_is_made(
    database: Connection,
) -> None:
    know(database, 5)
    put(
        database,
        "corporation_killmail",
        {"corporation_id": 98000001, "killmail_id": 5, "killmail_hash": HASH},
        {"corporation_id": 98000001, "killmail_id": 6, "killmail_hash": HASH},
    )
    everybody = FakeContext(database, killmail_details.KIND, GLOBAL, {DETAIL: killmail})
    await everybody.run("details")
    mine = context_of(database)
    assert (await mine.run("details")).empty
    assert (await everybody.run("details")).empty
    assert [one.params["killmail_id"] for one in everybody.asked] == [6, 5]
    assert mine.asked == []


async def test_a_killmail_is_never_changed(database: Connection) -> None:
    know(database, 5)
    context = context_of(database)
    await context.run("details")
    before = rows(database, "killmail_item")
    # Two workers can have found it missing at one time.
    found = killmail_details.KIND.parts[0]
    for target in found.targets:
        assert target.write == "append"
    take(database, killmails.KIND, "details", ME, {**killmail({"killmail_id": 5}), "war_id": 9})
    assert rows(database, "killmail_item") == before
    assert rows(database, "killmail", "war_id") == [(None,)]


@pytest.mark.parametrize("error", [Gone("422"), BadAnswer("null")], ids=["refused", "odd"])
async def test_a_refused_hash_is_no_reason_not_to_read_the_others(
    database: Connection, error: Exception
) -> None:
    know(database, 5, 6, 7)

    def answer(params: Params, _body: Any) -> Any:
        if params["killmail_id"] == 6:
            raise error
        return killmail(params)

    context = context_of(database, answer)
    assert (await context.run("details")).note == "1 of 3 were not there"
    assert rows(database, "killmail", "killmail_id") == [(5,), (7,)]
    assert rows(database, "unknown_id", "category", "id", "unknown_until") == [
        ("killmail", 6, START + FIRST_REFUSAL)
    ]
    assert (await context.run("details")).empty
    context.clock.advance(FIRST_REFUSAL.total_seconds())
    context.answers[DETAIL] = killmail
    await context.run("details")
    assert rows(database, "killmail", "killmail_id") == [(5,), (6,), (7,)]
    assert rows(database, "unknown_id") == []


async def test_each_refusal_doubles_the_wait(database: Connection) -> None:
    know(database, 5)

    def refuse(_params: Params, _body: Any) -> Any:
        raise Gone("422")

    context = context_of(database, refuse)
    for expected in (1, 2, 4):
        await context.run("details")
        (until,) = rows(database, "unknown_id", "unknown_until")[0]
        assert until == context.now() + timedelta(hours=expected)
        context.clock.advance(expected * 3600)


async def test_trouble_keeps_what_was_read(database: Connection) -> None:
    know(database, 5, 6)

    def answer(params: Params, _body: Any) -> Any:
        if params["killmail_id"] == 5:
            raise Transient("502")
        return killmail(params)

    with pytest.raises(Transient):
        await context_of(database, answer).run("details")
    assert rows(database, "killmail", "killmail_id") == [(6,)]
