from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sqlite3
import stat
import subprocess
import sys
import threading
import time
import uuid
from collections.abc import Callable, Iterator
from datetime import datetime
from functools import partial
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection, create_engine, event, func, insert, select, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import DBAPIError, IntegrityError, InternalError
from sqlalchemy.pool import NullPool

from ipc.users import user_name
from jobs.store import connect, health, upgrade
from jobs.store.database import Database
from jobs.store.errors import (
    CommitInDoubt,
    StoreBusy,
    StoreCorrupt,
    StoreDenied,
    StoreForeign,
    StoreMissing,
    StoreRefused,
    StoreUnavailable,
)
from jobs.store.link import Link
from jobs.store.reader import open_reader
from jobs.store.schema.core import pause
from tests.transactions import counted

ROOT = Path(__file__).parents[2]
# What the log says of a unit of work that is run once more.
RERUN = "running a unit of work again"


def add(scope: str, now: datetime, conn: Connection) -> None:
    conn.execute(insert(pause).values(scope=scope, until=now, reason="r"))


def count(conn: Connection) -> int:
    return conn.scalar(select(func.count()).select_from(pause)) or 0


def path_of(database: Database) -> Path:
    return Path(str(database))


@pytest.fixture
def sqlite(sqlite_prepared_url: str) -> Iterator[Database]:
    made = Database(sqlite_prepared_url, busy_timeout_s=0.3)
    yield made
    made.close_now()


@pytest.fixture
def postgres(postgres_prepared_url: str) -> Iterator[Database]:
    made = Database(postgres_prepared_url, busy_timeout_s=0.3)
    yield made
    made.close_now()


# --- units of work ---


async def test_a_write_is_seen_by_the_next_read(database: Database, now: datetime) -> None:
    with counted() as ended:
        await database.write(lambda conn: add("all", now, conn), epoch=None)
        assert await database.read(count) == 1
    assert (ended.commits, ended.rollbacks) == (1, 1)


async def test_a_unit_that_raises_leaves_nothing(database: Database, now: datetime) -> None:
    def work(conn: Connection) -> None:
        add("all", now, conn)
        raise ValueError("no")

    with pytest.raises(ValueError, match="no"):
        await database.write(work, epoch=None)
    assert await database.read(count) == 0


async def test_a_violated_constraint_keeps_its_own_error(database: Database, now: datetime) -> None:
    await database.write(lambda conn: add("all", now, conn), epoch=None)
    with pytest.raises(IntegrityError):
        await database.write(lambda conn: add("all", now, conn), epoch=None)


async def test_a_read_cannot_write(database: Database, now: datetime) -> None:
    with pytest.raises((RuntimeError, InternalError), match=r"read-only|only reads"):
        await database.read(lambda conn: add("all", now, conn))
    assert await database.read(count) == 0
    await database.write(lambda conn: add("all", now, conn), epoch=None)
    assert await database.read(count) == 1


@pytest.mark.parametrize("durable", [False, True])
async def test_statements_stay_prepared_between_reads_and_writes(
    sqlite: Database, now: datetime, durable: bool
) -> None:
    prepared: list[str] = []

    def watch(connection: Connection) -> None:
        # SQLite asks for leave whenever it prepares a statement, also one that it had prepared.
        def leave(_action: int, table: str | None, *_more: object) -> int:
            prepared.append(str(table))
            return 0

        driver: Any = connection.connection.dbapi_connection
        driver.set_authorizer(leave)

    await sqlite.write(lambda conn: add("first", now, conn), epoch=None)
    await sqlite.read(watch)
    # Setting the authorizer has them prepared once more.
    for scope in ("second", "third"):
        prepared.clear()
        await sqlite.write(partial(add, scope, now), epoch=None, durable=durable)
        await sqlite.read(count)
    assert "pause" not in prepared


async def test_a_read_sees_one_state_of_the_database(prepared_url: str, now: datetime) -> None:
    reader, writer = Database(prepared_url), Database(prepared_url)

    def twice(conn: Connection) -> tuple[int, int]:
        before = count(conn)
        writer.write_now(lambda other: add("all", now, other))
        return before, count(conn)

    assert await reader.read(twice) == (0, 0)
    assert await reader.read(count) == 1
    await reader.close()
    await writer.close()


async def test_a_cancelled_caller_is_so_once_the_commit_is_made(
    database: Database, now: datetime
) -> None:
    inside, go_on = threading.Event(), threading.Event()

    def work(conn: Connection) -> None:
        add("all", now, conn)
        inside.set()
        assert go_on.wait(60)

    task = asyncio.create_task(database.write(work, epoch=None))
    await asyncio.to_thread(inside.wait, 60)
    task.cancel()
    task.cancel()
    done, _ = await asyncio.wait({task}, timeout=0.05)
    assert not done
    go_on.set()
    with pytest.raises(asyncio.CancelledError):
        await task
    assert await database.read(count) == 1


async def test_a_caller_cancelled_while_its_write_waits_gets_it_committed(
    database: Database, now: datetime
) -> None:
    go_on = threading.Event()
    first = asyncio.create_task(database.write(lambda _conn: go_on.wait(60), epoch=None))
    second = asyncio.create_task(database.write(lambda conn: add("all", now, conn), epoch=None))
    await asyncio.sleep(0)
    second.cancel()
    go_on.set()
    assert await first
    with pytest.raises(asyncio.CancelledError):
        await second
    assert await database.read(count) == 1


async def test_all_work_is_done_in_one_thread_over_one_connection(database: Database) -> None:
    def where(connection: Connection) -> tuple[str, object]:
        return threading.current_thread().name, connection.connection.dbapi_connection

    (found,) = {await database.read(where) for _ in range(3)}
    assert found[0] == f"database-{database.dialect}"


def test_what_was_handed_in_is_done_before_the_end(prepared_url: str, now: datetime) -> None:
    database = Database(prepared_url)
    database.write_now(lambda conn: add("all", now, conn))
    database.close_now()
    with pytest.raises(StoreUnavailable, match="closed"):
        database.read_now(count)


def test_a_unit_cannot_wait_for_another(database: Database) -> None:
    with pytest.raises(RuntimeError, match="hand in"):
        database.read_now(lambda _conn: database.read_now(count))


@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_forked_process_cannot_use_the_connection(database: Database) -> None:
    database.read_now(count)
    pid = os.fork()
    if pid == 0:
        try:
            database.read_now(count)
        except RuntimeError:
            os._exit(7)
        os._exit(0)
    assert os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1]) == 7


# --- running again ---


def test_the_whole_unit_runs_again_after_a_lost_snapshot(
    sqlite: Database, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    attempts = []

    def work(conn: Connection) -> None:
        attempts.append(count(conn))
        add("all", now, conn)
        if len(attempts) == 1:
            error = sqlite3.OperationalError("database is locked")
            error.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
            raise error

    sqlite.write_now(work)
    assert attempts == [0, 0]
    assert caplog.text.count(RERUN) == 1


def test_running_again_ends(sqlite: Database) -> None:
    attempts = []

    def work(conn: Connection) -> None:
        attempts.append(1)
        error = sqlite3.OperationalError("database is locked")
        error.sqlite_errorcode = sqlite3.SQLITE_BUSY_SNAPSHOT
        raise error

    with pytest.raises(StoreBusy):
        sqlite.write_now(work)
    assert 1 < len(attempts) < 10


@pytest.mark.postgres
async def test_of_two_that_deadlock_both_are_committed(
    postgres_prepared_url: str, now: datetime, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    one, two = Database(postgres_prepared_url), Database(postgres_prepared_url)
    for scope in ("a", "b"):
        await one.write(partial(add, scope, now), epoch=None)
    barrier = threading.Barrier(2)

    def work(first: str, second: str, conn: Connection) -> None:
        change = text("UPDATE pause SET reason = reason || :by WHERE scope = :scope")
        conn.execute(change, {"by": first, "scope": first})
        # Only the first time do both get here at once.
        with contextlib.suppress(threading.BrokenBarrierError):
            barrier.wait(60)
        barrier.abort()
        conn.execute(change, {"by": first, "scope": second})

    await asyncio.gather(
        one.write(lambda conn: work("a", "b", conn), epoch=None),
        two.write(lambda conn: work("b", "a", conn), epoch=None),
    )
    found = await one.read(lambda conn: set(conn.scalars(select(pause.c.reason))))
    assert {"".join(sorted(reason)) for reason in found} == {"abr"}
    assert caplog.text.count(RERUN) == 1
    await one.close()
    await two.close()


@pytest.mark.postgres
def test_a_connection_lost_before_the_commit_is_made_anew(
    postgres: Database, postgres_server: str, now: datetime
) -> None:
    pids: list[int] = []

    def work(conn: Connection) -> None:
        pids.append(conn.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())
        add("all", now, conn)
        if len(pids) == 1:
            terminate(postgres_server, pids[0])
            count(conn)

    postgres.write_now(work)
    assert len(set(pids)) == 2
    assert postgres.read_now(count) == 1


@pytest.mark.postgres
def test_a_connection_lost_while_committing_leaves_it_in_doubt(
    postgres: Database, postgres_server: str, now: datetime
) -> None:
    cut: list[int] = []

    @event.listens_for(postgres._link.engine, "commit")
    def on_commit(conn: Connection) -> None:
        if not cut:
            cut.append(1)
            terminate(postgres_server, conn.exec_driver_sql("SELECT pg_backend_pid()").scalar_one())

    attempts = []

    def work(conn: Connection) -> None:
        attempts.append(1)
        add("all", now, conn)

    with pytest.raises(CommitInDoubt):
        postgres.write_now(work)
    assert attempts == [1]
    assert postgres.read_now(count) == 0


def terminate(server: str, pid: int) -> None:
    engine = create_engine(server, poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(text("SELECT pg_terminate_backend(:pid, 60000)"), {"pid": pid})


# --- trouble ---


@pytest.mark.process
def test_a_lock_held_by_another_process_is_told_and_gets_over(
    sqlite: Database, now: datetime
) -> None:
    program = (
        "import sqlite3, sys; c = sqlite3.connect(sys.argv[1], isolation_level=None);"
        "c.execute('BEGIN IMMEDIATE'); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, path_of(sqlite)],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(StoreBusy, match="locked"):
            sqlite.write_now(lambda conn: add("all", now, conn))
        assert sqlite.read_now(count) == 0
        holder.kill()
    sqlite.write_now(lambda conn: add("all", now, conn))


@pytest.mark.postgres
def test_a_row_locked_by_another_session_is_told(
    postgres: Database, postgres_prepared_url: str, now: datetime
) -> None:
    postgres.write_now(lambda conn: add("all", now, conn))
    engine = create_engine(connect.parse(postgres_prepared_url), poolclass=NullPool)
    with engine.begin() as other:
        other.execute(select(pause).with_for_update())
        with pytest.raises(StoreBusy):
            postgres.write_now(lambda conn: conn.execute(pause.delete()))
    postgres.write_now(lambda conn: conn.execute(pause.delete()))


@pytest.mark.process
def test_kill_in_a_transaction_leaves_what_was_committed(prepared_url: str, now: datetime) -> None:
    program = """
import sys, time
from datetime import UTC, datetime
from jobs.store import pauses
from jobs.store.database import Database
database = Database(sys.argv[1])
def add(scope):
    return lambda conn: pauses.extend(conn, scope, datetime(2026, 1, 1, tzinfo=UTC), "r")
database.write_now(add("first"))
def half(conn):
    add("second")(conn)
    print("inside", flush=True)
    time.sleep(60)
database.write_now(half)
"""
    with subprocess.Popen(
        [sys.executable, "-c", program, prepared_url], stdout=subprocess.PIPE, cwd=ROOT
    ) as child:
        assert child.stdout is not None
        assert child.stdout.readline() == b"inside\n"
        child.send_signal(signal.SIGKILL)
    database = Database(prepared_url)
    database.write_now(lambda conn: add("third", now, conn))
    scopes = database.read_now(lambda conn: set(conn.scalars(select(pause.c.scope))))
    assert scopes == {"first", "third"}
    database.close_now()


def test_no_server_is_told_in_a_line() -> None:
    database = Database("postgresql://nobody:secret@127.0.0.1:1/none")
    with pytest.raises(StoreUnavailable) as caught:
        database.read_now(count)
    assert "secret" not in f"{caught.value} {database}"
    assert "\n" not in str(caught.value)
    database.close_now()


@pytest.mark.parametrize(
    "url",
    [
        "mysql://x/y",
        "sqlite://",
        "sqlite:///:memory:",
        "no url",
        "postgresql+asyncpg://x/y",
        "postgresql://h:port/d",
    ],
)
def test_what_cannot_be_used_is_refused(url: str) -> None:
    with pytest.raises(StoreRefused):
        Database(url)


@pytest.fixture
def small_disk(tmp_path: Path) -> Iterator[Path]:
    folder = tmp_path / "small"
    folder.mkdir()
    mounted = (
        os.geteuid() == 0
        and not subprocess.run(
            ["mount", "-t", "tmpfs", "-o", "size=8m", "tmpfs", folder],
            check=False,
            capture_output=True,
        ).returncode
    )
    if not mounted:
        pytest.skip("a small disk needs root and the right to mount")
    yield folder
    subprocess.run(["umount", "-l", folder], check=True)


@pytest.mark.process
def test_a_full_disk_is_told_and_gets_over(small_disk: Path, now: datetime) -> None:
    url = f"sqlite:///{small_disk / 'mirror.db'}"
    upgrade.prepare(url)
    database = Database(url)

    def fill(conn: Connection) -> None:
        conn.execute(
            pause.insert(),
            [{"scope": f"{n}", "until": now, "reason": "x" * 20_000} for n in range(1000)],
        )

    database.write_now(lambda conn: add("before", now, conn))
    with pytest.raises(StoreUnavailable, match=r"full|I/O"):
        database.write_now(fill)
    assert database.read_now(count) == 1
    subprocess.run(["mount", "-o", "remount,size=96m", small_disk], check=True)
    database.write_now(fill)
    assert database.read_now(count) == 1001
    database.close_now()


# --- the file of SQLite ---


def test_a_missing_file_is_not_made(sqlite_url: str) -> None:
    database = Database(sqlite_url)
    with pytest.raises(StoreMissing):
        database.read_now(count)
    assert not path_of(database).exists()
    database.close_now()


def test_a_folder_that_cannot_be_looked_into_is_told_and_gets_over(
    sqlite: Database, now: datetime
) -> None:
    folder = path_of(sqlite).parent
    sqlite.write_now(lambda conn: add("all", now, conn))
    aside = folder.rename(folder.with_name("aside"))
    folder.write_text("no folder")
    with pytest.raises(StoreUnavailable, match="cannot be used"):
        sqlite.write_now(lambda conn: add("more", now, conn))
    folder.unlink()
    aside.rename(folder)
    sqlite.write_now(lambda conn: add("more", now, conn))


@pytest.mark.parametrize("replaced", [True, False])
def test_a_file_that_lost_its_name_is_not_written(
    sqlite: Database, now: datetime, replaced: bool
) -> None:
    sqlite.write_now(lambda conn: add("all", now, conn))
    path = path_of(sqlite)
    path.rename(path.with_name("aside.db"))
    if replaced:
        upgrade.prepare(f"sqlite:///{path}")
    with pytest.raises(StoreUnavailable, match="removed or replaced"):
        sqlite.write_now(lambda conn: add("more", now, conn))
    assert path.exists() is replaced


def test_reads_follow_the_name_to_another_file_and_do_not_mind_one_that_is_gone(
    sqlite: Database, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.store.link.FILE_LOOK_S", 0.0)
    sqlite.write_now(lambda conn: add("all", now, conn))
    assert sqlite.read_now(count) == 1
    path = path_of(sqlite)
    path.rename(path.with_name("aside.db"))
    with pytest.raises(StoreMissing):
        sqlite.read_now(count)
    assert not path.exists()
    other = Database(f"sqlite:///{path}", create=True)
    upgrade.prepare(f"sqlite:///{path}")
    for scope in ("a", "b"):
        other.write_now(partial(add, scope, now))
    # The new file's rows are in its write-ahead log, which has the old one's name.
    assert sqlite.read_now(count) == 2
    sqlite.write_now(lambda conn: add("c", now, conn))
    assert other.read_now(count) == 3
    other.close_now()


def test_reads_look_at_the_name_once_a_second_at_most(
    sqlite: Database, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("jobs.store.link.FILE_LOOK_S", 3600.0)
    looks = 0
    real = Link._identity

    def counted(self: Link) -> tuple[int, int] | None:
        nonlocal looks
        looks += 1
        return real(self)

    monkeypatch.setattr(Link, "_identity", counted)
    for _ in range(5):
        sqlite.read_now(count)
    # When it was opened, and by the first read.
    assert looks == 2


async def test_the_last_one_to_leave_folds_the_write_ahead_log(
    sqlite: Database, sqlite_prepared_url: str, now: datetime
) -> None:
    path = path_of(sqlite)
    reader = sqlite3.connect(path)
    assert reader.execute("SELECT count(*) FROM pause").fetchall() == [(0,)]
    sqlite.write_now(lambda conn: add("all", now, conn))
    assert path.with_name(path.name + "-wal").stat().st_size > 0
    await sqlite.close(fold=True)
    # All is in the file, though another program has it open.
    assert path.with_name(path.name + "-wal").stat().st_size == 0
    reader.close()
    assert [file.name for file in path.parent.iterdir()] == [path.name]
    again = Database(sqlite_prepared_url)
    assert again.read_now(count) == 1
    again.close_now()


async def test_a_reader_in_a_transaction_does_not_keep_the_last_one_from_leaving(
    sqlite: Database,
    now: datetime,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    caplog.set_level("INFO", "jobs.store.link")
    monkeypatch.setattr("jobs.store.link.FOLD_WAIT_MS", 10)
    sqlite.write_now(lambda conn: add("all", now, conn))
    reader = sqlite3.connect(path_of(sqlite), isolation_level=None)
    reader.execute("BEGIN")
    assert reader.execute("SELECT count(*) FROM pause").fetchall() == [(1,)]
    sqlite.write_now(lambda conn: add("more", now, conn))
    await sqlite.close(fold=True)
    assert "others use it" in caplog.text
    reader.close()


async def test_the_log_is_not_folded_into_a_file_that_lost_its_name(
    sqlite: Database, now: datetime
) -> None:
    sqlite.write_now(lambda conn: add("all", now, conn))
    path = path_of(sqlite)
    aside = path.rename(path.with_name("aside.db"))
    before = aside.read_bytes()
    await sqlite.close(fold=True)
    assert aside.read_bytes() == before
    assert path.with_name(path.name + "-wal").stat().st_size > 0


def test_files_are_their_owners_alone(sqlite_url: str, now: datetime) -> None:
    before = os.umask(0)
    try:
        upgrade.prepare(sqlite_url)
        database = Database(sqlite_url)
        database.write_now(lambda conn: add("all", now, conn))
        path = path_of(database)
        files = sorted(path.parent.iterdir())
        assert [file.name.removeprefix(path.name) for file in files] == ["", "-shm", "-wal"]
        assert {stat.S_IMODE(file.stat().st_mode) for file in files} == {0o600}
        assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
        database.close_now()
    finally:
        os.umask(before)


def test_a_file_open_to_others_is_closed_to_them(sqlite_url: str) -> None:
    upgrade.prepare(sqlite_url)
    database = Database(sqlite_url)
    path_of(database).chmod(0o664)
    database.read_now(count)
    assert stat.S_IMODE(path_of(database).stat().st_mode) == 0o600
    database.close_now()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a file away")
def test_a_database_of_another_user_is_refused(sqlite_url: str) -> None:
    upgrade.prepare(sqlite_url)
    database = Database(sqlite_url)
    os.chown(path_of(database), 65534, 65534)
    with pytest.raises(StoreForeign, match=f"belongs to {user_name(65534)}, and this is user root"):
        database.read_now(count)
    database.close_now()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
def test_a_database_that_this_user_may_not_reach_is_denied(sqlite_url: str) -> None:
    upgrade.prepare(sqlite_url)
    folder = connect.sqlite_path(connect.parse(sqlite_url)).parent
    folder.chmod(0o700)
    database = Database(sqlite_url)
    os.seteuid(65534)
    try:
        with pytest.raises(StoreDenied, match="cannot be used: Permission denied"):
            database.read_now(count)
        with pytest.raises(StoreDenied), open_reader(sqlite_url):
            pass
        with pytest.raises(StoreDenied):
            upgrade.status_of(sqlite_url)
    finally:
        os.seteuid(0)
        database.close_now()


def test_what_is_no_database_is_kept(sqlite_url: str) -> None:
    path = connect.sqlite_path(connect.parse(sqlite_url))
    path.parent.mkdir()
    path.write_bytes(b"garbage" * 1000)
    database = Database(sqlite_url)
    with pytest.raises(StoreCorrupt, match="restore a backup"):
        database.read_now(count)
    with pytest.raises(StoreCorrupt):
        upgrade.upgrade_now(sqlite_url, lambda _line: None)
    database.close_now()
    assert path.read_bytes() == b"garbage" * 1000


def test_damage_that_queries_do_not_meet_is_found(
    sqlite_url: str, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    upgrade.prepare(sqlite_url)
    database = Database(sqlite_url)
    database.write_now(
        lambda conn: conn.execute(
            pause.insert(),
            [{"scope": f"{n}", "until": now, "reason": "x" * 900} for n in range(500)],
        )
    )
    assert database.read_now(health.quick_check)
    database.close_now()
    path = path_of(database)
    with path.open("r+b") as file:
        file.seek(path.stat().st_size - 5 * 4096)
        file.write(b"\xff" * 4096)
    database = Database(sqlite_url)
    database.read_now(lambda conn: conn.execute(select(pause.c.scope).limit(1)).all())
    with pytest.raises(StoreCorrupt, match="left as it is"):
        database.read_now(health.quick_check)
    # Reading a large one takes longer than a start may.
    monkeypatch.setattr(health, "CHECKED_BYTES", path.stat().st_size - 1)
    assert not database.read_now(health.quick_check)
    database.close_now()


def test_settings_of_a_connection(sqlite: Database) -> None:
    def pragmas(conn: Connection) -> list[object]:
        names = ("journal_mode", "busy_timeout", "foreign_keys", "wal_autocheckpoint")
        return [conn.exec_driver_sql(f"PRAGMA {name}").scalar() for name in names]

    assert sqlite.read_now(pragmas) == ["wal", 300, 1, 1000]


@pytest.mark.postgres
@pytest.mark.process
def test_what_a_killed_process_was_running_ends(
    postgres: Database, postgres_prepared_url: str
) -> None:
    program = (
        "import sys; from jobs.store.database import Database;"
        "Database(sys.argv[1]).write_now(lambda conn: conn.exec_driver_sql("
        "'SELECT pg_sleep(300)'))"
    )
    running = (
        "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database()"
        " AND state = 'active' AND query LIKE 'SELECT pg_sleep%%'"
    )

    def runs() -> bool:
        return bool(postgres.read_now(lambda conn: conn.exec_driver_sql(running).scalar()))

    with subprocess.Popen(
        [sys.executable, "-c", program, postgres_prepared_url], cwd=ROOT
    ) as child:
        wait_for(runs, within_s=90)
        child.kill()
    wait_for(lambda: not runs(), within_s=90)


def wait_for(fact: Callable[[], bool], within_s: float) -> None:
    deadline = time.monotonic() + within_s
    while not fact():
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_only_durable_transactions_wait_for_the_disk(database: Database) -> None:
    setting = {"sqlite": "PRAGMA synchronous", "postgresql": "SHOW synchronous_commit"}
    query = setting[database.dialect]
    found = [
        database.write_now(lambda conn: conn.exec_driver_sql(query).scalar(), durable=durable)
        for durable in (False, True, False)
    ]
    assert found == ([1, 2, 1] if database.dialect == "sqlite" else ["off", "on", "off"])


def test_other_faults_of_a_statement_are_not_disguised(database: Database) -> None:
    with pytest.raises(DBAPIError, match="nowhere"):
        database.read_now(lambda conn: conn.exec_driver_sql("SELECT * FROM nowhere"))


@pytest.mark.postgres
def test_a_user_who_may_not_make_tables_is_told_so(postgres_prepared_url: str) -> None:
    """As on PostgreSQL 15 and later, where only its owner may use the schema `public`."""
    name = f"guest_{uuid.uuid4().hex}"
    owner = Database(postgres_prepared_url)
    owner.write_now(lambda conn: conn.exec_driver_sql(f"CREATE ROLE {name} LOGIN"))
    guest = make_url(postgres_prepared_url).set(username=name)
    database = Database(guest.render_as_string(hide_password=False))
    try:
        with pytest.raises(StoreForeign, match="does not let this user"):
            database.read_now(count)
    finally:
        database.close_now()
        owner.write_now(lambda conn: conn.exec_driver_sql(f"DROP ROLE {name}"))
        owner.close_now()
