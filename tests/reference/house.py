"""A real scheduler with real workers, driven over its pipe as the supervisor drives it."""

from __future__ import annotations

import asyncio
import contextlib
import os
import signal
from collections.abc import AsyncIterator, Callable, Iterable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection, select, text

from ipc.child import Spawner
from ipc.clock import SystemClock
from ipc.commands import EngineCommand
from ipc.events import Finished, Scheduled, Started
from ipc.messages import PROTOCOL_VERSION
from ipc.outcome import Token
from ipc.scheduler_messages import Begin, Do, DoneCommand, Events
from ipc.settings import Engine, Esi, Images, Settings, Sso, Store, Timings, encode_settings
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store import credentials, ledger, outbox, subjects, upgrade
from jobs.store.database import Database
from jobs.store.ledger import LedgerRow
from jobs.store.schema.core import outbox as outbox_table
from simulator.config import SimulatorConfig
from simulator.faults import FaultRule
from simulator.serve import RunningEve, start
from supervisor.main import SCHEDULER_ENTRY
from supervisor.scheduler import Relayed, Scheduler
from tests.ledgers import load_all
from tests.processes import eventually_async, is_alive

T = TypeVar("T")

# Whoever expects a test to fail need not wait so long for it.
WITHIN_S = float(os.environ.get("REFERENCE_WITHIN_S", "90"))
FIRST = 90_000_001
WALLET_SCOPE = "esi-wallet.read_character_wallet.v1"
SKILLS_SCOPE = "esi-skills.read_skills.v1"
QUEUE_SCOPE = "esi-skills.read_skillqueue.v1"


def character(number: int = FIRST) -> Subject:
    """Return a character as a subject."""
    return Subject(SubjectType.CHARACTER, number)


def key(kind: str, subject: Subject | None = None) -> JobKey:
    """Return a job; a global one without a subject."""
    return JobKey(kind, subject or Subject(SubjectType.GLOBAL, 0))


class House:
    """One database and one simulated EVE, and a scheduler that tests start, stop and kill."""

    def __init__(self, eve: RunningEve, settings: Settings) -> None:
        self.eve = eve
        self.settings = settings
        self.database = Database(settings.database_url)
        self.events: list[Any] = []
        self.scheduler: Scheduler
        self.done: dict[str, DoneCommand] = {}
        self._spawner = Spawner()
        self._changed = asyncio.Event()
        self._generation = 0
        self._commands = 0

    # --- the scheduler ---

    async def start(self) -> None:
        """Start a scheduler and wait until it dispatches."""
        self._generation += 1
        begin = Begin(
            PROTOCOL_VERSION, self._generation, encode_settings(self.settings), listening=True
        )
        self.scheduler = await Scheduler.start(
            self._spawner,
            SCHEDULER_ENTRY,
            begin,
            SystemClock(),
            self._on_message,
            self._changed.set,
        )
        await self.until(
            "a scheduler", lambda: self.scheduler.ready is not None or self.scheduler.is_dead
        )
        assert not self.scheduler.is_dead, self.scheduler.how_it_ended().cause

    async def stop(self, grace_s: float = 5.0) -> int | None:
        """Ask the scheduler to stop; return its exit code."""
        self.scheduler.stop(grace_s, 5.0)
        return await self.ended()

    async def kill(self) -> None:
        """End the scheduler as a power cut would."""
        self.scheduler.child.signal(signal.SIGKILL)
        await self.ended()

    async def ended(self) -> int | None:
        """Wait until the scheduler is dead; return its exit code."""
        await self.until("the scheduler's end", lambda: self.scheduler.is_dead)
        code = self.scheduler.how_it_ended().exit_code
        await self.scheduler.close()
        return code

    async def do(self, command: EngineCommand) -> None:
        """Give a command and wait until it is applied."""
        self._commands += 1
        command_id = f"test-{self._commands}"
        self.scheduler.send(Do(command_id, command))
        await self.until(f"an answer to {command}", lambda: command_id in self.done)
        assert self.done[command_id].ok, self.done[command_id].text

    async def close(self) -> None:
        """Leave nothing behind."""
        try:
            # There is none where the start failed.
            if hasattr(self, "scheduler"):
                await self.kill()
        finally:
            await self.database.close()

    def _on_message(self, message: Relayed) -> None:
        match message:
            case Events():
                self.events += message.events
            case DoneCommand():
                self.done[message.command_id] = message
            case _:
                pass
        self._changed.set()

    async def gone(self, pid: int) -> None:
        """Wait until a process is dead, or but a line in the kernel's table."""
        await eventually_async(f"the end of process {pid}", lambda: not is_alive(pid), WITHIN_S)

    # --- waiting for facts ---

    async def until(
        self, what: str, check: Callable[[], T | None], within_s: float = WITHIN_S
    ) -> T:
        """Return the first true value of check, asked whenever the scheduler said something."""
        try:
            async with asyncio.timeout(within_s):
                while not (value := check()):
                    self._changed.clear()
                    await self._changed.wait()
                return value
        except TimeoutError:
            raise AssertionError(f"{what}: not within {within_s} s; {self.events}") from None

    async def event(self, kind: type[T], job: JobKey | None = None, after: int = 0) -> T:
        """Return the first event of a type (and of a job) after so many events."""

        def find() -> T | None:
            for event in self.events[after:]:
                if isinstance(event, kind) and job in (None, getattr(event, "key", None)):
                    return event
            return None

        return await self.until(f"{kind.__name__} of {job}", find)

    async def stored(self, what: str, read: Callable[[Connection], T]) -> T:
        """Return the first true value that the database gives."""
        try:
            async with asyncio.timeout(WITHIN_S):
                while not (value := await self.database.read(read)):
                    # The database tells nobody that it changed.
                    await asyncio.sleep(0.02)
                return value
        except TimeoutError:
            raise AssertionError(f"{what}: not within {WITHIN_S} s; {self.events}") from None

    async def heartbeats(self, count: int = 3) -> None:
        """Wait until the scheduler's loop went round so often; what was due has started then."""
        for _ in range(count):
            before_s = self.scheduler.last_sign_s
            async with asyncio.timeout(WITHIN_S):
                while self.scheduler.last_sign_s == before_s:
                    await asyncio.sleep(0.02)

    def of(self, kind: type[T], job: JobKey | None = None) -> list[T]:
        """Return all events of a type (and of a job) so far."""
        return [
            event
            for event in self.events
            if isinstance(event, kind) and job in (None, getattr(event, "key", None))
        ]

    def kinds_started(self, subject: Subject) -> set[str]:
        """Return which kinds were started for a subject."""
        return {event.key.kind for event in self.of(Started) if event.key.subject == subject}

    # --- the simulated EVE ---

    def fault(self, path: str, status: int, **more: Any) -> None:
        """Let ESI answer so on a route."""
        self.eve.services.faults.add(FaultRule(path=path, status=status, **more))

    def asked(self, path: str) -> int:
        """Return how often ESI was asked for a path."""
        report = self.eve.services.traffic.report(5_000)
        asked = report["last"]
        assert isinstance(asked, list)
        return sum(one["path"] == path for one in asked)

    def effects(self) -> list[str]:
        """Return the routes of all writes that took effect."""
        return [effect.route for effect in self.eve.services.traffic.effects]

    def newest_mail(self, number: int) -> int:
        """Return the newest mail of a character."""
        services = self.eve.services
        headers = services.esi.world.mail.headers(number, services.clock.now_s())
        mail_id = headers[0]["mail_id"]
        assert isinstance(mail_id, int)
        return mail_id

    # --- the database ---

    async def write(self, work: Callable[[Connection, datetime], T]) -> T:
        """Write to the database, as another program does."""
        now = SystemClock().now()
        return await self.database.write(lambda connection: work(connection, now), epoch=None)

    async def log_in(self, number: int = FIRST, scopes: Iterable[str] | None = None) -> int:
        """Store a character's credential as a login does."""
        made = self.eve.services.control.tokens(number, access=True)
        granted = made["scopes"] if scopes is None else tuple(scopes)
        assert isinstance(granted, (list, tuple))

        def save(connection: Connection, now: datetime) -> int:
            return credentials.save_login(
                connection,
                number,
                self.settings.sso.client_id,
                granted,
                str(made["access_token"]),
                str(made["refresh_token"]),
                now + timedelta(minutes=20),
                now,
            )

        return await self.write(save)

    async def enroll(self, subject: Subject) -> None:
        """Make a subject known before the scheduler starts."""
        await self.write(lambda connection, now: subjects.enroll(connection, subject, now))

    async def remember(
        self,
        job: JobKey,
        token: Token,
        *,
        due_in_s: float | None,
        succeeded_ago_s: float | None = None,
    ) -> None:
        """Store a ledger row, as an earlier life of the daemon left it."""

        def save(connection: Connection, now: datetime) -> None:
            succeeded_at = None
            if succeeded_ago_s is not None:
                succeeded_at = now - timedelta(seconds=succeeded_ago_s)
            row = LedgerRow(
                key=job,
                token=token,
                last_attempt_at=succeeded_at or now,
                last_success_at=succeeded_at,
                next_eligible_at=None if due_in_s is None else now + timedelta(seconds=due_in_s),
            )
            ledger.upsert_many(connection, [row])

        await self.write(save)

    async def ledger_row(self, job: JobKey) -> LedgerRow | None:
        """Return a job's row in the ledger."""
        rows = await self.database.read(load_all)
        return next((row for row in rows if row.key == job), None)

    async def append(self, subject: Subject, kind: str, payload: object, dedupe: str = "x") -> int:
        """Ask for a write."""
        body = msgspec.json.encode(payload).decode()
        return await self.write(
            lambda connection, now: outbox.append(
                connection, subject, kind, body, dedupe, now, None
            )
        )

    async def outbox_status(self, row_id: int) -> str | None:
        """Return the status of an outbox row; None when it is gone."""
        query = select(outbox_table.c.status).where(outbox_table.c.id == row_id)
        return await self.database.read(lambda connection: connection.scalar(query))

    async def outbox_reaches(self, row_id: int, status: str) -> None:
        """Wait until an outbox row has a status."""
        query = select(outbox_table.c.status).where(outbox_table.c.id == row_id)
        await self.stored(
            f"outbox row {row_id} {status}",
            lambda connection: connection.scalar(query) == status,
        )

    async def outbox_loses(self, row_id: int) -> None:
        """Wait until an outbox row is gone."""
        query = select(outbox_table.c.id).where(outbox_table.c.id == row_id)
        await self.stored(
            f"outbox row {row_id} gone", lambda connection: connection.scalar(query) is None
        )

    async def set_outbox(self, row_id: int, **values: Any) -> None:
        """Change an outbox row behind the daemon's back."""
        statement = outbox_table.update().where(outbox_table.c.id == row_id).values(**values)
        await self.write(lambda connection, _: connection.execute(statement).rowcount)

    async def count(self, table: str) -> int:
        """Return how many rows a table has."""
        query = text(f"SELECT count(*) FROM {table}")
        return int(await self.database.read(lambda connection: connection.scalar(query)) or 0)

    async def scheduled(self, job: JobKey) -> Scheduled:
        """Wait until a job ended and its row is committed."""
        return await self.event(Scheduled, job)

    async def finished(self, job: JobKey) -> Finished:
        """Wait until a job ended with an outcome that is no error."""
        return await self.event(Finished, job)


@contextlib.asynccontextmanager
async def open_house(folder: Path) -> AsyncIterator[House]:
    """Make a house in a folder; whatever a test leaves running ends with it."""
    async with await start(SimulatorConfig(characters=3, rate_limits=False)) as eve:
        settings = Settings(
            data_dir=str(folder),
            store=Store(),
            esi=Esi(base_url=eve.urls.esi, contact="tests@example.org"),
            sso=Sso(base_url=eve.urls.sso, client_id="simulated-client"),
            images=Images(base_url=eve.urls.images),
            engine=Engine(workers=2, jobs_per_worker=4),
            timings=Timings(heartbeat_s=0.2, drain_interval_s=0.2, trigger_coalesce_s=0.0),
        )
        await asyncio.to_thread(upgrade.prepare, settings.database_url)
        made = House(eve, settings)
        try:
            yield made
        finally:
            await made.close()
