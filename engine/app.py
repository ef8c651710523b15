"""The engine: its parts wired together, and the tasks that keep them going.

If one of the tasks dies, the process ends: a scheduler that limps is worse than a new one.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import random
from collections.abc import Callable, Coroutine
from typing import Any, assert_never

from engine.bucket_memory import BucketMemory
from engine.budgets import Budgets
from engine.callbacks import until_a_callback_fails
from engine.carried import Carried
from engine.commands import Commands
from engine.discovery import Discovery
from engine.dispatch import Dispatcher
from engine.downtime import Downtime
from engine.events import Outlet
from engine.finish import Finisher
from engine.herald import Herald
from engine.lanes import most_global
from engine.ledger_writer import LedgerWriter
from engine.lending import Lending
from engine.line import Line
from engine.lineup import Lineup
from engine.listener import FromWorkers
from engine.outbox import Drain
from engine.pauses import ALL, Pauses
from engine.pool import Pool
from engine.ramp import Ramp
from engine.reporter import Reporter
from engine.resolver import Resolver
from engine.roster import Roster
from engine.schedule import Schedule
from engine.standstill import Standstill
from engine.status import Status
from engine.trouble import Trouble
from engine.turns import Turns
from ipc import events
from ipc.clock import Clock
from ipc.messages import Grant, StopChild
from ipc.scheduler_messages import AskStatus, Do, Listen
from ipc.settings import Settings
from ipc.subject import JobKey
from jobs.catalog import Catalog
from jobs.logbook import Logbook, Past
from jobs.store import pauses as stored_pauses
from jobs.store import rate_buckets
from jobs.store.credentials import Credential
from jobs.store.database import Database, StoreError

_log = logging.getLogger(__name__)

# After the workers are gone, the last rows may take so long.
LAST_COMMIT_S = 3.0


class Engine:
    """One life of the scheduler, from its ownership of the database on."""

    def __init__(
        self,
        *,
        settings: Settings,
        catalog: Catalog,
        clock: Clock,
        epoch: int,
        pool: Pool,
        reads: Database,
        housekeeping: Database,
        line: Line,
        trouble: Trouble,
        logbook: Logbook,
        past: Past,
        draw: Callable[[], float] = random.random,
    ) -> None:
        """Wire the parts; run() starts them. draw: from 0 to 1, spreads due times."""
        self.settings = settings
        self.clock = clock
        self.epoch = epoch
        self.pool = pool
        self._reads = reads
        self.housekeeping = housekeeping
        self.trouble = trouble
        slots = settings.engine.workers * settings.engine.jobs_per_worker
        self.schedule = Schedule(most_global(slots))
        self.lineup = Lineup(catalog, settings)
        self.carried = Carried()
        self.pauses = Pauses(clock)
        self.budgets = Budgets()
        self.downtime = Downtime()
        self.outlet = Outlet(line.send, line.backlog_bytes)
        self.turns = Turns(self._grant, self._on_turn_expired)
        self.lending = Lending(clock, self.turns, self.budgets, pool)
        self.ledger = LedgerWriter(housekeeping, self.turns, epoch, trouble, self._on_committed)
        self.bucket_memory = BucketMemory(clock, self.budgets, self.ledger)
        self.standstill = Standstill(
            clock, self.pauses, self.budgets, self.downtime, pool, self.ledger, self.outlet
        )
        self.herald = Herald(clock)
        self.finisher = Finisher(
            clock,
            self.schedule,
            self.lineup,
            self.carried,
            self.outlet,
            self.ledger,
            self.herald,
            settings.timings.trigger_coalesce_s,
            draw,
        )
        self.dispatcher = Dispatcher(
            clock=clock,
            epoch=epoch,
            schedule=self.schedule,
            lineup=self.lineup,
            carried=self.carried,
            outlet=self.outlet,
            finisher=self.finisher,
            pauses=self.pauses,
            budgets=self.budgets,
            ramp=Ramp(settings.timings.ramp_per_s, slots),
            downtime=self.downtime,
            pool=pool,
            cancel_grace_s=settings.timings.cancel_grace_s,
            on_pause=self.standstill.pause,
            on_grants_changed=self._on_grants_changed,
            on_downtime=self._on_downtime,
        )
        self.roster = Roster(clock, self.schedule, self.lineup, self.outlet, self.dispatcher.cancel)
        self.finisher.on_parked = self.roster.note_parked
        self.finisher.on_parent = self.roster.note_parent
        self.discovery = Discovery(
            clock=clock,
            reads=reads,
            housekeeping=housekeeping,
            turns=self.turns,
            epoch=epoch,
            lineup=self.lineup,
            roster=self.roster,
            trouble=trouble,
            client_id=settings.sso.client_id,
            on_credentials=self._on_credentials,
            on_change=self.dispatcher.wake,
            on_reload=self.dispatcher.tokens.try_again,
        )
        self.drain = Drain(
            workers=settings.engine.workers,
            clock=clock,
            reads=reads,
            housekeeping=housekeeping,
            turns=self.turns,
            epoch=epoch,
            outlet=self.outlet,
            pool=pool,
            trouble=trouble,
            next_id=self.dispatcher.next_id,
            hand_out=self.dispatcher.in_flight.add,
            may_send=lambda: self.dispatcher.is_open,
            on_pause=self.standstill.pause,
            tokens=self.dispatcher.tokens,
            budgets=self.budgets,
            logbook=logbook,
            past=past,
        )
        self.dispatcher.tokens.on_renewed = self.drain.on_renewed
        self.resolver = Resolver(
            clock=clock,
            epoch=epoch,
            pool=pool,
            next_id=self.dispatcher.next_id,
            in_flight=self.dispatcher.in_flight,
            answer=line.try_send,
        )
        self.commands = Commands(
            clock=clock,
            lineup=self.lineup,
            schedule=self.schedule,
            carried=self.carried,
            discovery=self.discovery,
            drain=self.drain,
            resolver=self.resolver,
            answer=line.try_send,
            wake=self.dispatcher.wake,
        )
        self.status = Status(
            clock,
            self.schedule,
            pool,
            self.pauses,
            self.budgets,
            self.downtime,
            trouble,
            self.roster,
            self.dispatcher.tokens,
            self.drain,
            self.finisher.figures,
        )
        self._reporter = Reporter(
            clock, line, self.status, self.schedule, self.outlet, settings.timings.heartbeat_s
        )
        self.from_workers = FromWorkers(
            clock,
            epoch,
            self.outlet,
            self.dispatcher,
            self.lending,
            self.budgets,
            self.standstill,
            self.drain,
            self.resolver,
        )
        self._stop_asked = asyncio.Event()
        self._stop_grace_s = 0.0
        self._has_credentials = False
        self._loaded = asyncio.Event()
        self._stopping: set[asyncio.Task[None]] = set()

    # --- life ---

    async def _load(self, on_ready: Callable[[], None]) -> None:
        while True:
            try:
                await self.load()
            except StoreError as error:
                await self.trouble.wait_after("boot", error)
            else:
                break
        self.trouble.over("boot")
        self.trouble.on_change(self._on_trouble)
        self._on_trouble()
        self._loaded.set()
        on_ready()

    async def _discover(self, interval_s: float) -> None:
        await self._loaded.wait()
        await self.discovery.run(interval_s)

    async def _drain(self, interval_s: float) -> None:
        await self._loaded.wait()
        await self.drain.run(interval_s)

    async def _command(self) -> None:
        await self._loaded.wait()
        await self.commands.run()

    async def load(self) -> None:
        """Read what an earlier life left: pauses, limits, subjects, credentials, the ledger."""
        now = self.clock.now()
        stored = await self._reads.read(lambda connection: stored_pauses.load(connection, now))
        if ALL in stored:
            until, reason = stored[ALL]
            self.pauses.extend(until, reason)
        self.bucket_memory.take_over(
            await self._reads.read(lambda connection: rate_buckets.load(connection, now))
        )
        await self.discovery.look(launch=True)
        if not self._has_credentials:
            _log.info("nobody is logged in: `esisyncd login` brings a character")

    async def run(
        self, on_ready: Callable[[], None] = lambda: None, *guards: Coroutine[Any, Any, None]
    ) -> None:
        """Dispatch until asked to stop; raises what ended a task.

        on_ready is called when all is loaded. guards run beside, and end it when they raise.
        """
        timings = self.settings.timings
        async with asyncio.TaskGroup() as group:
            # The pool ends by itself, in stop(). Workers boot while the ledger is read.
            group.create_task(self.pool.run(), name="pool")
            tasks = [
                group.create_task(work, name=name)
                for name, work in (
                    ("callbacks", until_a_callback_fails()),
                    ("load", self._load(on_ready)),
                    ("ledger", self.ledger.run()),
                    ("heartbeat", self._reporter.beat(self._on_beat)),
                    ("pages", self._reporter.send_pages()),
                    ("discovery", self._discover(timings.discovery_interval_s)),
                    ("drain", self._drain(timings.drain_interval_s)),
                    ("commands", self._command()),
                )
            ]
            tasks += [group.create_task(guard, name="guard") for guard in guards]
            await self._stop_asked.wait()
            await self._stop()
            for task in tasks:
                task.cancel()

    def stop(self, grace_s: float) -> None:
        """Ask the engine to leave; a second time with less grace makes it faster."""
        self._stop_grace_s = grace_s
        self.dispatcher.stop()
        if self._stop_asked.is_set():
            task = asyncio.ensure_future(self.pool.stop(grace_s))
            self._stopping.add(task)
            task.add_done_callback(self._stopping.discard)
        self._stop_asked.set()

    async def _stop(self) -> None:
        grace_s = min(self._stop_grace_s, self.settings.timings.worker_grace_s)
        _log.info("stopping: %d jobs may take %.0f s", len(self.dispatcher.in_flight), grace_s)
        await self.pool.stop(grace_s)
        if self._loaded.is_set():
            self.bucket_memory.store(last=True)
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(LAST_COMMIT_S):
                await self.ledger.settled()
        if self.ledger.waiting:
            _log.error("%d ledger rows could not be stored", self.ledger.waiting)
        self.outlet.flush()

    # --- from the supervisor ---

    def on_supervisor(self, message: Do | Listen | AskStatus | StopChild) -> None:
        """Take a message of the supervisor."""
        match message:
            case Do():
                self.commands.take(message)
            case Listen(on=on):
                self.outlet.listen(on)
            case AskStatus():
                self._reporter.ask(message)
            case StopChild(grace_s=grace_s):
                self.stop(grace_s)
            case _:
                assert_never(message)

    # --- between the parts ---

    def _on_beat(self) -> None:
        self.herald.tick()
        self.budgets.expire(self.clock.monotonic_s())
        if self._loaded.is_set():
            self.bucket_memory.tick()

    def _on_downtime(self, is_down: bool) -> None:
        self.standstill.on_downtime(is_down)
        if not is_down:
            self.drain.poke()

    def _on_committed(self, schedules: list[tuple[JobKey, float]]) -> None:
        if self.outlet.on:
            now = self.clock.now()
            for key, next_in_s in schedules:
                self.outlet.add(events.Scheduled(now, key, next_in_s))

    def _on_credentials(self, credentials: tuple[Credential, ...]) -> None:
        self._has_credentials = bool(credentials)
        self.budgets.know_owners((one.id, one.character_id) for one in credentials)
        self.dispatcher.tokens.update(credentials)

    def _on_grants_changed(self) -> None:
        self.discovery.poke()

    def _on_trouble(self) -> None:
        self.dispatcher.open(not self.trouble.is_broken)
        if not self.trouble.is_broken:
            self.drain.poke()

    def _grant(self, worker: int, lease_id: int) -> None:
        self.pool.send(worker, Grant(lease_id))

    def _on_turn_expired(self, worker: int) -> None:
        self.pool.kill_worker(worker, "kept the turn to write")
