"""A real scheduler with real workers and probes for jobs, driven over its pipe by a test."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ipc.child import Spawner
from ipc.clock import SystemClock
from ipc.commands import EngineCommand, RunNow
from ipc.events import Failed, Finished, WorkerDied, WorkerUp
from ipc.messages import PROTOCOL_VERSION
from ipc.outcome import Token
from ipc.scheduler_messages import Begin, Do, DoneCommand, Events, Summary
from ipc.settings import Engine, Settings, Store, Timings, encode_settings
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store import ledger, subjects, upgrade
from jobs.store.database import Database
from jobs.store.ledger import LedgerRow
from supervisor.main import SCHEDULER_ENTRY
from supervisor.scheduler import Relayed, Scheduler
from tests.ledgers import load_all
from tests.processes import WITHIN_S

T = TypeVar("T")

TESTS = Path(__file__).resolve().parent.parent
# The id is what the sleeping probes sleep, in milliseconds.
QUICK = Subject(SubjectType.CHARACTER, 20)
SLOW = Subject(SubjectType.CHARACTER, 60_000)
# Signs often, and deadlines that a busy machine does not miss; what is about one shortens it.
TIMINGS = Timings(
    heartbeat_s=0.1,
    hung_after_s=60.0,
    boot_deadline_s=120.0,
    worker_grace_s=5.0,
    cancel_grace_s=60.0,
    trigger_coalesce_s=0.0,
)
# What an ending takes beyond its grace.
MARGIN_S = 60.0


def probe(noun: str, subject: Subject = QUICK) -> JobKey:
    """Return the job of a probe."""
    return JobKey(f"character.probe_{noun}", subject)


class House:
    """One database, and a scheduler that tests start, stop and kill."""

    def __init__(self, settings: Settings) -> None:
        """Take the settings that schedulers are given."""
        self.settings = settings
        self.events: list[Any] = []
        self.answers: dict[str, DoneCommand] = {}
        self.scheduler: Scheduler | None = None
        self._spawner = Spawner()
        self._changed = asyncio.Event()
        self._lives = 0

    # --- the scheduler ---

    async def start(self, *, ready: bool = True) -> Scheduler:
        """Start a scheduler and wait until it says that it is ready, or has left."""
        self._lives += 1
        begin = Begin(PROTOCOL_VERSION, self._lives, encode_settings(self.settings), listening=True)
        scheduler = await Scheduler.start(
            self._spawner,
            SCHEDULER_ENTRY,
            begin,
            SystemClock(),
            self._on_message,
            self._changed.set,
        )
        self.scheduler = scheduler
        await self.until(
            "a scheduler", lambda: scheduler.is_dead or (ready and scheduler.ready is not None)
        )
        if ready:
            assert not scheduler.is_dead, scheduler.how_it_ended().cause
        return scheduler

    @property
    def life(self) -> Scheduler:
        """Return the present scheduler."""
        assert self.scheduler is not None
        return self.scheduler

    async def stop(self, grace_s: float = 5.0) -> int | None:
        """Ask the scheduler to stop; return its exit code."""
        self.life.stop(grace_s, MARGIN_S)
        return await self.ended()

    async def kill(self) -> None:
        """End the scheduler as a power cut would."""
        self.life.child.signal(signal.SIGKILL)
        await self.ended()

    async def ended(self) -> int | None:
        """Wait until the scheduler is dead; return its exit code."""
        life = self.life
        await self.until("the scheduler's end", lambda: life.is_dead)
        code = life.how_it_ended().exit_code
        await life.close()
        self.scheduler = None
        return code

    async def do(self, command: EngineCommand) -> None:
        """Give a command and wait until it is applied."""
        command_id = f"test-{len(self.answers)}"
        self.life.send(Do(command_id, command))
        await self.until(f"an answer to {command}", lambda: command_id in self.answers)
        assert self.answers[command_id].ok, self.answers[command_id].text

    async def run_now(self, job: JobKey) -> None:
        """Have a probe run."""
        await self.do(RunNow(job.subject, job.kind))

    async def close(self) -> None:
        """Leave nothing behind."""
        if self.scheduler is not None:
            await self.kill()

    def _on_message(self, message: Relayed) -> None:
        if isinstance(message, Events):
            self.events += message.events
        elif isinstance(message, DoneCommand):
            self.answers[message.command_id] = message
        self._changed.set()

    # --- facts ---

    async def until(
        self, what: str, check: Callable[[], T | None], within_s: float = WITHIN_S
    ) -> T:
        """Return the first true value of check."""
        try:
            async with asyncio.timeout(within_s):
                while not (value := check()):
                    self._changed.clear()
                    with contextlib.suppress(TimeoutError):
                        async with asyncio.timeout(0.05):
                            await self._changed.wait()
                return value
        except TimeoutError:
            raise AssertionError(f"{what}: not within {within_s:g} s; {self.events}") from None

    def of(self, kind: type[T], job: JobKey | None = None) -> list[T]:
        """Return all events of a type (and of a job) so far."""
        return [
            event
            for event in self.events
            if isinstance(event, kind) and job in (None, getattr(event, "key", None))
        ]

    async def event(self, kind: type[T], job: JobKey | None = None, count: int = 1) -> T:
        """Return the so many-th event of a type (and of a job), when it is there."""
        await self.until(
            f"{count} {kind.__name__} of {job}", lambda: len(self.of(kind, job)) >= count
        )
        return self.of(kind, job)[count - 1]

    async def workers(self, count: int) -> list[int]:
        """Wait until so many workers are ready; return their pids."""

        def ready() -> list[int]:
            summary = self.summary()
            if summary is None:
                return []
            pids = [worker.pid for worker in summary.workers if worker.state == "ready"]
            return pids if len(pids) == count else []

        return await self.until(f"{count} ready workers", ready)

    def summary(self) -> Summary | None:
        """Return what the last heartbeat told."""
        return self.life.summary

    # --- the database ---

    async def prepare(self, *among: Subject) -> None:
        """Enroll subjects whose probes are all asleep until they are asked to run."""
        now = SystemClock().now()
        await asyncio.to_thread(upgrade.prepare, self.settings.database_url)
        nouns = [path.stem for path in (TESTS / "process_kinds" / "character").glob("probe_*.py")]
        rows = [
            LedgerRow(
                key=JobKey(f"character.{noun}", subject),
                token=Token.SYNCED,
                last_attempt_at=now,
                last_success_at=now,
                next_eligible_at=now + timedelta(minutes=50),
            )
            for noun in nouns
            for subject in among
        ]
        async with self.database() as database:
            for subject in among:
                await database.write(
                    lambda c, s=subject: subjects.enroll(c, s, now),  # type: ignore[misc]
                    epoch=None,
                )
            await database.write(lambda c: ledger.upsert_many(c, rows), epoch=None)

    @contextlib.asynccontextmanager
    async def database(self) -> AsyncIterator[Database]:
        """Give the database for a moment."""
        database = Database(self.settings.database_url)
        try:
            yield database
        finally:
            await database.close()

    async def row(self, job: JobKey) -> LedgerRow:
        """Return a job's row in the ledger."""
        async with self.database() as database:
            rows = await database.read(load_all)
        return next(row for row in rows if row.key == job)

    async def row_when(self, job: JobKey, fits: Callable[[LedgerRow], bool]) -> LedgerRow:
        """Return a job's row when it fits: events are told before the ledger is written."""
        async with asyncio.timeout(WITHIN_S):
            while not fits(row := await self.row(job)):
                await asyncio.sleep(0.05)
        return row


def settings_for(folder: Path, timings: Timings = TIMINGS, workers: int = 2) -> Settings:
    """Return settings with the probes for kinds."""
    return Settings(
        data_dir=str(folder),
        store=Store(),
        engine=Engine(workers=workers, jobs_per_worker=4),
        timings=timings,
        kind_packages=("process_kinds",),
        extra_path=str(TESTS),
    )


@contextlib.asynccontextmanager
async def open_house(
    folder: Path, among: Iterable[Subject] = (QUICK,), **timings: float
) -> AsyncIterator[House]:
    """Make a house whose probes are asleep; whatever a test leaves running ends with it."""
    changed = msgspec.structs.replace(TIMINGS, **timings)
    async with empty_house(settings_for(folder, changed)) as house:
        await house.prepare(*among)
        yield house


@contextlib.asynccontextmanager
async def empty_house(settings: Settings) -> AsyncIterator[House]:
    """Make a house without a database; whatever a test leaves running ends with it."""
    house = House(settings)
    try:
        yield house
    finally:
        await house.close()


def kill(pid: int, sig: int = signal.SIGKILL) -> None:
    """Send a signal."""
    os.kill(pid, sig)


__all__ = ["Failed", "Finished", "House", "WorkerDied", "WorkerUp"]
