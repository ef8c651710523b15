"""Structure names: who is asked about, what a refusal and an absence mean, and for how long."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, update

from ipc.subject import Subject, SubjectType
from jobs.errors import BadAnswer, Gone, MissingRole, Transient
from jobs.kinds._unknown_ids import FIRST_REFUSAL
from jobs.kinds.character import structure_names
from jobs.kinds.character._wanted_structures import NAMES_AGE
from jobs.spec import Params
from jobs.store.schema.structures import corporation_structure
from tests.kinds.fake_context import START, FakeContext, put, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
OTHER = Subject(SubjectType.CHARACTER, 90000002)
COMPANY, STRANGERS = 98000001, 98000777
FIRST = 1_034_000_000_000
HOUR_S = FIRST_REFUSAL.total_seconds()
ROUTE = structure_names.STRUCTURE.name


def told(params: Params, _body: Any = None) -> dict[str, Any]:
    return {
        "name": f"Замок {int(params['structure_id']) - FIRST}",
        "owner_id": STRANGERS,
        "solar_system_id": 30000142,
        "type_id": 35832,
        "position": {"x": 1.0, "y": -2.5, "z": 0.0},
    }


def refuse(*numbers: int, error: Exception | None = None) -> Any:
    """Return answers that are good but for these structures."""

    def answer(params: Params, body: Any) -> Any:
        if int(params["structure_id"]) - FIRST in numbers:
            raise error or MissingRole("Forbidden", 1)
        return told(params, body)

    return answer


def lie_in(connection: Connection, *numbers: int, who: Subject = ME) -> None:
    """Put a thing of a character into structures."""
    for number in numbers:
        put(
            connection,
            "character_asset",
            {
                "character_id": who.id,
                "item_id": 10**15 + number,
                "location_id": FIRST + number,
                "location_type": "item",
            },
        )


def own(connection: Connection, number: int, **more: Any) -> None:
    """Let a corporation that the character opens list a structure."""
    put(
        connection,
        "corporation_structure",
        {
            "corporation_id": COMPANY,
            "structure_id": FIRST + number,
            "system_id": 30002187,
            "type_id": 35833,
            "name": f"Own {number}",
            **more,
        },
    )


def open_company(connection: Connection, who: Subject = ME) -> None:
    put(
        connection,
        "credential",
        {"id": who.id, "character_id": who.id, "client_id": "x", "scopes": ""},
    )
    put(
        connection,
        "access",
        {"subject_type": "corporation", "subject_id": COMPANY, "credential_id": who.id},
    )


def context_of(connection: Connection, who: Subject = ME, answer: Any = told) -> FakeContext:
    return FakeContext(connection, structure_names.KIND, who, {ROUTE: answer})


@pytest.fixture
def context(database: Connection) -> FakeContext:
    return context_of(database)


async def asked(context: FakeContext) -> list[int]:
    """Run the kind, and return what it asked about."""
    await context.run("structures")
    found = [int(one.params["structure_id"]) - FIRST for one in context.asked]
    context.asked.clear()
    return found


def names(connection: Connection) -> dict[int, str | None]:
    found = rows(connection, "structure", "structure_id", "name")
    return {structure_id - FIRST: name for structure_id, name in found}


async def test_structures_are_told_from_stations_and_from_ships(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1)
    put(
        database,
        "character_asset",
        # A ship in a station, what is in it, and what somebody else has.
        {"character_id": ME.id, "item_id": FIRST + 50, "location_id": 60003760},
        {"character_id": ME.id, "item_id": 10**15, "location_id": FIRST + 50},
        {"character_id": OTHER.id, "item_id": 10**15 + 99, "location_id": FIRST + 51},
    )
    put(
        database,
        "character_contract",
        {"character_id": ME.id, "contract_id": 1, "start_location_id": FIRST + 2},
        {"character_id": ME.id, "contract_id": 2, "start_location_id": 60003760},
    )
    assert await asked(context) == [1, 2]
    assert await asked(context) == []
    columns = ("name", "owner_id", "system_id", "type_id", "x", "y", "z", "gone_at")
    expected = ("Замок 1", STRANGERS, 30000142, 35832, 1.0, -2.5, 0.0, None)
    assert rows(database, "structure", *columns)[0] == expected
    assert rows(database, "name", "id", "category", "name") == [
        (FIRST + 1, "structure", "Замок 1"),
        (FIRST + 2, "structure", "Замок 2"),
    ]


async def test_own_lists_come_first_and_cost_no_request(
    database: Connection, context: FakeContext
) -> None:
    open_company(database)
    own(database, 1)
    own(database, 2, name=None)
    own(database, 3, corporation_id=COMPANY + 1)
    lie_in(database, 1, 2, 4)
    assert await asked(context) == [2, 4]
    assert names(database) == {1: "Own 1", 2: "Замок 2", 4: "Замок 4"}
    context.clock.advance((NAMES_AGE + timedelta(hours=1)).total_seconds())
    assert await asked(context) == [2, 4]


async def test_a_structure_that_its_owner_gave_away_is_asked_about_again(
    database: Connection, context: FakeContext
) -> None:
    open_company(database)
    own(database, 1)
    lie_in(database, 1)
    assert await asked(context) == []
    context.clock.advance(HOUR_S)
    database.execute(update(corporation_structure).values(closed_at=context.now()))
    context.clock.advance(HOUR_S)
    assert await asked(context) == [1]
    assert rows(database, "structure", "name", "owner_id") == [("Замок 1", STRANGERS)]
    assert await asked(context) == []


async def test_a_refusal_is_remembered_for_each_character_and_longer_each_time(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1)
    context.answers[ROUTE] = refuse(1)
    assert await asked(context) == [1]
    assert await asked(context) == []
    context.clock.advance(HOUR_S + 1)
    assert await asked(context) == [1]
    context.clock.advance(HOUR_S + 1)
    assert await asked(context) == []
    context.clock.advance(HOUR_S)
    assert await asked(context) == [1]
    columns = ("structure_id", "refusals", "refused_until")
    assert rows(database, "character_structure_refusal", *columns) == [
        (FIRST + 1, 3, context.now() + 4 * FIRST_REFUSAL)
    ]
    assert names(database) == {}


async def test_another_character_that_may_is_asked_and_tells_it_for_all(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1)
    context.answers[ROUTE] = refuse(1)
    assert await asked(context) == [1]
    put(
        database,
        "character_contract",
        {"character_id": OTHER.id, "contract_id": 1, "end_location_id": FIRST + 1},
    )
    assert await asked(context_of(database, OTHER)) == [1]
    context.clock.advance(2 * HOUR_S)
    assert await asked(context) == []
    assert names(database) == {1: "Замок 1"}


async def test_rows_of_the_corporation_are_named_through_those_who_open_it(
    database: Connection, context: FakeContext
) -> None:
    put(
        database,
        "corporation_asset",
        {"corporation_id": COMPANY, "item_id": 10**15, "location_id": FIRST + 1},
        {"corporation_id": COMPANY, "item_id": FIRST + 60, "location_id": 60003760},
        {"corporation_id": COMPANY, "item_id": 10**15 + 1, "location_id": FIRST + 60},
    )
    assert await asked(context) == []
    open_company(database)
    lie_in(database, 2)
    assert await asked(context) == [2, 1]


async def test_a_run_stops_at_a_few_refusals_and_leaves_the_rest_to_later_ones(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, *range(1, 9))
    context.answers[ROUTE] = refuse(*range(1, 9))
    result = await context.run("structures")
    assert [one.params["structure_id"] - FIRST for one in context.asked] == [1, 2, 3]  # type: ignore[operator]
    assert (result.left, result.note) == (0, "5 structures wait for later runs")
    context.asked.clear()
    context.clock.advance(HOUR_S + 1)
    # Those that nobody has asked about yet go first.
    assert await asked(context) == [4, 5, 6]
    context.clock.advance(HOUR_S + 1)
    assert await asked(context) == [7, 8, 1]


@pytest.mark.parametrize("minute", [0, 2, 19])
async def test_nothing_is_asked_during_downtime(
    database: Connection, context: FakeContext, minute: int
) -> None:
    open_company(database)
    own(database, 1)
    lie_in(database, 1, 2)
    away = datetime(2026, 12, 1, 11, minute, tzinfo=UTC) - START
    context.clock.advance(away.total_seconds())
    result = await context.run("structures")
    assert (result.note, context.asked) == ("nothing is asked during downtime", [])
    assert names(database) == {1: "Own 1"}
    context.clock.advance((20 - minute) * 60)
    assert await asked(context) == [2]


async def test_trouble_is_no_refusal_and_keeps_what_was_told(
    database: Connection, context: FakeContext
) -> None:
    """As a 403 that blames SSO, or one of a gateway."""
    lie_in(database, 1, 2)
    context.answers[ROUTE] = refuse(2, error=Transient("403 sso_status 401"))
    with pytest.raises(Transient):
        await asked(context)
    assert names(database) == {1: "Замок 1"}
    assert rows(database, "character_structure_refusal") == []
    assert rows(database, "unknown_id") == []


async def test_an_odd_answer_costs_that_structure_only_and_is_no_word_of_its_end(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1, 2)
    context.answers[ROUTE] = refuse(1, error=BadAnswer("400"))
    assert await asked(context) == [1, 2]
    assert rows(database, "structure", "structure_id", "gone_at") == [(FIRST + 2, None)]
    assert rows(database, "character_structure_refusal", "structure_id") == [(FIRST + 1,)]


async def test_what_is_destroyed_keeps_its_last_known_name(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1, 2)
    context.answers[ROUTE] = refuse(2, error=Gone("404"))
    assert await asked(context) == [1, 2]
    context.clock.advance((NAMES_AGE + timedelta(hours=1)).total_seconds())
    context.answers[ROUTE] = refuse(1, 2, error=Gone("404"))
    gone_at = context.now()
    assert await asked(context) == [1, 2]
    columns = ("structure_id", "name", "gone_at")
    assert rows(database, "structure", *columns) == [(FIRST + 1, "Замок 1", gone_at)]
    assert rows(database, "name", "id", "name") == [(FIRST + 1, "Замок 1")]
    assert await asked(context) == []
    # It was not gone after all.
    context.clock.advance(4 * HOUR_S)
    context.answers[ROUTE] = told
    assert set(await asked(context)) == {1, 2}
    assert rows(database, "structure", "structure_id", "gone_at") == [
        (FIRST + 1, None),
        (FIRST + 2, None),
    ]
    assert rows(database, "unknown_id") == []


async def test_a_structure_without_system_type_or_name_is_kept_as_it_is(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1, 2)
    context.answers[ROUTE] = lambda _params, _body: {"owner_id": STRANGERS}
    assert await asked(context) == [1, 2]
    columns = ("name", "owner_id", "system_id", "type_id", "x")
    assert rows(database, "structure", *columns) == [(None, STRANGERS, None, None, None)] * 2
    assert rows(database, "name") == []


async def test_asking_again_counts_as_a_change_only_where_something_changed(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1)
    assert (await context.run("structures")).rows == 1
    context.clock.advance((NAMES_AGE + timedelta(hours=1)).total_seconds())
    assert (await context.run("structures")).rows == 0
    assert len(context.asked) == 2
    context.clock.advance((NAMES_AGE + timedelta(hours=1)).total_seconds())
    context.answers[ROUTE] = lambda params, body: {**told(params, body), "name": "Renamed"}
    assert (await context.run("structures")).rows == 1
    assert names(database) == {1: "Renamed"}


async def test_what_cannot_be_stored_is_asked_for_again_as_seldom_as_what_is_refused(
    database: Connection, context: FakeContext
) -> None:
    lie_in(database, 1, 2)

    def odd(params: Params, body: Any) -> Any:
        answer = told(params, body)
        return {**answer, "owner_id": 2**64} if params["structure_id"] == FIRST + 1 else answer

    context.answers[ROUTE] = odd
    assert await asked(context) == [1, 2]
    assert rows(database, "structure", "structure_id") == [(FIRST + 2,)]
    assert await asked(context) == []
    context.clock.advance(HOUR_S + 1)
    assert await asked(context) == [1]
    context.clock.advance(HOUR_S + 1)
    assert await asked(context) == []
    context.clock.advance(HOUR_S)
    context.answers[ROUTE] = told
    assert await asked(context) == [1]
    assert rows(database, "character_structure_refusal") == []
