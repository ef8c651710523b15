"""Workers that die, hang or are killed by their jobs, and a scheduler that is killed."""

from __future__ import annotations

import contextlib
import signal
import sqlite3
from pathlib import Path

import msgspec
import pytest

from ipc.clock import SystemClock
from ipc.commands import Withdraw
from ipc.events import Failed, Finished, Scheduled, Started, WorkerDied, WorkerUp
from ipc.exits import Exit
from ipc.outcome import Token
from ipc.parentage import child_pids
from ipc.subject import Subject, SubjectType
from tests.process.engine_house import QUICK, SLOW, kill, open_house, probe
from tests.processes import children_of, descendants_of, is_alive, is_there, none_alive, parent_of

pytestmark = pytest.mark.process

A_WHILE = Subject(SubjectType.CHARACTER, 5000)


async def test_a_worker_that_is_killed_idle_is_replaced_at_once(tmp_path: Path) -> None:
    async with open_house(tmp_path) as house:
        await house.start()
        pids = await house.workers(2)
        up = len(house.of(WorkerUp))
        kill(pids[0])
        died = await house.event(WorkerDied)
        assert (died.pid, died.jobs) == (pids[0], 0)
        assert "signal 9" in died.cause
        reborn = await house.event(WorkerUp, count=up + 1)
        assert reborn.worker == died.worker
        assert len(await house.workers(2)) == 2
        assert pids[1] in await house.workers(2)


async def test_a_job_whose_worker_is_killed_runs_again_and_has_not_failed(tmp_path: Path) -> None:
    job = probe("sleep", A_WHILE)
    async with open_house(tmp_path, [A_WHILE]) as house:
        await house.start()
        await house.workers(2)
        await house.run_now(job)
        started = await house.event(Started, job)
        victim = next(e.pid for e in house.of(WorkerUp) if e.worker == started.worker)
        kill(victim)
        assert (await house.event(WorkerDied)).jobs == 1
        again = await house.event(Started, job, count=2)
        assert again.worker == 2, "the lone worker"
        finished = await house.event(Finished, job)
        assert finished.outcome.token is Token.SYNCED
        assert not house.of(Failed)
        await house.row_when(job, lambda row: (row.strikes, row.consecutive_failures) == (0, 0))


async def test_a_poison_job_is_parked_after_three_deaths_alone_and_stays_so(
    tmp_path: Path,
) -> None:
    poison, innocent = probe("kill_self"), probe("noop")
    async with open_house(tmp_path) as house:
        await house.start()
        await house.workers(2)
        await house.run_now(poison)
        for strike in (1, 2, 3):
            failed = await house.event(Failed, poison, count=strike)
            assert failed.parked is (strike == 3)
            await house.run_now(innocent)
            await house.event(Finished, innocent, count=strike)
        row = await house.row_when(poison, lambda row: row.parked_reason is not None)
        assert row.strikes == 3
        assert "3 times" in (row.parked_reason or "")
        # One death beside others, three alone.
        assert len(house.of(WorkerDied)) == 4
        assert not house.life.is_dead
        await house.stop()
        house.events.clear()
        await house.start()
        await house.run_now(innocent)
        await house.event(Finished, innocent)
        assert not house.of(Started, poison)
        await house.until(
            "the park in the summary",
            lambda: (s := house.summary()) is not None and (s.parked, s.failing) == (1, 1),
        )


async def test_a_spinning_job_costs_its_worker_and_is_told_from_its_neighbours(
    tmp_path: Path,
) -> None:
    spin, neighbour = probe("spin"), probe("sleep", SLOW)
    async with open_house(tmp_path, [QUICK, SLOW], hung_after_s=5.0) as house:
        await house.start()
        await house.workers(2)
        for _ in range(2):
            await house.run_now(spin)
        died = await house.event(WorkerDied)
        assert "hung" in died.cause
        failed = await house.event(Failed, spin)
        assert "its worker died" in failed.reason
        # Other workers go on meanwhile.
        await house.run_now(probe("noop"))
        await house.event(Finished, probe("noop"))
        assert not house.of(Failed, neighbour)


async def test_a_stopped_worker_is_found_hung_and_replaced(tmp_path: Path) -> None:
    async with open_house(tmp_path, hung_after_s=5.0) as house:
        await house.start()
        pids = await house.workers(2)
        kill(pids[0], signal.SIGSTOP)
        died = await house.event(WorkerDied)
        assert (died.pid, "hung" in died.cause) == (pids[0], True)
        assert not is_alive(pids[0])
        assert len(await house.workers(2)) == 2


async def test_a_job_over_its_deadline_is_cancelled(tmp_path: Path) -> None:
    job = probe("sleep", SLOW)
    async with open_house(tmp_path, [SLOW], job_deadline_s=0.3) as house:
        await house.start()
        await house.run_now(job)
        failed = await house.event(Failed, job)
        assert "deadline" in failed.reason
        assert not house.of(WorkerDied)


async def test_a_job_that_ignores_its_cancellation_costs_its_worker(tmp_path: Path) -> None:
    job = probe("stubborn")
    async with open_house(tmp_path, job_deadline_s=0.3, cancel_grace_s=0.5) as house:
        await house.start()
        await house.workers(2)
        await house.run_now(job)
        failed = await house.event(Failed, job)
        died = await house.event(WorkerDied)
        assert "did not end when cancelled" in died.cause
        assert "deadline" in failed.reason
        assert len(await house.workers(2)) == 2


async def test_a_dead_forkserver_takes_the_workers_and_all_come_back(tmp_path: Path) -> None:
    job = probe("sleep", A_WHILE)
    async with open_house(tmp_path, [A_WHILE]) as house:
        await house.start()
        pids = await house.workers(2)
        (forkserver,) = set(map(parent_of, pids))
        await house.run_now(job)
        await house.event(Started, job)
        kill(forkserver)
        await house.event(WorkerDied, count=2)
        await house.until(
            "both back", lambda: len({e.pid for e in house.of(WorkerUp)} - set(pids)) == 2
        )
        await house.event(Finished, job)
        assert not house.of(Failed)
        assert house.of(Started, job)[-1].worker < 2, "nobody is suspected"
        # The dead workers became the scheduler's own children.
        await house.until("no zombie left", lambda: not any(map(is_there, (*pids, forkserver))))


async def test_a_scheduler_that_is_killed_leaves_nothing_running(tmp_path: Path) -> None:
    async with open_house(tmp_path, [QUICK, SLOW]) as house:
        await house.start()
        pids = await house.workers(2)
        await house.run_now(probe("spin"))
        await house.run_now(probe("sleep", SLOW))
        await house.event(Started, probe("spin"))
        kill(pids[1], signal.SIGSTOP)
        tree = descendants_of(house.life.pid)
        assert set(pids) < set(tree)
        await house.kill()
        await house.until("the end of all", lambda: none_alive(tree))


async def test_what_a_dead_scheduler_cut_off_is_no_suspect(tmp_path: Path) -> None:
    job = probe("sleep", A_WHILE)
    async with open_house(tmp_path, [A_WHILE]) as house:
        await house.start()
        await house.run_now(job)
        await house.event(Started, job)
        await house.kill()
        house.events.clear()
        await house.start()
        await house.run_now(job)
        finished = await house.event(Finished, job)
        assert finished.outcome.token is Token.SYNCED
        assert house.of(Started, job)[0].worker < 2


async def test_a_stop_lets_jobs_end_and_cuts_off_the_rest_without_a_failure(
    tmp_path: Path,
) -> None:
    short, long = probe("sleep", A_WHILE), probe("sleep", SLOW)
    async with open_house(tmp_path, [A_WHILE, SLOW]) as house:
        await house.start()
        tree = descendants_of(house.life.pid)
        before = await house.row(long)
        await house.run_now(short)
        await house.run_now(long)
        await house.event(Started, short)
        await house.event(Started, long)
        assert await house.stop(grace_s=15.0) == Exit.OK
        assert house.of(Finished, short)
        assert not house.of(Failed)
        after = await house.row(long)
        # Due at the next start, and otherwise as it was.
        assert after.next_eligible_at is not None
        assert after.next_eligible_at <= SystemClock().now()
        assert msgspec.structs.replace(after, next_eligible_at=before.next_eligible_at) == before
        await house.until("the end of all", lambda: none_alive(tree))
        assert not [pid for pid in child_pids() if pid in tree]


async def test_a_scheduler_whose_supervisor_is_gone_leaves_with_its_workers(
    tmp_path: Path,
) -> None:
    async with open_house(tmp_path) as house:
        await house.start()
        await house.workers(2)
        tree = descendants_of(house.life.pid)
        channel = house.life._channel
        assert channel is not None
        channel.abort()
        assert await house.ended() == Exit.ORPHANED
        await house.until("the end of all", lambda: none_alive(tree))


async def test_a_withdrawn_subject_is_cut_off_and_stays_away(tmp_path: Path) -> None:
    job = probe("sleep", SLOW)
    async with open_house(tmp_path, [SLOW]) as house:
        await house.start()
        await house.run_now(job)
        await house.event(Started, job)
        await house.do(Withdraw(SLOW))
        await house.until("an empty schedule", lambda: (s := house.summary()) and s.entries == 0)
        assert not house.of(WorkerDied)
        await house.stop()
        await house.start()
        summary = await house.until("a summary", house.summary)
        assert summary.entries == 0


async def test_what_a_job_left_running_ends_with_its_worker(tmp_path: Path) -> None:
    job = probe("orphan")
    async with open_house(tmp_path, [QUICK]) as house:
        await house.start()
        await house.workers(2)
        await house.run_now(job)
        started = await house.event(Started, job)
        await house.event(Finished, job)
        victim = next(e.pid for e in house.of(WorkerUp) if e.worker == started.worker)
        (left,) = children_of(victim)
        kill(victim)
        await house.until("its end", lambda: not is_there(left))
        assert not house.life.is_dead


async def test_a_writer_elsewhere_holds_no_heartbeat_up(tmp_path: Path) -> None:
    job = probe("noop")
    beats: set[float] = set()
    async with open_house(tmp_path, [QUICK]) as house:
        await house.start()
        await house.workers(2)
        before = await house.row(job)
        with contextlib.closing(sqlite3.connect(tmp_path / "esisyncd.db")) as other:
            other.isolation_level = None
            other.execute("BEGIN IMMEDIATE")
            await house.run_now(job)
            await house.event(Finished, job)

            def beaten() -> bool:
                beats.add(house.life.last_sign_s)
                return len(beats) > 10

            # Ten heartbeats are a second; the row still waits for the lock.
            await house.until("heartbeats", beaten)
            assert await house.row(job) == before
            other.execute("ROLLBACK")
        await house.event(Scheduled, job)
        await house.row_when(job, lambda row: row != before)
        assert not house.of(WorkerDied)
