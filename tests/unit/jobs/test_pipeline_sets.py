"""Whole sets in a job: pages, rows that cannot be read, what is gone."""

from __future__ import annotations

from dataclasses import replace
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Column, Integer, MetaData, Table, Text, insert

from ipc.messages import PartGrant
from ipc.outcome import Token
from jobs.errors import (
    Transient,
)
from jobs.pipeline import run_kind
from jobs.spec import Context, Pages, PartResult, Route, Target, Wire, Write
from jobs.store import credentials
from jobs.store.schema.types import UtcTime
from tests.unit.jobs.item_parts import GROUPED, ITEMS, REPLACE, ROUTE, Item, states_of
from tests.unit.jobs.job_house import (
    CORPORATION,
    START,
    TOKEN_LIFE,
    House,
    grouped,
    items,
    kind_of,
)


async def test_pages_are_one_set_and_each_keeps_its_state(house: House) -> None:
    kind = kind_of(replace(ITEMS, route=replace(ROUTE, pages=Pages.X_PAGES)))

    def page(params: Any) -> Any:
        number = params["page"]
        return house.esi.good([{"id": number}, {"id": 7}], pages_text="3", etag=f'"{number}"')

    house.esi.say(page, page, page)

    await run_kind(house.tools, kind, house.order(kind))

    assert [row[1] for row in await house.rows(items)] == [1, 2, 3, 7]
    assert [(s.page, s.etag, s.pages) for s in await states_of(house)] == [
        (1, '"1"', 3), (2, '"2"', 3), (3, '"3"', 3)
    ]  # fmt: skip


async def test_a_page_that_fails_changes_nothing(house: House) -> None:
    kind = kind_of(replace(ITEMS, route=replace(ROUTE, pages=Pages.X_PAGES)))
    house.esi.say(house.esi.good([{"id": 5}]))
    await run_kind(house.tools, kind, house.order(kind))
    before = await states_of(house)
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1}], pages_text="2"), Transient("502"))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert [row[1] for row in await house.rows(items)] == [5]
    assert await states_of(house) == before


async def test_rows_that_cannot_be_read_are_counted_and_nothing_is_removed(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2}], etag='"x"'))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1, "name": "A"}, {"id": "two"}], etag='"y"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert "1 row could not be read" in ending.outcome.reason
    assert await house.rows(items) == [(9, 1, "A"), (9, 2, None)]
    (state,) = await states_of(house)
    assert state.etag is None


async def test_a_row_that_cannot_be_stored_is_counted_until_it_can_be(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2}], etag='"x"'))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1, "name": "A"}, {"id": 2**63}], etag='"y"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert (ending.outcome.token, ending.outcome.rows_skipped) == (Token.SYNCED, 1)
    assert ending.outcome.reason == "items: 1 row could not be read"
    # None is removed: the odd row may be any of them.
    assert await house.rows(items) == [(9, 1, "A"), (9, 2, None)]
    (state,) = await states_of(house)
    assert (state.etag, state.last_modified, state.complete_walk) == (None, None, False)

    fresh = await run_kind(house.tools, kind, house.order(kind))
    assert (fresh.outcome.token, fresh.outcome.rows_skipped) == (Token.SYNCED, 1)

    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1, "name": "A"}]))
    well = await run_kind(house.tools, kind, house.order(kind))
    assert (well.outcome.rows_skipped, well.outcome.reason) == (0, "")
    assert await house.rows(items) == [(9, 1, "A")]


class Medal(Wire, frozen=True, rename={"item_id": "medal_id", "name": "status"}):
    item_id: int
    name: str


async def test_a_word_that_nobody_lists_is_kept_and_counted_while_it_is_there(
    house: House,
) -> None:
    medals = Route("GET", "/characters/{character_id}/medals", cache_age_s=60)
    kind = kind_of(replace(ITEMS, route=medals, wire=Medal))
    rows = [{"medal_id": 1, "status": "public"}, {"medal_id": 2, "status": "secret"}]
    house.esi.say(house.esi.good(rows, etag='"x"'), house.esi.same())

    ends = [await run_kind(house.tools, kind, house.order(kind)) for _ in range(2)]
    house.clock.advance(3601)
    ends.append(await run_kind(house.tools, kind, house.order(kind)))

    # When it was read, while it was fresh, and when ESI said that nothing has changed.
    for end in ends:
        assert (end.outcome.token, end.outcome.words_unknown) == (Token.SYNCED, 1)
        assert end.outcome.reason == "items: 1 word that ESI does not list"
    assert await house.rows(items) == [(9, 1, "public"), (9, 2, "secret")]
    (state,) = await states_of(house)
    assert (state.etag, state.words_unknown) == ('"x"', 1)

    house.clock.advance(3601)
    house.esi.say(house.esi.good(rows[:1]))
    well = await run_kind(house.tools, kind, house.order(kind))
    assert (well.outcome.words_unknown, well.outcome.reason) == (0, "")


async def test_a_set_of_which_nothing_can_be_stored_is_a_failure(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 2**63}], etag='"y"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert "test_item.item_id: is beyond" in ending.outcome.reason
    assert await states_of(house) == []


async def test_what_is_gone_goes_though_a_row_stays_unreadable(house: House) -> None:
    """The row that cannot be read tells its id, so that its own row alone is spared."""
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": one, "name": "a"} for one in (1, 2, 3)], etag='"x"'))
    await run_kind(house.tools, kind, house.order(kind))
    for name in ("A", "B"):
        house.clock.advance(3601)
        house.esi.say(house.esi.good([{"id": 1, "name": name}, {"id": 2, "name": [7]}]))
        ending = await run_kind(house.tools, kind, house.order(kind))
        assert (ending.outcome.token, ending.outcome.rows_skipped) == (Token.SYNCED, 1)
        assert await house.rows(items) == [(9, 1, name), (9, 2, "a")]


@pytest.mark.parametrize("keep_state", [True, False])
@pytest.mark.parametrize(
    ("odd", "left"), [({"id": 2, "name": [7]}, [1, 2]), ({"name": "?"}, [1, 2, 3])]
)
async def test_a_run_of_its_own_spares_a_row_that_tells_its_id_alone(
    house: House, keep_state: bool, odd: Any, left: list[int]
) -> None:
    """Where a row does not tell which it is, any that is absent may be it: all stay."""

    async def run(context: Context) -> PartResult:
        fetched = await context.fetch(ROUTE, {}, list[Item], keep_state=keep_state)
        return PartResult(
            rows=await context.write(
                lambda connection: context.apply(
                    connection, REPLACE, fetched.value, {}, answer=fetched
                )
            )
        )

    kind = kind_of(replace(ITEMS, run=run))
    house.esi.say(house.esi.good([{"id": one} for one in (1, 2, 3)]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1}, odd]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_skipped == 1
    assert [row[1] for row in await house.rows(items)] == left


async def test_what_an_unreadable_row_becomes_elsewhere_is_spared_as_a_whole(house: House) -> None:
    """Of a table with several rows for each of the answer's, all rows of that one stay."""

    class Group(Wire, frozen=True, rename={"group_id": "id"}):
        group_id: int
        size: int

    def rows(answer: list[Group], _params: Any) -> list[dict[str, Any]]:
        return [
            {"group_id": one.group_id, "item_id": number, "name": "x"}
            for one in answer
            for number in range(one.size)
        ]

    key = ("character_id", "group_id", "item_id")
    target = Target(grouped, key=key, write=Write.REPLACE, rows=rows)
    kind = kind_of(replace(ITEMS, wire=Group, targets=(target,)))
    house.esi.say(house.esi.good([{"id": one, "size": 2} for one in (1, 2, 3)]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1, "size": 1}, {"id": 2, "size": "two"}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_skipped == 1
    assert [row[1:3] for row in await house.rows(grouped)] == [(1, 0), (2, 0), (2, 1)]


@pytest.mark.parametrize("odd", [2**63, "two"])
async def test_an_odd_row_of_one_thing_does_not_cost_the_others(house: House, odd: Any) -> None:
    kind = kind_of(GROUPED)
    for rows in ([{"id": 1}], [{"id": odd}], [{"id": 3}]):
        house.esi.say(house.esi.good(rows))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert (ending.outcome.token, ending.outcome.rows_skipped) == (Token.SYNCED, 1)
    assert len(await house.rows(grouped)) == 2


async def test_a_large_set_that_is_gone_is_not_believed_at_once(house: House) -> None:
    kind = kind_of(ITEMS)
    soon = house.clock.now() + timedelta(seconds=60)
    house.esi.say(
        house.esi.good([{"id": n} for n in range(1, 60)], last_modified="one", fresh_until=soon)
    )
    await run_kind(house.tools, kind, house.order(kind))

    for modified, left in (("two", 59), ("two", 59), ("three", 0)):
        house.clock.advance(61)
        soon = house.clock.now() + timedelta(seconds=60)
        house.esi.say(house.esi.good([], last_modified=modified, fresh_until=soon))

        ending = await run_kind(house.tools, kind, house.order(kind))

        assert len(await house.rows(items)) == left
        assert ending.outcome.is_success
        assert ("waiting for a second answer" in ending.outcome.reason) == (left > 0)


async def test_rows_told_many_times_are_one_to_whoever_doubts_a_small_set(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": number} for number in range(1, 200)]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1 + number % 20} for number in range(199)]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert "of 199 rows 20 are left" in ending.outcome.reason
    assert len(await house.rows(items)) == 199


class Shelf(Wire, frozen=True):
    things: tuple[Item, ...] = ()


SHELVED = replace(
    ITEMS,
    wire=Shelf,
    many=False,
    targets=(replace(REPLACE, rows=lambda shelf, _params: shelf.things),),
)


async def test_a_row_within_an_object_that_cannot_be_read_removes_nothing(house: House) -> None:
    kind = kind_of(SHELVED)
    house.esi.say(house.esi.good({"things": [{"id": 1}, {"id": 2}]}, etag='"x"'))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good({"things": [{"id": 1, "name": "A"}, {"id": []}]}, etag='"y"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert await house.rows(items) == [(9, 1, "A"), (9, 2, None)]
    assert "1 row could not be read" in ending.outcome.reason
    assert [state.etag for state in await states_of(house)] == [None]


async def test_a_large_set_within_an_object_is_not_believed_gone_either(house: House) -> None:
    kind = kind_of(SHELVED)
    house.esi.say(house.esi.good({"things": [{"id": n} for n in range(100)]}))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good({"things": [{"id": 1}]}))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert len(await house.rows(items)) == 100
    assert "of 100 rows 1 are left" in ending.outcome.reason


async def test_a_large_set_is_not_closed_at_the_first_word(house: House) -> None:
    order = Table(
        "test_order",
        MetaData(),
        Column("character_id", Integer, primary_key=True),
        Column("item_id", Integer, primary_key=True),
        Column("name", Text),
        Column("closed_at", UtcTime),
    )
    await house.write(order.create)
    target = Target(order, key=("character_id", "item_id"), write=Write.CLOSE)
    kind = kind_of(replace(ITEMS, targets=(target,)))
    house.esi.say(house.esi.good([{"id": n} for n in range(60)], last_modified="one"))
    await run_kind(house.tools, kind, house.order(kind))

    for modified, closed in (("two", 0), ("three", 60)):
        house.clock.advance(3601)
        house.esi.say(house.esi.good([], last_modified=modified))
        await run_kind(house.tools, kind, house.order(kind))
        assert sum(row[3] is not None for row in await house.rows(order)) == closed

    # None is open any more, so there is nothing left to doubt.
    house.clock.advance(3601)
    house.esi.say(house.esi.good([], last_modified="four"))
    assert not (await run_kind(house.tools, kind, house.order(kind))).outcome.reason


async def test_a_short_list_in_the_downtime_is_doubted_though_nobody_has_noticed_it(
    house: House,
) -> None:
    kind = kind_of(ITEMS)
    house.clock.advance(timedelta(hours=19).total_seconds())
    house.esi.say(house.esi.good([{"id": 1}, {"id": 2}, {"id": 3}], last_modified="one"))
    await run_kind(house.tools, kind, house.order(kind))

    # 11:02 the next day, and an hour later.
    for minutes, modified, left in ((62, "two", 3), (61, "three", 0)):
        house.clock.advance(minutes * 60)
        house.esi.say(house.esi.good([], last_modified=modified))
        await run_kind(house.tools, kind, house.order(kind))
        assert len(await house.rows(items)) == left


async def test_rows_of_which_another_part_told_the_end_are_not_missed(house: House) -> None:
    order = Table(
        "test_order",
        MetaData(),
        Column("character_id", Integer, primary_key=True),
        Column("item_id", Integer, primary_key=True),
        Column("name", Text),
        Column("state", Text),
        Column("closed_at", UtcTime),
    )
    await house.write(order.create)
    past = [{"character_id": 9, "item_id": n, "state": "expired"} for n in range(1000, 1200)]
    await house.write(lambda connection: connection.execute(insert(order), past))
    target = Target(order, key=("character_id", "item_id"), write=Write.CLOSE, keep=("state",))
    kind = kind_of(replace(ITEMS, targets=(target,)))

    house.esi.say(house.esi.good([{"id": n} for n in range(60)]))
    ending = await run_kind(house.tools, kind, house.order(kind))

    assert not ending.outcome.reason
    closed = {row[1] for row in await house.rows(order) if row[4] is not None}
    assert closed == set(range(1000, 1200))


async def test_another_tokens_validator_does_not_stand_for_rows_of_this_one(
    house: House,
) -> None:
    """A 304 to the first director must not confirm what a second one was shown meanwhile."""
    path = Route("GET", "/corporations/{corporation_id}/items", cache_age_s=60)
    second = await house.write(
        lambda c: credentials.save_login(
            c, 8, "client", ["esi-a.read.v1"], "B0", "S0", START + TOKEN_LIFE, START
        )
    )
    table = Table(
        "test_corporation_item",
        MetaData(),
        Column("corporation_id", Integer, primary_key=True),
        Column("item_id", Integer, primary_key=True),
        Column("name", Text),
    )
    await house.write(table.create)
    kind = kind_of(
        replace(
            ITEMS,
            route=path,
            targets=(Target(table, key=("corporation_id", "item_id"), write=Write.REPLACE),),
        ),
        name="corporation.test",
    )
    first_order = house.order(kind, CORPORATION)
    second_order = house.order(kind, CORPORATION, grants=(PartGrant("items", second),))
    house.esi.say(house.esi.good([{"id": 1}, {"id": 2}], etag='"all"'))
    await run_kind(house.tools, kind, first_order)
    house.esi.say(house.esi.good([{"id": 1}], etag='"some"'))
    await run_kind(house.tools, kind, second_order)
    house.esi.say(house.esi.good([{"id": 1}, {"id": 2}], etag='"all"'))

    await run_kind(house.tools, kind, first_order)

    assert [asked[3] for asked in house.esi.asked] == [None, None, None]
    assert len(await house.rows(table)) == 2


async def test_a_constant_query_is_part_of_the_request(house: House) -> None:
    with_done = replace(ITEMS, route=replace(ROUTE, query=(("include_completed", "true"),)))
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind_of(ITEMS), house.order(kind_of(ITEMS)))

    await run_kind(house.tools, kind_of(with_done), house.order(kind_of(with_done)))

    assert len(house.esi.asked) == 2
    assert house.esi.asked[1][3] is None


async def test_a_small_set_that_is_gone_is_gone(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": n} for n in range(1, 50)]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([]))

    await run_kind(house.tools, kind, house.order(kind))

    assert await house.rows(items) == []


async def test_a_large_set_is_written_whole(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": n} for n in range(12_000)]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": n} for n in range(1, 12_001)]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_touched == 2
    assert len(await house.rows(items)) == 12_000
