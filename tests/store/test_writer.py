from __future__ import annotations

import asyncio
import logging
import random
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal
from enum import IntEnum, StrEnum
from typing import Any

import msgspec
import pytest
from sqlalchemy import (
    Column,
    Connection,
    MetaData,
    Table,
    select,
    text,
)
from sqlalchemy.exc import StatementError

from ipc.subject import GLOBAL
from jobs.spec import Params, Target, Write
from jobs.store import staging, tally, writer
from jobs.store.database import Database
from jobs.store.errors import BadRow
from tests.store.items import (
    CORPORATION,
    KEY,
    ME,
    NOW,
    YOU,
    entry,
    ids,
    item,
    metadata,
    one,
    put,
    shared,
)


class Color(StrEnum):
    RED = "red"


class Size(IntEnum):
    BIG = 3


class Wire(msgspec.Struct, frozen=True):
    item_id: int
    name: str | None = None


@pytest.fixture(params=["plain", "staged"])
def path(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> str:
    """Run once as small sets are written, and once as large ones are."""
    chosen: str = request.param
    if chosen == "staged":
        monkeypatch.setattr(writer, "STAGE_OVER", 0)
    return chosen


FULL: dict[str, Any] = {
    "item_id": 1,
    "name": "näme",
    "price": Decimal("5000000000.12"),
    "seen_at": datetime(2024, 2, 29, 1, 2, 3, 123000, tzinfo=UTC),
    "is_new": True,
    "count": 7,
    "weight": 0.1,
    "day": date(2024, 2, 29),
    "tags": {"b": [1, 2], "a": None},
    "extra": [{"x": 1.5}],
    "note": "",
}


def test_every_type_is_read_back_as_it_was(store: Database, path: str) -> None:
    assert put(store, [FULL]) == 1
    assert one(store) == {**FULL, "character_id": 1, "closed_at": None}


def test_what_is_equal_is_not_touched(store: Database, path: str) -> None:
    empty = {name: None for name in FULL if name not in ("item_id", "count")}
    rows = [FULL, {"item_id": 2, "count": 0} | empty]
    assert put(store, rows) == 2
    before = store.read_now(row_versions)
    assert put(store, rows) == 0
    assert put(store, [dict(reversed(row.items())) for row in rows]) == 0
    if path == "staged" or store.dialect == "sqlite":
        assert store.read_now(row_versions) == before


def row_versions(conn: Connection) -> object:
    if conn.dialect.name == "postgresql":
        return conn.execute(text("SELECT ctid::text, xmin::text, xmax::text FROM item")).all()
    return conn.execute(select(item)).all()


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("name", None),
        ("name", "other"),
        ("price", Decimal("5000000000.13")),
        ("price", 0),
        ("seen_at", FULL["seen_at"] + timedelta(milliseconds=1)),
        ("is_new", False),
        ("count", 8),
        ("weight", 0.2),
        ("day", date(2024, 3, 1)),
        ("tags", {"b": [2, 1], "a": None}),
        ("extra", [{"x": 2}]),
        ("note", None),
    ],
)
def test_each_difference_is_one_update(
    store: Database, path: str, column: str, value: object
) -> None:
    put(store, [FULL])
    assert put(store, [{**FULL, column: value}]) == 1
    assert one(store)[column] == value
    assert put(store, [{**FULL, column: value}]) == 0


def test_replacing_inserts_updates_and_removes(store: Database, path: str) -> None:
    put(store, [{"item_id": n, "name": "old"} for n in (1, 2, 3)])
    put(store, [{"item_id": 1}, {"item_id": 9}], subject=YOU)
    changed = put(store, [{"item_id": n, "name": f"{'old' if n == 2 else n}"} for n in (2, 3, 4)])
    assert changed == 3
    assert ids(store) == [2, 3, 4]
    assert ids(store, YOU) == [1, 9]
    assert put(store, []) == 3
    assert ids(store) == []
    assert ids(store, YOU) == [1, 9]


def test_columns_that_a_row_lacks_are_left_alone(store: Database, path: str) -> None:
    put(store, [{"item_id": 1, "name": "n", "note": "mine"}])
    assert one(store)["count"] == 1
    assert put(store, [{"item_id": 1, "name": "m"}]) == 1
    assert (one(store)["note"], one(store)["name"]) == ("mine", "m")


def test_upserting_removes_nothing(store: Database, path: str) -> None:
    put(store, [{"item_id": 1}, {"item_id": 2}])
    assert put(store, [{"item_id": 2, "name": "x"}, {"item_id": 3, "name": "y"}], Write.UPSERT) == 2
    assert ids(store) == [1, 2, 3]
    assert put(store, [], Write.UPSERT) == 0


def test_appending_changes_nothing_that_is_there(store: Database, path: str) -> None:
    put(store, [{"item_id": 1, "name": "first"}], Write.APPEND)
    rows = [{"item_id": 1, "name": "second"}, {"item_id": 2, "name": "new"}]
    assert put(store, rows, Write.APPEND) == 1
    assert one(store)["name"] == "first"
    assert ids(store) == [1, 2]


def test_closing_marks_what_is_gone_and_reopens_what_is_back(store: Database, path: str) -> None:
    later = NOW + timedelta(hours=1)
    put(store, [{"item_id": 1, "name": "a"}, {"item_id": 2, "name": "b"}], Write.CLOSE)
    put(store, [{"item_id": 1}], Write.CLOSE, subject=YOU)
    assert put(store, [{"item_id": 2, "name": "b"}], Write.CLOSE) == 1
    assert one(store)["closed_at"] == NOW
    assert put(store, [{"item_id": 2, "name": "b"}], Write.CLOSE, now=later) == 0
    assert one(store)["closed_at"] == NOW
    back = [{"item_id": 1, "name": "a"}, {"item_id": 2, "name": "b"}]
    assert put(store, back, Write.CLOSE, now=later) == 1
    assert one(store)["closed_at"] is None
    assert one(store, 1, YOU)["closed_at"] is None
    assert put(store, [], Write.CLOSE, now=later) == 2
    assert one(store, 2)["closed_at"] == later


def test_a_kept_column_is_set_once(store: Database, path: str) -> None:
    def keep(name: str | None, count: int) -> int:
        rows = [{"item_id": 1, "name": name, "count": count}]
        return put(store, rows, keep=("name", "closed_at"))

    assert keep(None, 1) == 1
    assert keep("first", 1) == 1
    assert keep("second", 1) == 0
    assert keep("second", 2) == 1
    assert keep(None, 2) == 0
    assert one(store)["name"] == "first"


def test_params_fill_columns_and_bound_what_is_removed(store: Database, path: str) -> None:
    key = ("corporation_id", "division", "entry_id")

    def division(number: int, rows: list[dict[str, Any]], **options: Any) -> int:
        params: Params = {"division": number, "unrelated": "x", "corporation_id": 98}
        return put(store, rows, subject=CORPORATION, params=params, table=entry, key=key, **options)

    # One transfer: the same id in both divisions, with opposite signs.
    assert division(1, [{"entry_id": 500, "amount": -10}]) == 1
    assert division(2, [{"entry_id": 500, "amount": 10}, {"entry_id": 501, "amount": None}]) == 2
    assert division(1, []) == 1
    query = select(entry).order_by(entry.c.entry_id)
    rows = store.read_now(lambda conn: [tuple(row) for row in conn.execute(query)])
    assert rows == [(98, 2, 500, Decimal("10.00")), (98, 2, 501, None)]
    # The whole corporation at once.
    assert division(7, [{"entry_id": 1, "division": 3}], scope=("corporation_id",)) == 3


def test_a_table_of_nobody_is_replaced_whole(store: Database, path: str) -> None:
    def put_all(rows: dict[str, int]) -> int:
        values = [{"type": name, "value": value} for name, value in rows.items()]
        return put(store, values, subject=GLOBAL, table=shared, key=("type",))

    assert put_all({"b": 1, "a": 2, "%s ?": 3}) == 3
    assert put_all({"b": 1, "a": 3}) == 2


def test_one_subjects_load_never_empties_a_table_of_all(store: Database) -> None:
    with pytest.raises(BadRow, match="bound"):
        put(store, [], table=shared, key=("type",))
    with pytest.raises(BadRow, match=r"order\.type"):
        put(store, [], table=shared, key=("type",), scope=("type",))


def test_the_last_of_equal_keys_wins(store: Database, path: str) -> None:
    rows = [{"item_id": 7, "name": "page 1"}, {"item_id": 7, "name": "page 2"}]
    assert put(store, rows) == 1
    assert one(store, 7)["name"] == "page 2"


def test_rows_with_different_columns_are_one_load(store: Database, path: str) -> None:
    rows = [
        {"item_id": 1, "name": "a"},
        {"item_id": 2, "note": "b"},
        {"item_id": 1, "note": "wins"},
        Wire(3, "struct"),
    ][:3]
    put(store, [{"item_id": 9}])
    assert put(store, rows) == 3
    assert ids(store) == [1, 2]
    assert (one(store)["name"], one(store)["note"]) == (None, "wins")


def test_structs_are_rows(store: Database, path: str) -> None:
    assert put(store, [Wire(1, "a"), Wire(2)]) == 2
    assert put(store, [Wire(1, "a"), Wire(2, "b")]) == 1
    assert ids(store) == [1, 2]
    assert one(store, 2)["name"] == "b"


def test_enums_are_stored_by_value(store: Database, path: str) -> None:
    put(store, [{"item_id": Size.BIG, "name": Color.RED}])
    assert one(store, 3)["name"] == "red"


def test_an_object_that_moved_to_another_owner_stays_with_it(store: Database, path: str) -> None:
    moved = Table(
        "thing",
        MetaData(),
        *(
            Column(c.name, c.type, primary_key=c.name == "item_id")
            for c in item.columns
            if c.name in ("item_id", "character_id", "name")
        ),
    )
    store.write_now(moved.create)
    for subject, rows in ((ME, [{"item_id": 7}]), (YOU, [{"item_id": 7}]), (ME, [])):
        put(store, rows, subject=subject, table=moved, key=("item_id",))
    query = select(moved.c.character_id)
    assert store.read_now(lambda conn: conn.scalar(query)) == YOU.id
    store.write_now(moved.drop)


def test_a_nul_is_left_out_on_both_databases(store: Database, path: str) -> None:
    put(store, [{"item_id": 1, "note": "a\0b"}])
    assert one(store)["note"] == "ab"


@pytest.mark.parametrize(
    "when",
    [datetime(1, 1, 1, tzinfo=UTC), datetime(9999, 12, 31, 23, 59, 59, tzinfo=UTC)],
)
def test_the_ends_of_time_are_stored(store: Database, path: str, when: datetime) -> None:
    put(store, [{"item_id": 1, "seen_at": when}])
    assert one(store)["seen_at"] == when
    query = select(item.c.item_id).where(item.c.seen_at == when)
    assert store.read_now(lambda conn: conn.scalar(query)) == 1


def test_a_time_beyond_the_calendar_is_refused_by_any_statement(store: Database) -> None:
    put(store, [{"item_id": 1}])
    beyond = datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))
    change = item.update().values(seen_at=beyond)
    with pytest.raises((OverflowError, StatementError)):
        store.write_now(lambda conn: conn.execute(change))
    assert one(store)["seen_at"] is None


@pytest.mark.parametrize(
    ("column", "value"),
    [
        ("item_id", 2**63),
        ("item_id", -(2**63) - 1),
        ("item_id", None),
        ("item_id", "1"),
        ("item_id", True),
        ("count", 2**31),
        ("count", None),
        ("count", 1.0),
        ("name", 5),
        ("name", "x" * 21),
        ("name", "\ud800"),
        ("price", 1.5),
        ("price", Decimal("NaN")),
        ("price", Decimal("Infinity")),
        ("price", Decimal(2**62)),
        ("price", Decimal("1e400000")),
        ("price", Decimal("1e999999")),
        ("price", Decimal("-1e999999")),
        ("price", Decimal("sNaN")),
        ("seen_at", datetime(2024, 1, 1)),  # noqa: DTZ001 - it is refused for that
        ("seen_at", "2024-01-01T00:00:00Z"),
        ("seen_at", datetime(1, 1, 1, tzinfo=timezone(timedelta(hours=14)))),
        ("seen_at", datetime(9999, 12, 31, 23, tzinfo=timezone(timedelta(hours=-12)))),
        ("is_new", 1),
        ("weight", float("nan")),
        ("weight", 10**400),
        ("weight", "1"),
        ("weight", Decimal("sNaN")),
        ("weight", Decimal("1e999999")),
        ("day", NOW),
        ("tags", {1, 2, object()}),
    ],
)
def test_what_cannot_be_stored_costs_its_own_row_alone(
    store: Database, column: str, value: object
) -> None:
    good, odd = {**FULL, "item_id": 5}, {**FULL, column: value}
    target = Target(item, key=KEY, write=Write.REPLACE)

    def write(connection: Connection) -> tuple[int, tally.Tally]:
        rows = [good, odd, {"item_id": 6}]
        changed = writer.apply(connection, target, rows, subject=ME, params={}, now=NOW)
        return changed, tally.of(connection)

    put(store, [{"item_id": 4}, {"item_id": FULL["item_id"]}])
    changed, count = store.write_now(write)
    assert (count.kept, count.skipped) == (2, 1)
    assert changed == count.changed
    assert count.why is not None
    assert (count.why.table, count.why.column) == ("item", column)
    if column == "item_id":
        # None is removed: that of the odd row may be any of them.
        assert ids(store) == sorted([4, 5, 6, FULL["item_id"]])
    else:
        # That of the odd row is there all the same; the other one is gone.
        assert ids(store) == sorted([5, 6, FULL["item_id"]])
    assert store.write_now(lambda conn: tally.of(conn).skipped) == 0


@pytest.mark.parametrize("rows", [3, staging.STAGE_OVER + 3])
def test_a_set_with_an_odd_row_closes_nothing_and_opens_again(store: Database, rows: int) -> None:
    whole = [{"item_id": number} for number in range(rows)]
    put(store, whole, Write.CLOSE)
    put(store, whole[1:], Write.CLOSE)
    put(store, [*whole[:-1], {"item_id": 2**70}], Write.CLOSE)
    closed = select(item.c.item_id).where(item.c.closed_at.is_not(None))
    assert store.read_now(lambda conn: list(conn.scalars(closed))) == []
    assert len(ids(store)) == rows


@pytest.mark.parametrize(
    ("unread", "left"),
    [
        ([{"item_id": 2, "name": "b"}], [1, 2]),
        ([{"item_id": 2}, {"item_id": 3}], [1, 2, 3]),
        # Which row that is nobody can tell.
        ([{"item_id": 2}, {"name": "c"}], [1, 2, 3, 4]),
        ([{"item_id": None}], [1, 2, 3, 4]),
        ([{"item_id": 2**63}], [1, 2, 3, 4]),
        ([], [1]),
    ],
)
@pytest.mark.parametrize("write", [Write.REPLACE, Write.CLOSE])
def test_rows_that_could_not_be_read_are_spared_and_no_others(
    store: Database, write: Write, unread: list[dict[str, Any]], left: list[int]
) -> None:
    put(store, [{"item_id": number} for number in (1, 2, 3, 4)], write)
    target = Target(item, key=KEY, write=write)
    store.write_now(
        lambda conn: writer.apply(
            conn, target, [{"item_id": 1}], subject=ME, params={}, now=NOW, unread=unread
        )
    )
    still = select(item.c.item_id).where(item.c.closed_at.is_(None)).order_by(item.c.item_id)
    assert store.read_now(lambda conn: list(conn.scalars(still))) == left


def test_a_row_without_its_key_or_a_needed_column_is_refused(store: Database) -> None:
    with pytest.raises(BadRow, match=r"item\.nowhere"):
        put(store, [{"item_id": 1, "nowhere": 1}])
    with pytest.raises(BadRow, match=r"item\.item_id"):
        put(store, [{"name": "x"}])
    with pytest.raises(BadRow, match=r"item\.item_id"):
        put(store, [{"name": "x"}, {"item_id": 1}])
    with pytest.raises(BadRow, match=r"order\.value.*missing"):
        put(store, [{"type": "x"}], Write.UPSERT, subject=GLOBAL, table=shared, key=("type",))


def test_readers_see_the_old_set_or_the_new_one(store: Database, server: str) -> None:
    put(store, [{"item_id": n} for n in range(100)])
    other = Database(server)
    sizes = []

    def replace(conn: Connection) -> None:
        target = Target(item, KEY, Write.REPLACE)
        rows = [{"item_id": n} for n in range(100, 300)]
        writer.apply(conn, target, rows, subject=ME, params={}, now=NOW)
        sizes.append(len(ids(other)))

    store.write_now(replace)
    sizes.append(len(ids(other)))
    assert sizes == [100, 200]
    other.close_now()


@pytest.mark.postgres
async def test_two_writers_of_the_same_keys_do_not_deadlock(
    postgres_prepared_url: str, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG, "jobs.store")
    databases = [Database(postgres_prepared_url) for _ in range(2)]
    databases[0].write_now(metadata.create_all)
    target = Target(shared, ("type",), Write.UPSERT)

    async def run(database: Database, seed: int) -> None:
        rows = [{"type": f"{n}", "value": seed} for n in range(300)]
        for turn in range(10):
            random.Random(seed + turn).shuffle(rows)
            values = [{**row, "value": seed * 100 + turn} for row in rows]
            await database.write(
                lambda conn, values=values: writer.apply(  # type: ignore[misc]
                    conn, target, values, subject=GLOBAL, params={}, now=NOW
                ),
                epoch=None,
            )

    await asyncio.gather(*(run(each, seed) for seed, each in enumerate(databases, 1)))
    assert "running a unit of work again" not in caplog.text
    last = await databases[0].read(lambda conn: set(conn.scalars(select(shared.c.value))))
    assert len(last) == 1
    for each in databases:
        await each.close()
