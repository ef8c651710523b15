"""One worker process as the pool sees it: its child, its pipe, and what it is working on."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable
from typing import Literal

import msgspec

from engine.pool import FromPool
from ipc.channel import Channel, ChannelClosed
from ipc.child import Child
from ipc.clock import Clock
from ipc.codec import ProtocolError
from ipc.exit_reason import ExitReason
from ipc.ladder import end_ladder, stop_ladder
from ipc.messages import (
    PROTOCOL_VERSION,
    BootFailed,
    FromWorker,
    Welcome,
    WorkerHeartbeat,
    WorkerReady,
)

# How a boot ends; it is between this module and its worker, as heartbeats are.
_BOOT_ENDS = (WorkerReady, BootFailed)


class Worker:
    """A started worker process."""

    def __init__(
        self,
        number: int,
        child: Child,
        clock: Clock,
        on_messages: Callable[[Worker, list[FromPool]], None],
    ) -> None:
        """Take a started child; boot() opens its pipe."""
        self.number = number
        self.child = child
        self.channel: Channel[FromWorker]
        self.state: Literal["starting", "ready", "stopping"] = "starting"
        self.jobs: set[int] = set()
        # Of these, what takes no job's place.
        self.errands: set[int] = set()
        self.heard_s = clock.monotonic_s()
        # How late its loop came to its last heartbeat.
        self.lag_s = 0.0
        # Why we ended it, if we did.
        self.ended_why = ""
        self._clock = clock
        self._on_messages = on_messages
        loop = asyncio.get_running_loop()
        self._booted: asyncio.Future[WorkerReady | BootFailed] = loop.create_future()
        self._closed = asyncio.Event()
        self._error: ProtocolError | None = None
        self._open = False

    @property
    def slots_taken(self) -> int:
        """Return how many jobs it runs, errands not counted."""
        return len(self.jobs) - len(self.errands)

    async def boot(self, welcome: Welcome, deadline_s: float, module: str) -> str:
        """Greet the worker and wait until it is ready; return what is wrong, "" if nothing."""
        self.channel = await Channel.open(
            self.child.sock, FromWorker, self._on_batch, self._on_closed
        )
        self._open = True
        self.send(msgspec.structs.replace(welcome, protocol=PROTOCOL_VERSION))
        closed = asyncio.ensure_future(self._closed.wait())
        try:
            async with asyncio.timeout(deadline_s):
                await asyncio.wait((self._booted, closed), return_when=asyncio.FIRST_COMPLETED)
        except TimeoutError:
            return await self._refuse(f"was not ready within {deadline_s:.0f} s")
        finally:
            closed.cancel()
        if not self._booted.done():
            return await self._refuse("ended before it was ready")
        answer = self._booted.result()
        if isinstance(answer, BootFailed):
            return await self._refuse(answer.reason)
        if answer.protocol != PROTOCOL_VERSION:
            return await self._refuse(f"speaks protocol {answer.protocol}: restart the daemon")
        if answer.module_path != module:
            return await self._refuse(f"runs code from {answer.module_path}")
        return ""

    async def wait_end(self, drain_s: float) -> ExitReason:
        """Wait until the process is dead and its pipe is read to the end."""
        dead = asyncio.ensure_future(self.child.wait())
        closed = asyncio.ensure_future(self._closed.wait())
        try:
            await asyncio.wait((dead, closed), return_when=asyncio.FIRST_COMPLETED)
            if not dead.done():
                # It closed its pipe, or broke the protocol: it leaves now, or is ended.
                if self._error is not None:
                    self.ended_why = self.ended_why or f"broke the protocol: {self._error}"
                with contextlib.suppress(TimeoutError):
                    async with asyncio.timeout(drain_s):
                        await asyncio.shield(dead)
                if not dead.done():
                    await end_ladder(self.child)
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(drain_s):
                    await asyncio.shield(closed)
            return await dead
        finally:
            dead.cancel()
            closed.cancel()

    def send(self, message: msgspec.Struct) -> None:
        """Send a message; nothing happens when the pipe is gone."""
        if self._open:
            with contextlib.suppress(ChannelClosed):
                self.channel.send(message)

    async def stop(self, grace_s: float) -> None:
        """Let its work end for grace_s, and end it if it does not leave."""
        self.state = "stopping"
        await stop_ladder(self.child, self.channel if self._open else None, grace_s)

    async def end(self) -> None:
        """End it now, with its stacks in the log."""
        await end_ladder(self.child)

    def close(self) -> None:
        """Release its descriptors; a process that still lives is killed."""
        if self._open:
            self.channel.abort()
        self.child.close()

    async def _refuse(self, why: str) -> str:
        await end_ladder(self.child)
        return why

    def _on_batch(self, messages: list[FromWorker]) -> None:
        self.heard_s = self._clock.monotonic_s()
        passed_on: list[FromPool] = []
        for message in messages:
            if isinstance(message, WorkerHeartbeat):
                self.lag_s = message.lag_s
            elif not isinstance(message, _BOOT_ENDS):
                passed_on.append(message)
            elif not self._booted.done():
                self._booted.set_result(message)
        if passed_on:
            self._on_messages(self, passed_on)

    def _on_closed(self, error: ProtocolError | None) -> None:
        self._error = error
        self._closed.set()
