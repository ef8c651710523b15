"""Mutated items: only those, only unpacked ones, each once whoever owns it."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection, update

from ipc.subject import Subject, SubjectType
from jobs.errors import BadAnswer, Gone, Transient
from jobs.kinds._abyssals import ITEM
from jobs.kinds._mutated_types import MUTATED_TYPES
from jobs.kinds._unknown_ids import FIRST_REFUSAL
from jobs.kinds.character import abyssals
from jobs.kinds.corporation import abyssals as corporation_abyssals
from jobs.spec import Params
from jobs.store.schema.assets import character_asset
from tests.kinds.fake_context import FakeContext, put, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
COMPANY = Subject(SubjectType.CORPORATION, 98000001)
WEB, PLAIN = 47702, 527
FIRST_ITEM = 1_034_000_000_000


def dynamic(params: Params, _body: Any = None) -> dict[str, Any]:
    return {
        "created_by": 95000007,
        "source_type_id": PLAIN,
        "mutator_type_id": 47699,
        "dogma_attributes": [{"attribute_id": 20, "value": -61.5}],
        "dogma_effects": [{"effect_id": 12, "is_default": False}],
    }


def own(connection: Connection, number: int, type_id: int = WEB, **more: Any) -> None:
    row = {"character_id": ME.id, "is_singleton": True, **more}
    put(
        connection,
        "character_asset",
        {**row, "item_id": FIRST_ITEM + number, "type_id": type_id},
    )


@pytest.fixture
def context(database: Connection) -> FakeContext:
    return FakeContext(database, abyssals.KIND, ME, {ITEM.name: dynamic})


def asked(context: FakeContext) -> list[int]:
    found = [int(one.params["item_id"]) - FIRST_ITEM for one in context.asked]
    context.asked.clear()
    return found


async def test_only_unpacked_mutated_items_of_the_subject_are_asked_for(
    database: Connection, context: FakeContext
) -> None:
    own(database, 1)
    own(database, 2, PLAIN)
    own(database, 3, is_singleton=False)
    own(database, 4, character_id=ME.id + 1)
    result = await context.run("items")
    assert (result.rows, result.left) == (3, 0)
    assert context.asked[0].params == {"type_id": WEB, "item_id": FIRST_ITEM + 1}
    assert asked(context) == [1]
    assert rows(database, "abyssal_item", "item_id", "type_id", "source_type_id") == [
        (FIRST_ITEM + 1, WEB, PLAIN)
    ]
    assert rows(database, "abyssal_attribute") == [(FIRST_ITEM + 1, 20, -61.5)]
    assert rows(database, "abyssal_effect") == [(FIRST_ITEM + 1, 12, False)]


async def test_an_item_is_asked_for_once_and_stays_when_it_is_sold(
    database: Connection, context: FakeContext
) -> None:
    own(database, 1)
    await context.run("items")
    asked(context)
    database.execute(update(character_asset).values(character_id=ME.id + 1))
    assert (await context.run("items")).empty
    row = {"corporation_id": COMPANY.id, "is_singleton": True}
    put(database, "corporation_asset", {**row, "item_id": FIRST_ITEM + 1, "type_id": WEB})
    put(database, "corporation_asset", {**row, "item_id": FIRST_ITEM + 2, "type_id": WEB})
    company = FakeContext(database, corporation_abyssals.KIND, COMPANY, {ITEM.name: dynamic})
    await company.run("items")
    assert asked(company) == [2]
    assert len(rows(database, "abyssal_item")) == 2


@pytest.mark.parametrize("error", [Gone("404"), BadAnswer("null")], ids=["404", "odd"])
async def test_an_item_that_esi_does_not_know_is_left_alone_for_a_growing_while(
    database: Connection, context: FakeContext, error: Exception
) -> None:
    def unknown(params: Params, body: Any) -> Any:
        if params["item_id"] == FIRST_ITEM + 1:
            raise error
        return dynamic(params, body)

    context.answers[ITEM.name] = unknown
    own(database, 1)
    own(database, 2)
    assert (await context.run("items")).note == "1 of 2 were not there"
    assert asked(context) == [2, 1]
    await context.run("items")
    assert asked(context) == []
    wait_s = FIRST_REFUSAL.total_seconds()
    context.clock.advance(wait_s + 1)
    await context.run("items")
    assert asked(context) == [1]
    context.clock.advance(wait_s + 1)
    await context.run("items")
    assert asked(context) == []
    context.clock.advance(wait_s)
    context.answers[ITEM.name] = dynamic
    await context.run("items")
    assert asked(context) == [1]
    assert rows(database, "unknown_id") == []


async def test_trouble_costs_nothing_that_was_fetched(
    database: Connection, context: FakeContext
) -> None:
    def breaks(params: Params, body: Any) -> Any:
        if params["item_id"] == FIRST_ITEM + 1:
            raise Transient("502")
        return dynamic(params, body)

    context.answers[ITEM.name] = breaks
    for number in (1, 2, 3):
        own(database, number)
    with pytest.raises(Transient):
        await context.run("items")
    assert len(rows(database, "abyssal_item")) == 2
    assert rows(database, "unknown_id") == []


def test_the_list_holds_modules_and_drones_and_nothing_that_can_be_mutated() -> None:
    assert {WEB, 47408, 60478, 90593} <= MUTATED_TYPES
    assert PLAIN not in MUTATED_TYPES
    assert len(MUTATED_TYPES) == 89
