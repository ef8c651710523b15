"""A real worker process: handshake, orders and their ends, stops, and the loss of its scheduler."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import text

from ipc import outcome as reactions
from ipc.child import ForkServer
from ipc.exits import Exit
from ipc.messages import (
    PROTOCOL_VERSION,
    Acquire,
    BootFailed,
    CancelJob,
    Grant,
    JobDone,
    PartBlock,
    Release,
    StopChild,
    WorkerHeartbeat,
)
from ipc.outcome import Token
from ipc.settings import Settings
from ipc.subject import Subject, SubjectType
from jobs.store import fence, subjects
from jobs.store.database import Database

pytestmark = pytest.mark.process


async def test_the_handshake_tells_where_the_code_came_from(scheduler: Any) -> None:
    ready = await scheduler.ready()

    assert ready.protocol == PROTOCOL_VERSION
    assert Path(ready.module_path).parts[-2:] == ("jobs", "worker.py")


async def test_a_job_is_run_and_answered(scheduler: Any) -> None:
    done = await scheduler.done(scheduler.run("probe_noop", attempt=3))

    assert (done.attempt, done.epoch) == (3, scheduler.epoch)
    assert done.outcome.token is Token.SYNCED
    assert done.outcome.rows_touched == 1
    assert done.changed
    assert done.reaction is None


async def test_jobs_run_beside_each_other(scheduler: Any) -> None:
    slow = scheduler.run("probe_sleep", 0)
    quick = scheduler.run("probe_noop")

    await scheduler.done(quick)

    assert not [each for each in scheduler.all(JobDone) if each.job_id == slow.job_id]


async def test_heartbeats_tell_how_late_the_loop_is(scheduler: Any) -> None:
    await scheduler.done(scheduler.run("probe_block", 500))

    await scheduler.one(lambda m: isinstance(m, WorkerHeartbeat) and m.lag_s > 0.25)


@pytest.mark.parametrize(
    "probe", ["probe_crash", "probe_leave", "probe_interrupt", "probe_generator_exit"]
)
async def test_whatever_a_job_raises_is_its_own_end_only(scheduler: Any, probe: str) -> None:
    done = await scheduler.done(scheduler.run(probe))

    assert done.outcome.token is Token.FAILED
    assert isinstance(done.reaction, reactions.Bug)
    assert (await scheduler.done(scheduler.run("probe_noop"))).outcome.is_success


async def test_a_job_past_its_deadline_fails_with_the_reason(scheduler: Any) -> None:
    done = await scheduler.done(scheduler.run("probe_sleep", 0, deadline_s=0.1))

    assert done.outcome.token is Token.FAILED
    assert done.outcome.reason == "deadline exceeded"
    assert done.reaction == reactions.Cancelled(stopping=False)


@pytest.mark.parametrize(
    ("reason", "token", "reaction"),
    [
        ("deadline", Token.FAILED, reactions.Cancelled(stopping=False)),
        ("stopping", Token.FAILED, reactions.Cancelled(stopping=True)),
        ("withdrawn", Token.SKIPPED, None),
    ],
)
async def test_a_cancelled_job_ends_with_the_reason(
    scheduler: Any, reason: Any, token: Token, reaction: Any
) -> None:
    order = scheduler.run("probe_sleep", 0)
    scheduler.send(CancelJob(order.job_id, reason))

    done = await scheduler.done(order)

    assert (done.outcome.token, done.reaction) == (token, reaction)


async def test_an_order_given_twice_or_of_another_epoch_is_carried_out_once(
    scheduler: Any,
) -> None:
    order = scheduler.run("probe_sleep", 0)
    scheduler.send(order)
    scheduler.send(msgspec.structs.replace(order, job_id=900, epoch=scheduler.epoch + 1))
    scheduler.send(CancelJob(12345, "deadline"))
    scheduler.send(CancelJob(order.job_id, "deadline"))
    await scheduler.done(order)

    await scheduler.done(scheduler.run("probe_noop"))

    ids = [each.job_id for each in scheduler.all(JobDone)]
    assert ids.count(order.job_id) == 1
    assert 900 not in ids


async def test_an_unknown_kind_fails_and_hurts_nobody(scheduler: Any) -> None:
    done = await scheduler.done(scheduler.run("no_such_kind"))

    assert done.outcome.token is Token.FAILED
    assert (await scheduler.done(scheduler.run("probe_noop"))).outcome.is_success


async def test_a_job_without_a_granted_part_is_blocked_with_the_reasons(scheduler: Any) -> None:
    order = scheduler.run(
        "probe_noop", grants=(), blocked=(PartBlock("probe_noop", "missing scope esi-x.y.v1"),)
    )

    done = await scheduler.done(order)

    assert done.outcome.token is Token.BLOCKED
    assert "missing scope esi-x.y.v1" in done.outcome.reason


async def test_rows_are_written_in_turn(scheduler: Any, database: Database) -> None:
    scheduler.grants_writes = False
    order = scheduler.run("probe_write_rows")
    acquire = await scheduler.one(lambda m: isinstance(m, Acquire))

    assert acquire.resource == "write"
    assert await _rows(database) == 0
    scheduler.send(Grant(acquire.lease_id))
    done = await scheduler.done(order)
    await scheduler.one(lambda m: isinstance(m, Release) and m.lease_id == acquire.lease_id)

    assert done.outcome.rows_touched == 10
    assert await _rows(database) == 10


async def test_a_job_cancelled_while_it_waits_for_its_turn_takes_the_question_back(
    scheduler: Any, database: Database
) -> None:
    scheduler.grants_writes = False
    order = scheduler.run("probe_write_rows")
    acquire = await scheduler.one(lambda m: isinstance(m, Acquire))

    scheduler.send(CancelJob(order.job_id, "deadline"))

    await scheduler.one(lambda m: isinstance(m, Release) and m.lease_id == acquire.lease_id)
    assert (await scheduler.done(order)).outcome.reason == "deadline exceeded"
    assert await _rows(database) == 0


async def test_nothing_is_written_for_a_withdrawn_subject(
    scheduler: Any, database: Database
) -> None:
    from ipc.clock import SystemClock

    character = Subject(SubjectType.CHARACTER, 1)
    now = SystemClock().now()
    await database.write(lambda c: subjects.withdraw(c, character, now), epoch=None)

    done = await scheduler.done(scheduler.run("probe_write_rows"))

    assert done.outcome.token is Token.SKIPPED
    assert await _rows(database) == 0


async def test_nothing_is_written_for_an_older_scheduler(
    scheduler: Any, database: Database
) -> None:
    from ipc.clock import SystemClock

    now = SystemClock().now()
    await database.write(lambda c: fence.take_ownership(c, "newer", 2, now), epoch=None)

    done = await scheduler.done(scheduler.run("probe_write_rows"))

    assert done.reaction == reactions.Cancelled(stopping=True)
    assert await _rows(database) == 0


async def test_a_stop_lets_jobs_end_within_the_grace(scheduler: Any) -> None:
    order = scheduler.run("probe_sleep", 300)
    scheduler.send(StopChild(grace_s=60.0))

    assert (await scheduler.exit()).exit_code == Exit.OK
    assert (await scheduler.done(order)).outcome.is_success


async def test_a_stop_cuts_off_what_takes_longer_and_says_so(scheduler: Any) -> None:
    order = scheduler.run("probe_sleep", 0)
    # Long enough that the late one is read while the first one is still waited for.
    scheduler.send(StopChild(grace_s=2.0))
    late = scheduler.run("probe_noop")

    assert (await scheduler.exit()).exit_code == Exit.OK
    for each in (order, late):
        assert (await scheduler.done(each)).reaction == reactions.Cancelled(stopping=True)


async def test_a_stop_is_not_held_up_by_a_job_that_ignores_it(scheduler: Any) -> None:
    scheduler.run("probe_stubborn")
    scheduler.send(StopChild(grace_s=0.0))

    assert (await scheduler.exit()).exit_code == Exit.OK


async def test_a_worker_without_a_scheduler_leaves_at_once(scheduler: Any) -> None:
    scheduler.run("probe_sleep", 0)
    scheduler.hang_up()

    assert (await scheduler.exit()).exit_code == Exit.ORPHANED


async def test_a_worker_that_cannot_load_its_kinds_says_why(
    settings: Settings, play: Any, forkserver: ForkServer
) -> None:
    await _refused(
        msgspec.structs.replace(settings, kind_packages=("no.such.package",)),
        play,
        forkserver,
        "no",
    )


async def test_a_worker_of_another_protocol_says_so(
    settings: Settings, play: Any, forkserver: ForkServer
) -> None:
    await _refused(settings, play, forkserver, "protocol 999", protocol=999)


async def _refused(
    settings: Settings, play: Any, forkserver: ForkServer, words: str, **how: Any
) -> None:
    scheduler = play(settings)
    await scheduler.start(forkserver, **how)
    try:
        failed = await scheduler.one(lambda m: isinstance(m, BootFailed))
        assert failed.exit_code == Exit.CONFIG
        assert words in failed.reason
        assert (await scheduler.exit()).exit_code == Exit.CONFIG
    finally:
        scheduler.hang_up()
        scheduler.child.close()


async def _rows(database: Database) -> int:
    found = await database.read(lambda c: c.scalar(text("SELECT count(*) FROM probe_rows")))
    return int(found or 0)
