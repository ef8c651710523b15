"""Boots: an empty, an unreachable, a newer, a contested database; kinds that cannot be loaded."""

from __future__ import annotations

import asyncio
import os
import signal
import socket
import sqlite3
from contextlib import closing
from pathlib import Path

import msgspec
import pytest

from engine.boot import CUT_TO_GIVE_UP
from ipc.events import Finished
from ipc.exits import Exit
from ipc.settings import Settings, Store
from ipc.users import user_name
from jobs.store import upgrade
from jobs.store.revisions import VERSION_TABLE
from jobs.store.upgrade import Schema
from tests.process.engine_house import QUICK, House, empty_house, open_house, probe, settings_for
from tests.processes import descendants_of, eventually_async, name_of

pytestmark = pytest.mark.process


async def test_an_empty_database_gets_the_schema_in_a_process_of_its_own(tmp_path: Path) -> None:
    async with empty_house(settings_for(tmp_path)) as house:
        assert await owner(house) == 1
        assert upgrade.status_of(house.settings.database_url) is Schema.CURRENT


async def owner(house: House) -> int:
    """Start a scheduler and return the epoch in which it owns the database.

    It is ready without one first, where the database takes its time.
    """
    scheduler = await house.start()
    return await house.until("an owner", lambda: scheduler.ready.epoch if scheduler.ready else 0)


async def test_each_scheduler_owns_the_database_anew(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        epochs = []
        for _ in range(2):
            epochs.append(await owner(house))
            await house.stop()
        assert epochs == [1, 2]


async def test_a_newer_schema_is_refused_with_a_reason(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        with closing(sqlite3.connect(tmp_path / "esisyncd.db")) as connection, connection:
            connection.execute(f"UPDATE {VERSION_TABLE} SET version_num = 'the_future'")
        scheduler = await house.start(ready=False)
        end = scheduler.how_it_ended()
        assert end.exit_code == Exit.CONFIG
        assert "newer" in end.cause


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
async def test_a_database_of_another_user_is_refused_with_a_code_of_its_own(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        os.chown(tmp_path / "esisyncd.db", 65534, 65534)
        end = (await house.start(ready=False)).how_it_ended()
        assert end.exit_code == Exit.REFUSED
        assert f"belongs to {user_name(65534)}, and this is user root" in end.cause


async def test_a_damaged_database_is_refused_with_a_reason_and_left_as_it_is(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        path = tmp_path / "esisyncd.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as connection:
            connection.execute("PRAGMA wal_checkpoint(TRUNCATE)")
            # A page that no query of the boot meets.
            root = connection.execute(
                "SELECT rootpage FROM sqlite_master WHERE name = 'mail_body'"
            ).fetchone()[0]
        with path.open("r+b") as file:
            file.seek((root - 1) * 4096)
            file.write(b"\xff" * 4096)
        damaged = path.read_bytes()
        scheduler = await house.start(ready=False)
        end = scheduler.how_it_ended()
        assert end.exit_code == Exit.CONFIG
        assert "damaged" in end.cause
        assert "restore a backup" in end.cause
        assert path.read_bytes() == damaged


async def test_kinds_that_cannot_be_loaded_are_refused_with_a_reason(tmp_path: Path) -> None:
    strange = msgspec.structs.replace(settings_for(tmp_path), kind_packages=("no_such_kinds",))
    async with empty_house(strange) as house:
        end = (await house.start(ready=False)).how_it_ended()
        assert end.exit_code == Exit.CONFIG
        assert "no_such_kinds" in end.cause


def settings_at(folder: Path, url: str) -> Settings:
    """Return settings with another database."""
    return msgspec.structs.replace(settings_for(folder), store=Store(url))


async def test_an_unreachable_database_is_told_and_tried_again_until_it_is_there(
    tmp_path: Path,
) -> None:
    in_the_way = tmp_path / "in_the_way"
    in_the_way.write_text("a file where a folder should be")
    url = f"sqlite:///{in_the_way / 'x.db'}"
    async with empty_house(settings_at(tmp_path, url)) as house:
        scheduler = await house.start()
        assert scheduler.ready is not None
        assert scheduler.ready.epoch == 0
        await house.until("the trouble", lambda: (s := house.summary()) and s.database_trouble)
        in_the_way.unlink()
        await house.until("an owner", lambda: scheduler.ready and scheduler.ready.epoch == 1)
        await house.until("no trouble", lambda: (s := house.summary()) and not s.database_trouble)
        assert len(await house.workers(2)) == 2


async def test_a_database_locked_by_another_program_is_told_before_the_boot_counts_as_a_hang(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        path = tmp_path / "esisyncd.db"
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("BEGIN IMMEDIATE")
            scheduler = await house.start()
            assert scheduler.ready is not None
            assert scheduler.ready.epoch == 0
            await house.until(
                "the trouble", lambda: (s := house.summary()) and "locked" in s.database_trouble
            )
        await house.until("an owner", lambda: scheduler.ready and scheduler.ready.epoch == 1)
        await house.until("no trouble", lambda: (s := house.summary()) and not s.database_trouble)


@pytest.mark.parametrize("kills", [1, CUT_TO_GIVE_UP])
async def test_an_upgrade_that_is_killed_is_tried_again_and_not_without_end(
    tmp_path: Path, kills: int
) -> None:
    path = tmp_path / "esisyncd.db"
    async with empty_house(settings_for(tmp_path)) as house:
        with closing(sqlite3.connect(path, isolation_level=None)) as other:
            other.execute("PRAGMA journal_mode = WAL")
            other.execute("BEGIN IMMEDIATE")
            starting = asyncio.create_task(house.start(ready=kills < CUT_TO_GIVE_UP))
            for _ in range(kills):
                # It waits for the lock.
                await kill_descendant("upgrade")
        scheduler = await starting
        if kills < CUT_TO_GIVE_UP:
            await house.until("an owner", lambda: scheduler.ready and scheduler.ready.epoch == 1)
            return
        end = scheduler.how_it_ended()
        assert end.exit_code == Exit.CONFIG
        assert "the upgrade of the database was cut off: killed by signal 9" in end.cause


async def kill_descendant(name: str) -> None:
    """Kill the process of that name among our descendants, when it is there."""

    def find() -> int | None:
        below = descendants_of(os.getpid())
        return next((pid for pid in below if name_of(pid) == name), None)

    pid = await eventually_async(f"a process called {name}", find)
    os.kill(pid, signal.SIGKILL)
    await eventually_async("its end", lambda: find() != pid)


async def test_an_older_scheduler_leaves_when_a_newer_one_owns_the_database(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        await owner(house)
        async with empty_house(house.settings) as newer:
            await owner(newer)
            await house.run_now(probe("noop"))
            older, pid = house.life, newer.life.pid
            assert await house.ended() == Exit.FENCED
            assert older.how_it_ended().cause == (
                f"scheduler: another daemon (process {pid} on {socket.gethostname()}) took the "
                "database; stop it, then `esisyncd restart`"
            )
            await newer.run_now(probe("noop"))
            await newer.event(Finished, probe("noop"))


async def test_a_stop_during_the_wait_for_the_database_is_seen(tmp_path: Path) -> None:
    in_the_way = tmp_path / "in_the_way"
    in_the_way.write_text("a file where a folder should be")
    url = f"sqlite:///{in_the_way / 'x.db'}"
    async with empty_house(settings_at(tmp_path, url)) as house:
        await house.start()
        assert await house.stop() == Exit.OK


async def test_after_a_clean_stop_the_one_file_holds_all(tmp_path: Path) -> None:
    async with open_house(tmp_path, [QUICK]) as house:
        await house.start()
        await house.run_now(probe("noop"))
        await house.event(Finished, probe("noop"))
        path = Path(house.settings.database_url.removeprefix("sqlite:///"))
        assert path.with_name(path.name + "-wal").exists()
        assert await house.stop() == Exit.OK
        assert [file.name for file in path.parent.glob(f"{path.name}*")] == [path.name]


async def test_a_stop_right_after_the_start_is_seen(tmp_path: Path) -> None:
    async with open_house(tmp_path, [QUICK]) as house:
        await house.start()
        assert await house.stop(0.0) == Exit.OK
