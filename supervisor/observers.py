"""Observers of the event stream: each has a bounded queue, and is told how much it missed."""

from __future__ import annotations

from typing import Protocol

import msgspec

from ipc.codec import encode
from ipc.control_messages import Missed
from ipc.scheduler_messages import Events

# Beyond so much unread, events are counted instead of sent.
MAX_UNREAD_BYTES = 256 << 10
_MAX_BATCH = 500


class Sink(Protocol):
    """What an observer needs of its connection."""

    @property
    def is_closed(self) -> bool:
        """Tell whether nothing can be sent any more."""

    @property
    def backlog_bytes(self) -> int:
        """Return how much waits to be read by the other end."""

    def send_frame(self, frame: bytes) -> None:
        """Queue a frame."""


class Observers:
    """Passes events on to any number of observers; none slows the source or another one."""

    def __init__(self, max_unread_bytes: int = MAX_UNREAD_BYTES) -> None:
        self._max_unread_bytes = max_unread_bytes
        self._missed: dict[Sink, int] = {}

    def __len__(self) -> int:
        """Return how many observe."""
        return len(self._missed)

    def add(self, sink: Sink) -> None:
        """Send events to this one from now on."""
        self._missed.setdefault(sink, 0)

    def remove(self, sink: Sink) -> None:
        """Send no more."""
        self._missed.pop(sink, None)

    def publish(self, message: Events) -> None:
        """Pass a batch on; encoded once for all."""
        if not self._missed:
            return
        if message.missed:
            for sink in self._missed:
                self._missed[sink] += message.missed
        for start in range(0, len(message.events), _MAX_BATCH):
            batch = message.events[start : start + _MAX_BATCH]
            self._offer(encode(Events(batch)), len(batch))

    def tell_missed(self) -> None:
        """Tell those that have caught up what they missed, though no event may follow soon."""
        for sink, missed in self._missed.items():
            if missed and self._has_room(sink):
                self._tell(sink, missed)

    def _offer(self, frame: bytes, events: int) -> None:
        for sink, missed in self._missed.items():
            if not self._has_room(sink):
                self._missed[sink] = missed + events
                continue
            if missed:
                self._tell(sink, missed)
            sink.send_frame(frame)

    def _tell(self, sink: Sink, missed: int) -> None:
        message: msgspec.Struct = Missed(missed)
        sink.send_frame(encode(message))
        self._missed[sink] = 0

    def _has_room(self, sink: Sink) -> bool:
        return not sink.is_closed and sink.backlog_bytes <= self._max_unread_bytes
