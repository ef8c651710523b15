"""The main of a worker process: takes orders from its pipe, and tells how each ended."""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import socket
import sys
from pathlib import Path
from typing import assert_never

import msgspec

from ipc.channel import Channel, ChannelClosed
from ipc.clock import Clock, SystemClock
from ipc.codec import ProtocolError
from ipc.dispositions import install_child_signals
from ipc.exits import Exit
from ipc.logs import flush_logs, set_up_logging
from ipc.messages import (
    PROTOCOL_VERSION,
    BootFailed,
    CancelJob,
    Deny,
    ErrorsLeft,
    Grant,
    Holding,
    InDoubt,
    PauseRequests,
    RunJob,
    RunRefresh,
    RunResolve,
    RunWrite,
    StopChild,
    ToWorker,
    Welcome,
    WorkerHeartbeat,
    WorkerReady,
)
from ipc.settings import decode_settings
from jobs.catalog import CatalogError, load
from jobs.leases import Leases
from jobs.logbook import join
from jobs.orders import Orders
from jobs.reasons import one_line
from jobs.store.database import Database
from jobs.store.errors import StoreError
from jobs.tools import Tools

_log = logging.getLogger("jobs.worker")

# Loop and database thread take the interpreter from each other; neither waits 5 ms for it after
# each of its system calls.
SWITCH_S = 0.0002
# Allocations between two looks of the garbage collector: rows and requests leave few cycles behind.
GC_THRESHOLD = 20_000
# After its jobs were cancelled, a worker that stops waits so long for their ends.
_CANCEL_WAIT_S = 2.0
# And so long for its database to be closed.
_CLOSE_WAIT_S = 1.0


class BootTrouble(Exception):
    """This worker cannot start; the text is for people."""


def main(sock: socket.socket) -> int:
    """Serve the scheduler at the other end of the socket; return the process's exit code."""
    install_child_signals()
    sys.setswitchinterval(SWITCH_S)
    gc.set_threshold(GC_THRESHOLD)
    # Not asyncio.run: at its end that waits for threads, and a name look-up may hang for minutes.
    # The caller leaves by _exit.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete(Worker(sock, SystemClock()).run())


class Worker:
    """One worker's side of the conversation with its scheduler."""

    def __init__(self, sock: socket.socket, clock: Clock) -> None:
        self._sock = sock
        self._clock = clock
        self._welcomed: asyncio.Future[Welcome]
        # What arrived between Welcome and the end of the boot.
        self._early: list[ToWorker] | None = []
        self._stopping = asyncio.Event()
        self._grace_s = 0.0
        self._leaving = False
        self._channel: Channel[ToWorker]
        self._tools: Tools
        self._orders: Orders

    async def run(self) -> int:
        """Shake hands, work until told to stop, and return the exit code."""
        self._welcomed = asyncio.get_running_loop().create_future()
        self._channel = await Channel.open(self._sock, ToWorker, self._on_messages, self._on_closed)
        welcome = await self._welcomed
        try:
            self._boot(welcome)
        except BootTrouble as trouble:
            _log.error("worker %d cannot start: %s", welcome.worker, trouble)
            self._channel.send(BootFailed(Exit.CONFIG, one_line(str(trouble))))
            await self._leave()
            return Exit.CONFIG
        self._channel.send(WorkerReady(PROTOCOL_VERSION, __file__))
        early, self._early = self._early or [], None
        self._on_messages(early)
        await self._until_stopped()
        await self._drain()
        await self._close_database()
        await self._leave()
        return Exit.OK

    # --- start and end ---------------------------------------------------------------------------

    def _boot(self, welcome: Welcome) -> None:
        if welcome.protocol != PROTOCOL_VERSION:
            raise BootTrouble(
                f"the scheduler speaks protocol {welcome.protocol}, this worker {PROTOCOL_VERSION}"
            )
        try:
            settings = decode_settings(welcome.settings)
        except msgspec.MsgspecError as error:
            raise BootTrouble(f"the settings cannot be read: {error}") from error
        set_up_logging(f"worker-{welcome.worker}", settings.log_level)
        if settings.extra_path and settings.extra_path not in sys.path:
            sys.path.insert(0, settings.extra_path)
        try:
            catalog = load(settings.kind_packages)
            database = Database(settings.database_url)
            logbook = join(Path(settings.data_dir), welcome.epoch)
        except (CatalogError, ImportError, StoreError, OSError) as error:
            raise BootTrouble(str(error)) from error
        leases = Leases(self._channel.send)
        self._tools = Tools.of(settings, welcome.epoch, self._clock, database, leases, logbook)
        self._tools.gate.on_errors = self._tell_errors
        self._orders = Orders(self._tools, catalog, self._channel.send, self._channel.send_last)

    async def _until_stopped(self) -> None:
        """Send heartbeats until StopChild comes; if that fails, the process must not go on."""
        interval_s = self._tools.settings.timings.heartbeat_s
        while not self._stopping.is_set():
            due_s = self._clock.monotonic_s() + interval_s
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(interval_s):
                    await self._stopping.wait()
            self._beat(max(0.0, self._clock.monotonic_s() - due_s))

    def _beat(self, lag_s: float) -> None:
        with contextlib.suppress(ChannelClosed):
            self._channel.send(WorkerHeartbeat(lag_s))
            if held := self._orders.held:
                self._channel.send(Holding(held))

    async def _drain(self) -> None:
        """Let jobs end for the grace time, then cancel what is left; heartbeats go on."""
        interval_s = self._tools.settings.timings.heartbeat_s
        orders = self._orders
        end_s = self._clock.monotonic_s() + self._grace_s
        while orders.running and (left_s := end_s - self._clock.monotonic_s()) > 0:
            await orders.wait(min(left_s, interval_s))
            self._beat(0.0)
        if orders.running:
            _log.info("cutting off %d jobs", len(orders.running))
            for job_id in orders.running:
                orders.cancel(job_id, "stopping")
            end_s = self._clock.monotonic_s() + _CANCEL_WAIT_S
            while orders.running and (left_s := end_s - self._clock.monotonic_s()) > 0:
                await orders.wait(left_s)
            if orders.held:
                _log.error(
                    "leaving with %d new refresh tokens that could not be stored", len(orders.held)
                )

    async def _close_database(self) -> None:
        """Leave SQLite's files as the last one to close them can fold them into one."""
        try:
            async with asyncio.timeout(_CLOSE_WAIT_S):
                await self._tools.database.close()
        except TimeoutError:
            _log.warning("the database is still busy: it is left as it is")

    async def _leave(self) -> None:
        self._leaving = True
        self._channel.close()
        await self._channel.wait_closed()

    def _tell_errors(self, left: int, reset_s: int) -> None:
        with contextlib.suppress(ChannelClosed):
            self._channel.send(ErrorsLeft(left, reset_s))

    # --- from the scheduler ----------------------------------------------------------------------

    def _on_closed(self, error: ProtocolError | None) -> None:
        """Leave at once: without a scheduler nobody answers for what is written here."""
        if self._leaving:
            return
        if error is not None:
            _log.error("the scheduler broke the protocol: %s", error)
        else:
            _log.warning("the scheduler is gone")
        flush_logs()
        os._exit(Exit.ORPHANED)

    def _on_messages(self, messages: list[ToWorker]) -> None:
        for message in messages:
            if isinstance(message, Welcome):
                if not self._welcomed.done():
                    self._welcomed.set_result(message)
            elif self._early is not None:
                self._early.append(message)
            else:
                self._on_message(message)

    def _on_message(self, message: ToWorker) -> None:
        match message:
            case RunJob() | RunWrite() | RunRefresh() | RunResolve():
                self._orders.take(message)
                if self._stopping.is_set():
                    self._orders.cancel(message.job_id, "stopping")
            case CancelJob():
                self._orders.cancel(message.job_id, message.reason)
            case Grant() | Deny():
                self._tools.leases.on_answer(message)
            case PauseRequests(errors_only=True):
                self._tools.gate.hold_errors(message.until)
            case PauseRequests():
                self._tools.gate.pause(message.until)
            case InDoubt():
                self._tools.gate.doubt(message.until)
            case StopChild():
                self._grace_s = message.grace_s
                self._stopping.set()
            case Welcome():
                _log.warning("a second welcome is ignored")
            case _:
                assert_never(message)
