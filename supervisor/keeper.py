"""Keeps a scheduler: starts it, watches it, ends it, and does what its lifecycle decides."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable

from ipc.child import Spawner, SpawnFailed
from ipc.clock import Clock
from ipc.events import Event, GaveUp, Restarted, SchedulerUp
from ipc.messages import PROTOCOL_VERSION
from ipc.parentage import reap_adopted
from ipc.scheduler_messages import Begin, Do, Events, Listen, SchedulerReady
from ipc.settings import Timings
from supervisor.breaker import WARN_PER_DAY
from supervisor.configuration import Configuration
from supervisor.desk import Desk
from supervisor.lifecycle import Action, End, Lifecycle
from supervisor.scheduler import Relayed, Scheduler

_log = logging.getLogger("supervisor")

ORPHAN_LOOK_S = 0.02
# Orphans that KILL does not end hang in the kernel; waiting for ever would help nobody.
_ORPHAN_WAIT_S = 5.0


class Keeper:
    """Owns the scheduler; every decision is the lifecycle's, and is made in the arbiter's turn."""

    def __init__(
        self,
        timings: Timings,
        entry: str,
        clock: Clock,
        configuration: Configuration,
        desk: Desk,
        wake: asyncio.Event,
        *,
        exit_on_give_up: bool,
    ) -> None:
        """Take the scheduler's entry point, what it is greeted with, and whom to tell of it."""
        self.lifecycle = Lifecycle(timings, exit_on_give_up=exit_on_give_up)
        self.scheduler: Scheduler | None = None
        # Of the last scheduler that owned the database.
        self.epoch = 0
        # The daemon is to leave, with the lifecycle's exit code.
        self.has_left = False
        self.on_message: Callable[[Relayed], None] = lambda _message: None
        self._timings = timings
        self._entry = entry
        self._clock = clock
        self._configuration = configuration
        self._desk = desk
        self._wake = wake
        self._spawner: Spawner
        self._seen_ready: SchedulerReady | None = None
        # Since when a start is due; it waits until nothing of the last scheduler lives.
        self._spawn_since_s: float | None = None
        self._orphans = 0
        self._last_end = ""

    @property
    def is_running(self) -> bool:
        """Tell whether a scheduler takes commands now."""
        return self.lifecycle.phase == "running" and self.scheduler is not None

    @property
    def is_start_due(self) -> bool:
        """Tell whether a scheduler is to be started as soon as nothing is in the way."""
        return self._spawn_since_s is not None

    def begin(self, now_s: float) -> None:
        """Have the first scheduler started by the next turn."""
        self._spawner = Spawner()
        self.do(self.lifecycle.spawn(now_s))

    async def turn(self, now_s: float) -> None:
        """Reap, look at the scheduler and its heartbeat, make one transition, start one if due."""
        await self._reap(now_s)
        self._check(now_s)
        await self._spawn_if_clear(now_s)

    def do(self, action: Action) -> None:
        """Carry out what the lifecycle decided."""
        scheduler = self.scheduler
        match action:
            case Action.NOTHING:
                return
            case Action.SPAWN:
                self._spawn_since_s = self._clock.monotonic_s()
            case Action.LEAVE:
                self._spawn_since_s = None
                self.has_left = True
            case _ if scheduler is None:
                # It was about to be started.
                self._spawn_since_s = None
                now_s = self._clock.monotonic_s()
                self.do(self.lifecycle.ended(now_s, End("never started", None, now_s)))
            case Action.STOP:
                grace_s = self._timings.scheduler_grace_s
                scheduler.stop(grace_s, max(0.1, self._timings.supervisor_grace_s - grace_s))
            case Action.STOP_AT_ONCE:
                scheduler.stop_at_once()
            case Action.END:
                _log.error("the scheduler is ended: %s", scheduler.fault or self.lifecycle.trouble)
                scheduler.end()
        self._wake.set()

    def flush_commands(self) -> None:
        """Send the scheduler the commands that wait for it."""
        if self.scheduler is not None:
            for command_id, command in self._desk.pending.take_unsent():
                self.scheduler.send(Do(command_id, command))

    def listen(self, *, on: bool) -> None:
        """Tell the scheduler whether anybody observes."""
        if self.scheduler is not None:
            self.scheduler.send(Listen(on))

    async def close(self) -> None:
        """Release everything; a scheduler that still lives is killed."""
        if self.scheduler is not None:
            await self.scheduler.close()

    # --- one turn ---

    async def _reap(self, now_s: float) -> None:
        scheduler = self.scheduler
        if scheduler is not None and scheduler.is_dead:
            self.scheduler = None
            await scheduler.close()
            end = scheduler.how_it_ended()
            self._desk.engine_gone(by_death=self.lifecycle.phase != "stopping")
            self._configuration.hurry(now_s)
            self._after_end(now_s, end)
        own = {self.scheduler.pid} if self.scheduler is not None else set[int]()
        orphans = reap_adopted(own, kill=self.scheduler is None)
        if self._spawn_since_s is not None and orphans:
            if now_s - self._spawn_since_s < _ORPHAN_WAIT_S:
                self._orphans = orphans
                return
            _log.error("%d orphans of the dead scheduler do not end", orphans)
        self._orphans = 0

    def _after_end(self, now_s: float, end: End) -> None:
        was_asked = self.lifecycle.phase == "stopping"
        action = self.lifecycle.ended(now_s, end)
        phase, until_s = self.lifecycle.phase, self.lifecycle.until_s
        self._last_end = "asked to restart" if was_asked else self.lifecycle.trouble or end.cause
        if was_asked:
            _log.info("the scheduler stopped (%s)", end.cause)
        elif phase == "parked":
            _log.error("parked: %s", self.lifecycle.trouble)
            self._publish(GaveUp(self._clock.now(), self.lifecycle.trouble))
        elif phase == "backoff" and until_s is not None:
            level = logging.ERROR if self.lifecycle.is_trouble_news else logging.INFO
            _log.log(level, "%s; next start in %.0f s", self.lifecycle.trouble, until_s - now_s)
        elif action is Action.LEAVE:
            _log.error("leaving: %s", self.lifecycle.trouble)
        deaths = self.lifecycle.breaker.deaths_in_a_day(now_s)
        if not was_asked and deaths >= WARN_PER_DAY:
            _log.warning("%d schedulers died within a day", deaths)
        self.do(action)

    def _check(self, now_s: float) -> None:
        scheduler = self.scheduler
        age_s = None
        if scheduler is not None:
            if scheduler.fault:
                self.do(self.lifecycle.end())
            elif scheduler.ready is not None and scheduler.ready is not self._seen_ready:
                self._seen_ready = scheduler.ready
                self._on_ready(scheduler, scheduler.ready, now_s)
            age_s = now_s - scheduler.last_sign_s
        self.do(self.lifecycle.tick(now_s, age_s))

    def _on_ready(self, scheduler: Scheduler, ready: SchedulerReady, now_s: float) -> None:
        """Take note of READY; one that waits for its database says it without an epoch first."""
        self.lifecycle.ready(now_s, is_complete=ready.epoch > 0)
        if self.lifecycle.phase != "running":
            return
        self.epoch = ready.epoch
        generation = scheduler.generation
        _log.info(
            "scheduler %d is up (generation %d, epoch %d)", scheduler.pid, generation, ready.epoch
        )
        if ready.epoch:
            now = self._clock.now()
            self._publish(SchedulerUp(now, scheduler.pid, generation, ready.epoch))
        if self._configuration.must_be_sent:
            scheduler.send(self._configuration.for_live_engine(now_s))
        self.flush_commands()

    async def _spawn_if_clear(self, now_s: float) -> None:
        if self._spawn_since_s is None or self._orphans or self.scheduler is not None:
            return
        self._spawn_since_s = None
        generation = self.lifecycle.generation
        if generation > 1:
            attempt = self.lifecycle.breaker.attempt
            self._publish(Restarted(self._clock.now(), attempt, self._last_end))
        begin = Begin(
            PROTOCOL_VERSION,
            generation,
            self._configuration.for_new_engine(),
            listening=len(self._desk.observers) > 0,
            sound=self.epoch > 0,
        )
        try:
            self.scheduler = await Scheduler.start(
                self._spawner, self._entry, begin, self._clock, self.on_message, self._wake.set
            )
        except SpawnFailed as error:
            self._after_end(now_s, End(str(error), None, now_s))
            return
        # Somebody may have come or gone while it was being started.
        self.listen(on=len(self._desk.observers) > 0)

    def _publish(self, event: Event) -> None:
        self._desk.events(Events((event,)))
