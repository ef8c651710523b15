from __future__ import annotations

import asyncio
import random
from typing import Any

import pytest
from sqlalchemy import Connection, select, text

from jobs.spec import Target, Write
from jobs.store import staging, tally, wanted, writer
from jobs.store.database import Database
from jobs.store.errors import StoreUnavailable
from jobs.store.loads import Loads
from jobs.store.schema.assets import corporation_asset
from jobs.store.schema.universe import name, wanted_id
from tests.store.items import CORPORATION, KEY, ME, NOW, YOU, entry, ids, item, put

LARGE = {"sqlite": 300_000, "postgresql": 100_000}


async def test_a_staged_set_with_an_odd_row_is_written_without_it(store: Database) -> None:
    put(store, [{"item_id": 77_777}, {"item_id": 88_888}])
    many = [{"item_id": number, "note": "x"} for number in range(staging.STAGE_OVER + 2)]
    target = Target(item, key=KEY, write=Write.REPLACE)
    odd = {"item_id": 88_888, "note": 5}
    async with staging.staged(store, target, [*many, odd], subject=ME, params={}) as ready:
        assert isinstance(ready, staging.Staged)

        def write(connection: Connection) -> tuple[int, int]:
            changed = writer.apply(connection, target, ready, subject=ME, params={}, now=NOW)
            return changed, tally.of(connection).skipped

        assert await store.write(write, epoch=None) == (len(many) + 1, 1)
    # That of the odd row stays, and the other one is gone.
    assert (77_777 in ids(store), 88_888 in ids(store)) == (False, True)


async def test_a_staged_set_closes_all_but_what_is_absent_and_may_be_there(
    store: Database,
) -> None:
    many = [{"item_id": number, "note": "x"} for number in range(staging.STAGE_OVER + 2)]
    put(store, [*many, {"item_id": 77_777}, {"item_id": 88_888}], Write.CLOSE)
    target = Target(item, key=KEY, write=Write.CLOSE)
    async with staging.staged(store, target, many, subject=ME, params={}) as ready:

        def write(connection: Connection) -> int:
            return writer.apply(
                connection, target, ready, subject=ME, params={}, now=NOW,
                unread=[{"item_id": 88_888, "note": "y"}],
            )  # fmt: skip

        assert await store.write(write, epoch=None) == 1
    closed = select(item.c.item_id).where(item.c.closed_at.is_not(None))
    assert store.read_now(lambda conn: list(conn.scalars(closed))) == [77_777]


@pytest.mark.timeout(900)
async def test_a_large_set_is_staged_and_holds_the_lock_shortly(
    store: Database, server: str
) -> None:
    """Another writer gets its turn while the set is staged."""
    other = Database(server)
    target = Target(entry, ("corporation_id", "division", "entry_id"), Write.REPLACE)
    params = {"division": 1}
    others = 0
    done = asyncio.Event()

    async def write_meanwhile() -> int:
        nonlocal others
        while not done.is_set():
            row = [{"item_id": others}]
            await other.write(
                lambda conn, row=row: writer.apply(  # type: ignore[misc]
                    conn,
                    Target(item, KEY, Write.UPSERT),
                    row,
                    subject=ME,
                    params={},
                    now=NOW,
                ),
                epoch=None,
            )
            others += 1
            # As often as a busy daemon writes, and not so often that nothing else runs.
            await asyncio.sleep(0.01)
        return others

    async def load(rows: list[dict[str, Any]]) -> int:
        async with staging.staged(store, target, rows, subject=CORPORATION, params=params) as ready:
            return await store.write(
                lambda conn: writer.apply(
                    conn, target, ready, subject=CORPORATION, params=params, now=NOW
                ),
                epoch=None,
            )

    rows = [{"entry_id": n, "amount": n} for n in range(LARGE[store.dialect])]
    random.Random(1).shuffle(rows)
    meanwhile = asyncio.create_task(write_meanwhile())
    assert await load(rows) == len(rows)
    during = others
    assert during > 20
    # The same again, but for 500 rows that changed and 10 that went.
    rows.sort(key=lambda row: row["entry_id"])
    changed = [{**row, "amount": -1} for row in rows[10:510]]
    assert await load(changed + rows[510:]) == 510
    done.set()
    assert await meanwhile > during
    assert await store.read(temporary_tables) == 0
    await other.close()


def temporary_tables(conn: Connection) -> int:
    tables = {"sqlite": "sqlite_temp_master", "postgresql": "pg_class"}[conn.dialect.name]
    query = f"SELECT count(*) FROM {tables} WHERE substr(CAST(%s AS text), 1, 7) = 'staged_'"
    column = {"sqlite": "name", "postgresql": "relname"}[conn.dialect.name]
    return int(conn.execute(text(query % column)).scalar_one())


async def test_a_small_set_is_not_staged(store: Database) -> None:
    target = Target(item, KEY, Write.REPLACE)
    rows = [{"item_id": 1}]
    async with staging.staged(store, target, rows, subject=ME, params={}) as ready:
        assert ready == rows


async def test_a_staged_set_whose_connection_is_lost_is_not_written(store: Database) -> None:
    target = Target(item, KEY, Write.REPLACE)
    rows = [{"item_id": n} for n in range(staging.STAGE_OVER + 1)]
    async with staging.staged(store, target, rows, subject=ME, params={}) as ready:
        store._link.drop()
        with pytest.raises(StoreUnavailable, match="staged"):
            await store.write(
                lambda conn: writer.apply(conn, target, ready, subject=ME, params={}, now=NOW),
                epoch=None,
            )
    assert ids(store) == []


async def test_a_connection_that_is_lost_while_a_set_is_staged_is_told_as_such(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Not as a table that nobody has ever heard of."""
    target, rows = Target(item, KEY, Write.REPLACE), [{"item_id": n} for n in range(6_000)]
    stage, units = store.stage, list[object]()

    async def lose_first(work: Any) -> Any:
        done = await stage(work)
        if not units:
            store._link.drop()
        units.append(work)
        return done

    monkeypatch.setattr(store, "stage", lose_first)
    with pytest.raises(StoreUnavailable, match="connection was lost"):
        async with staging.staged(store, target, rows, subject=ME, params={}):
            pass


async def replace(store: Database, target: Target, rows: list[dict[str, Any]]) -> int:
    """Write a set as the jobs do, and return how many rows changed."""
    async with staging.staged(store, target, rows, subject=ME, params={}) as ready:
        return await store.write(
            lambda conn: writer.apply(conn, target, ready, subject=ME, params={}, now=NOW),
            epoch=None,
        )


@pytest.mark.parametrize("size", [staging.PREPARE_OVER + 5, staging.STAGE_OVER + 5])
@pytest.mark.parametrize("write", [Write.REPLACE, Write.CLOSE])
async def test_a_set_as_large_as_the_last_one_loses_what_is_not_in_it(
    store: Database, write: Write, size: int
) -> None:
    target = Target(item, KEY, write)
    rows = [{"item_id": number} for number in range(size)]
    put(store, [{"item_id": 5}], write, subject=YOU)
    assert await replace(store, target, rows) == size
    assert await replace(store, target, rows) == 0
    others = [{"item_id": number} for number in range(3, size + 3)]
    # Three came, three went.
    assert await replace(store, target, others) == 6
    still = select(item.c.item_id).where(item.c.character_id == ME.id, item.c.closed_at.is_(None))
    assert sorted(await store.read(lambda conn: list(conn.scalars(still)))) == list(
        range(3, size + 3)
    )
    assert ids(store, YOU) == [5]
    if write is Write.CLOSE:
        # Back again, one after the other.
        assert await replace(store, target, rows) == 6


async def test_rows_of_another_scope_in_a_set_hide_none_that_is_gone(store: Database) -> None:
    """A row's own value goes before the one that bounds the removal."""
    target = Target(entry, ("corporation_id", "division", "entry_id"), Write.REPLACE)
    size = staging.STAGE_OVER + 5

    async def load(rows: list[dict[str, Any]]) -> int:
        async with staging.staged(
            store, target, rows, subject=CORPORATION, params={"division": 1}
        ) as ready:
            return await store.write(
                lambda conn: writer.apply(
                    conn, target, ready, subject=CORPORATION, params={"division": 1}, now=NOW
                ),
                epoch=None,
            )

    rows = [{"entry_id": number, "division": 1} for number in range(size)]
    assert await load(rows) == size
    # As many rows as before, the first of which is of another division now.
    assert await load([{"entry_id": 0, "division": 2}, *rows[1:]]) == 2
    divisions = select(entry.c.division).where(entry.c.entry_id == 0)
    assert await store.read(lambda conn: list(conn.scalars(divisions))) == [2]


async def test_a_set_of_some_size_is_made_ready_before_its_transaction(
    store: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    target = Target(item, KEY, Write.REPLACE)
    rows = [{"item_id": number, "note": "x"} for number in range(staging.PREPARE_OVER)]
    odd = {"item_id": 88_888, "note": 5}
    async with staging.staged(store, target, [*rows, odd], subject=ME, params={}) as ready:
        assert isinstance(ready, Loads)
        monkeypatch.delattr(writer, "prepare")

        def write(connection: Connection) -> tuple[int, int]:
            changed = writer.apply(connection, target, ready, subject=ME, params={}, now=NOW)
            return changed, tally.of(connection).skipped

        assert await store.write(write, epoch=None) == (len(rows), 1)
    assert ids(store) == list(range(staging.PREPARE_OVER))


@pytest.mark.parametrize("size", [1, staging.PREPARE_OVER + 5, staging.STAGE_OVER + 5])
async def test_ids_that_nobody_knows_are_put_down_with_the_rows_they_are_in(
    database: Database, size: int
) -> None:
    target = Target(corporation_asset, ("corporation_id", "item_id"), Write.REPLACE)
    rows = [
        {
            "item_id": 1_000 + number,
            "type_id": 34 + number % 7,
            "quantity": 1,
            "location_id": 60_003_760,
            "location_type": "station",
            "location_flag": "Hangar",
            "is_singleton": False,
        }
        for number in range(size)
    ]
    types = {row["type_id"] for row in rows}
    named = {"id": 34, "category": "type", "name": "Tritanium", "checked_at": NOW}
    await database.write(lambda conn: conn.execute(name.insert().values(named)), epoch=None)
    # One of them is put down already.
    await database.write(lambda conn: wanted.store(conn, "type", {34}), epoch=None)

    async def load() -> int:
        async with staging.staged(database, target, rows, subject=CORPORATION, params={}) as ready:

            def write(connection: Connection) -> int:
                wanted.begin(connection)
                changed = writer.apply(
                    connection, target, ready, subject=CORPORATION, params={}, now=NOW
                )
                wanted.put_down(connection)
                return changed

            return await database.write(write, epoch=None)

    assert await load() == size
    found = await database.read(lambda conn: set(map(tuple, conn.execute(select(wanted_id)))))
    assert found == {
        ("name", 60_003_760),
        ("station", 60_003_760),
        *(("type", one) for one in types),
        *(("name", one) for one in types - {34}),
    }
    assert await load() == 0


async def test_only_ids_of_which_nothing_is_known_are_looked_for(database: Database) -> None:
    named = {"id": 5, "category": "character", "name": "Five", "checked_at": NOW}
    await database.write(lambda conn: conn.execute(name.insert().values(named)), epoch=None)
    await database.write(lambda conn: wanted.store(conn, "name", {6}), epoch=None)
    asked: wanted.Wanted = {"name": {5, 6, 7}, "station": {6}}
    found = await database.read(lambda conn: wanted.unknown(conn, asked))
    assert found == {"name": {7}, "station": {6}}
    assert await database.read(lambda conn: wanted.unknown(conn, {"name": {5, 6}})) == {}
