"""The scheduler's end of its pipe to the supervisor."""

from __future__ import annotations

import contextlib
from collections.abc import Awaitable, Callable
from dataclasses import dataclass

import msgspec

from ipc.channel import ChannelClosed


@dataclass(frozen=True, slots=True)
class Line:
    """The way to the supervisor."""

    send: Callable[[msgspec.Struct], None]
    backlog_bytes: Callable[[], int]
    # Waits until the supervisor has room; ChannelClosed if it is gone.
    drained: Callable[[], Awaitable[None]]

    def try_send(self, message: msgspec.Struct) -> None:
        """Send a message; when the supervisor is gone, so are we in a moment."""
        with contextlib.suppress(ChannelClosed):
            self.send(message)
