"""The control socket's server: connections, their limits, and who may connect.

What the messages mean is the desk's business.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import socket
import struct
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

from ipc.channel import Channel, ChannelClosed
from ipc.clock import Clock
from ipc.codec import ProtocolError, encode
from ipc.control_messages import FromClient, Refused
from supervisor.place import StartRefused, bind_control_socket

_log = logging.getLogger("supervisor.control")

MAX_CLIENTS = 64
# To say hello, to complete a frame, to read a farewell.
PATIENCE_S = 5.0
# A client that leaves so many answers unread is cut off.
MAX_UNREAD_BYTES = 4 << 20
_PEER = struct.Struct("3i")


class Client:
    """One connection to the control socket."""

    def __init__(self, server: ControlServer, now_s: float) -> None:
        self.said_hello = False
        self.channel: Channel[Any]
        # Since when we wait for something that must come soon: a hello, a rest, a farewell.
        self.waits_since_s: float | None = now_s
        self._server = server

    def send(self, message: msgspec.Struct) -> None:
        """Send a message; one to a client that left is dropped."""
        self.send_frame(encode(message))

    def send_frame(self, frame: bytes) -> None:
        """Send an encoded message; a client that reads nothing is cut off."""
        with contextlib.suppress(ChannelClosed):
            if self.channel.backlog_bytes > MAX_UNREAD_BYTES:
                self.channel.abort()
                return
            self.channel.send_frame(frame)

    def refuse(self, reason: str) -> None:
        """Say why, and hang up."""
        with contextlib.suppress(ChannelClosed):
            self.channel.send(Refused(reason))
        self.channel.close()
        self._server.note_refusal(reason)

    @property
    def is_closed(self) -> bool:
        """Tell whether nothing can be sent any more."""
        return self.channel.is_closed

    @property
    def backlog_bytes(self) -> int:
        """Return how much waits to be read by the client."""
        return self.channel.backlog_bytes


class _ClientChannel(Channel[Any]):
    """A channel whose peer is asked for its user, and told why it is refused."""

    def __init__(self, client: Client, server: ControlServer) -> None:
        super().__init__(
            FromClient,
            lambda messages: server.deliver(client, messages),
            lambda _error: server.forget(client),
        )
        self._client = client
        self._server = server

    def connection_made(self, transport: asyncio.BaseTransport) -> None:
        """Let the client in, or not."""
        super().connection_made(transport)
        self._server.admit(self._client)

    def _fail(self, error: ProtocolError) -> None:
        self._client.refuse(f"{type(error).__name__}: {error}")


class ControlServer:
    """Accepts clients on a listening Unix socket, and keeps them within limits."""

    def __init__(
        self,
        clock: Clock,
        on_message: Callable[[Client, Any], None],
        on_gone: Callable[[Client], None],
    ) -> None:
        self._clock = clock
        self._on_message = on_message
        self._on_gone = on_gone
        self._clients: set[Client] = set()
        self._server: asyncio.Server | None = None
        self._refusals = 0
        self._logged_s = -1e9
        self._bind_again_s = -1e9

    async def start(self, listener: socket.socket) -> None:
        """Serve on a socket that is bound already, so that asyncio unlinks nothing."""
        loop = asyncio.get_running_loop()
        self._server = await loop.create_unix_server(self._new_channel, sock=listener)

    async def keep_name(self, path: Path) -> None:
        """Listen anew if somebody has removed the socket; who is connected already stays so."""
        now_s = self._clock.monotonic_s()
        if now_s < self._bind_again_s or not _is_gone(path):
            return
        self._bind_again_s = now_s + PATIENCE_S
        try:
            listener = bind_control_socket(path)
        except StartRefused as error:
            _log.error("the control socket was removed: %s", error)
            return
        _log.warning("the control socket %s was removed: it is made again", path)
        if self._server is not None:
            self._server.close()
        await self.start(listener)

    def tick(self) -> None:
        """Hang up on who keeps us waiting."""
        now_s = self._clock.monotonic_s()
        for client in list(self._clients):
            is_waited_for = (
                not client.said_hello or client.channel.partial_bytes > 0 or client.is_closed
            )
            if not is_waited_for:
                client.waits_since_s = None
            elif client.waits_since_s is None:
                client.waits_since_s = now_s
            elif now_s - client.waits_since_s > PATIENCE_S:
                if client.is_closed:
                    client.channel.abort()
                else:
                    client.refuse(f"nothing complete came within {PATIENCE_S:g} s")

    async def close(self) -> None:
        """Let what was said reach the clients for a moment, then hang up."""
        if self._server is not None:
            self._server.close()
        for client in list(self._clients):
            client.channel.close()
        gone = [asyncio.ensure_future(c.channel.wait_closed()) for c in self._clients]
        if gone:
            await asyncio.wait(gone, timeout=0.2)
        for client in list(self._clients):
            client.channel.abort()
        for task in gone:
            task.cancel()

    def admit(self, client: Client) -> None:
        """Take a new connection in, if its user may and there is room."""
        self._clients.add(client)
        raw = client.channel.peer_socket().getsockopt(
            socket.SOL_SOCKET, socket.SO_PEERCRED, _PEER.size
        )
        _, uid, _ = _PEER.unpack(raw)
        if uid not in (0, os.geteuid()):
            client.refuse(f"user {uid} may not control this daemon")
        elif len(self._clients) > MAX_CLIENTS:
            client.refuse(f"{MAX_CLIENTS} clients are connected already")

    def deliver(self, client: Client, messages: list[Any]) -> None:
        """Pass messages on until the client is refused."""
        for message in messages:
            if client.is_closed:
                return
            self._on_message(client, message)

    def forget(self, client: Client) -> None:
        """Note that a connection is gone."""
        self._clients.discard(client)
        self._on_gone(client)

    def note_refusal(self, reason: str) -> None:
        """Log refusals, at most one a second: a client gone mad must not fill the log."""
        self._refusals += 1
        now_s = self._clock.monotonic_s()
        if now_s - self._logged_s >= 1.0:
            self._logged_s = now_s
            _log.warning("client refused (%d since start): %s", self._refusals, reason[:200])

    def _new_channel(self) -> asyncio.BaseProtocol:
        client = Client(self, self._clock.monotonic_s())
        client.channel = _ClientChannel(client, self)
        return client.channel


def _is_gone(path: Path) -> bool:
    """Tell whether nothing has that name; what cannot be told is taken for there."""
    try:
        path.lstat()
    except FileNotFoundError:
        return True
    except OSError:
        return False
    return False
