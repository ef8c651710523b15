"""Lost power: what was called done is done, and what may have been sent is looked for."""

from __future__ import annotations

import contextlib
import os
import signal
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy import Connection

from jobs.logbook import NAME as LOGBOOK
from jobs.store import upgrade
from jobs.store.database import Database
from jobs.store.schema.core import pause
from simulator.process import SimulatedEve
from tests.crash.disk import Disk, NoDisk, open_disk
from tests.daemon.conftest import template
from tests.daemon.house import LIGHT, House, open_house

__all__ = ["template"]

pytestmark = pytest.mark.process

FIRST, SECOND = 90_000_001, 90_000_002
MAIL = f"/characters/{FIRST}/mail"
COMMITS = 20
# What may have been sent is looked for again and again, until ESI's lists must tell of it.
FOUND_WITHIN_S = 300.0


@pytest.fixture
def disk() -> Iterator[Disk]:
    with contextlib.ExitStack() as stack:
        try:
            made = stack.enter_context(open_disk())
        except NoDisk as error:
            pytest.skip(f"no disk of our own: {error}")
        yield made


@pytest.mark.parametrize("durable", [True, False])
def test_a_durable_commit_outlives_lost_power_and_another_need_not(
    disk: Disk, durable: bool
) -> None:
    url = f"sqlite:///{disk.path / 'x.db'}"
    upgrade.prepare(url)
    database = Database(url, durable=durable)

    def add(connection: Connection, number: int) -> None:
        until = datetime(2026, 11, 30, tzinfo=UTC)
        connection.execute(pause.insert(), [{"scope": f"{number}", "until": until, "reason": "x"}])

    def count(connection: Connection) -> int:
        return len(connection.execute(pause.select()).all())

    database.write_now(lambda connection: add(connection, -1))
    disk.flush()
    for number in range(COMMITS):
        database.write_now(lambda connection, n=number: add(connection, n))  # type: ignore[misc]
    # With the file open: closing it would write, and flush, the log into it.
    disk.cut()
    after = Database(url)
    # That nothing else survives shows that the disk forgets as one without power does.
    assert after.read_now(count) == (1 + COMMITS if durable else 1)
    after.close_now()
    database.close_now()


@pytest.mark.timeout(700)
def test_the_daemon_goes_on_after_lost_power_and_sends_nothing_twice(
    disk: Disk, template: Path
) -> None:
    arguments = ("--characters", "2", "--cache-scale", "0.01")
    with (
        SimulatedEve(*arguments, "--no-rate-limits", "--no-error-limit") as eve,
        open_house(eve, template, where=disk.path, features={**LIGHT, "mail": True}) as house,
    ):
        # What the test put there is not what it is about.
        disk.flush()
        house.run()
        house.mirrored()
        done = [mail(house, f"done {number}") for number in range(3)]
        for row_id in done:
            house.outbox_reaches(row_id, "done")
        # EVE takes one, and nobody lives to hear so.
        eve.fault(path=MAIL, method="POST", apply=True, delay_s=300.0, times=1)
        in_doubt = mail(house, "in doubt")
        house.until("EVE took the mail", lambda: len(sent(eve)) == 4)
        # In nobody's hand is the turn to write, so that the last mail can be asked for meanwhile.
        with house.write_lock():
            for pid in house.processes():
                os.kill(pid, signal.SIGSTOP)
        last = mail(house, "last")

        cut_power(disk, house)
        assert house.value("PRAGMA integrity_check") == "ok"
        assert [house.outbox_row(row_id).status for row_id in done] == ["done"] * 3
        assert house.characters == [FIRST, SECOND]
        assert house.outbox_row(in_doubt).status == "inflight"
        assert house.outbox_row(last).status == "pending"

        eve.clear_faults()
        house.run()
        for row_id in (in_doubt, last):
            house.outbox_reaches(row_id, "done", FOUND_WITHIN_S)
        house.goes_on()
        subjects = sorted(one["body"]["subject"] for one in sent(eve))
        assert subjects == ["done 0", "done 1", "done 2", "in doubt", "last"]
        house.check_ledger()


def mail(house: House, subject: str) -> int:
    """Ask for a mail; when this returns, the row was called safe."""
    to = [{"recipient_id": SECOND, "recipient_type": "character"}]
    payload = {"recipients": to, "subject": subject, "body": "once"}
    return house.append(FIRST, "mail.send", payload, dedupe=subject)


def sent(eve: SimulatedEve) -> list[dict[str, Any]]:
    """Return the mails that EVE has taken."""
    taken: Any = eve.writes()
    return [one for one in taken if one["route"].startswith("POST")]


def cut_power(disk: Disk, house: House) -> None:
    """End everything that stands still, and with it what was not flushed."""
    disk.cut()
    house.forget_database()
    house.kill_all()
    # The machine was booted since: it tells of no other boot.
    (house.folder / LOGBOOK).unlink(missing_ok=True)
