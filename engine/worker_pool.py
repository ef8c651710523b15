"""The real pool: worker processes from a forkserver, each over its own pipe.

A worker is dead when its pidfd says so, and its pipe is read to the end before anything is
called lost. One that dies is replaced at once; many deaths in a row make that slower.
"""

from __future__ import annotations

import asyncio
import contextlib
import importlib.util
import logging
from collections.abc import Coroutine
from typing import Any, Literal

import msgspec

from engine.deaths import Deaths
from engine.pool import FromPool, Listener, Loss, NoWorker, PoolBroken, Work
from engine.worker import Worker
from ipc.channel import ChannelClosed
from ipc.child import Child, ForkServer, ForkServerGone, SpawnFailed
from ipc.clock import Clock
from ipc.exits import Exit
from ipc.messages import (
    CancelJob,
    JobDone,
    RefreshDone,
    ResolveDone,
    RunJob,
    StopChild,
    Welcome,
    WriteDone,
)
from ipc.scheduler_messages import WorkerState
from ipc.settings import Settings

_log = logging.getLogger(__name__)

ENTRY = "jobs.worker:main"
# Dead workers' pipes are at their end in no time; only a copy held elsewhere keeps one open.
DRAIN_S = 1.0
ORPHAN_LOOK_S = 0.5
# What ends a piece of work.
_ANSWERS = (JobDone, WriteDone, RefreshDone, ResolveDone)


def worker_module() -> str:
    """Return the path of the module that workers must have loaded."""
    spec = importlib.util.find_spec(ENTRY.partition(":")[0])
    if spec is None or spec.origin is None:
        raise PoolBroken(Exit.CONFIG, "the module of the workers is not installed")
    return spec.origin


class WorkerPool:
    """Four workers (or as many as are configured), and a lone one when somebody is suspected."""

    def __init__(
        self,
        forkserver: ForkServer,
        settings: Settings,
        encoded_settings: bytes,
        epoch: int,
        clock: Clock,
    ) -> None:
        """Take a started forkserver; set `listener` before run()."""
        self.listener: Listener
        self._forkserver = forkserver
        self._timings = settings.timings
        self._limit = settings.engine.jobs_per_worker
        self._count = settings.engine.workers
        self._encoded_settings = encoded_settings
        self._epoch = epoch
        self._clock = clock
        self._deaths = Deaths()
        self._module = worker_module()
        self._workers: dict[int, Worker] = {}
        # No worker process is there.
        self._empty = asyncio.Event()
        self._empty.set()
        self._ready: list[Worker] = []
        self._where: dict[int, Worker] = {}
        self._died: dict[int, int] = {}
        self._lone_work: RunJob | None = None
        self._lone_wanted = asyncio.Event()
        # Raised by each death of the forkserver, which takes its workers along.
        self._server_life = 0
        self._server_up = asyncio.Event()
        self._server_up.set()
        self._stopping = False
        self._group: asyncio.TaskGroup | None = None
        self._stopped = asyncio.Event()

    # --- Pool ---

    @property
    def free_slots(self) -> int:
        """Return how many more jobs can be taken now."""
        limit = self._limit
        free = 0
        for worker in self._ready:
            room = limit - worker.slots_taken
            if room > 0:
                free += room
        return free

    def submit(self, work: Work, *, over: bool = False) -> int:
        """Hand work to the least loaded worker and return its number."""
        chosen: Worker | None = None
        least = 1 << 30 if over else self._limit
        for worker in self._ready:
            load = len(worker.errands) if over else worker.slots_taken
            if load < least:
                least, chosen = load, worker
        if chosen is None:
            raise NoWorker
        try:
            chosen.channel.send(work)
        except ChannelClosed:
            self._unready(chosen)
            return self.submit(work, over=over)
        chosen.jobs.add(work.job_id)
        if over:
            chosen.errands.add(work.job_id)
        self._where[work.job_id] = chosen
        return chosen.number

    def submit_alone(self, work: RunJob) -> int:
        """Run one job on a worker of its own, started if need be."""
        if self._stopping or self._lone_work is not None:
            raise NoWorker
        lone = self._workers.get(self._count)
        if lone is not None and lone.state == "ready" and not lone.jobs:
            self._give_lone(lone, work)
        else:
            self._lone_work = work
            self._lone_wanted.set()
        return self._count

    def cancel(self, job_id: int, reason: Literal["deadline", "stopping", "withdrawn"]) -> None:
        """Ask the worker that runs it to end it."""
        worker = self._where.get(job_id)
        if worker is not None:
            worker.send(CancelJob(job_id, reason))

    def kill(self, job_id: int, why: str) -> None:
        """End the worker that runs it."""
        worker = self._where.get(job_id)
        if worker is not None:
            self._end(worker, why)

    def kill_worker(self, worker: int, why: str) -> None:
        """End a worker."""
        found = self._workers.get(worker)
        if found is not None:
            self._end(found, why)

    def send(self, worker: int, message: msgspec.Struct) -> None:
        """Send a worker a message; nothing happens when it is gone."""
        found = self._workers.get(worker)
        if found is not None:
            found.send(message)

    def broadcast(self, message: msgspec.Struct) -> None:
        """Send a message to every worker that is there."""
        for worker in self._workers.values():
            worker.send(message)

    def explain(self, jobs: list[int]) -> None:
        """Note that the deaths which took these jobs along have a culprit, who is parked."""
        self._deaths.explain(jobs)

    def states(self) -> tuple[WorkerState, ...]:
        """Return the workers as status shows them."""
        found = []
        for number in range(self._count + 1):
            worker = self._workers.get(number)
            deaths = self._died.get(number, 0)
            if worker is not None:
                jobs = len(worker.jobs)
                found.append(
                    WorkerState(number, worker.child.pid, worker.state, jobs, deaths, worker.lag_s)
                )
            elif number < self._count:
                found.append(WorkerState(number, 0, "waiting", 0, deaths))
        return tuple(found)

    async def run(self) -> None:
        """Keep the workers running until cancelled or stopped; raises PoolBroken."""
        try:
            async with asyncio.TaskGroup() as group:
                self._group = group
                keepers = [group.create_task(self._keep(n)) for n in range(self._count)]
                keepers.append(group.create_task(self._keep_lone()))
                keepers.append(group.create_task(self._keep_forkserver()))
                keepers.append(group.create_task(self._watch_heartbeats()))
                keepers.append(group.create_task(self._reap_orphans()))
                await self._stopped.wait()
                for keeper in keepers:
                    keeper.cancel()
        except* PoolBroken as group_error:
            raise _first(group_error) from None
        finally:
            self._group = None

    async def stop(self, grace_s: float) -> None:
        """Let work end for grace_s, have the rest cancelled, and end all workers."""
        self._stopping = True
        self._ready.clear()
        workers = list(self._workers.values())
        await asyncio.gather(*(worker.stop(grace_s) for worker in workers))
        # The keepers read the pipes to their end and tell what was lost.
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(DRAIN_S + 1.0):
                await self._empty.wait()
        self._stopped.set()

    # --- keepers ---

    async def _keep(self, number: int) -> None:
        """Have a worker of this number, always."""
        while not self._stopping:
            delay_s = await self._live(number)
            if delay_s > 0 and not self._stopping:
                await asyncio.sleep(delay_s)

    async def _keep_lone(self) -> None:
        """Have the lone worker while a suspect wants it."""
        while not self._stopping:
            await self._lone_wanted.wait()
            self._lone_wanted.clear()
            while self._lone_work is not None and not self._stopping:
                delay_s = await self._live(self._count)
                if delay_s > 0 and self._lone_work is not None:
                    await asyncio.sleep(delay_s)

    async def _keep_forkserver(self) -> None:
        while True:
            await self._forkserver.died()
            if self._stopping:
                return
            self._server_up.clear()
            self._server_life += 1
            _log.error("the forkserver is dead: it is started again")
            delay_s = self._record_death(())
            if delay_s > 0:
                await asyncio.sleep(delay_s)
            try:
                # Here and not in a thread: its children's lives are tied to this one.
                self._forkserver.start()
            except SpawnFailed as error:
                raise PoolBroken(Exit.WORKERS_LOST, str(error)) from error
            self._server_up.set()

    async def _watch_heartbeats(self) -> None:
        """End workers whose loop has not been heard of for too long."""
        step_s = min(self._timings.heartbeat_s, self._timings.hung_after_s / 4)
        last_s = self._clock.monotonic_s()
        while True:
            await asyncio.sleep(step_s)
            now_s = self._clock.monotonic_s()
            if now_s - last_s > step_s + self._timings.hung_after_s / 2:
                # It was this process that stood still.
                for worker in self._workers.values():
                    worker.heard_s = now_s
            last_s = now_s
            for worker in list(self._workers.values()):
                if worker.state == "starting" or self._stopping:
                    # Its boot, or the stop, has a deadline of its own.
                    continue
                if now_s - worker.heard_s > self._timings.hung_after_s:
                    self._end(worker, f"hung for {now_s - worker.heard_s:.1f} s")

    async def _reap_orphans(self) -> None:
        """Leave no zombie: a dead forkserver's workers are ours to reap, and a job's children."""
        while True:
            self._forkserver.reap_orphans()
            await asyncio.sleep(ORPHAN_LOOK_S)

    async def _live(self, number: int) -> float:
        """Run one worker from its start to its end; return the wait before the next."""
        await self._server_up.wait()
        started_s, server_life = self._clock.monotonic_s(), self._server_life
        try:
            async with asyncio.timeout(self._timings.boot_deadline_s):
                child = await self._forkserver.start_child(ENTRY, f"worker-{number}")
        except TimeoutError:
            _log.error("the forkserver does not answer: it is ended")
            self._forkserver.end()
            return 0.0
        except ForkServerGone:
            # It may have been started again before this was heard.
            if self._server_life == server_life:
                self._server_up.clear()
            return 0.0
        except SpawnFailed as error:
            _log.error("worker %d cannot be started: %s", number, error)
            return max(0.1, self._record_death(()))
        worker = Worker(number, child, self._clock, self._on_messages)
        self._workers[number] = worker
        self._empty.clear()
        try:
            cause = await self._serve(worker, started_s)
        finally:
            self._unready(worker)
            worker.close()
            if self._workers.get(number) is worker:
                del self._workers[number]
        delay_s = self._bury(worker, child, cause, server_life)
        if not self._workers:
            self._empty.set()
        return delay_s

    async def _serve(self, worker: Worker, started_s: float) -> str:
        """Boot a worker and wait for its end; return why it ended."""
        welcome = Welcome(0, worker.number, self._epoch, self._encoded_settings)
        trouble = await worker.boot(welcome, self._timings.boot_deadline_s, self._module)
        if not trouble and not self._stopping:
            self._now_ready(worker, started_s)
        reason = await worker.wait_end(DRAIN_S)
        return trouble or worker.ended_why or reason.describe(by_us=worker.state == "stopping")

    def _now_ready(self, worker: Worker, started_s: float) -> None:
        worker.state = "ready"
        boot_s = self._clock.monotonic_s() - started_s
        # The lone worker comes and goes with each suspect.
        level = logging.DEBUG if worker.number == self._count else logging.INFO
        _log.log(level, "worker %d is ready after %.0f ms", worker.number, boot_s * 1000)
        if worker.number == self._count:
            work, self._lone_work = self._lone_work, None
            if work is not None:
                self._give_lone(worker, work)
        else:
            self._ready.append(worker)
        self.listener.on_up(worker.number, worker.child.pid, boot_s)

    def _bury(self, worker: Worker, child: Child, cause: str, server_life: int) -> float:
        jobs = sorted(worker.jobs)
        for job_id in jobs:
            self._where.pop(job_id, None)
        lone = worker.number == self._count
        if self._stopping or (worker.state == "stopping" and not worker.ended_why and not jobs):
            if jobs:
                self.listener.on_lost(Loss(worker.number, child.pid, cause, jobs, innocent=True))
            return 0.0
        self._died[worker.number] = self._died.get(worker.number, 0) + 1
        _log.warning(
            "worker %d (pid %d) is gone with %d jobs: %s",
            worker.number,
            child.pid,
            len(jobs),
            cause,
        )
        innocent = server_life != self._server_life or not self._forkserver.is_alive
        delay_s = 0.0 if innocent else self._record_death(jobs)
        self.listener.on_lost(
            Loss(worker.number, child.pid, cause, jobs, alone=lone, innocent=innocent)
        )
        if self._deaths.are_too_many(self._clock.monotonic_s()):
            raise PoolBroken(Exit.WORKERS_LOST, f"workers die faster than expected: {cause}")
        return delay_s

    def _record_death(self, jobs: list[int] | tuple[()]) -> float:
        return self._deaths.record(self._clock.monotonic_s(), jobs)

    # --- messages ---

    def _on_messages(self, worker: Worker, messages: list[FromPool]) -> None:
        where = self._where
        for message in messages:
            if isinstance(message, _ANSWERS):
                worker.jobs.discard(message.job_id)
                worker.errands.discard(message.job_id)
                where.pop(message.job_id, None)
        self.listener.on_messages(worker.number, messages)
        if worker.number == self._count and not worker.jobs and worker.state == "ready":
            worker.state = "stopping"
            worker.send(StopChild(0.0))

    def _give_lone(self, worker: Worker, work: RunJob) -> None:
        worker.jobs.add(work.job_id)
        self._where[work.job_id] = worker
        worker.send(work)

    def _unready(self, worker: Worker) -> None:
        if worker in self._ready:
            self._ready.remove(worker)

    def _end(self, worker: Worker, why: str) -> None:
        """End a worker that is of no more use."""
        if worker.ended_why:
            return
        _log.error("worker %d (pid %d) is ended: %s", worker.number, worker.child.pid, why)
        worker.ended_why = why
        worker.state = "stopping"
        self._unready(worker)
        self._spawn(worker.end())

    def _spawn(self, work: Coroutine[Any, Any, None]) -> None:
        if self._group is None:
            work.close()
        else:
            self._group.create_task(work)


def _first(group: BaseExceptionGroup[PoolBroken]) -> PoolBroken:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    assert isinstance(error, PoolBroken)  # noqa: S101 - narrows the type
    return error
