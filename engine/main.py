"""The main of process 2: greets the supervisor, forks the forkserver off, and runs the engine.

The exit code says why it ended; the supervisor acts on it. What the engine and the workers have
in common, the database above all, is loaded once and shared: so the fork comes after it, and
before the first thread.
"""

from __future__ import annotations

import asyncio
import contextlib
import gc
import logging
import os
import socket
import sys
from typing import TYPE_CHECKING

import msgspec

from engine.refused import BootRefused
from ipc.channel import Channel, ChannelClosed
from ipc.child import ForkServer, SpawnFailed
from ipc.clock import Clock, SystemClock
from ipc.codec import ProtocolError
from ipc.dispositions import install_child_signals
from ipc.exits import Exit
from ipc.logs import flush_logs, set_up_logging
from ipc.messages import PROTOCOL_VERSION, BootFailed, StopChild
from ipc.parentage import become_subreaper
from ipc.scheduler_messages import (
    AskStatus,
    Begin,
    Do,
    Listen,
    SchedulerHeartbeat,
    SchedulerReady,
    StatusPage,
    Summary,
    ToScheduler,
)
from ipc.settings import Settings, decode_settings

if TYPE_CHECKING:
    from engine.life import Life
    from engine.trouble import Trouble
    from jobs.catalog import Catalog

_log = logging.getLogger("engine.main")

SWITCH_S = 0.0002
# Allocations between two looks of the garbage collector: messages leave no cycles behind.
GC_THRESHOLD = 20_000
# What workers share: imported once, in the forkserver.
PRELOAD = ("jobs.preload",)
_PRELOAD_POSTGRESQL = ("psycopg", "sqlalchemy.dialects.postgresql.psycopg", *PRELOAD)


def main(sock: socket.socket) -> int:
    """Serve the supervisor at the other end of the socket; return the process's exit code."""
    install_child_signals()
    become_subreaper()
    # The database threads hold the interpreter for moments; the loop must not wait 5 ms for it
    # after each system call.
    sys.setswitchinterval(SWITCH_S)
    # Not asyncio.run: at its end that waits for threads. The caller leaves by _exit.
    loop = asyncio.new_event_loop()
    asyncio.set_event_loop(loop)
    return loop.run_until_complete(Scheduler(sock, SystemClock()).run())


class Scheduler:
    """One scheduler process, from its first message to its exit code."""

    def __init__(self, sock: socket.socket, clock: Clock) -> None:
        """Take the socket to the supervisor."""
        self._sock = sock
        self._clock = clock
        self._trouble: Trouble
        self._begin: asyncio.Future[Begin]
        self._channel: Channel[ToScheduler]
        self._life: Life | None = None
        # Commands that came before there was an engine.
        self._early: list[Do] = []
        self._listening = False
        self._boot: asyncio.Task[Life] | None = None
        self._stop_asked = False
        self._beats: asyncio.Task[None] | None = None
        self._told_ready = False
        self._leaving = False

    async def run(self) -> int:
        """Boot, run until asked to stop, and return the exit code."""
        self._begin = asyncio.get_running_loop().create_future()
        self._channel = await Channel.open(
            self._sock, ToScheduler, self._on_messages, self._on_closed
        )
        begin = await self._begin
        try:
            return await self._run(begin)
        except BootRefused as error:
            return await self._refuse(error.code, str(error))
        except SpawnFailed as error:
            _log.error("no process can be started: %s", error)
            return Exit.FAILURE
        finally:
            flush_logs()

    async def _run(self, begin: Begin) -> int:
        if begin.protocol != PROTOCOL_VERSION:
            raise BootRefused(
                Exit.CONFIG, f"the supervisor speaks protocol {begin.protocol}: restart the daemon"
            )
        try:
            settings = decode_settings(begin.settings)
        except msgspec.MsgspecError as error:
            raise BootRefused(Exit.CONFIG, f"the settings cannot be read: {error}") from error
        is_postgresql = settings.database_url.startswith("postgresql")
        forkserver = ForkServer(_PRELOAD_POSTGRESQL if is_postgresql else PRELOAD)
        try:
            try:
                catalog = _load(settings)
                # It loads what only workers need while we open the database.
                forkserver.branch()
            finally:
                gc.enable()
                # Not before: it starts a thread, and there is none in a fork.
                set_up_logging("scheduler", settings.log_level)
            return await self._boot_and_serve(begin, settings, catalog, forkserver)
        finally:
            forkserver.close()

    async def _boot_and_serve(
        self, begin: Begin, settings: Settings, catalog: Catalog, forkserver: ForkServer
    ) -> int:
        from engine.trouble import Trouble  # noqa: PLC0415 - loaded by now

        self._trouble = Trouble(self._clock)
        self._boot = asyncio.create_task(self._open(begin, settings, catalog, forkserver))
        try:
            opened = await self._boot
        except asyncio.CancelledError:
            if not self._stop_asked:
                raise
            _log.info("asked to stop before the database was open")
            return Exit.OK
        # It may have been asked for in the very turn in which the boot was done.
        if self._stop_asked:
            await opened.close()
            return Exit.OK
        return await self._serve(opened)

    async def _open(
        self, begin: Begin, settings: Settings, catalog: Catalog, forkserver: ForkServer
    ) -> Life:
        from engine import life  # noqa: PLC0415 - loaded by now
        from engine.line import Line  # noqa: PLC0415

        def delayed() -> None:
            self._tell_ready(0)
            if self._beats is None:
                self._beats = asyncio.create_task(
                    self._beat(settings.timings.heartbeat_s), name="early heartbeat"
                )

        channel = self._channel
        return await life.open_life(
            begin.settings,
            catalog,
            forkserver,
            self._clock,
            self._trouble,
            Line(channel.send, lambda: channel.backlog_bytes, channel.drained),
            delayed,
            sound=begin.sound,
        )

    async def _serve(self, life: Life) -> int:
        if self._beats is not None:
            self._beats.cancel()
        self._life = life
        engine = life.engine
        engine.outlet.listen(self._listening)
        for command in self._early:
            engine.on_supervisor(command)
        self._early.clear()
        code = await life.run(lambda: self._on_loaded(engine.epoch))
        if life.last_words:
            with contextlib.suppress(ChannelClosed):
                self._channel.send(BootFailed(code, life.last_words))
        await self._leave()
        return code

    def _on_loaded(self, epoch: int) -> None:
        # The schedule stays: the collector need not look through it again and again.
        gc.collect()
        gc.freeze()
        gc.set_threshold(GC_THRESHOLD)
        self._tell_ready(epoch)

    async def _leave(self) -> None:
        """Let the supervisor have what was said last."""
        self._leaving = True
        self._channel.close()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(2.0):
                await self._channel.wait_closed()

    async def _refuse(self, code: Exit, reason: str) -> int:
        _log.error("cannot start: %s", reason)
        with contextlib.suppress(ChannelClosed):
            self._channel.send(BootFailed(code, reason))
        await self._leave()
        return code

    async def _beat(self, interval_s: float) -> None:
        """Say what is wrong while there is no engine to say it."""
        while True:
            with contextlib.suppress(ChannelClosed):
                trouble = self._trouble
                summary = Summary(database_trouble=trouble.text, database_trouble_s=trouble.lasts_s)
                self._channel.send(SchedulerHeartbeat(summary))
            await asyncio.sleep(interval_s)

    def _tell_ready(self, epoch: int) -> None:
        """Say that this process lives and works; again when it owns the database."""
        if epoch or not self._told_ready:
            self._told_ready = True
            with contextlib.suppress(ChannelClosed):
                self._channel.send(SchedulerReady(PROTOCOL_VERSION, os.getpid(), epoch))

    # --- from the supervisor ---

    def _on_messages(self, messages: list[ToScheduler]) -> None:
        for message in messages:
            if isinstance(message, Begin):
                if not self._begin.done():
                    # At once: a Listen can come right behind it.
                    self._listening = message.listening
                    self._begin.set_result(message)
            elif self._life is not None:
                self._life.engine.on_supervisor(message)
            else:
                self._on_early(message)

    def _on_early(self, message: Do | Listen | AskStatus | StopChild) -> None:
        match message:
            case StopChild():
                self._stop_asked = True
                if self._boot is not None:
                    self._boot.cancel()
                else:
                    flush_logs()
                    os._exit(Exit.OK)
            case Listen(on=on):
                self._listening = on
            case AskStatus(request_id=request_id):
                self._channel.send(StatusPage(request_id, (), last=True))
            case Do():
                self._early.append(message)

    def _on_closed(self, error: ProtocolError | None) -> None:
        """Leave when the supervisor is gone: nobody could stop us or hear of us."""
        if error is not None:
            _log.error("the supervisor broke the protocol: %s", error)
        if self._leaving:
            return
        _log.warning("the supervisor is gone")
        flush_logs()
        # The kernel ends the forkserver and the workers with this process.
        os._exit(Exit.ORPHANED)


def _load(settings: Settings) -> Catalog:
    """Load the engine and the kinds, without looking for garbage in between: there is none."""
    gc.disable()
    from engine import life  # noqa: PLC0415 - what is refused before needs none of it

    life.prepare_database(settings)
    return life.load_catalog(settings)
