"""Names and details: which ids are asked about, and what becomes of those that ESI refuses."""

from __future__ import annotations

from datetime import date, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, Table, delete, update

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.errors import Gone, PauseAll, Refused
from jobs.kinds import _batches, _unknown_ids
from jobs.kinds.global_ import _details, _wanted_ids, name_resolution
from jobs.spec import Target, Write
from jobs.store import staging, wanted, writer
from jobs.store.schema import metadata
from jobs.store.schema.assets import character_asset
from jobs.store.schema.market import market_price
from jobs.store.schema.universe import name_search, wanted_id
from tests.kinds.fake_context import START, FakeContext, put, rows, something_for

NAMES = "POST /universe/names"
DAY_S = 86_400


class Registry:
    """ESI's side: names by id; one that it does not know spoils a whole batch."""

    def __init__(self, *known: int) -> None:
        self.known = set(known)

    def answer(self, _params: Any, body: list[int]) -> list[dict[str, Any]]:
        assert len(body) == len(set(body)) <= 1000
        if not self.known.issuperset(body):
            raise Gone("Ensure all IDs are valid before resolving.")
        return [{"id": one, "category": "inventory_type", "name": f"n{one}"} for one in body]


def context_of(database: Connection, registry: Registry) -> FakeContext:
    return FakeContext(database, name_resolution.KIND, GLOBAL, {NAMES: registry.answer})


async def searched(context: FakeContext) -> None:
    """Have the rows looked through that a test put there without the writer."""
    assert (await context.run("search")).left == 0


def asked(context: FakeContext) -> list[int]:
    found = sorted({one for each in context.asked for one in each.body})
    context.asked.clear()
    return found


async def test_ids_of_marked_columns_are_named_once(database: Connection) -> None:
    put(database, "character_asset", {"character_id": 1, "item_id": 1, "type_id": 34})
    put(database, "character_asset", {"character_id": 1, "item_id": 2, "type_id": 34})
    put(database, "market_price", {"type_id": 35})
    context = context_of(database, Registry(34, 35))
    await searched(context)
    assert (await context.run("names")).rows == 2
    assert asked(context) == [34, 35]
    assert rows(database, "name", "id", "category", "name") == [
        (34, "type", "n34"),
        (35, "type", "n35"),
    ]
    assert (await context.run("names")).empty
    assert asked(context) == []


async def test_only_what_can_be_a_name_is_asked(database: Connection) -> None:
    entries = [
        # first party, context, what the context is
        (0, None, None),
        (1, None, None),
        (-5, None, None),
        (2**31, None, None),
        (90000002, 77, "market_transaction_id"),
        (90000003, 60000004, "station_id"),
        (145000001, 1034000000001, "structure_id"),
    ]
    for number, (party, context_id, word) in enumerate(entries):
        put(
            database,
            "character_wallet_journal",
            {
                "character_id": 1,
                "entry_id": number,
                "first_party_id": party,
                "context_id": context_id,
                "context_id_type": word,
            },
        )
    for number, location in enumerate((60000005, 30000142, 1034000000001, 1000000000001)):
        put(
            database,
            "character_asset",
            {"character_id": 1, "item_id": number, "type_id": 34, "location_id": location},
        )
    put(database, "mailing_list", {"character_id": 1, "mailing_list_id": 145000001})
    context = context_of(database, Registry(34, 90000002, 90000003, 60000004, 60000005, 30000142))
    await searched(context)
    result = await context.run("names")
    assert asked(context) == [34, 30000142, 60000004, 60000005, 90000002, 90000003]
    assert result.note == ""


async def test_a_refused_id_waits_longer_each_time(database: Connection) -> None:
    put(database, "market_price", *({"type_id": one} for one in range(2, 60)))
    registry = Registry(*(one for one in range(2, 60) if one not in (7, 50)))
    context = context_of(database, registry)
    await searched(context)
    result = await context.run("names")
    assert (result.rows, result.note) == (56, "2 ids unknown to ESI")
    hour = timedelta(hours=1)
    assert rows(database, "unknown_id") == [("name", n, 1, START + hour) for n in (7, 50)]
    context.asked.clear()
    await context.run("names")
    assert asked(context) == []
    context.clock.advance(3600)
    await context.run("names")
    assert rows(database, "unknown_id", "refusals", "unknown_until") == [(2, START + 3 * hour)] * 2
    registry.known |= {7, 50}
    context.clock.advance(2 * 3600)
    assert (await context.run("names")).rows == 2
    assert rows(database, "unknown_id") == []


async def test_an_id_left_out_of_an_answer_waits_too(database: Connection) -> None:
    put(database, "market_price", {"type_id": 34}, {"type_id": 35})
    context = context_of(database, Registry(34, 35))
    context.answers[NAMES] = lambda _params, _body: [
        {"id": 34, "category": "inventory_type", "name": "Tritanium"}
    ]
    await searched(context)
    assert (await context.run("names")).note == "1 ids unknown to ESI"
    assert rows(database, "unknown_id", "category", "id") == [("name", 35)]


async def test_an_answer_that_tells_of_none_is_no_word_about_any(database: Connection) -> None:
    """One about a single id is; ESI has answered so after a downtime."""
    ids = range(2, 502)
    put(database, "market_price", *({"type_id": one} for one in ids))
    context = context_of(database, Registry())
    context.answers[NAMES] = lambda _params, _body: []
    await searched(context)
    result = await context.run("names")
    asked_alone = [each.body[0] for each in context.asked if len(each.body) == 1]
    assert len(context.asked) <= 60
    assert rows(database, "unknown_id", "id") == [(one,) for one in asked_alone]
    assert result.left == len(ids) - len(asked_alone) > 450


async def test_in_a_downtime_nothing_is_learned_of_what_is_left_out(database: Connection) -> None:
    put(database, "market_price", {"type_id": 34}, {"type_id": 35})
    context = context_of(database, Registry())
    context.answers[NAMES] = lambda _params, body: [
        {"id": 34, "category": "inventory_type", "name": "Tritanium"} for one in body if one == 34
    ]
    await searched(context)
    context.clock.advance((11 - START.hour) % 24 * 3600 + 300)
    assert context.in_doubt()
    assert (await context.run("names")).note == ""
    assert rows(database, "unknown_id", "id") == []
    assert rows(database, "name", "id") == [(34,)]


async def test_new_ids_need_not_wait_until_factions_may_change(database: Connection) -> None:
    context = context_of(database, Registry())
    for part in ("search", "names", "details"):
        assert (await context.run(part)).fresh_until == context.now()


async def test_a_row_that_cannot_be_read_is_no_unknown_id(database: Connection) -> None:
    put(database, "market_price", {"type_id": 34}, {"type_id": 35})
    context = context_of(database, Registry(34, 35))
    context.answers[NAMES] = lambda _params, _body: [
        {"id": 34, "category": "inventory_type", "name": "Tritanium"},
        {"id": 35, "category": "inventory_type"},
    ]
    await searched(context)
    await context.run("names")
    assert rows(database, "unknown_id") == []


def test_no_wait_is_for_ever() -> None:
    assert _unknown_ids.refused_until(500, START) == START + _unknown_ids.LONGEST_REFUSAL


async def test_names_age_and_the_last_known_one_stays(database: Connection) -> None:
    put(database, "market_price", {"type_id": 34})
    registry = Registry(34)
    context = context_of(database, registry)
    await searched(context)
    await context.run("names")
    context.asked.clear()
    context.clock.advance(6 * DAY_S)
    await context.run("names")
    assert asked(context) == []
    context.clock.advance(DAY_S)
    assert (await context.run("names")).rows == 0
    assert asked(context) == [34]
    registry.known.clear()
    context.clock.advance(7 * DAY_S)
    await context.run("names")
    assert rows(database, "name", "name") == [("n34",)]
    context.asked.clear()
    await context.run("names")
    assert asked(context) == []


async def test_a_run_of_refusals_stops_early(database: Connection) -> None:
    put(database, "market_price", *({"type_id": one} for one in range(2, 1002)))
    context = context_of(database, Registry())
    await searched(context)
    result = await context.run("names")
    assert len(context.asked) == _batches.MAX_REFUSALS
    assert result.left > 0


async def test_a_pause_keeps_the_batches_before(database: Connection) -> None:
    put(database, "market_price", *({"type_id": one} for one in range(2, 1502)))
    registry = Registry(*range(2, 1502))
    context = context_of(database, registry)

    def second_fails(params: Any, body: list[int]) -> Any:
        if len(context.asked) == 2:
            raise PauseAll(START, 60)
        return registry.answer(params, body)

    context.answers[NAMES] = second_fails
    await searched(context)
    with pytest.raises(PauseAll):
        await context.run("names")
    assert len(rows(database, "name", "id")) == 1000


def detail_answers() -> dict[str, Any]:
    point = {"x": 1.0, "y": 2.0, "z": 3.0}

    def system(params: Any, _body: Any) -> Any:
        return {
            "system_id": params["system_id"],
            "name": "Jita",
            "constellation_id": 20000020,
            "security_status": 0.9,
            "position": point,
        }

    def thing(params: Any, _body: Any) -> Any:
        if params["type_id"] == 99:
            raise Gone("404")
        return {
            "type_id": params["type_id"],
            "name": "T",
            "group_id": 18,
            "published": True,
            "description": "",
        }

    return {
        "GET /universe/systems/{system_id}": system,
        "GET /universe/types/{type_id}": thing,
        "GET /universe/constellations/{constellation_id}": lambda p, _b: {
            **p,
            "name": "Kimotoro",
            "region_id": 10000002,
            "position": point,
        },
        "GET /universe/regions/{region_id}": lambda p, _b: {**p, "name": "The Forge"},
        "GET /universe/groups/{group_id}": lambda p, _b: {
            **p,
            "name": "Mineral",
            "category_id": 4,
            "published": True,
        },
        "GET /universe/categories/{category_id}": lambda p, _b: {
            **p,
            "name": "Material",
            "published": True,
        },
        "GET /universe/planets/{planet_id}": lambda p, _b: {
            **p,
            "name": "Jita I",
            "system_id": 30000142,
            "type_id": 34,
            "position": point,
        },
    }


async def test_details_lead_on_to_what_they_lie_in(database: Connection) -> None:
    put(
        database,
        "character_wallet_journal",
        {"character_id": 1, "entry_id": 1, "context_id": 40009077, "context_id_type": "planet_id"},
    )
    context = FakeContext(database, name_resolution.KIND, GLOBAL, detail_answers())
    await searched(context)
    result = await context.run("details")
    found = {table: len(rows(database, f"universe_{table}")) for table in TABLES}
    assert found == dict.fromkeys(TABLES, 1) | {"station": 0, "moon": 0}
    assert result.left == 0
    # POST /universe/names knows no planets.
    assert rows(database, "name", "id", "category", "name") == [(40009077, "planet", "Jita I")]
    context.asked.clear()
    assert (await context.run("details")).rows == 0
    assert context.asked == []


TABLES = [detail.names.value for detail in _details.DETAILS]


async def test_details_that_are_refused_wait(database: Connection) -> None:
    put(database, "market_price", {"type_id": 98}, {"type_id": 99})
    context = FakeContext(database, name_resolution.KIND, GLOBAL, detail_answers())
    await searched(context)
    await context.run("details")
    assert rows(database, "universe_type", "type_id") == [(98,)]
    assert rows(database, "unknown_id", "category", "id") == [("type", 99)]
    context.asked.clear()
    await context.run("details")
    assert context.asked == []


@pytest.mark.parametrize("odd", [Refused("400"), {"type_id": 50}, []])
async def test_an_odd_detail_waits_and_keeps_none_behind_it(database: Connection, odd: Any) -> None:
    put(database, "market_price", {"type_id": 50}, {"type_id": 98})
    answers = detail_answers()
    well = answers["GET /universe/types/{type_id}"]

    def answer(params: Any, body: Any) -> Any:
        if params["type_id"] != 50:
            return well(params, body)
        if isinstance(odd, Exception):
            raise odd
        return odd

    answers["GET /universe/types/{type_id}"] = answer
    context = FakeContext(database, name_resolution.KIND, GLOBAL, answers)
    await searched(context)
    await context.run("details")
    assert rows(database, "universe_type", "type_id") == [(98,)]
    assert rows(database, "universe_group", "group_id") == [(18,)]
    assert rows(database, "unknown_id", "category", "id") == [("type", 50)]


async def test_a_name_that_cannot_be_read_alone_keeps_none_behind_it(database: Connection) -> None:
    put(database, "market_price", *({"type_id": one} for one in (2, 3, 4, 5)))
    registry = Registry(3, 4, 5)

    def answer(params: Any, body: list[int]) -> Any:
        named = registry.answer(params, body)
        return [{"id": 3}] if body == [3] else named

    context = FakeContext(database, name_resolution.KIND, GLOBAL, {NAMES: answer})
    await searched(context)
    assert (await context.run("names")).note == "2 ids unknown to ESI"
    assert rows(database, "name", "id") == [(4,), (5,)]
    assert rows(database, "unknown_id", "id") == [(2,), (3,)]


async def test_details_are_bounded(database: Connection, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(name_resolution, "MAX_DETAILS", 30)
    put(database, "market_price", *({"type_id": one} for one in range(100, 200)))
    context = FakeContext(database, name_resolution.KIND, GLOBAL, detail_answers())
    await searched(context)
    result = await context.run("details")
    assert (len(context.asked), result.left) == (30, 1)
    assert len(rows(database, "universe_type", "type_id")) == 30


PRICES = Target(market_price, key=("type_id",), write=Write.UPSERT)
ASSETS = Target(character_asset, key=("character_id", "item_id"), write=Write.REPLACE)


def asset(item_id: int, type_id: int, location_id: int) -> dict[str, Any]:
    return {
        "item_id": item_id,
        "type_id": type_id,
        "quantity": 1,
        "location_id": location_id,
        "location_type": "other",
        "location_flag": "Hangar",
        "is_singleton": False,
    }


def wanted_rows(connection: Connection) -> dict[str, list[int]]:
    found: dict[str, list[int]] = {}
    for category, one in rows(connection, "wanted_id"):
        found.setdefault(category, []).append(one)
    return found


def write(connection: Connection, target: Target, loaded: list[dict[str, Any]]) -> int:
    """Write as a job does."""
    wanted.begin(connection)
    me = Subject(SubjectType.CHARACTER, 1)
    changed = writer.apply(connection, target, loaded, subject=me, params={}, now=START)
    wanted.put_down(connection)
    return changed


@pytest.mark.parametrize("count", [3, staging.STAGE_OVER + 1])
def test_ids_are_put_down_as_rows_are_written(connection: Connection, count: int) -> None:
    put(connection, "name", {"id": 35, "category": "type", "name": "Pyerite"})
    put(connection, "universe_type", {"type_id": 34})
    locations = (30000142, 60000004, 1034000000001)
    loaded = [asset(n, 34 + n % 2, locations[n % 3]) for n in range(count)]
    assert write(connection, ASSETS, loaded) == count
    assert wanted_rows(connection) == {
        "name": [34, 30000142, 60000004],
        "station": [60000004],
        "system": [30000142],
        "type": [35],
    }
    connection.execute(delete(wanted_id))
    # What is there already was put down before.
    assert write(connection, ASSETS, loaded) == 0
    assert wanted_rows(connection) == {}


def test_a_transaction_that_failed_leaves_no_ids_to_the_next(connection: Connection) -> None:
    wanted.note(connection, {"name": {5}})
    assert write(connection, PRICES, [{"type_id": 34}]) == 1
    assert wanted_rows(connection) == {"name": [34], "type": [34]}


def test_every_kind_of_detail_can_be_wanted() -> None:
    assert [detail.names for detail in _details.DETAILS] == list(wanted.DETAILED)
    tables = {f"universe_{one.value}" for one in wanted.DETAILED}
    assert tables <= set(metadata.tables)


async def test_an_id_that_was_put_down_is_asked_without_a_search(database: Connection) -> None:
    write(database, PRICES, [{"type_id": 34}, {"type_id": 35}])
    context = context_of(database, Registry(34))
    await context.run("names")
    assert asked(context) == [34, 35]
    # One that was refused stays put down, and waits.
    assert wanted_rows(database)["name"] == [35]
    await context.run("names")
    assert asked(context) == []
    context.clock.advance(3600)
    await context.run("names")
    assert asked(context) == [35]


async def test_mailing_lists_are_struck_off(database: Connection) -> None:
    put(database, "mailing_list", {"character_id": 1, "mailing_list_id": 145000001})
    wanted.store(database, "name", [145000001, 90000002])
    context = context_of(database, Registry(90000002))
    await context.run("names")
    assert asked(context) == [90000002]
    assert wanted_rows(database) == {}


async def test_a_large_table_is_searched_in_several_runs(
    database: Connection, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(_wanted_ids, "SLICE", 10)
    monkeypatch.setattr(_wanted_ids, "MAX_SEARCHED", 400)
    put(database, "market_price", *({"type_id": one} for one in range(2, 1002)))
    context = context_of(database, Registry())
    seen: list[int] = []
    while (await context.run("search")).left:
        seen.append(len(wanted_rows(database)["type"]))
    assert seen == [400, 800]
    assert wanted_rows(database)["type"] == list(range(2, 1002))
    # Looked through for this week.
    put(database, "market_price", {"type_id": 5000})
    assert (await context.run("search")).left == 0
    assert 5000 not in wanted_rows(database)["type"]
    context.clock.advance(7 * DAY_S)
    while (await context.run("search")).left:
        pass
    assert 5000 in wanted_rows(database)["type"]


async def test_a_table_whose_columns_say_something_new_is_searched_again(
    connection: Connection,
) -> None:
    put(connection, "market_price", {"type_id": 34})
    context = FakeContext(connection, name_resolution.KIND, GLOBAL, {})
    await searched(context)
    connection.execute(delete(wanted_id))
    await searched(context)
    assert wanted_rows(connection) == {}
    connection.execute(
        update(name_search)
        .where(name_search.c.table_name == "market_price")
        .values(marks="type_id:name:2:99:")
    )
    await searched(context)
    assert wanted_rows(connection)["type"] == [34]


@pytest.mark.parametrize("table", list(wanted.searched()), ids=lambda table: table.name)
async def test_every_table_can_be_searched_from_any_row(
    connection: Connection, monkeypatch: pytest.MonkeyPatch, table: Table
) -> None:
    """Keys of any type make a position: texts, days, times, truths."""
    monkeypatch.setattr(_wanted_ids, "SLICE", 1)
    monkeypatch.setattr(wanted, "searched", lambda: iter([table]))
    first = {column.name: something_for(column) for column in table.primary_key.columns}
    last = table.primary_key.columns.values()[-1]
    put(connection, table.name, first, {**first, last.name: other_than(first[last.name])})
    context = FakeContext(connection, name_resolution.KIND, GLOBAL, {})
    await searched(context)
    (state,) = rows(connection, "name_search", "position", "finished_at")
    assert state == (None, START)


def other_than(value: Any) -> Any:
    if isinstance(value, bool):
        return not value
    return value + (timedelta(days=1) if isinstance(value, date) else type(value)(1))
