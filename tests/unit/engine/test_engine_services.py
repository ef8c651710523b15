"""The engine's services: outbox drain, ledger commits and trouble, turns, events, the stop."""

from __future__ import annotations

import asyncio
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import timedelta
from functools import partial
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection

from engine.events import BATCH, LIMIT, PACE_S, Outlet
from engine.outbox import LOOK_EVERY_S, PASS, most_out
from engine.outbox_upkeep import ODD_EVERY_S
from engine.turns import Turns
from engine.write_rates import UNKNOWN
from ipc import events
from ipc.commands import Drain
from ipc.events import (
    Finished,
    OutboxDone,
    OutboxFailed,
    OutboxInflight,
    OutboxRetrying,
    OutboxUncertain,
    Scheduled,
)
from ipc.messages import (
    Acquire,
    Allowance,
    Deny,
    Grant,
    JobDone,
    Release,
    RunJob,
    RunWrite,
    Spent,
    WriteDone,
)
from ipc.outcome import Outcome, PauseAll, Token
from ipc.scheduler_messages import Events
from jobs.errors import Fenced
from jobs.logbook import Logbook, Past, begin, join, look_back
from jobs.store import claims, fence, ledger, outbox, outbox_rows
from jobs.store.database import Database, StoreUnavailable
from tests.unit.engine.engine_kinds import NOW, ONE, TWO, WALLET, key
from tests.unit.engine.engine_rig import Rig, enroll_subject, heartbeats, know, log_in, open_rig

Change = Callable[[Connection], object]


@pytest.fixture
async def rig(tmp_path: Path, empty_database: Path) -> AsyncIterator[Rig]:
    """One logged in character whose parent row exists."""
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as made:
        yield made


def wanted(connection: Connection, number: int = 1, kind: str = "mail.send") -> int:
    """Put a write into the outbox."""
    return outbox.append(connection, ONE, kind, "{}", f"d{number}", NOW, None)


def spoiled(connection: Connection, *, column: str, value: str) -> int:
    """Want a write whose row nobody can read; no pass sees it before."""
    row_id = wanted(connection)
    connection.exec_driver_sql(f"UPDATE outbox SET {column} = '{value}' WHERE id = {row_id}")
    return row_id


async def passes(rig: Rig) -> None:
    """Let the drain make a pass."""
    await rig.engine.drain.make_pass()
    await rig.settle()


async def until(rig: Rig, check: Callable[[], bool]) -> None:
    """Wait for a fact."""
    async with asyncio.timeout(60):
        while not check():
            await rig.settle()


async def written(rig: Rig, work: RunWrite, status: str, **more: object) -> None:
    """Answer a write as its worker does, who has stored the end."""
    (row,) = [r for r in await rig.database.read(outbox_rows.list_rows) if r.id == work.outbox_id]
    end = claims.End(
        id=row.id,
        revision=work.revision,
        status=status,
        attempts=1,
        next_attempt_at=rig.clock.now() + timedelta(seconds=2),
    )
    await rig.write(lambda c: claims.finish(c, end, work.epoch, rig.clock.now()))
    del rig.pool.work[work.job_id]
    done = WriteDone(work.job_id, work.epoch, work.outbox_id, status, **more)  # type: ignore[arg-type]
    rig.pool.listener.on_messages(0, [done])
    await rig.settle()


# --- outbox ---


async def test_a_due_write_is_claimed_and_handed_to_a_worker(rig: Rig) -> None:
    row_id = await rig.write(wanted)
    await passes(rig)
    (work,) = rig.writes()
    assert (work.outbox_id, work.revision, work.in_doubt) == (row_id, 1, False)
    assert [event.outbox_id for event in rig.events(OutboxInflight)] == [row_id]
    await written(rig, work, "done")
    assert [event.kind for event in rig.events(OutboxDone)] == ["mail.send"]
    await passes(rig)
    assert not rig.writes()


async def test_a_command_drains_at_once(rig: Rig) -> None:
    await rig.write(wanted)
    await rig.do(Drain())
    await until(rig, lambda: bool(rig.writes()))


async def test_a_row_that_cannot_be_read_stops_no_other(rig: Rig) -> None:
    await rig.write(partial(spoiled, column="created_at", value="1764526339"))
    good = await rig.write(partial(wanted, number=2))
    await passes(rig)
    assert [work.outbox_id for work in rig.writes()] == [good]
    counts = await rig.database.read(outbox_rows.counts)
    assert counts == {"failed": 1, "inflight": 1}


async def test_a_row_whose_time_is_none_fails_though_it_is_never_due(rig: Rig) -> None:
    await rig.write(partial(spoiled, column="next_attempt_at", value="soon"))
    async with asyncio.timeout(60):
        while await rig.database.read(outbox_rows.counts) != {"failed": 1}:
            rig.clock.advance(ODD_EVERY_S)
            await passes(rig)
    assert rig.writes() == []


async def test_a_row_that_is_spoiled_while_it_is_out_is_uncertain(rig: Rig) -> None:
    row_id = await rig.write(wanted)
    await passes(rig)
    (work,) = rig.writes()
    await rig.write(
        lambda c: c.exec_driver_sql(f"UPDATE outbox SET attempts = 'many' WHERE id = {row_id}")
    )
    del rig.pool.work[work.job_id]
    done = WriteDone(work.job_id, work.epoch, row_id, "cancelled", "the row is not claimed")
    rig.pool.listener.on_messages(0, [done])
    await passes(rig)
    assert await rig.database.read(outbox_rows.counts) == {"uncertain": 1}


def test_fewer_are_out_where_fewer_can_be_at_esi() -> None:
    # Sixteen at ESI, whose last one waits for half a minute at a second each; of nine, nine.
    assert [most_out(workers) for workers in (1, 4, 9, 12, 16, 32)] == [
        512,
        512,
        288,
        384,
        512,
        512,
    ]


async def test_the_drain_runs_beside_dispatch_and_only_so_many_are_out(rig: Rig) -> None:
    def want_all(connection: Connection) -> None:
        for number in range(PASS + 4):
            wanted(connection, number=number)

    await rig.write(want_all)
    await passes(rig)
    # None of its kind has told yet what it spends from.
    assert len(rig.writes()) == UNKNOWN
    await written(rig, rig.writes()[0], "done")
    await rig.advance(2 * LOOK_EVERY_S)
    await passes(rig)
    assert len(rig.writes()) == PASS
    await rig.end(WALLET)
    assert [event for event in rig.events(Finished) if event.key == key(WALLET)]
    await written(rig, rig.writes()[0], "done")
    await passes(rig)
    # A place for one is not worth a look at the table; soon it is.
    assert len(rig.writes()) == PASS - 1
    await rig.advance(2 * LOOK_EVERY_S)
    await passes(rig)
    assert len(rig.writes()) == PASS
    for work in rig.writes()[: PASS // 2]:
        await written(rig, work, "done")
    await passes(rig)
    assert len(rig.writes()) == PASS + 4 - 2 - PASS // 2


@pytest.mark.parametrize(
    ("status", "event"),
    [
        ("pending", OutboxRetrying),
        ("failed", OutboxFailed),
        ("uncertain", OutboxUncertain),
        ("cancelled", OutboxFailed),
    ],
)
async def test_every_end_of_a_write_is_told(rig: Rig, status: str, event: type[Any]) -> None:
    await rig.write(wanted)
    await passes(rig)
    await written(rig, rig.writes()[0], status, reason="because", next_in_s=2.0)
    assert [told.reason for told in rig.events(event)] == ["because"]


async def test_420_in_the_outbox_holds_everything(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    until = NOW + timedelta(seconds=60)
    await written(rig, rig.writes()[0], "pending", reaction=PauseAll(until, 60))
    await rig.write(lambda c: wanted(c, 2))
    await rig.end(WALLET)
    await passes(rig)
    assert not rig.writes()
    assert rig.engine.status.summary().paused_until == until
    await rig.advance(60)
    await passes(rig)
    assert len(rig.writes()) == 2


async def test_a_write_without_a_usable_credential_stays(
    tmp_path: Path, empty_database: Path
) -> None:
    prepare: list[Change] = [lambda c: enroll_subject(c, ONE), wanted]
    async with open_rig(tmp_path / "x.db", empty_database, prepare) as rig:
        await passes(rig)
        assert not rig.writes()
        assert rig.engine.status.summary().outbox == {"pending": 1}


async def test_a_write_that_a_crash_cut_off_is_looked_up_and_not_sent_again(
    tmp_path: Path, empty_database: Path
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know, wanted]) as first:
        await passes(first)
        assert len(first.writes()) == 1
    async with open_rig(tmp_path / "x.db", empty_database) as second:
        await passes(second)
        (work,) = second.writes()
        assert work.in_doubt
        await passes(second)
        assert len(second.writes()) == 1


async def test_a_write_whose_worker_died_is_in_doubt_and_after_three_deaths_uncertain(
    rig: Rig,
) -> None:
    await rig.write(wanted)
    await passes(rig)
    for deaths, wait_s in ((1, 1), (2, 2), (3, 0)):
        (work,) = rig.writes()
        assert work.in_doubt is (deaths > 1)
        await rig.die(work)
        if wait_s:
            # Whatever killed that worker may be about to kill the next.
            await rig.advance(wait_s - 0.5)
            await passes(rig)
            assert not rig.writes()
            await rig.advance(0.5)
            await passes(rig)
    # The death itself wakes the drain.
    await until(rig, lambda: bool(rig.events(OutboxUncertain)))
    assert not rig.writes()
    assert "worker died 3 times" in rig.events(OutboxUncertain)[0].reason
    (row,) = await rig.database.read(outbox_rows.list_rows)
    assert row.status == "uncertain"


async def test_a_row_in_hand_that_is_due_again_is_not_claimed_a_second_time(rig: Rig) -> None:
    """Its worker gave it back, and died before it could say so."""
    for number in (1, 2):
        await rig.write(partial(wanted, number=number))
    await passes(rig)
    lost = rig.writes()
    assert len(lost) == 2
    await rig.write(
        lambda c: c.exec_driver_sql(
            "UPDATE outbox SET status = 'pending', claimed_by_epoch = NULL, claim_expires_at = NULL"
        )
    )
    await rig.die(*lost)
    await passes(rig)
    assert not rig.writes()
    assert await rig.database.read(outbox_rows.counts) == {"pending": 2}
    # Each is told that its order is void, and only then claimed anew.
    claimed: list[int] = []
    await rig.advance(1)
    async with asyncio.timeout(60):
        while len(claimed) < 2:
            await passes(rig)
            for work in rig.writes():
                row = await rig.database.read(partial(outbox_rows.get, id_=work.outbox_id))
                assert row is not None
                if row.status == "pending":
                    await written(rig, work, "pending", reason="the row is not claimed")
                elif work.outbox_id not in claimed:
                    claimed.append(work.outbox_id)
    assert len({work.outbox_id for work in rig.writes()}) == len(rig.writes()) == 2


async def test_a_write_leaves_with_what_the_last_of_its_kind_spent_from(
    tmp_path: Path, empty_database: Path
) -> None:
    logbook = begin(tmp_path, "1 h 1 now")
    prepare: list[Change] = [log_in, know, wanted]
    async with open_rig(tmp_path / "x.db", empty_database, prepare, logbook=logbook) as rig:
        await passes(rig)
        bucket = f"char-social:{ONE.id}"
        (work,) = rig.writes()
        assert work.allowances == ()
        await written(rig, work, "done", spent=(Spent(bucket, 0, 598, 600, 900),))
        for number in (2, 3):
            await rig.write(partial(wanted, number=number))
        await passes(rig)
        budget = rig.engine.budgets.get(bucket)
        gone, kept = rig.writes()
        assert [work.allowances for work in (gone, kept)] == [(Allowance(bucket, 5),)] * 2
        assert (budget.lent, budget.left(rig.clock.monotonic_s())) == (10, 588)
        join(tmp_path, 1).note(gone.outbox_id, gone.job_id)
        await rig.die(gone, kept)
        # What had not gone out has spent nothing.
        assert (budget.lent, budget.left(rig.clock.monotonic_s())) == (0, 593)


async def test_writes_wait_here_for_tokens_that_are_lent_to_others(rig: Rig) -> None:
    bucket = f"char-social:{ONE.id}"
    now_s = rig.clock.monotonic_s()
    rig.engine.budgets.hear(Spent(bucket, 0, 12, 600, 900), now_s)
    await rig.write(wanted)
    await passes(rig)
    await written(rig, rig.writes()[0], "done", spent=(Spent(bucket, 2, 10, 600, 900),))
    for number in range(2, 6):
        await rig.write(partial(wanted, number=number))
    await passes(rig)
    assert [work.allowances for work in rig.writes()] == [(Allowance(bucket, 5),)] * 2
    await written(rig, rig.writes()[0], "done", spent=(Spent(bucket, 0, 10, 600, 900),))
    await passes(rig)
    assert len(rig.writes()) == 2
    for work in rig.writes():
        await written(rig, work, "done", spent=(Spent(bucket, 5, 0, 600, 900),))
    await passes(rig)
    # Nothing is left, and nothing comes back: its worker waits, and gives it back in the end.
    assert [work.allowances for work in rig.writes()] == [()]


async def test_only_what_had_gone_out_is_in_doubt_when_its_worker_dies(
    tmp_path: Path, empty_database: Path
) -> None:
    logbook = begin(tmp_path, "1 h 1 now")
    prepare: list[Change] = [log_in, know, wanted, partial(wanted, number=2)]
    async with open_rig(tmp_path / "x.db", empty_database, prepare, logbook=logbook) as rig:
        await passes(rig)
        gone, kept = rig.writes()
        join(tmp_path, 1).note(gone.outbox_id, gone.job_id)
        # Under an earlier order, whose end is known.
        join(tmp_path, 1).note(kept.outbox_id, kept.job_id - 1)
        await rig.die(gone, kept)
        await rig.advance(1)
        doubts: dict[int, bool] = {}
        while len(doubts) < 2:
            await passes(rig)
            # One at a time, or one that kills its workers would take the other along.
            (work,) = rig.writes()
            doubts[work.outbox_id] = work.in_doubt
            await written(rig, work, "done")
        assert doubts == {gone.outbox_id: True, kept.outbox_id: False}


async def test_one_death_has_the_logbook_read_once(
    tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asked: list[list[tuple[int, int]]] = []
    real = Logbook.has

    def has(self: Logbook, orders: Iterable[tuple[int, int]]) -> set[tuple[int, int]]:
        asked.append(list(orders))
        return real(self, asked[-1])

    monkeypatch.setattr(Logbook, "has", has)
    logbook = begin(tmp_path, "1 h 1 now")
    prepare: list[Change] = [log_in, know, wanted, partial(wanted, number=2)]
    async with open_rig(tmp_path / "x.db", empty_database, prepare, logbook=logbook) as rig:
        await passes(rig)
        works = rig.writes()
        assert len(works) == 2
        await rig.die(*works)
        assert asked == [[(work.outbox_id, work.job_id) for work in works]]


async def test_what_a_dead_scheduler_had_not_sent_is_sent(
    tmp_path: Path, empty_database: Path
) -> None:
    writes = [partial(wanted, number=number) for number in range(3)]
    prepare: list[Change] = [log_in, know, *writes]
    async with open_rig(tmp_path / "x.db", empty_database, prepare) as first:
        await passes(first)
        gone, kept, old = [row.id for row in await first.database.read(outbox_rows.list_rows)]
        change = f"UPDATE outbox SET claimed_by_epoch = 0 WHERE id = {old}"
        await first.write(lambda c: c.exec_driver_sql(change))
    past, logbook = Past(1, frozenset({gone})), begin(tmp_path, "2 h 1 now")
    async with open_rig(tmp_path / "x.db", empty_database, logbook=logbook, past=past) as second:
        await passes(second)
        doubts = {work.outbox_id: work.in_doubt for work in second.writes()}
        await written(second, second.writes()[0], "done")
        await passes(second)
        doubts |= {work.outbox_id: work.in_doubt for work in second.writes()}
        assert doubts == {gone: True, kept: False, old: True}
    # A third one knows what the second was to look up.
    assert look_back(tmp_path, 2, "2 h 1 now") == Past(2, frozenset({gone, old}))


async def test_a_write_that_waits_after_a_death_is_not_forgotten_when_the_database_is_away(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    await rig.write(wanted)
    await rig.write(lambda c: wanted(c, 2))
    await passes(rig)
    doomed, other = rig.writes()
    for wait_s in (1, 2):
        await rig.die(doomed)
        await rig.advance(wait_s)
        await passes(rig)
        (doomed,) = [work for work in rig.writes() if work.outbox_id == doomed.outbox_id]
    real = claims.finish

    def away(*_: object, **__: object) -> str:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(claims, "finish", away)
    monkeypatch.setattr("engine.trouble.FIRST_RETRY_S", 0.05)
    await rig.die(doomed, other)
    await until(rig, lambda: bool(rig.engine.trouble.text))
    monkeypatch.setattr(claims, "finish", real)
    await rig.advance(5)
    await until(rig, lambda: bool(rig.writes()))
    await passes(rig)
    (again,) = rig.writes()
    assert (again.outbox_id, again.in_doubt) == (other.outbox_id, True)
    assert [event.outbox_id for event in rig.events(OutboxUncertain)] == [doomed.outbox_id]


async def test_a_write_taken_over_by_a_commit_that_seemed_to_fail_is_looked_up(
    tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know, wanted]) as first:
        await passes(first)
        assert len(first.writes()) == 1
    real = Database.write
    broken = [True]

    async def lost(self: Database, work: Any, **how: Any) -> Any:
        done = await real(self, work, **how)
        if getattr(work, "__name__", "") == "adopt" and broken and broken.pop():
            raise StoreUnavailable("the connection was lost")
        return done

    monkeypatch.setattr("engine.trouble.FIRST_RETRY_S", 0.05)
    monkeypatch.setattr(Database, "write", lost)
    async with open_rig(tmp_path / "x.db", empty_database) as second:
        second.engine.drain.poke()
        await until(second, lambda: bool(second.writes()))
        assert not broken
        assert [work.in_doubt for work in second.writes()] == [True]


async def test_a_claim_that_ran_out_with_nobody_behind_it_is_looked_up(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    (work,) = rig.writes()
    # Answered without being marked: in this life of the scheduler nobody holds the row any more.
    del rig.pool.work[work.job_id]
    rig.pool.listener.on_messages(
        0, [WriteDone(work.job_id, work.epoch, work.outbox_id, "pending")]
    )
    await rig.advance(claims.CLAIM_S - 1)
    await passes(rig)
    assert not rig.writes()
    await rig.advance(1)
    await passes(rig)
    await until(rig, lambda: bool(rig.writes()))
    (again,) = rig.writes()
    assert (again.outbox_id, again.in_doubt) == (work.outbox_id, True)
    await passes(rig)
    assert len(rig.writes()) == 1
    await written(rig, again, "done")
    assert len(rig.events(OutboxDone)) == 1


async def test_a_write_that_is_out_is_not_swept_up(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    await rig.advance(claims.CLAIM_S + 1)
    await passes(rig)
    assert [work.in_doubt for work in rig.writes()] == [False]


async def test_writes_done_long_ago_are_pruned(rig: Rig) -> None:
    await rig.write(wanted)
    await passes(rig)
    await written(rig, rig.writes()[0], "done")
    await rig.advance(3599)
    await passes(rig)
    assert await rig.database.read(outbox_rows.counts) == {"done": 1}
    await rig.advance(61)
    # The drain's own pass may be the one that prunes.
    async with asyncio.timeout(60):
        while await rig.database.read(outbox_rows.counts):
            await passes(rig)


# --- the ledger and the database ---


async def test_many_rows_are_one_commit(rig: Rig, monkeypatch: pytest.MonkeyPatch) -> None:
    sizes: list[int] = []
    real = ledger.upsert_many

    def counted(connection: Connection, rows: list[ledger.LedgerRow]) -> int:
        sizes.append(len(rows))
        return real(connection, rows)

    monkeypatch.setattr(ledger, "upsert_many", counted)
    async with rig.engine.turns.housekeeping():
        for job in rig.running():
            await_free = rig.pool.work.pop(job.job_id)
            assert await_free is job
            rig.pool.listener.on_messages(0, [_done(job)])
    await rig.settle()
    assert sum(sizes) >= 6
    assert len(sizes) <= 2


def _done(job: RunJob) -> JobDone:
    return JobDone(job.job_id, job.attempt, job.epoch, Outcome(Token.SYNCED), 0.1)


async def test_a_database_that_cannot_be_written_stops_dispatch_and_loses_nothing(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = ledger.upsert_many
    monkeypatch.setattr("engine.trouble.FIRST_RETRY_S", 0.05)

    def full(*_: object) -> int:
        raise StoreUnavailable("the disk is full")

    monkeypatch.setattr(ledger, "upsert_many", full)
    job = rig.one(WALLET)
    del rig.pool.work[job.job_id]
    rig.pool.listener.on_messages(0, [_done(job)])
    async with asyncio.timeout(60):
        while not rig.engine.trouble.text:
            await asyncio.sleep(0)
    assert rig.engine.status.summary().database_trouble == "the disk is full"
    assert not rig.engine.dispatcher.is_open
    assert not [e for e in rig.events(Scheduled) if e.key == key(WALLET)]
    monkeypatch.setattr(ledger, "upsert_many", real)
    await rig.settle()
    assert not heartbeats(rig)[0].summary.database_trouble
    assert [e for e in rig.events(Scheduled) if e.key == key(WALLET)]
    assert await rig.row(WALLET) is not None


async def test_a_newer_scheduler_ends_this_one(tmp_path: Path, empty_database: Path) -> None:
    async def outlive() -> None:
        async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as rig:
            await rig.write(lambda c: fence.take_ownership(c, "other", 2, NOW))
            rig.pool.listener.on_messages(0, [_done(rig.one(WALLET))])
            await asyncio.wait([rig.life], timeout=60)

    with pytest.raises(BaseExceptionGroup) as caught:
        await outlive()
    assert caught.group_contains(Fenced)


# --- turns to write ---


class Granted:
    """Notes who was granted what, and who overstayed."""

    def __init__(self, expires_s: float = 35.0) -> None:
        """Make the turns."""
        self.log: list[tuple[int, int]] = []
        self.expired: list[int] = []
        self.turns = Turns(
            lambda owner, lease: self.log.append((owner, lease)), self.expired.append, expires_s
        )


async def test_one_writes_at_a_time_by_priority_and_in_order() -> None:
    granted = Granted()
    turns = granted.turns
    for owner, lease, priority in ((1, 1, 0), (2, 1, 0), (3, 1, 5), (4, 1, 0)):
        turns.acquire(owner, lease, priority)
    assert granted.log == [(1, 1)]
    for owner in (1, 3, 2):
        turns.release(owner, 1)
    assert [owner for owner, _ in granted.log] == [1, 3, 2, 4]


async def test_housekeeping_is_next_in_line() -> None:
    granted = Granted()
    turns = granted.turns
    turns.acquire(1, 1)
    turns.acquire(2, 1, 99)
    order: list[str] = []

    async def housekeep() -> None:
        async with turns.housekeeping():
            order.append("housekeeping")
            assert granted.log == [(1, 1)]

    task = asyncio.create_task(housekeep())
    await asyncio.sleep(0)
    turns.release(1, 1)
    await task
    assert order == ["housekeeping"]
    assert granted.log == [(1, 1), (2, 1)]


async def test_a_cancelled_housekeeper_leaves_the_line() -> None:
    granted = Granted()
    granted.turns.acquire(1, 1)

    async def housekeep() -> None:
        async with granted.turns.housekeeping():
            raise AssertionError("it was cancelled")

    task = asyncio.create_task(housekeep())
    await asyncio.sleep(0)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    granted.turns.release(1, 1)
    granted.turns.acquire(2, 1)
    assert granted.log == [(1, 1), (2, 1)]


async def test_a_dead_workers_turns_are_freed() -> None:
    granted = Granted()
    for owner, lease in ((1, 1), (1, 2), (2, 1)):
        granted.turns.acquire(owner, lease)
    granted.turns.free(1)
    assert granted.log == [(1, 1), (2, 1)]


async def test_a_wait_can_be_taken_back() -> None:
    granted = Granted()
    for owner in (1, 2, 3):
        granted.turns.acquire(owner, 1)
    granted.turns.release(2, 1)
    granted.turns.release(1, 1)
    assert granted.log == [(1, 1), (3, 1)]


async def test_who_keeps_a_turn_too_long_is_ended_and_then_the_next_one_writes() -> None:
    granted = Granted(expires_s=0.01)
    granted.turns.acquire(1, 1)
    granted.turns.acquire(2, 1)
    async with asyncio.timeout(60):
        while not granted.expired:
            await asyncio.sleep(0.005)
    # Not before it is dead: it may be in the middle of its transaction.
    assert granted.log == [(1, 1)]
    granted.turns.free(1)
    assert granted.log == [(1, 1), (2, 1)]


async def test_workers_ask_over_their_pipes(rig: Rig) -> None:
    rig.pool.listener.on_messages(1, [Acquire(7, "write")])
    await until(rig, lambda: rig.pool.sent == [(1, Grant(7))])
    rig.pool.listener.on_messages(0, [Acquire(1, "write")])
    rig.pool.listener.on_messages(1, [Release(7)])
    assert rig.pool.sent[-1] == (0, Grant(1))
    rig.pool.listener.on_messages(0, [Release(1), Acquire(2, "x")])
    assert isinstance(rig.pool.sent[-1][1], Deny)


# --- events ---


async def test_events_of_a_moment_leave_together(monkeypatch: pytest.MonkeyPatch) -> None:
    loop = asyncio.get_running_loop()
    now_s = [loop.time()]
    monkeypatch.setattr(loop, "time", lambda: now_s[0])
    sent: list[Any] = []
    outlet = Outlet(sent.append, lambda: 0)
    outlet.listen(True)

    async def sizes_after(*counts: int) -> list[int]:
        sent.clear()
        for count in counts:
            for _ in range(count):
                outlet.add(events.Enrolled(NOW, ONE))
            for _ in range(3):
                await asyncio.sleep(0)
        return [len(message.events) for message in sent]

    assert await sizes_after(BATCH + 1) == [BATCH, 1]
    assert await sizes_after(1, 2) == []
    now_s[0] += PACE_S
    assert await sizes_after(0) == [3]


async def test_events_that_nobody_reads_are_bounded_and_counted() -> None:
    sent: list[msgspec.Struct] = []
    backlog = [1 << 30]
    outlet = Outlet(sent.append, lambda: backlog[0])
    outlet.listen(True)
    for _ in range(LIMIT + 3):
        outlet.add(events.Enrolled(NOW, TWO))
    await asyncio.sleep(0)
    assert (len(sent), outlet.dropped) == (0, 3)
    backlog[0] = 0
    outlet.flush()
    assert sum(len(m.events) for m in sent if isinstance(m, Events)) == LIMIT
    assert [m.missed for m in sent if isinstance(m, Events) and m.missed] == [3]
    outlet.flush()
    assert sum(m.missed for m in sent if isinstance(m, Events)) == 3


# --- life ---


async def test_heartbeats_carry_the_summary(rig: Rig) -> None:
    first = heartbeats(rig)[0]
    assert first.summary.workers[0].state == "ready"


async def test_nothing_is_dispatched_while_stopping(rig: Rig) -> None:
    rig.engine.dispatcher.stop()
    await rig.end(WALLET)
    await rig.advance(3600)
    assert not rig.running(WALLET)
    await rig.write(wanted)
    await passes(rig)
    assert not rig.writes()


async def test_trouble_with_reading_ends_when_reading_works_again(
    rig: Rig, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("engine.trouble.FIRST_RETRY_S", 0.02)
    calls: list[int] = []

    def broken(*_: object) -> None:
        calls.append(1)
        raise StoreUnavailable("disk I/O error")

    with monkeypatch.context() as broken_world:
        broken_world.setattr("engine.discovery.read_world", broken)
        rig.engine.discovery.poke()
        await until(rig, lambda: len(calls) >= 2)
        assert not rig.engine.dispatcher.is_open
        # A ledger that can be written does not mend it.
        await rig.end(WALLET)
        assert not rig.engine.dispatcher.is_open
    await until(rig, lambda: rig.engine.dispatcher.is_open)
    assert rig.engine.trouble.text == ""


@pytest.mark.parametrize("is_noted", [False, True])
async def test_a_claim_that_was_committed_with_an_error_is_found_again(
    tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch, is_noted: bool
) -> None:
    """Or one whose worker could not mark what it had sent."""
    monkeypatch.setattr("engine.trouble.FIRST_RETRY_S", 0.02)
    real = outbox_rows.counts
    logbook = begin(tmp_path, "1 h 1 now")
    async with open_rig(tmp_path / "x.db", empty_database, [log_in, know], logbook=logbook) as rig:
        row_id = await rig.write(wanted)
        if is_noted:
            worker = join(tmp_path, 1)
            worker.note(row_id, 99)
            worker.close()
        # Claimed by this epoch, and nobody here knows.
        now, epoch = rig.clock.now(), rig.engine.epoch
        await rig.write(lambda c: claims.claim(c, claims.find_due(c, now, 16), now, epoch))

        def broken(_: Connection) -> dict[str, int]:
            monkeypatch.setattr(outbox_rows, "counts", real)
            raise StoreUnavailable("lost while committing")

        monkeypatch.setattr(outbox_rows, "counts", broken)
        await passes_after(rig)
        (work,) = rig.writes()
        assert work.in_doubt is is_noted


async def passes_after(rig: Rig) -> None:
    """Let the drain meet its trouble and go on."""
    rig.engine.drain.poke()
    await until(rig, lambda: bool(rig.writes()))


async def test_an_error_in_a_callback_ends_the_scheduler(
    tmp_path: Path, empty_database: Path
) -> None:
    """Asyncio would log it and go on, with whatever it left half done."""

    def fail() -> None:
        raise ZeroDivisionError

    async def outlive() -> None:
        async with open_rig(tmp_path / "x.db", empty_database, [log_in, know]) as rig:
            asyncio.get_running_loop().call_soon(fail)
            await asyncio.wait([rig.life], timeout=60)

    with pytest.raises(BaseExceptionGroup) as caught:
        await outlive()
    assert caught.group_contains(ZeroDivisionError)
