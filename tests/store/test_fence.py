from __future__ import annotations

import threading
from concurrent.futures import Future
from datetime import datetime
from functools import partial
from pathlib import Path

import pytest
from sqlalchemy import Connection, select

from jobs.errors import Fenced
from jobs.store import fence, pauses, upgrade
from jobs.store.backup import back_up
from jobs.store.database import Database
from jobs.store.schema.core import owner, pause


def test_each_owner_has_a_higher_epoch(database: Database, now: datetime) -> None:
    epochs = [
        database.write_now(partial(fence.take_ownership, host="host", pid=pid, now=now))
        for pid in (10, 11, 12)
    ]
    assert epochs == [1, 2, 3]
    assert database.read_now(fence.current) == (3, "host", 12)
    assert database.read_now(lambda conn: conn.scalar(select(owner.c.started_at))) == now


def test_an_older_epoch_writes_nothing(database: Database, epoch: int, now: datetime) -> None:
    database.write_now(lambda conn: pauses.extend(conn, "a", now, "r"), epoch=epoch)
    newer = database.write_now(lambda conn: fence.take_ownership(conn, "host", 2, now))
    with pytest.raises(Fenced) as caught:
        database.write_now(lambda conn: pauses.extend(conn, "b", now, "r"), epoch=epoch)
    assert caught.value.epoch == newer
    assert database.read_now(lambda conn: list(conn.scalars(select(pause.c.scope)))) == ["a"]


def test_who_never_owned_it_writes_nothing(database: Database, now: datetime) -> None:
    with pytest.raises(Fenced):
        database.write_now(lambda conn: pauses.extend(conn, "b", now, "r"), epoch=1)


def test_a_new_owner_waits_for_the_transaction_that_passed_the_fence(
    database: Database, prepared_url: str, epoch: int, now: datetime
) -> None:
    """Else the old one could commit after the new one has begun to work."""
    other = Database(prepared_url)
    inside, go_on = threading.Event(), threading.Event()
    order: list[str] = []

    def old(conn: Connection) -> None:
        inside.set()
        assert go_on.wait(60)
        pauses.extend(conn, "old", now, "r")
        order.append("old")

    def new(conn: Connection) -> int:
        taken = fence.take_ownership(conn, "host", 2, now)
        order.append("new")
        assert list(conn.scalars(select(pause.c.scope))) == ["old"]
        return taken

    old_done = in_thread(lambda: database.write_now(old, epoch=epoch))
    assert inside.wait(60)
    new_done = in_thread(lambda: other.write_now(new))
    with pytest.raises(TimeoutError):
        new_done.result(0.2)
    go_on.set()
    old_done.result(60)
    assert new_done.result(60) == epoch + 1
    assert order == ["old", "new"]
    with pytest.raises(Fenced):
        database.write_now(lambda conn: pauses.extend(conn, "late", now, "r"), epoch=epoch)
    other.close_now()


def test_a_writer_that_waits_for_a_new_owner_is_fenced(
    database: Database, prepared_url: str, epoch: int, now: datetime
) -> None:
    other = Database(prepared_url)
    inside, go_on = threading.Event(), threading.Event()

    def new(conn: Connection) -> None:
        fence.take_ownership(conn, "host", 2, now)
        inside.set()
        assert go_on.wait(60)

    new_done = in_thread(lambda: other.write_now(new))
    assert inside.wait(60)
    old_done = in_thread(
        lambda: database.write_now(lambda conn: pauses.extend(conn, "x", now, "r"), epoch=epoch)
    )
    with pytest.raises(TimeoutError):
        old_done.result(0.2)
    go_on.set()
    new_done.result(60)
    with pytest.raises(Fenced):
        old_done.result(60)
    assert database.read_now(lambda conn: list(conn.scalars(select(pause.c.scope)))) == []
    other.close_now()


def test_a_restored_older_copy_is_not_ours_to_write(
    sqlite_url: str, tmp_path: Path, now: datetime
) -> None:
    upgrade.prepare(sqlite_url)
    database = Database(sqlite_url)
    database.write_now(lambda conn: fence.take_ownership(conn, "host", 1, now))
    path, copy = Path(str(database)), tmp_path / "copy.db"
    back_up(path, copy, lambda _line: None)
    epoch = database.write_now(lambda conn: fence.take_ownership(conn, "host", 2, now))
    database.close_now()
    path.unlink()
    copy.rename(path)
    database = Database(sqlite_url)
    with pytest.raises(Fenced):
        database.write_now(lambda conn: pauses.extend(conn, "x", now, "r"), epoch=epoch)
    database.close_now()


def in_thread(work: object) -> Future[object]:
    done: Future[object] = Future()

    def run() -> None:
        try:
            done.set_result(work())  # type: ignore[operator]
        except Exception as error:  # noqa: BLE001 - it is raised where the result is asked for
            done.set_exception(error)

    threading.Thread(target=run, daemon=True).start()
    return done
