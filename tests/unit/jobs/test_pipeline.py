"""The one path of every job, over a real database and a scripted ESI."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Column, Connection, Integer, MetaData, Table, Text, insert, select, text

from ipc import outcome as reactions
from ipc.messages import PartGrant
from ipc.outcome import Token
from ipc.settings import MarketWatch
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.errors import (
    Gone,
    MissingRole,
    MissingScope,
    PauseAll,
    PauseBucket,
    Refused,
    SubjectGone,
    TokenRejected,
    Transient,
)
from jobs.esi.transport import NotSent
from jobs.kinds._cursors import Cursor, Page, asking_pages
from jobs.pipeline import run_kind
from jobs.spec import Context, Pages, Part, PartResult, Route, Target, Watched, Wire, Write
from jobs.store import credentials, fence, subjects, ways
from jobs.store.schema.core import route_state
from jobs.store.schema.types import UtcTime
from tests.unit.jobs.job_house import (
    CHARACTER,
    CORPORATION,
    START,
    TOKEN_LIFE,
    House,
    grouped,
    items,
    kind_of,
)

LATER = START + TOKEN_LIFE
SCOPE = frozenset({"esi-a.read.v1"})
ROUTE = Route("GET", "/characters/{character_id}/items", cache_age_s=60)


class Item(Wire, frozen=True, rename={"item_id": "id"}):
    item_id: int
    name: str | None = None


REPLACE = Target(items, key=("character_id", "item_id"), write=Write.REPLACE)
ITEMS = Part(name="items", route=ROUTE, wire=Item, targets=(REPLACE,), scopes=SCOPE)
GROUPED = Part(
    name="grouped",
    route=Route("GET", "/characters/{character_id}/groups/{group_id}/items"),
    wire=Item,
    fan_out=({"group_id": 1}, {"group_id": 2}, {"group_id": 3}),
    targets=(Target(grouped, key=("character_id", "group_id", "item_id"), write=Write.REPLACE),),
)


async def _states(house: House) -> list[Any]:
    query = select(route_state).order_by(route_state.c.params, route_state.c.page)
    return await house.tools.read(lambda c: list(c.execute(query)))


# --- new, unchanged, changed, removed ----------------------------------------------------------


async def test_rows_and_states_are_committed_together(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2}], etag='"x"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.outcome.rows_touched == 2
    assert ending.changed
    assert ending.fresh_until == START + timedelta(hours=1)
    assert await house.rows(items) == [(9, 1, "a"), (9, 2, None)]
    (state,) = await _states(house)
    assert (state.route, state.params, state.owner_id) == (
        "GET /characters/{character_id}/items", '{"character_id":9}', 9
    )  # fmt: skip
    assert (state.etag, state.revision) == ('"x"', "1/2026-06-09")


async def test_what_is_fresh_is_not_asked_for(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 1
    assert ending.outcome.token is Token.SYNCED
    assert ending.outcome.rows_touched == 0
    assert not ending.changed
    assert ending.fresh_until == START + timedelta(hours=1)


async def test_what_has_expired_is_compared_and_a_304_renews_it(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"', last_modified="noon"))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.same())

    ending = await run_kind(house.tools, kind, house.order(kind))
    await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 2
    validators = house.esi.asked[1][3]
    assert validators is not None
    assert (validators.etag, validators.last_modified) == ('"x"', "noon")
    assert ending.outcome.token is Token.SYNCED
    assert ending.fresh_until == house.clock.now() + timedelta(hours=1)
    (state,) = await _states(house)
    assert (state.etag, state.last_modified) == ('"x"', "noon")
    assert state.expires_at == ending.fresh_until


async def test_changed_rows_change_and_absent_ones_go(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2, "name": "b"}, {"id": 3}]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}, {"id": 2, "name": "B"}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_touched == 2
    assert await house.rows(items) == [(9, 1, "a"), (9, 2, "B")]


async def test_nothing_is_empty(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.EMPTY


async def test_a_failed_write_keeps_no_validator(house: House) -> None:
    """Else the next answer would be 304 for rows that were never stored."""
    kind = kind_of(ITEMS)
    await house.write(lambda c: c.execute(text("ALTER TABLE test_item RENAME TO gone")))
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'))

    with pytest.raises(Exception, match="test_item"):
        await run_kind(house.tools, kind, house.order(kind))

    assert await _states(house) == []


async def test_a_new_revision_sends_no_validator(house: House) -> None:
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind_of(ITEMS), house.order(kind_of(ITEMS)))

    newer = kind_of(replace(ITEMS, revision=2))
    await run_kind(house.tools, newer, house.order(newer))

    assert len(house.esi.asked) == 2
    assert house.esi.asked[1][3] is None


async def test_another_compatibility_date_sends_no_validator(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))
    house.esi.compatibility_date = "2027-01-01"

    await run_kind(house.tools, kind, house.order(kind))

    assert house.esi.asked[1][3] is None


async def test_a_clock_that_was_set_back_does_not_keep_data_fresh(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(house.esi.good([{"id": 1}]), house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.step_wall(-86_400)

    await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 2


# --- sets --------------------------------------------------------------------------------------


async def test_pages_are_one_set_and_each_keeps_its_state(house: House) -> None:
    kind = kind_of(replace(ITEMS, route=replace(ROUTE, pages=Pages.X_PAGES)))

    def page(params: Any) -> Any:
        number = params["page"]
        return house.esi.good([{"id": number}, {"id": 7}], pages_text="3", etag=f'"{number}"')

    house.esi.say(page, page, page)

    await run_kind(house.tools, kind, house.order(kind))

    assert [row[1] for row in await house.rows(items)] == [1, 2, 3, 7]
    assert [(s.page, s.etag, s.pages) for s in await _states(house)] == [
        (1, '"1"', 3), (2, '"2"', 3), (3, '"3"', 3)
    ]  # fmt: skip


async def test_a_page_that_fails_changes_nothing(house: House) -> None:
    kind = kind_of(replace(ITEMS, route=replace(ROUTE, pages=Pages.X_PAGES)))
    house.esi.say(house.esi.good([{"id": 5}]))
    await run_kind(house.tools, kind, house.order(kind))
    before = await _states(house)
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1}], pages_text="2"), Transient("502"))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert [row[1] for row in await house.rows(items)] == [5]
    assert await _states(house) == before


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
    (state,) = await _states(house)
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
    (state,) = await _states(house)
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
    (state,) = await _states(house)
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
    assert await _states(house) == []


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
    assert [state.etag for state in await _states(house)] == [None]


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


# --- fan-out -----------------------------------------------------------------------------------


async def test_a_fan_out_asks_for_each_and_replaces_within_each(house: House) -> None:
    kind = kind_of(GROUPED)
    await house.write(
        lambda c: c.execute(
            insert(grouped),
            [
                {"character_id": 9, "group_id": 1, "item_id": 5},
                {"character_id": 9, "group_id": 4, "item_id": 5},
                {"character_id": 8, "group_id": 1, "item_id": 5},
            ],
        )
    )
    house.esi.say(*[lambda p: house.esi.good([{"id": p["group_id"] * 10}])] * 3)

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_touched == 4
    assert [row[:3] for row in await house.rows(grouped)] == [
        (8, 1, 5), (9, 1, 10), (9, 2, 20), (9, 3, 30), (9, 4, 5)
    ]  # fmt: skip


async def test_one_thing_that_is_not_there_costs_the_others_nothing(house: House) -> None:
    kind = kind_of(GROUPED)

    def say(params: Any) -> Any:
        if params["group_id"] == 2:
            return Gone("404")
        return house.esi.good([{"id": 1}])

    house.esi.say(say, say, say)

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert len(await house.rows(grouped)) == 2
    assert "1 of 3 were not there" in ending.outcome.reason


async def test_nothing_there_of_what_there_always_is_is_a_failure(house: House) -> None:
    kind = kind_of(GROUPED)
    house.esi.say(*[Gone("404")] * 3)

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert isinstance(ending.reaction, reactions.NotThere)


async def test_nothing_there_of_what_the_database_named_is_noted(house: House) -> None:
    kind = kind_of(replace(GROUPED, fan_out=lambda _connection, _subject: [{"group_id": 1}]))
    house.esi.say(Gone("404"))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert "1 of 1 were not there" in ending.outcome.reason


async def test_the_only_thing_that_is_not_there_is_a_failure(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(Gone("404"))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert isinstance(ending.reaction, reactions.NotThere)


async def test_a_fan_out_over_nothing_is_empty(house: House) -> None:
    kind = kind_of(replace(GROUPED, fan_out=lambda _connection, _subject: []))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.EMPTY
    assert house.esi.asked == []


def _listed_groups(connection: Connection, subject: Subject) -> list[dict[str, int | str]]:
    query = select(items.c.item_id).where(items.c.character_id == subject.id)
    return [{"group_id": one} for one in connection.scalars(query.order_by(items.c.item_id))]


LISTED = replace(ITEMS, route=replace(ROUTE, path="/characters/{character_id}/list"))


async def test_details_of_what_is_listed_again_are_fetched_again(house: House) -> None:
    kind = kind_of(LISTED, replace(GROUPED, fan_out=_listed_groups))
    day = {"fresh_until": house.clock.now() + timedelta(days=1)}
    house.esi.say(house.esi.good([{"id": 1}, {"id": 2}]))
    house.esi.say(*[lambda p: house.esi.good([{"id": p["group_id"] * 10}], **day)] * 2)
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))
    assert [row[1] for row in await house.rows(grouped)] == [1]
    kept = [state.params for state in await _states(house) if "group" in state.route]
    assert kept == ['{"character_id":9,"group_id":1}']
    house.clock.advance(3601)
    house.esi.say(house.esi.good([{"id": 1}, {"id": 2}]), house.esi.good([{"id": 20}], **day))

    await run_kind(house.tools, kind, house.order(kind))

    assert [row[1:3] for row in await house.rows(grouped)] == [(1, 10), (2, 20)]


class Number(Wire, frozen=True, rename={"item_id": "id"}):
    item_id: int


class Named(Wire, frozen=True):
    name: str


async def test_details_in_a_listed_row_are_fetched_again_with_it(house: House) -> None:
    """Though nothing ran between the list that lacked the row and the one that has it again."""
    details = Part(
        name="details",
        route=Route("GET", "/characters/{character_id}/list/{item_id}"),
        wire=Named,
        many=False,
        fan_out=lambda connection, subject: [
            {"item_id": each["group_id"]} for each in _listed_groups(connection, subject)
        ],
        targets=(replace(REPLACE, write=Write.UPSERT),),
    )
    kind = kind_of(replace(LISTED, wire=Number), details)
    list_only = house.order(kind).grants[:1]
    day = {"fresh_until": house.clock.now() + timedelta(days=1)}
    house.esi.say(house.esi.good([{"id": 1}, {"id": 2}]))
    house.esi.say(*[lambda p: house.esi.good({"name": f"n{p['item_id']}"}, **day)] * 2)
    await run_kind(house.tools, kind, house.order(kind))
    for listed in ([{"id": 1}], [{"id": 1}, {"id": 2}]):
        house.clock.advance(3601)
        house.esi.say(house.esi.good(listed))
        await run_kind(house.tools, kind, house.order(kind, grants=list_only))
    assert await house.rows(items) == [(9, 1, "n1"), (9, 2, None)]

    house.esi.say(house.esi.good({"name": "n2"}, **day))
    await run_kind(house.tools, kind, house.order(kind))

    assert await house.rows(items) == [(9, 1, "n1"), (9, 2, "n2")]


class Whole(Wire, frozen=True):
    name: str
    things: tuple[Item, ...] = ()


async def test_an_odd_object_costs_its_own_request_alone(house: House) -> None:
    shelved = replace(GROUPED.targets[0], rows=lambda shelf, _params: shelf.things)
    kind = kind_of(replace(GROUPED, wire=Whole, many=False, targets=(shelved,)))
    two = {"name": "a", "things": [{"id": 1}, {"id": 2}]}
    house.esi.say(*[house.esi.good(two, etag='"x"')] * 3)
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    one = {"name": "a", "things": [{"id": 1}]}

    def say(params: Any) -> Any:
        # The second lacks what is required; what the third asks for is refused.
        odd = {2: house.esi.good({"things": []}), 3: Refused("400")}
        return odd.get(params["group_id"], house.esi.good(one, etag='"y"'))

    house.esi.say(say, say, say)

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert (ending.outcome.token, ending.outcome.rows_skipped) == (Token.SYNCED, 2)
    assert ending.outcome.reason == "grouped: 2 rows could not be read"
    # The first was read whole: what it lost is gone, for its validator confirms so from now on.
    assert [row[1:3] for row in await house.rows(grouped)] == [
        (1, 1), (2, 1), (2, 2), (3, 1), (3, 2)
    ]  # fmt: skip
    assert [state.etag for state in await _states(house)] == ['"y"', '"x"', '"x"']


async def test_odd_objects_alone_are_a_failure(house: House) -> None:
    kind = kind_of(replace(GROUPED, wire=Whole, many=False))
    house.esi.say(*[house.esi.good({"things": []})] * 3)

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert isinstance(ending.reaction, reactions.BadAnswer)


async def test_a_job_asks_at_most_four_at_once(house: House) -> None:
    part = replace(GROUPED, fan_out=tuple({"group_id": n} for n in range(20)))
    at_once = most = 0
    full = asyncio.Event()

    class Slow(type(house.esi)):  # type: ignore[misc]
        async def ask(self, *args: Any, **kwargs: Any) -> Any:
            nonlocal at_once, most
            at_once += 1
            most = max(most, at_once)
            if at_once == 4:
                full.set()
            await full.wait()
            await asyncio.sleep(0)
            at_once -= 1
            return house.esi.good([])

    house.tools = replace(house.tools, esi=Slow(house.clock))
    kind = kind_of(part)

    await run_kind(house.tools, kind, house.order(kind))

    assert most == 4


# --- parts and outcomes ------------------------------------------------------------------------


def _part(name: str, **changes: Any) -> Part:
    route = Route("GET", "/characters/{character_id}/" + name)
    return replace(ITEMS, name=name, route=route, **changes)


async def test_a_part_that_fails_does_not_keep_the_others_from_running(house: House) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(Transient("502"), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert isinstance(ending.reaction, reactions.Transient)
    assert ending.outcome.reason == "one: 502"
    assert len(await house.rows(items)) == 1


async def test_a_part_that_is_unchanged_keeps_no_other_from_being_read(house: House) -> None:
    kind = kind_of(ITEMS, replace(GROUPED, fan_out=({"group_id": 1},)))
    soon = {"fresh_until": house.clock.now() + timedelta(seconds=60)}
    house.esi.say(house.esi.good([{"id": 1}], etag='"a"', **soon))
    house.esi.say(house.esi.good([{"id": 5}], etag='"b"', **soon))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(61)
    house.esi.say(house.esi.same(), house.esi.good([{"id": 5}, {"id": 6}], etag='"c"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_touched == 1
    assert [row[2] for row in await house.rows(grouped)] == [5, 6]


async def test_an_optional_part_that_fails_is_noted(house: House) -> None:
    kind = kind_of(_part("one", optional=True), _part("two"))
    house.esi.say(Transient("image server 500"), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.reaction is None
    assert "image server 500" in ending.outcome.reason


async def test_a_server_of_an_optional_part_that_is_away_ends_nothing_else(house: House) -> None:
    kind = kind_of(_part("one", optional=True), _part("two"))
    house.esi.say(NotSent("image server: no connection"), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert len(house.esi.asked) == 2


async def test_empty_parts_beside_a_full_one_are_synced(house: House) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(house.esi.good([]), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED


@pytest.mark.parametrize(
    "error", [PauseAll(START, 5), TokenRejected(1, 1), NotSent("no route"), SubjectGone("x")]
)
async def test_what_the_next_part_would_meet_too_ends_the_job(
    house: House, error: Exception
) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(error)
    if isinstance(error, TokenRejected):
        error.credential_id = house.credential_id

    await run_kind(house.tools, kind, house.order(kind))

    assert len(house.esi.asked) == 1


async def test_a_spent_bucket_is_the_jobs_wait(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(PauseBucket("char-asset:9", START, 30))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert ending.reaction == reactions.PauseBucket("char-asset:9", START, 30)


async def test_a_pause_met_by_an_optional_part_still_pauses(house: House) -> None:
    kind = kind_of(_part("one"), _part("two", optional=True))
    house.esi.say(house.esi.good([{"id": 1}]), PauseAll(START, 5))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.reaction == reactions.PauseAll(START, 5)


async def test_a_missing_scope_blocks_its_part_only(house: House) -> None:
    kind = kind_of(_part("one"), _part("two"))
    house.esi.say(MissingScope("esi-x.y.v1", 1), house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert ending.grants_changed
    assert "esi-x.y.v1" in ending.outcome.reason


async def test_a_kind_with_blocked_parts_alone_is_blocked(house: House) -> None:
    kind = kind_of(ITEMS)
    house.esi.say(MissingScope("esi-x.y.v1", 1))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.BLOCKED
    assert ending.reaction is None


async def test_a_missing_role_is_remembered_for_an_hour_and_asked_about_once(
    house: House,
) -> None:
    corp = Route("GET", "/corporations/{corporation_id}/items")
    roles = frozenset({"Director"})
    kind = kind_of(
        replace(ITEMS, name="one", route=corp, any_role=roles),
        replace(ITEMS, name="two", route=corp, any_role=roles),
        name="corporation.test",
    )
    house.esi.say(MissingRole("Character does not have required role(s)", house.credential_id))

    ending = await run_kind(house.tools, kind, house.order(kind, CORPORATION))

    assert ending.outcome.token is Token.BLOCKED
    assert ending.grants_changed
    assert len(house.esi.asked) == 1
    (access,) = await house.tools.read(ways.list_all)
    assert access.refused_until == START + timedelta(hours=1)
    assert access.refused_roles == roles
    assert ending.due == ()


async def test_a_character_that_has_left_is_looked_for(house: House) -> None:
    corp = Route("GET", "/corporations/{corporation_id}/items")
    kind = kind_of(replace(ITEMS, route=corp), name="corporation.test")
    house.esi.say(
        MissingRole("Character is not in the corporation", house.credential_id, left=True)
    )

    ending = await run_kind(house.tools, kind, house.order(kind, CORPORATION))

    assert ending.outcome.token is Token.BLOCKED
    assert ending.due == (JobKey("global.affiliation", GLOBAL),)
    (access,) = await house.tools.read(ways.list_all)
    assert access.refused_roles is None


async def test_who_has_left_is_not_tried_for_the_next_part(house: House) -> None:
    corp = Route("GET", "/corporations/{corporation_id}/items")
    first, second = replace(ITEMS, route=corp), replace(ITEMS, route=corp, name="second")
    kind = kind_of(first, second, name="corporation.test")
    house.esi.say(
        MissingRole("Character is not in the corporation", house.credential_id, left=True)
    )

    ending = await run_kind(house.tools, kind, house.order(kind, CORPORATION))

    assert ending.outcome.token is Token.BLOCKED
    assert len(house.esi.asked) == 1


@pytest.mark.parametrize("changes", [True, False])
async def test_whatever_kind_changes_grants_says_so(house: House, changes: bool) -> None:
    async def run(context: Context) -> PartResult:
        known = CORPORATION if not changes else Subject(SubjectType.CORPORATION, 97)
        await context.write(lambda c: ways.link(c, known, house.credential_id, START))
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.grants_changed is changes


async def test_a_subject_that_a_failing_part_withdrew_is_told(house: House) -> None:
    async def run(context: Context) -> PartResult:
        await context.write(lambda c: subjects.withdraw(c, CHARACTER, START))
        raise Gone("404")

    kind = kind_of(Part(name="custom", run=run))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.FAILED
    assert ending.grants_changed


# --- tokens ------------------------------------------------------------------------------------


async def test_the_token_is_that_of_the_granted_credential(house: House) -> None:
    kind = kind_of(ITEMS, replace(GROUPED, fan_out=({"group_id": 1},)))
    house.esi.say(house.esi.good([]), house.esi.good([]))

    await run_kind(house.tools, kind, house.order(kind))

    own, public = house.esi.asked[0][2], house.esi.asked[1][2]
    assert own is not None
    assert (own.access_token, own.character_id) == ("A0", 9)
    assert public is None


async def test_a_flagged_credential_is_skipped_without_a_request(house: House) -> None:
    kind = kind_of(ITEMS)
    await house.write(lambda c: c.execute(text("UPDATE credential SET needs_reauth = true")))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SKIPPED
    assert house.esi.asked == []


async def test_a_credential_that_is_gone_needs_a_login(house: House) -> None:
    kind = kind_of(ITEMS)
    await house.write(lambda c: credentials.remove(c, 9))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert isinstance(ending.reaction, reactions.NeedsLogin)
    assert house.esi.asked == []


async def test_a_token_that_has_run_out_is_refreshed_first(house: House) -> None:
    kind = kind_of(ITEMS)
    house.clock.advance(TOKEN_LIFE.total_seconds())

    ending = await run_kind(house.tools, kind, house.order(kind))

    generation = (await house.tools.read(credentials.list_all))[0].generation
    assert ending.reaction == reactions.TokenRejected(house.credential_id, generation)
    assert house.esi.asked == []


async def test_a_refused_token_is_tried_once_more_when_there_is_a_newer_one(
    house: House,
) -> None:
    kind = kind_of(ITEMS)
    generation = (await house.tools.read(credentials.list_all))[0].generation

    def refuse(_params: Any) -> Any:
        house.tools.database.write_now(
            lambda c: credentials.store_refreshed(
                c, house.credential_id, generation, "A1", "R1", START + TOKEN_LIFE,
                None, START,
            )
        )  # fmt: skip
        return TokenRejected(house.credential_id, generation)

    house.esi.say(refuse, house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert [token.access_token for _, _, token, _ in house.esi.asked if token] == ["A0", "A1"]


async def test_a_refused_token_is_not_tried_again_when_there_is_none(house: House) -> None:
    kind = kind_of(ITEMS)
    generation = (await house.tools.read(credentials.list_all))[0].generation
    house.esi.say(TokenRejected(house.credential_id, generation))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.reaction == reactions.TokenRejected(house.credential_id, generation)
    assert len(house.esi.asked) == 1


# --- writes ------------------------------------------------------------------------------------


async def test_nothing_is_written_for_a_subject_withdrawn_meanwhile(house: House) -> None:
    kind = kind_of(ITEMS)

    def withdraw(_params: Any) -> Any:
        house.tools.database.write_now(lambda c: subjects.withdraw(c, CHARACTER, START))
        return house.esi.good([{"id": 1}])

    house.esi.say(withdraw)

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SKIPPED
    assert await house.rows(items) == []
    assert await _states(house) == []


async def test_nothing_is_written_behind_a_newer_daemon(house: House) -> None:
    kind = kind_of(ITEMS)
    await house.write(lambda c: fence.take_ownership(c, "newer", 2, START))
    house.esi.say(house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.reaction == reactions.Cancelled(stopping=True)
    assert await house.rows(items) == []


async def test_a_missing_parent_row_is_not_ready(house: House) -> None:
    await house.write(
        lambda c: c.execute(
            text(
                "CREATE TABLE child (character_id INTEGER PRIMARY KEY,"
                " FOREIGN KEY (character_id) REFERENCES character (character_id))"
            )
        )
    )

    async def run(context: Context) -> PartResult:
        statement = text("INSERT INTO child VALUES (9)")
        await context.write(lambda c: c.execute(text("PRAGMA foreign_keys")).scalar())
        return PartResult(await context.write(lambda c: c.execute(statement).rowcount))

    kind = kind_of(Part(name="child", run=run))
    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.NOT_READY
    assert isinstance(ending.reaction, reactions.NotReadyYet)


# --- custom parts ------------------------------------------------------------------------------


async def test_a_custom_part_fetches_writes_and_says_what_it_did(house: House) -> None:
    seen: dict[str, Any] = {}

    async def run(context: Context) -> PartResult:
        seen["before"] = context.changed("items")
        fetched = await context.fetch(ROUTE, {}, list[Item])
        rows = await context.write(
            lambda c: context.apply(c, REPLACE, [{"item_id": 4, "name": "x"}], {})
        )
        seen["value"] = fetched.value
        return PartResult(rows=rows, left=3, note="on my way")

    kind = kind_of(Part(name="custom", run=run, targets=(REPLACE,)))
    house.esi.say(house.esi.good([{"id": 4}], etag='"x"'))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert seen == {"before": False, "value": [Item(4)]}
    assert ending.outcome.to_fetch == 3
    assert ending.outcome.reason == "catching up, 3 left; custom: on my way"
    assert [s.etag for s in await _states(house)] == ['"x"']


async def test_a_later_part_knows_whether_an_earlier_one_changed_rows(house: House) -> None:
    seen: list[bool] = []

    async def run(context: Context) -> PartResult:
        seen.append(context.changed("items"))
        return PartResult()

    kind = kind_of(ITEMS, Part(name="after", run=run))
    house.esi.say(house.esi.good([{"id": 1}]))
    await run_kind(house.tools, kind, house.order(kind))
    await run_kind(house.tools, kind, house.order(kind))

    assert seen == [True, False]


async def test_states_that_no_write_stored_are_stored_at_the_end(house: House) -> None:
    async def run(context: Context) -> PartResult:
        await context.fetch(ROUTE, {}, list[Item])
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))
    house.esi.say(house.esi.good([], etag='"x"'))

    await run_kind(house.tools, kind, house.order(kind))

    assert len(await _states(house)) == 1


async def test_without_state_nothing_is_compared_or_kept(house: House) -> None:
    async def run(context: Context) -> PartResult:
        for _ in range(2):
            fetched = await context.fetch(ROUTE, {}, list[Item], keep_state=False)
            assert fetched.changed
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))
    house.esi.say(house.esi.good([], etag='"x"'), house.esi.good([]))

    await run_kind(house.tools, kind, house.order(kind))

    assert [validators for *_, validators in house.esi.asked] == [None, None]
    assert await _states(house) == []


async def test_the_budget_of_a_part_shrinks_with_the_jobs_time(house: House) -> None:
    seen: list[float] = []

    async def run(context: Context) -> PartResult:
        seen.append(context.budget_s)
        house.clock.advance(30)
        seen.append(context.budget_s)
        house.clock.advance(60)
        seen.append(context.budget_s)
        return PartResult()

    kind = kind_of(Part(name="custom", run=run))

    await run_kind(house.tools, kind, house.order(kind, deadline_s=100.0))

    assert seen == [75.0, 45.0, 0.0]


async def test_an_error_nobody_foresaw_ends_the_job(house: House) -> None:
    async def run(context: Context) -> PartResult:
        raise ZeroDivisionError

    kind = kind_of(Part(name="custom", run=run))

    with pytest.raises(ZeroDivisionError):
        await run_kind(house.tools, kind, house.order(kind))


# --- what is asked for no more -----------------------------------------------------------------


async def test_rows_of_what_is_asked_for_no_more_go(house: House) -> None:
    """A colony that was given up: no request replaces its rows any more."""
    groups = [1, 2]
    part = replace(GROUPED, fan_out=lambda _connection, _subject: [{"group_id": g} for g in groups])
    kind = kind_of(part)
    await house.write(
        lambda c: c.execute(
            insert(grouped).values(character_id=8, group_id=2, item_id=1, name="another's")
        )
    )
    for name in ("a", "b"):
        house.esi.say(house.esi.good([{"id": 1, "name": name}], etag=f'"{name}"'))
    await run_kind(house.tools, kind, house.order(kind))
    assert await house.rows(grouped) == [
        (8, 2, 1, "another's"),
        (9, 1, 1, "a"),
        (9, 2, 1, "b"),
    ]

    # Whether or not something else has changed: the first one is still fresh.
    groups.remove(2)
    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.rows_touched == 1
    assert await house.rows(grouped) == [(8, 2, 1, "another's"), (9, 1, 1, "a")]
    groups.clear()
    assert (await run_kind(house.tools, kind, house.order(kind))).outcome.rows_touched == 1
    assert await house.rows(grouped) == [(8, 2, 1, "another's")]


async def test_one_that_is_not_there_keeps_its_rows_while_it_is_listed(house: House) -> None:
    part = replace(GROUPED, fan_out=lambda _connection, _subject: [{"group_id": 1}])
    kind = kind_of(part)
    house.esi.say(house.esi.good([{"id": 1, "name": "a"}]))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(Gone("404"))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert await house.rows(grouped) == [(9, 1, 1, "a")]


async def test_what_is_watched_is_asked_for_and_removed_when_it_is_so_no_more(
    house: House,
) -> None:
    watched = Watched(
        ("group_id",), lambda watch: [{"group_id": region} for region in watch.regions]
    )
    kind = kind_of(replace(GROUPED, fan_out=watched))

    async def run(*regions: int) -> None:
        market_watch = MarketWatch(regions=regions)
        settings = msgspec.structs.replace(house.tools.settings, market_watch=market_watch)
        ending = await run_kind(replace(house.tools, settings=settings), kind, house.order(kind))
        assert ending.outcome.token in (Token.SYNCED, Token.EMPTY)

    house.esi.say(*[lambda p: house.esi.good([{"id": p["group_id"] * 10}])] * 3)
    await run(1, 2)
    assert [row[:3] for row in await house.rows(grouped)] == [(9, 1, 10), (9, 2, 20)]
    await run(2, 3)
    assert [row[:3] for row in await house.rows(grouped)] == [(9, 2, 20), (9, 3, 30)]
    await run()
    assert await house.rows(grouped) == []


async def test_a_part_asks_through_the_first_of_its_readers_or_another(house: House) -> None:
    other = await house.write(
        lambda c: credentials.save_login(c, 10, "app", ["esi-a.read.v1"], "b", "r", LATER, START)
    )
    route = Route("GET", "/markets/structures/{structure_id}")

    async def ask(context: Context) -> PartResult:
        assert context.readers == (house.credential_id, other)
        for reader in (0, other):
            await context.fetch(route, {"structure_id": 1}, list[Item], reader=reader)
        return PartResult()

    part = Part(name="orders", route=route, wire=Item, scopes=SCOPE, run=ask)
    kind = kind_of(part, name="global.test")
    house.esi.say(house.esi.good([]), house.esi.good([]))
    grants = tuple(PartGrant("orders", one) for one in (house.credential_id, other))

    await run_kind(house.tools, kind, house.order(kind, GLOBAL, grants=grants))

    assert [token.character_id for *_, token, _ in house.esi.asked if token] == [9, 10]


class ItemPage(Wire, frozen=True, rename={"rows": "items"}):
    rows: tuple[Item, ...]
    cursor: Cursor | None = None


async def test_a_page_by_cursor_that_cannot_be_read_keeps_its_tokens_and_is_counted(
    house: House,
) -> None:
    pages: list[Page] = []

    async def run(context: Context) -> PartResult:
        pages.append(await asking_pages(context, ROUTE, ItemPage, {})({"before": "c"}))
        return PartResult()

    kind = kind_of(Part(name="custom", route=ROUTE, run=run))
    told = {"items": [{}, {"id": "x"}], "cursor": {"before": "a", "after": "b"}}
    house.esi.say(house.esi.good(told))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert pages == [Page((), "a", "b", unreadable=True)]
    assert (ending.outcome.token, ending.outcome.rows_skipped) == (Token.SYNCED, 2)


async def test_what_a_failed_write_was_to_store_is_stored_by_no_other(house: House) -> None:
    async def run(context: Context) -> PartResult:
        fetched = await context.fetch(ROUTE, {}, list[Item])
        assert fetched.changed

        def fail(_connection: Connection) -> None:
            raise Gone("the rows are not to be had")

        with pytest.raises(Gone):
            await context.write(fail)
        await context.write(lambda connection: connection.execute(text("SELECT 1")).scalar())
        return PartResult()

    kind = kind_of(replace(ITEMS, run=run))
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'))

    await run_kind(house.tools, kind, house.order(kind))

    assert await _states(house) == []


async def test_what_unchanged_parts_have_learned_is_stored_in_one_transaction(house: House) -> None:
    other = replace(ITEMS, name="others", route=Route("GET", "/characters/{character_id}/others"))
    kind = kind_of(ITEMS, other)
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}], etag='"y"'))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.same(), house.esi.same())
    before = house.tools.database.figures.writes

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert house.tools.database.figures.writes == before + 1
    assert ending.outcome.token is Token.SYNCED
    states = await _states(house)
    assert [state.etag for state in states] == ['"x"', '"y"']
    assert {state.expires_at for state in states} == {house.clock.now() + timedelta(hours=1)}


async def test_an_answer_brings_no_validators_back_that_a_write_forgot_meanwhile(
    house: House, tmp_path: Path
) -> None:
    """Else ESI would go on to say "unchanged" of a list without what was written."""
    other = replace(ITEMS, name="others", route=Route("GET", "/characters/{character_id}/others"))
    kind = kind_of(ITEMS, other)
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}], etag='"y"'))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)

    def write_meanwhile(_params: Any) -> Any:
        with sqlite3.connect(tmp_path / "mirror.db") as connection:
            connection.execute("UPDATE route_state SET etag = NULL WHERE etag = '\"x\"'")
        connection.close()
        return house.esi.same()

    house.esi.say(house.esi.same(), write_meanwhile)

    await run_kind(house.tools, kind, house.order(kind))

    assert [state.etag for state in await _states(house)] == [None, '"y"']


async def test_what_was_learned_is_stored_before_a_part_that_may_take_long(house: House) -> None:
    seen: list[Any] = []

    async def run(context: Context) -> PartResult:
        query = select(route_state.c.expires_at)
        seen.extend(await context.read(lambda connection: connection.scalars(query).all()))
        return PartResult()

    kind = kind_of(ITEMS, replace(ITEMS, name="long", run=run))
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.same())
    seen.clear()

    await run_kind(house.tools, kind, house.order(kind))

    assert seen == [house.clock.now() + timedelta(hours=1)]
