"""Contracts: items once each whatever happens, bids while an auction is open, history kept."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.errors import BadAnswer, Gone, Transient
from jobs.kinds import _one_by_one
from jobs.kinds.character import contracts
from jobs.kinds.corporation import contracts as corporation_contracts
from jobs.spec import Params
from tests.kinds.declared import take
from tests.kinds.fake_context import START, FakeContext, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
OTHER = Subject(SubjectType.CHARACTER, 90000002)
ITEMS = "GET /characters/{character_id}/contracts/{contract_id}/items"


def contract(contract_id: int, **more: Any) -> dict[str, Any]:
    return {
        "contract_id": contract_id,
        "type": "item_exchange",
        "status": "outstanding",
        "availability": "public",
        "issuer_id": ME.id,
        "issuer_corporation_id": 98000001,
        "for_corporation": False,
        "assignee_id": 0,
        "acceptor_id": 0,
        "date_issued": "2026-11-01T00:00:00Z",
        "date_expired": "2026-12-01T00:00:00Z",
        **more,
    }


def item(record_id: int) -> dict[str, Any]:
    return {
        "record_id": record_id,
        "type_id": 34,
        "quantity": 1,
        "is_included": True,
        "is_singleton": False,
    }


def listing(connection: Connection, *answer: dict[str, Any], who: Subject = ME) -> None:
    take(connection, contracts.KIND, "contracts", who, list(answer))


class Shelf:
    """Answers with one item for each contract, but for those that have a trouble."""

    def __init__(self, **trouble: Exception) -> None:
        self.trouble = {int(name[1:]): error for name, error in trouble.items()}
        self.asked: list[int] = []

    def __call__(self, params: Params, _body: Any) -> Any:
        one = int(params["contract_id"])
        self.asked.append(one)
        if one in self.trouble:
            raise self.trouble[one]
        return [item(one * 10)]


def context_of(connection: Connection, shelf: Shelf, who: Subject = ME) -> FakeContext:
    return FakeContext(connection, contracts.KIND, who, {ITEMS: shelf})


def stored(connection: Connection) -> list[tuple[Any, ...]]:
    return rows(connection, "character_contract_item", "contract_id", "record_id")


async def test_items_are_asked_for_once_newest_first_and_never_of_couriers(
    database: Connection,
) -> None:
    listing(database, contract(1), contract(3), contract(2, type="courier"))
    shelf = Shelf()
    context = context_of(database, shelf)
    assert (await context.run("items")).rows == 2
    assert (await context.run("items")).empty
    assert shelf.asked == [3, 1]
    assert stored(database) == [(1, 10), (3, 30)]


async def test_after_trouble_what_was_paid_for_is_kept_and_the_rest_is_asked_next(
    database: Connection,
) -> None:
    listing(database, *(contract(number) for number in range(1, 61)))
    shelf = Shelf(_58=Transient("502"))
    context = context_of(database, shelf)
    with pytest.raises(Transient):
        await context.run("items")
    assert stored(database) == [(59, 590), (60, 600)]
    shelf.trouble.clear()
    result = await context.run("items")
    assert (result.rows, result.left) == (58, 0)
    assert len(stored(database)) == 60


@pytest.mark.parametrize("error", [Gone("404"), BadAnswer("null")], ids=["gone", "odd"])
async def test_one_that_is_not_there_costs_no_other_and_is_tried_again_a_day_later(
    database: Connection, error: Exception
) -> None:
    listing(database, contract(1), contract(2))
    shelf = Shelf(_2=error)
    context = context_of(database, shelf)
    result = await context.run("items")
    assert (result.rows, result.note) == (1, "1 of 2 were not there")
    await context.run("items")
    assert shelf.asked == [2, 1]
    shelf.trouble.clear()
    context.clock.advance(24 * 3600)
    await context.run("items")
    assert stored(database) == [(1, 10), (2, 20)]


async def test_a_run_ends_at_its_bounds(database: Connection) -> None:
    listing(database, *(contract(number) for number in range(1, 101)))
    shelf = Shelf(**{f"_{number}": Gone("404") for number in range(1, 101)})
    assert (await context_of(database, shelf).run("items")).left == 90
    assert len(shelf.asked) == _one_by_one.MAX_REFUSALS
    shelf = Shelf()
    result = await context_of(database, shelf).run("items")
    assert (result.rows, result.left) == (_one_by_one.MAX_ASKED, 30)
    context = context_of(database, Shelf())
    context.budget = 3
    assert (await context.run("items")).left == 27


async def test_a_contract_that_is_listed_no_more_stays_with_its_items(
    database: Connection,
) -> None:
    listing(database, contract(1), contract(2))
    await context_of(database, Shelf()).run("items")
    listing(database, contract(2, status="finished"))
    columns = ("contract_id", "status", "closed_at")
    assert rows(database, "character_contract", *columns) == [
        (1, "outstanding", START),
        (2, "finished", None),
    ]
    assert stored(database) == [(1, 10), (2, 20)]
    # Not even items that were never read are asked for any more.
    listing(database, contract(3))
    listing(database)
    shelf = Shelf()
    await context_of(database, shelf).run("items")
    assert shelf.asked == []


async def test_two_owners_of_one_contract_keep_out_of_each_other(database: Connection) -> None:
    for who in (ME, OTHER):
        listing(database, contract(7), who=who)
        await context_of(database, Shelf(), who).run("items")
    listing(database, who=OTHER)
    columns = ("character_id", "contract_id", "closed_at")
    assert rows(database, "character_contract", *columns) == [
        (ME.id, 7, None),
        (OTHER.id, 7, START),
    ]
    assert len(stored(database)) == 2


def asked(connection: Connection, kind: Any, subject: Subject) -> Sequence[Params]:
    fan_out = next(one.fan_out for one in kind.parts if one.name == "bids")
    return list(fan_out(connection, subject))


def test_bids_are_asked_for_while_an_auction_is_open(database: Connection) -> None:
    listing(
        database,
        contract(1, type="auction"),
        contract(2, type="auction", status="finished"),
        contract(3),
        contract(4, type="auction"),
    )
    assert asked(database, contracts.KIND, ME) == [{"contract_id": 1}, {"contract_id": 4}]
    listing(database, contract(1, type="auction"))
    assert asked(database, contracts.KIND, ME) == [{"contract_id": 1}]
    assert asked(database, contracts.KIND, OTHER) == []
    company = Subject(SubjectType.CORPORATION, 98000001)
    take(
        database,
        corporation_contracts.KIND,
        "contracts",
        company,
        [contract(9, type="auction", for_corporation=True)],
    )
    assert asked(database, corporation_contracts.KIND, company) == [{"contract_id": 9}]
