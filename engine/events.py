"""Events on their way to the supervisor: made only while somebody listens, sent in batches.

A supervisor that does not read costs events, and they are counted; it never costs time.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable

import msgspec

from ipc.channel import ChannelClosed
from ipc.events import Event
from ipc.scheduler_messages import Events

_log = logging.getLogger(__name__)

# Events in one message: far below the size of a frame.
BATCH = 512
# Messages are so far apart at least: each costs a turn of three loops, from here to the observers'.
PACE_S = 0.005
# Bytes that may wait for the supervisor before events wait here.
BACKLOG_BYTES = 4 << 20
# Events that may wait here before the newest are dropped.
LIMIT = 50_000


class Outlet:
    """Collects the events of a moment and sends them together."""

    def __init__(
        self,
        send: Callable[[msgspec.Struct], None],
        backlog_bytes: Callable[[], int],
    ) -> None:
        """Take how to send a message, and how much waits to be read."""
        self.on = False
        self.dropped = 0
        self._send = send
        self._backlog_bytes = backlog_bytes
        self._loop = asyncio.get_running_loop()
        self._waiting: list[Event] = []
        self._flush_due = False
        # Before then, as the loop counts, no message leaves.
        self._next_s = 0.0
        # Dropped, and the observers have not heard of it.
        self._untold = 0

    def add(self, event: Event) -> None:
        """Send an event with the others of this moment; ask `on` first, to save making it."""
        if not self.on:
            return
        if len(self._waiting) >= LIMIT:
            self._drop()
            return
        self._waiting.append(event)
        if not self._flush_due:
            self._flush_due = True
            self._loop.call_at(self._next_s, self.flush)

    def listen(self, on: bool) -> None:
        """Start or stop making events."""
        self.on = on
        if not on:
            self._waiting.clear()

    def flush(self) -> None:
        """Send what waits, as far as the supervisor reads it; the rest in a moment."""
        self._flush_due = False
        self._next_s = self._loop.time() + PACE_S
        waiting = self._waiting
        sent = 0
        try:
            while sent < len(waiting) and self._backlog_bytes() < BACKLOG_BYTES:
                self._send(Events(tuple(waiting[sent : sent + BATCH])))
                sent += BATCH
        except ChannelClosed:
            sent = len(waiting)
        if sent >= len(waiting):
            self._waiting = []
            self._tell_dropped()
        else:
            del waiting[:sent]
            self._flush_due = True
            self._loop.call_later(0.05, self.flush)

    def _tell_dropped(self) -> None:
        untold, self._untold = self._untold, 0
        if untold:
            with contextlib.suppress(ChannelClosed):
                self._send(Events((), untold))

    def _drop(self) -> None:
        self.dropped += 1
        self._untold += 1
        if self.dropped & (self.dropped - 1) == 0:
            _log.warning("the supervisor does not read: %d events were dropped", self.dropped)
