"""Parts of a job that ask for many things: each by itself, gone ones, those asked for no more."""

from __future__ import annotations

import asyncio
import sqlite3
from dataclasses import replace
from datetime import timedelta
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, insert, select, text

from ipc import outcome as reactions
from ipc.messages import PartGrant
from ipc.outcome import Token
from ipc.settings import MarketWatch
from ipc.subject import GLOBAL, Subject
from jobs.errors import (
    Gone,
    Refused,
)
from jobs.kinds._cursors import Cursor, Page, asking_pages
from jobs.pipeline import run_kind
from jobs.spec import Context, Part, PartResult, Route, Watched, Wire, Write
from jobs.store import credentials
from jobs.store.schema.core import route_state
from tests.transactions import counted
from tests.unit.jobs.item_parts import GROUPED, ITEMS, LATER, REPLACE, ROUTE, SCOPE, Item, states_of
from tests.unit.jobs.job_house import (
    START,
    House,
    grouped,
    items,
    kind_of,
)

# --- fan-out ---


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
    kept = [state.params for state in await states_of(house) if "group" in state.route]
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
    assert [state.etag for state in await states_of(house)] == ['"y"', '"x"', '"x"']


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


# --- what is asked for no more ---


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

    assert await states_of(house) == []


async def test_what_unchanged_parts_have_learned_is_stored_in_one_transaction(house: House) -> None:
    other = replace(ITEMS, name="others", route=Route("GET", "/characters/{character_id}/others"))
    kind = kind_of(ITEMS, other)
    house.esi.say(house.esi.good([{"id": 1}], etag='"x"'), house.esi.good([{"id": 1}], etag='"y"'))
    await run_kind(house.tools, kind, house.order(kind))
    house.clock.advance(3601)
    house.esi.say(house.esi.same(), house.esi.same())

    with counted() as ended:
        ending = await run_kind(house.tools, kind, house.order(kind))

    assert ended.commits == 1
    assert ending.outcome.token is Token.SYNCED
    states = await states_of(house)
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

    assert [state.etag for state in await states_of(house)] == [None, '"y"']


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
