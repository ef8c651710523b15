"""The ledger is written whatever one row holds, and what the database does not take is told."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime, timedelta

import msgspec
import pytest
from sqlalchemy import Connection

from engine.ledger_writer import LedgerWriter
from engine.trouble import Trouble
from engine.turns import Turns
from ipc.outcome import Token
from ipc.subject import GLOBAL, JobKey
from jobs.store import pauses, rate_buckets
from jobs.store.database import Database
from jobs.store.ledger import LedgerRow
from jobs.store.rate_buckets import SpentBucket
from tests.clocks import ManualClock
from tests.ledgers import load_all


@pytest.fixture
def told() -> list[JobKey]:
    """Return the jobs whose rows were said to be committed."""
    return []


@pytest.fixture
def writer(database: Database, epoch: int, now: datetime, told: list[JobKey]) -> LedgerWriter:
    """Return a ledger's writer over each of both databases."""
    turns = Turns(lambda *_: None, lambda _: None)
    clock = ManualClock(now)

    def committed(schedules: list[tuple[JobKey, float]]) -> None:
        told.extend(key for key, _ in schedules)

    return LedgerWriter(database, turns, epoch, Trouble(clock), committed)


async def settle(writer: LedgerWriter) -> None:
    """Have everything written that waits; an error of the writer is one of the test."""
    task = asyncio.create_task(writer.run())
    settled = asyncio.create_task(writer.settled())
    await asyncio.wait((task, settled), return_when=asyncio.FIRST_COMPLETED)
    settled.cancel()
    if task.done():
        task.result()
    task.cancel()


def row(number: int, now: datetime) -> LedgerRow:
    """Return one of many rows."""
    return LedgerRow(
        key=JobKey(f"global.k{number:03d}", GLOBAL), token=Token.FAILED, last_attempt_at=now
    )


# Each is refused by at least one of the databases, or by its driver.
ODD: list[dict[str, object]] = [
    {"last_reason": "half \udcff"},
    {"rows_touched": 2**63},
    {"last_reason": "a\0b"},
]


@pytest.mark.parametrize("odd", ODD, ids=["text", "number", "nul"])
async def test_a_row_that_the_database_refuses_is_no_others(
    database: Database,
    writer: LedgerWriter,
    now: datetime,
    told: list[JobKey],
    odd: dict[str, object],
    caplog: pytest.LogCaptureFixture,
) -> None:
    rows = [row(number, now) for number in range(120)]
    rows[77] = msgspec.structs.replace(rows[77], **odd)
    for one in rows:
        writer.record(one.key, one, 60.0)
    with caplog.at_level(logging.ERROR):
        await settle(writer)

    found = {one.key: one for one in database.read_now(load_all)}
    others = [one for one in rows if one is not rows[77]]
    assert {key: one for key, one in found.items() if key != rows[77].key} == {
        one.key: one for one in others
    }
    is_missing = rows[77].key not in found
    # SQLite stores a NUL.
    assert is_missing == (odd != ODD[2] or database.dialect == "postgresql")
    assert [str(rows[77].key) in line for line in caplog.messages] == [True] * is_missing
    assert told == [one.key for one in rows]


async def test_an_errand_that_the_database_refuses_is_no_others(
    database: Database,
    writer: LedgerWriter,
    now: datetime,
    caplog: pytest.LogCaptureFixture,
) -> None:
    until = now + timedelta(minutes=5)
    odd = SpentBucket("half \udcff", 150, 900, 3, until)
    good = SpentBucket("char-wallet:7", 150, 900, 3, until)

    def save(bucket: SpentBucket) -> Callable[[Connection], object]:
        return lambda connection: rate_buckets.save(connection, [bucket], now)

    writer.run_errand(lambda connection: pauses.extend(connection, "all", until, "spent"))
    writer.run_errand(save(odd))
    writer.run_errand(save(good))
    writer.record(row(1, now).key, row(1, now), None)
    with caplog.at_level(logging.ERROR):
        await settle(writer)

    assert database.read_now(lambda conn: rate_buckets.load(conn, now)) == [good]
    assert database.read_now(lambda conn: pauses.load(conn, now)) == {"all": (until, "spent")}
    assert database.read_now(load_all) == [row(1, now)]
    assert len(caplog.messages) == 1


async def test_a_mistake_of_ours_is_not_passed_over(writer: LedgerWriter) -> None:
    def wrong(connection: Connection) -> None:
        connection.exec_driver_sql("SELECT nothing FROM nowhere")

    writer.run_errand(wrong)
    with pytest.raises(Exception, match="nowhere"):
        await settle(writer)
