"""The asyncio end of a pipe, over real socket pairs."""

from __future__ import annotations

import asyncio
import socket
import struct
from typing import Any

import pytest

from ipc.channel import MAX_BACKLOG_BYTES, Channel, ChannelClosed
from ipc.codec import GarbageFrame, ProtocolError, encode
from ipc.messages import BootFailed, StopChild

UNION = StopChild | BootFailed


class End:
    """One end, and what happened there."""

    def __init__(self) -> None:
        self.got: list[Any] = []
        self.closed: list[ProtocolError | None] = []
        self.channel: Channel[Any]

    @classmethod
    async def over(cls, sock: socket.socket) -> End:
        end = cls()
        end.channel = await Channel.open(sock, UNION, end.got.extend, end.closed.append)
        return end

    async def until_closed(self) -> None:
        async with asyncio.timeout(60):
            await self.channel.wait_closed()
        await asyncio.sleep(0)


async def pair() -> tuple[End, End]:
    left, right = socket.socketpair()
    return await End.over(left), await End.over(right)


async def test_messages_in_order_then_the_end() -> None:
    left, right = await pair()
    for number in range(100):
        left.channel.send(StopChild(number))
    left.channel.close()
    await right.until_closed()
    assert right.got == [StopChild(number) for number in range(100)]
    assert right.closed == [None]
    with pytest.raises(ChannelClosed):
        right.channel.send(StopChild(1))


async def test_the_last_message_takes_those_before_it_along_at_once() -> None:
    ours, theirs = socket.socketpair()
    end = await End.over(ours)
    with theirs:
        theirs.setblocking(False)
        end.channel.send(StopChild(1))
        with pytest.raises(BlockingIOError):
            theirs.recv(1)
        end.channel.send_last(StopChild(2))
        assert theirs.recv(1000) == encode(StopChild(1)) + encode(StopChild(2))
    await end.until_closed()
    with pytest.raises(ChannelClosed):
        end.channel.send_last(StopChild(3))


async def test_both_ends_write_more_than_the_pipe_holds() -> None:
    left, right = await pair()
    message = BootFailed(1, "x" * 500_000)
    for _ in range(8):
        left.channel.send(message)
        right.channel.send(message)
    async with asyncio.timeout(60):
        while len(left.got) < 8 or len(right.got) < 8:
            await asyncio.sleep(0.001)
        await left.channel.drained()
    left.channel.abort()
    right.channel.abort()
    await right.until_closed()


async def test_garbage_after_a_message_closes_with_the_error() -> None:
    ours, theirs = socket.socketpair()
    end = await End.over(ours)
    theirs.sendall(encode(StopChild(1)) + struct.pack(">I", 1) + b"\xc1")
    await end.until_closed()
    assert end.got == [StopChild(1)]
    assert isinstance(end.closed[0], GarbageFrame)
    theirs.close()


async def test_peer_that_does_not_read_is_given_up() -> None:
    ours, theirs = socket.socketpair()
    end = await End.over(ours)
    message = BootFailed(1, "x" * 1_000_000)
    for _ in range(MAX_BACKLOG_BYTES // 1_000_000 + 2):
        end.channel.send(message)
    assert end.channel.backlog_bytes > MAX_BACKLOG_BYTES
    await end.until_closed()
    assert str(end.closed[0]) == "the peer does not read"
    theirs.close()


async def test_drained_ends_when_the_peer_goes() -> None:
    ours, theirs = socket.socketpair()
    end = await End.over(ours)
    end.channel.send(BootFailed(1, "x" * 1_000_000))
    await asyncio.sleep(0)
    waiting = asyncio.create_task(end.channel.drained())
    await asyncio.sleep(0)
    assert not waiting.done()
    theirs.close()
    with pytest.raises(ChannelClosed):
        await waiting
    await end.until_closed()
    assert end.closed == [None]


async def test_half_a_frame_is_known() -> None:
    ours, theirs = socket.socketpair()
    end = await End.over(ours)
    theirs.sendall(encode(StopChild(1))[:7])
    async with asyncio.timeout(60):
        while end.channel.partial_bytes != 7:
            await asyncio.sleep(0)
    theirs.close()
    await end.until_closed()
    assert end.got == []
