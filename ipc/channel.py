"""The asyncio end of one pipe between two processes.

Reading never stops while writing waits, so two full directions cannot hold each other up. What
is sent within one turn of the loop leaves in one system call, at the end of that turn.
"""

from __future__ import annotations

import asyncio
import socket
from collections.abc import Callable
from typing import Any, Generic, TypeVar

import msgspec

from ipc.codec import FrameDecoder, ProtocolError, encode_onto

In = TypeVar("In")

# A peer that leaves so much unread is as good as dead.
MAX_BACKLOG_BYTES = 16 << 20
# Read into one buffer that stays: a fresh one of asyncio's size is mapped and unmapped each time.
_READ_BYTES = 64 << 10


class ChannelClosed(Exception):
    """The other end is gone, or this end was closed."""


class Channel(asyncio.BufferedProtocol, Generic[In]):
    """Sends and receives messages over a connected socket; hands them over in batches."""

    def __init__(
        self,
        union: Any,
        on_messages: Callable[[list[In]], None],
        on_closed: Callable[[ProtocolError | None], None],
    ) -> None:
        """Take the union that may arrive, and whom to tell; both run on the loop, once closed."""
        self._decoder: FrameDecoder[In] = FrameDecoder(union)
        self._incoming = memoryview(bytearray(_READ_BYTES))
        self._on_messages = on_messages
        self._on_closed = on_closed
        self._loop = asyncio.get_running_loop()
        self._transport: asyncio.Transport | None = None
        self._outgoing = bytearray()
        self._writable = asyncio.Event()
        self._writable.set()
        self._error: ProtocolError | None = None
        self._lost = self._loop.create_future()

    @classmethod
    async def open(
        cls,
        sock: socket.socket,
        union: Any,
        on_messages: Callable[[list[In]], None],
        on_closed: Callable[[ProtocolError | None], None],
    ) -> Channel[In]:
        """Return a channel over a connected stream socket, which it owns from now on."""
        sock.setblocking(False)
        loop = asyncio.get_running_loop()
        _, channel = await loop.create_connection(
            lambda: cls(union, on_messages, on_closed), sock=sock
        )
        return channel

    @property
    def is_closed(self) -> bool:
        """Tell whether nothing can be sent any more."""
        return self._transport is None or self._transport.is_closing()

    @property
    def backlog_bytes(self) -> int:
        """Return how much waits to be read by the other end."""
        if self._transport is None:
            return 0
        return self._transport.get_write_buffer_size() + len(self._outgoing)

    @property
    def partial_bytes(self) -> int:
        """Return how much of a frame has come whose rest has not."""
        return self._decoder.pending_bytes

    def peer_socket(self) -> socket.socket:
        """Return the socket, to ask for the peer's credentials."""
        if self._transport is None:
            raise ChannelClosed
        sock: socket.socket = self._transport.get_extra_info("socket")
        return sock

    def send(self, message: msgspec.Struct) -> None:
        """Queue a message without waiting; ChannelClosed if there is nobody to send it to."""
        encode_onto(self._frames(), message)

    def send_last(self, message: msgspec.Struct) -> None:
        """Send a message and all that is queued now: for the one that no other follows soon."""
        if self.is_closed:
            raise ChannelClosed
        encode_onto(self._outgoing, message)
        self._flush()

    def send_frame(self, frame: bytes) -> None:
        """Queue what encode() returned; for a message that goes to many."""
        self._frames().extend(frame)

    async def drained(self) -> None:
        """Wait until the other end has room again; ChannelClosed if it is gone."""
        await self._writable.wait()
        if self.is_closed:
            raise ChannelClosed

    async def wait_closed(self) -> None:
        """Wait until the connection is gone."""
        await asyncio.shield(self._lost)

    def close(self) -> None:
        """Send what is queued, then close."""
        self._flush()
        if self._transport is not None:
            self._transport.close()

    def abort(self) -> None:
        """Close at once; what is queued is lost."""
        self._outgoing.clear()
        if self._transport is not None:
            self._transport.abort()

    def _frames(self) -> bytearray:
        """Return what leaves at the end of this turn, to be added to."""
        if self._transport is None or self._transport.is_closing():
            raise ChannelClosed
        if not self._outgoing:
            self._loop.call_soon(self._flush)
        return self._outgoing

    def _flush(self) -> None:
        if not self._outgoing or self._transport is None or self._transport.is_closing():
            self._outgoing.clear()
            return
        outgoing, self._outgoing = self._outgoing, bytearray()
        # Not touched any more: the transport may keep a view of it.
        self._transport.write(outgoing)
        if self._transport.get_write_buffer_size() > MAX_BACKLOG_BYTES:
            self._fail(ProtocolError("the peer does not read"))

    def _fail(self, error: ProtocolError) -> None:
        self._error = error
        self.abort()

    # --- asyncio.BufferedProtocol ---

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Keep the transport."""
        assert isinstance(transport, asyncio.Transport)  # noqa: S101 - narrows the type
        self._transport = transport

    def get_buffer(self, sizehint: int) -> memoryview:  # noqa: ARG002 - asyncio's name
        """Say where to read to."""
        return self._incoming

    def buffer_updated(self, nbytes: int) -> None:
        """Hand over the messages that what was read completes."""
        try:
            messages = self._decoder.feed(self._incoming[:nbytes])
        except ProtocolError as error:
            self._fail(error)
            return
        if messages:
            self._on_messages(messages)
        if self._decoder.error is not None:
            self._fail(self._decoder.error)

    def pause_writing(self) -> None:
        """Note that the peer is slow."""
        self._writable.clear()

    def resume_writing(self) -> None:
        """Note that the peer has caught up."""
        self._writable.set()

    def connection_lost(self, exc: Exception | None) -> None:  # noqa: ARG002 - asyncio's name
        """Tell the owner once; a torn connection is an ordinary end."""
        self._transport = None
        self._outgoing.clear()
        # Channel and transport know each other: it may be long until both are collected.
        self._incoming = memoryview(b"")
        self._writable.set()
        if not self._lost.done():
            self._lost.set_result(None)
        self._on_closed(self._error)
