"""One life of the scheduler, from its start to its death, as the supervisor holds it."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable, Coroutine
from typing import Any, assert_never

import msgspec

from ipc.channel import Channel, ChannelClosed
from ipc.child import Child, Spawner
from ipc.clock import Clock
from ipc.codec import ProtocolError
from ipc.exit_reason import ExitReason
from ipc.ladder import end_ladder, stop_ladder
from ipc.messages import PROTOCOL_VERSION, BootFailed
from ipc.scheduler_messages import (
    Begin,
    DoneCommand,
    Events,
    FromScheduler,
    SchedulerHeartbeat,
    SchedulerReady,
    StatusPage,
    Summary,
)
from supervisor.lifecycle import End

# After death, what was written before it is still read; nobody can add to it.
_DRAIN_S = 1.0
# How long a scheduler that said it cannot boot may take to leave.
_LEAVE_S = 2.0
# How long one that has no grace may take to see the message.
_AT_ONCE_S = 0.5

Relayed = Events | DoneCommand | StatusPage


class Scheduler:
    """A scheduler's process, its pipe, and what it last said."""

    def __init__(
        self,
        child: Child,
        generation: int,
        clock: Clock,
        on_message: Callable[[Relayed], None],
        on_change: Callable[[], None],
    ) -> None:
        self.child = child
        self.generation = generation
        self.ready: SchedulerReady | None = None
        self.summary: Summary | None = None
        self.is_dead = False
        # Why it is being ended, if it is by something that it did.
        self.fault = ""
        self._clock = clock
        self._on_message = on_message
        self._on_change = on_change
        self._channel: Channel[FromScheduler] | None = None
        self._boot_failed: BootFailed | None = None
        self.last_sign_s = clock.monotonic_s()
        self._life: asyncio.Task[None] | None = None
        self._ladder: asyncio.Task[ExitReason] | None = None

    @classmethod
    async def start(
        cls,
        spawner: Spawner,
        entry: str,
        begin: Begin,
        clock: Clock,
        on_message: Callable[[Relayed], None],
        on_change: Callable[[], None],
    ) -> Scheduler:
        """Start a scheduler and greet it; SpawnFailed if there is no process to be had."""
        child = spawner.start(entry, "scheduler")
        self = cls(child, begin.generation, clock, on_message, on_change)
        self._channel = await Channel.open(
            child.sock, FromScheduler, self._on_messages, self._on_closed
        )
        self._life = asyncio.create_task(self._live(), name=f"scheduler-{begin.generation}")
        self.send(begin)
        return self

    @property
    def pid(self) -> int:
        """Return the process's id."""
        return self.child.pid

    def send(self, message: msgspec.Struct) -> None:
        """Send a message; one to a scheduler that is gone is dropped, its end is noticed anyway."""
        if self._channel is not None:
            with contextlib.suppress(ChannelClosed):
                self._channel.send(message)

    def how_it_ended(self) -> End:
        """Return what to hold against a dead scheduler."""
        reason = self.child.reason
        code = reason.exit_code if reason is not None else None
        is_ours = self._ladder is not None
        cause = reason.describe(by_us=is_ours) if reason is not None else "died"
        if self._boot_failed is not None:
            code, cause = self._boot_failed.exit_code, self._boot_failed.reason
        elif self.fault:
            cause = f"{self.fault} ({cause})"
        return End(f"scheduler: {cause}", code, self.last_sign_s)

    def stop(self, grace_s: float, margin_s: float) -> None:
        """Ask it to stop, and end it if it does not; replaces a ladder that is under way."""
        self._climb(stop_ladder(self.child, self._channel, grace_s, margin_s=margin_s))

    def stop_at_once(self) -> None:
        """End it with hardly a chance to close its files."""
        self._climb(
            stop_ladder(self.child, self._channel, 0.0, margin_s=_AT_ONCE_S, abort_wait_s=0.0)
        )

    def end(self) -> None:
        """End it; its stacks go to the log."""
        self._climb(end_ladder(self.child))

    def forgive(self) -> None:
        """Count its heartbeats from now on: it was we who did not listen."""
        self.last_sign_s = self._clock.monotonic_s()

    async def close(self) -> None:
        """Release everything; what still lives is killed."""
        for task in (self._ladder, self._life):
            if task is not None and not task.done():
                task.cancel()
                await asyncio.wait([task])
        if self._channel is not None:
            self._channel.abort()
        self.child.close()

    async def _live(self) -> None:
        await self.child.wait()
        if self._channel is not None:
            with contextlib.suppress(TimeoutError):
                async with asyncio.timeout(_DRAIN_S):
                    await self._channel.wait_closed()
        self.is_dead = True
        self._on_change()

    def _climb(self, ladder: Coroutine[Any, Any, ExitReason]) -> None:
        if self._ladder is not None:
            self._ladder.cancel()
        self._ladder = asyncio.create_task(ladder, name="scheduler-ladder")

    def _on_messages(self, messages: list[FromScheduler]) -> None:
        for message in messages:
            match message:
                case SchedulerHeartbeat():
                    self.last_sign_s = self._clock.monotonic_s()
                    self.summary = message.summary
                case SchedulerReady():
                    self._on_ready(message)
                case BootFailed():
                    self._boot_failed = message
                    self.stop(0.0, _LEAVE_S)
                case Events() | DoneCommand() | StatusPage():
                    self._on_message(message)
                case _:
                    assert_never(message)

    def _on_ready(self, message: SchedulerReady) -> None:
        self.last_sign_s = self._clock.monotonic_s()
        if message.protocol != PROTOCOL_VERSION:
            self.fault = "speaks another protocol; the program was changed, restart the daemon"
        else:
            self.ready = message
        self._on_change()

    def _on_closed(self, error: ProtocolError | None) -> None:
        if error is not None:
            self.fault = f"broke the protocol: {error}"
            self._on_change()
        else:
            # Death closes the pipe too, and is told in a moment.
            asyncio.get_running_loop().call_later(_AT_ONCE_S, self._note_closed)

    def _note_closed(self) -> None:
        if self.child.reason is None:
            self.fault = self.fault or "closed its pipe"
            self._on_change()
