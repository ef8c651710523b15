"""A whole engine on SQLite, with a clock that is moved and a pool that is played by the test."""

from __future__ import annotations

import asyncio
import contextlib
import shutil
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any, Literal, TypeVar

import msgspec
from sqlalchemy import Connection

from engine.app import Engine
from engine.line import Line
from engine.pool import Listener, Loss, NoWorker, Work
from engine.trouble import Trouble
from ipc.commands import EngineCommand
from ipc.messages import JobDone, RefreshDone, RunJob, RunRefresh, RunWrite
from ipc.outcome import AnyReaction, Outcome, Token
from ipc.scheduler_messages import Do, DoneCommand, Events, SchedulerHeartbeat, WorkerState
from ipc.settings import Settings, Sso, Store, Timings
from ipc.subject import JobKey, Subject
from jobs.catalog import Catalog
from jobs.logbook import Logbook, Past
from jobs.spec import Kind
from jobs.store import credentials, fence, subjects
from jobs.store.database import Database
from jobs.store.ledger import LedgerRow
from jobs.store.schema.profile import character as character_table
from tests.clocks import ManualClock
from tests.ledgers import load_all
from tests.unit.engine.engine_kinds import CATALOG, NOW, ONE, key

T = TypeVar("T")


class PlayedPool:
    """Takes work and keeps it until the test answers; two workers and a lone one."""

    def __init__(self, slots: int = 8) -> None:
        """Take how many jobs run at once."""
        self.slots = slots
        self.listener: Listener
        self.work: dict[int, Work] = {}
        self.alone: set[int] = set()
        self.cancelled: list[tuple[int, str]] = []
        self.killed: list[int] = []
        self.killed_workers: list[int] = []
        self.sent: list[tuple[int, msgspec.Struct]] = []
        self.broadcasts: list[msgspec.Struct] = []
        self.explained: list[int] = []
        self._stopped = asyncio.Event()

    @property
    def free_slots(self) -> int:
        """Return how many more jobs can be taken."""
        return self.slots - sum(isinstance(work, RunJob) for work in self.work.values())

    def submit(self, work: Work, *, over: bool = False) -> int:
        """Take work."""
        if not over and self.free_slots <= 0:
            raise NoWorker
        self.work[work.job_id] = work
        return work.job_id % 2

    def submit_alone(self, work: RunJob) -> int:
        """Take one job for the lone worker."""
        assert not self.alone & set(self.work), "two jobs alone at once"
        self.work[work.job_id] = work
        self.alone.add(work.job_id)
        return 2

    def cancel(self, job_id: int, reason: Literal["deadline", "stopping", "withdrawn"]) -> None:
        """Note it."""
        self.cancelled.append((job_id, reason))

    def kill(self, job_id: int, why: str) -> None:
        """Note it."""
        self.killed.append(job_id)

    def kill_worker(self, worker: int, why: str) -> None:
        """Note it."""
        self.killed_workers.append(worker)

    def send(self, worker: int, message: msgspec.Struct) -> None:
        """Note it."""
        self.sent.append((worker, message))

    def broadcast(self, message: msgspec.Struct) -> None:
        """Note it."""
        self.broadcasts.append(message)

    def explain(self, jobs: list[int]) -> None:
        """Note it."""
        self.explained += jobs

    def states(self) -> tuple[WorkerState, ...]:
        """Return one worker."""
        return (WorkerState(0, 4711, "ready", len(self.work)),)

    async def run(self) -> None:
        """Wait for the stop."""
        await self._stopped.wait()

    async def stop(self, grace_s: float) -> None:
        """End at once."""
        self._stopped.set()


class Rig:
    """An engine, and what a test does with it."""

    def __init__(self, engine: Engine, pool: PlayedPool, database: Database) -> None:
        """Take the parts."""
        self.engine = engine
        self.pool = pool
        self.database = database
        assert isinstance(engine.clock, ManualClock)
        self.clock = engine.clock
        self.messages: list[msgspec.Struct] = []
        self.life: asyncio.Task[None]
        self._commands = 0

    # --- time and turns ---

    async def settle(self) -> None:
        """Let everything happen that is due by now."""
        self.engine.dispatcher.wake()
        for _ in range(3):
            await asyncio.sleep(0)
        await self.engine.ledger.settled()
        for _ in range(3):
            await asyncio.sleep(0)
        self.engine.outlet.flush()

    async def advance(self, seconds: float) -> None:
        """Move the clock and let everything happen."""
        self.clock.advance(seconds)
        await self.settle()

    # --- jobs ---

    def running(self, of: Kind | None = None, subject: Subject | None = None) -> list[RunJob]:
        """Return the jobs that were handed out and not answered."""
        jobs = [work for work in self.pool.work.values() if isinstance(work, RunJob)]
        if of is None:
            return jobs
        return [job for job in jobs if job.key == key(of, subject)]

    def kinds(self) -> set[str]:
        """Return the kinds that were handed out and not answered."""
        return {job.key.kind for job in self.running()}

    def refreshes(self) -> list[RunRefresh]:
        """Return the refreshes that were handed out and not answered."""
        return [work for work in self.pool.work.values() if isinstance(work, RunRefresh)]

    def writes(self) -> list[RunWrite]:
        """Return the writes that were handed out and not answered."""
        return [work for work in self.pool.work.values() if isinstance(work, RunWrite)]

    def one(self, of: Kind, subject: Subject | None = None) -> RunJob:
        """Return the one running job of a kind."""
        (job,) = self.running(of, subject)
        return job

    async def end(
        self,
        job: RunJob | Kind,
        outcome: Outcome | None = None,
        reaction: AnyReaction | None = None,
        **more: Any,
    ) -> None:
        """Answer a job as its worker does."""
        job = job if isinstance(job, RunJob) else self.one(job)
        outcome = outcome or Outcome(Token.SYNCED, 1)
        done = JobDone(job.job_id, job.attempt, job.epoch, outcome, 0.1, reaction, **more)
        del self.pool.work[job.job_id]
        self.pool.listener.on_messages(job.job_id % 2, [done])
        await self.settle()

    async def refreshed(self, status: Any, **more: Any) -> None:
        """Answer the one refresh."""
        (work,) = self.refreshes()
        del self.pool.work[work.job_id]
        done = RefreshDone(work.job_id, work.epoch, work.credential_id, status, **more)
        self.pool.listener.on_messages(0, [done])
        await self.settle()

    async def die(self, *jobs: Work, innocent: bool = False) -> None:
        """Let a worker die with these jobs."""
        alone = any(job.job_id in self.pool.alone for job in jobs)
        for job in jobs:
            del self.pool.work[job.job_id]
        self.pool.listener.on_lost(
            Loss(0, 4711, "killed", [job.job_id for job in jobs], alone=alone, innocent=innocent)
        )
        await self.settle()

    # --- what was said ---

    def events(self, of: type[T]) -> list[T]:
        """Return the events of a type, oldest first."""
        return [
            event
            for message in self.messages
            if isinstance(message, Events)
            for event in message.events
            if isinstance(event, of)
        ]

    def of_job(self, of: Kind) -> list[str]:
        """Return the names of the events about one job, in order."""
        return [
            type(event).__name__
            for message in self.messages
            if isinstance(message, Events)
            for event in message.events
            if getattr(event, "key", None) == key(of)
        ]

    async def do(self, command: EngineCommand, command_id: str = "") -> DoneCommand:
        """Give a command and return its answer."""
        self._commands += 1
        await self.engine.commands.apply(Do(command_id or f"c{self._commands}", command))
        await self.settle()
        answers = [m for m in self.messages if isinstance(m, DoneCommand)]
        return answers[-1]

    # --- the database ---

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Write as another program does."""
        return await self.database.write(work, epoch=None)

    async def row(self, of: Kind, subject: Subject | None = None) -> LedgerRow | None:
        """Return a job's row in the ledger."""
        rows = await self.database.read(load_all)
        wanted: JobKey = key(of, subject)
        return next((row for row in rows if row.key == wanted), None)

    async def look(self) -> None:
        """Discover what has changed."""
        await self.engine.discovery.look()
        await self.settle()


def log_in(
    connection: Connection, number: int = ONE.id, scopes: str = "wallet skills orders"
) -> int:
    """Store a character's credential whose token lasts."""
    return credentials.save_login(
        connection, number, "c", scopes.split(), "a", "r", NOW + timedelta(days=2), NOW
    )


def know(connection: Connection, *numbers: int) -> None:
    """Store the parent rows of characters."""
    for number in numbers or (ONE.id,):
        row = {
            "character_id": number,
            "name": "Known Already",
            "corporation_id": 98_000_001,
            "gender": "male",
            "race_id": 1,
            "bloodline_id": 1,
            "birthday": NOW,
        }
        columns = character_table.columns.keys()
        connection.execute(
            character_table.insert().values({k: v for k, v in row.items() if k in columns})
        )


def enroll_subject(connection: Connection, subject: Subject) -> None:
    """Make a subject active."""
    subjects.enroll(connection, subject, NOW)


@contextlib.asynccontextmanager
async def open_rig(
    path: Path,
    empty: Path,
    prepare: Iterable[Callable[[Connection], object]] = (),
    *,
    catalog: Catalog = CATALOG,
    slots: int = 20,
    listening: bool = True,
    features: dict[str, bool] | None = None,
    client_id: str = "",
    logbook: Logbook | None = None,
    past: Past = Past(),  # noqa: B008 - a value
) -> AsyncIterator[Rig]:
    """Start an engine over a database in which prepare has written."""
    if not path.exists():
        shutil.copy(empty, path)
    clock = ManualClock(NOW)
    settings = Settings(
        data_dir=str(path.parent),
        store=Store(f"sqlite:///{path}"),
        features=features or {},
        sso=Sso(client_id=client_id),
        timings=Timings(trigger_coalesce_s=60.0, discovery_interval_s=3600, drain_interval_s=3600),
    )
    database, reads = Database(settings.database_url), Database(settings.database_url)
    housekeeping = Database(settings.database_url, durable=True)
    try:
        for work in prepare:
            await database.write(work, epoch=None)
        epoch = await database.write(lambda c: fence.take_ownership(c, "h", 1, NOW), epoch=None)
        pool = PlayedPool(slots)
        said: list[msgspec.Struct] = []

        async def drained() -> None:
            return

        engine = Engine(
            settings=settings,
            catalog=catalog,
            clock=clock,
            epoch=epoch,
            pool=pool,
            reads=reads,
            housekeeping=housekeeping,
            line=Line(said.append, lambda: 0, drained),
            trouble=Trouble(clock),
            logbook=logbook or Logbook.unkept(),
            past=past,
            draw=lambda: 0.0,
        )
        engine.outlet.listen(listening)
        pool.listener = engine.from_workers
        rig = Rig(engine, pool, database)
        rig.messages = said
        ready = asyncio.Event()
        task = asyncio.create_task(engine.run(ready.set))
        rig.life = task
        async with asyncio.timeout(60):
            await ready.wait()
        await rig.settle()
        yield rig
        engine.stop(0)
        async with asyncio.timeout(60):
            await task
    finally:
        for one in (database, reads, housekeeping):
            await one.close()


def heartbeats(rig: Rig) -> list[SchedulerHeartbeat]:
    """Return the heartbeats so far."""
    return [message for message in rig.messages if isinstance(message, SchedulerHeartbeat)]
