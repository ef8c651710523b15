"""The supervisor's loop: signals, reaping, heartbeats, one transition, word to systemd.

Everything that happens only sets a flag and wakes the loop; decisions are made in one place.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import socket
from collections.abc import Callable
from dataclasses import dataclass

import msgspec

from ipc.clock import Clock
from ipc.control_messages import DaemonState
from ipc.dispositions import OPERATOR_SIGNALS, block_operator_signals, clear_mask
from ipc.exits import Exit
from ipc.parentage import become_subreaper
from ipc.scheduler_messages import AskStatus, DoneCommand, Events, StatusPage
from ipc.settings import Settings
from supervisor.configuration import Configuration, ReloadDone, TakeOver
from supervisor.control import ControlServer
from supervisor.desk import Desk
from supervisor.herald import Herald
from supervisor.keeper import ORPHAN_LOOK_S, Keeper
from supervisor.notify import Notifier
from supervisor.report import View, without_password
from supervisor.scheduler import Relayed
from supervisor.tree import process_tree

_log = logging.getLogger("supervisor")


@dataclass(frozen=True, slots=True)
class Options:
    """What the daemon is started with, beside its settings."""

    version: str
    scheduler_entry: str
    exit_on_give_up: bool = False
    # Told the settings that hold from now on, at each reload.
    take_over: TakeOver = lambda _settings: None


class Arbiter:
    """Owns the scheduler and everything that talks to the outside."""

    def __init__(
        self,
        settings: Settings,
        load: Callable[[], Settings],
        options: Options,
        notifier: Notifier,
        clock: Clock,
    ) -> None:
        self.version = options.version
        self.pid = os.getpid()
        self._configuration = Configuration(settings, load, options.take_over)
        self._is_watched = notifier.is_heard
        self._is_stopped_by_client = False
        self._herald = Herald(notifier, settings.timings.hung_after_s)
        self._clock = clock
        self._timings = settings.timings
        self._started_s = self._turn_s = clock.monotonic_s()
        self._desk = Desk(self)
        self._control = ControlServer(clock, self._desk.handle, self._desk.client_gone)
        self._wake = asyncio.Event()
        self._signals: list[signal.Signals] = []
        self._keeper = Keeper(
            settings.timings,
            options.scheduler_entry,
            clock,
            self._configuration,
            self._desk,
            self._wake,
            exit_on_give_up=options.exit_on_give_up,
        )
        self._keeper.on_message = self._on_message
        self._lifecycle = self._keeper.lifecycle

    @property
    def why_left(self) -> str:
        """Return why the daemon leaves by itself; empty when it was told to."""
        return self._lifecycle.trouble

    # --- what runs ---

    async def run(self, listener: socket.socket) -> int:
        """Supervise until told to stop; return the daemon's exit code."""
        loop = asyncio.get_running_loop()
        become_subreaper()
        for number in (*OPERATOR_SIGNALS, signal.SIGCHLD):
            loop.add_signal_handler(number, self._on_signal, signal.Signals(number))
        # What was held back since before main: a stop then means that nothing is started at all.
        asked = signal.sigpending() & {signal.SIGTERM, signal.SIGINT}
        clear_mask()
        if asked:
            return 0
        try:
            await self._control.start(listener)
            self._keeper.begin(self._clock.monotonic_s())
            while not self._keeper.has_left:
                await self._turn()
            return self._exit_code()
        finally:
            # From here on a signal would find its default action again.
            block_operator_signals()
            await self._control.close()
            await self._keeper.close()

    def _exit_code(self) -> int:
        code = self._lifecycle.exit_code
        # A TERM from wherever ends with 0 too, and after it a service is to go on.
        if code == Exit.OK and self._is_stopped_by_client and self._is_watched:
            return Exit.STOPPED
        return code

    async def _turn(self) -> None:
        self._wake.clear()
        now_s = self._clock.monotonic_s()
        self._forgive_own_stall(now_s)
        self._act_on_signals()
        await self._keeper.turn(now_s)
        if self._configuration.finish(now_s):
            self._herald.reload_ends()
        await self._control.keep_name(self._configuration.settings.socket_path)
        self._control.tick()
        self._desk.observers.tell_missed()
        is_leaving = self._lifecycle.is_leaving or self._keeper.has_left
        self._herald.tell(self._view(now_s), now_s, is_leaving=is_leaving)
        if self._keeper.has_left or self._wake.is_set():
            await asyncio.sleep(0)
            return
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(self._until_next_turn_s(now_s)):
                await self._wake.wait()

    def _until_next_turn_s(self, now_s: float) -> float:
        if self._keeper.is_start_due:
            return ORPHAN_LOOK_S
        waits = [self._tick_s]
        if self._lifecycle.until_s is not None:
            waits.append(self._lifecycle.until_s - now_s)
        return max(0.001, min(waits))

    @property
    def _tick_s(self) -> float:
        tick_s = min(1.0, self._timings.hung_after_s / 4)
        every_s = self._herald.turn_every_s
        return tick_s if every_s is None else min(tick_s, every_s)

    # --- signals ---

    def _on_signal(self, number: signal.Signals) -> None:
        if number is not signal.SIGCHLD and (
            number in (signal.SIGTERM, signal.SIGINT) or number not in self._signals
        ):
            self._signals.append(number)
        self._wake.set()

    def _act_on_signals(self) -> None:
        signals, self._signals = self._signals, []
        for number in signals:
            match number:
                case signal.SIGTERM | signal.SIGINT:
                    self.stop(number.name, at_once=False)
                case signal.SIGQUIT:
                    self.stop(number.name, at_once=True)
                case signal.SIGHUP:
                    self.reload(_log_reload)
                case signal.SIGUSR1:
                    self.restart(number.name)
                case signal.SIGUSR2:
                    self._log_tree()
                case _:
                    _log.warning("%s means nothing here", number.name)

    def _log_tree(self) -> None:
        state = self.state(0)
        _log.info(
            "state %s, generation %d, restarts %d, deaths in a day %d, pending %d, trouble: %s",
            state.scheduler_state,
            state.generation,
            state.restarts,
            self._lifecycle.breaker.deaths_in_a_day(self._clock.monotonic_s()),
            state.pending_commands,
            state.trouble or "none",
        )
        if state.summary is not None:
            _log.info("summary %s", msgspec.json.encode(state.summary).decode())
        for node in process_tree():
            _log.info("process %s", node)

    def _forgive_own_stall(self, now_s: float) -> None:
        """Give one hang deadline more after a sleep of ours: the heartbeats may just be unread."""
        gap_s, self._turn_s = now_s - self._turn_s, now_s
        scheduler = self._keeper.scheduler
        if gap_s > self._tick_s + self._timings.hung_after_s / 2 and scheduler is not None:
            _log.warning("the supervisor itself stood still for %.1f s", gap_s)
            scheduler.forgive()

    # --- messages of the scheduler ---

    def _on_message(self, message: Relayed) -> None:
        match message:
            case Events():
                self._desk.events(message)
            case StatusPage():
                self._desk.status_page(message)
            case DoneCommand():
                now_s = self._clock.monotonic_s()
                if not self._configuration.answered(message, now_s):
                    self._desk.command_done(message)
                self._wake.set()

    # --- what the desk asks ---

    @property
    def is_engine_running(self) -> bool:
        """Tell whether a scheduler takes commands now."""
        return self._keeper.is_running

    def restart(self, why: str) -> str:
        """Restart the engine from whatever state; return what will be, in words."""
        if self._lifecycle.is_leaving:
            return "the daemon is stopping"
        _log.info("restart: %s", why)
        self._keeper.do(self._lifecycle.restart(self._clock.monotonic_s()))
        is_to_come = self._lifecycle.phase == "stopping"
        return f"generation {self._lifecycle.generation + is_to_come} starts"

    def stop_for_client(self, *, at_once: bool) -> None:
        """Stop the daemon, and leave so that no service manager starts it again."""
        self._is_stopped_by_client = True
        self.stop("a client asked", at_once=at_once)

    def stop(self, why: str, *, at_once: bool) -> None:
        """Stop the daemon; asked again, without grace."""
        _log.info("stop: %s", why)
        self._keeper.do(self._lifecycle.stop(at_once=at_once))

    def reload(self, done: ReloadDone) -> None:
        """Read the configuration again, and tell how it went once the engine has it."""
        configuration, now_s = self._configuration, self._clock.monotonic_s()
        if not configuration.is_reloading:
            self._herald.reload_begins()
        configuration.reload(done, now_s)
        scheduler = self._keeper.scheduler if self.is_engine_running else None
        if scheduler is not None and not configuration.trouble:
            scheduler.send(configuration.for_live_engine(now_s))
        self._wake.set()

    def ask_engine(self, message: AskStatus) -> None:
        """Send a question to the scheduler."""
        if self._keeper.scheduler is not None:
            self._keeper.scheduler.send(message)

    def flush_commands(self) -> None:
        """Send the scheduler the commands that wait for it."""
        self._keeper.flush_commands()

    def listen(self, *, on: bool) -> None:
        """Tell the scheduler whether anybody observes."""
        self._keeper.listen(on=on)

    def state(self, request_id: int) -> DaemonState:
        """Return the daemon's state, from what is known here already."""
        now_s = self._clock.monotonic_s()
        view, scheduler = self._view(now_s), self._keeper.scheduler
        return DaemonState(
            request_id=request_id,
            version=self.version,
            supervisor_pid=self.pid,
            uptime_s=now_s - self._started_s,
            scheduler_state=view.phase,
            scheduler_pid=scheduler.pid if scheduler is not None else 0,
            generation=view.generation,
            epoch=self._keeper.epoch,
            heartbeat_age_s=view.heartbeat_age_s,
            restarts=self._lifecycle.restarts,
            next_start_s=view.left_s if view.phase in ("backoff", "parked") else None,
            trouble=view.trouble,
            summary=view.summary,
            pending_commands=len(self._desk.pending),
            waits_for_restart=self._configuration.waits_for_restart,
            database=without_password(self._configuration.settings.database_url),
        )

    def _view(self, now_s: float) -> View:
        lifecycle, scheduler = self._lifecycle, self._keeper.scheduler
        is_up = scheduler is not None and scheduler.ready is not None
        trouble = "" if lifecycle.phase == "running" else lifecycle.trouble
        return View(
            phase=lifecycle.phase,
            generation=lifecycle.generation,
            left_s=None if lifecycle.until_s is None else max(0.0, lifecycle.until_s - now_s),
            trouble="; ".join(filter(None, (trouble, self._configuration.trouble))),
            heartbeat_age_s=now_s - scheduler.last_sign_s if scheduler and is_up else None,
            summary=scheduler.summary if scheduler is not None else None,
        )


def _log_reload(ok: bool, text: str) -> None:
    if ok:
        _log.info("reloaded; %s", text or "nothing has changed")
    else:
        _log.error("%s; the old configuration stays", text)
