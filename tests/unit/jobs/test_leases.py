"""The worker's side of leases."""

from __future__ import annotations

import asyncio

import pytest

from ipc.channel import ChannelClosed
from ipc.messages import Acquire, Deny, Grant, Message, Release
from jobs.leases import Leases
from jobs.rates import TURN


async def _asked(sent: list[Message], number: int) -> Acquire:
    async with asyncio.timeout(60):
        while len(asks := [each for each in sent if isinstance(each, Acquire)]) < number:
            await asyncio.sleep(0)
    return asks[-1]


async def test_a_lease_is_asked_for_held_and_given_back() -> None:
    sent: list[Message] = []
    leases = Leases(sent.append)

    async def work() -> None:
        async with leases.hold(TURN):
            assert not any(isinstance(each, Release) for each in sent)

    task = asyncio.create_task(work())
    ask = await _asked(sent, 1)
    assert not task.done()
    leases.on_answer(Grant(ask.lease_id))
    await task

    assert sent == [Acquire(ask.lease_id, TURN), Release(ask.lease_id, 1)]


async def test_an_error_inside_gives_the_lease_back() -> None:
    sent: list[Message] = []

    def send(message: Message) -> None:
        sent.append(message)
        _grant(leases, message)

    leases = Leases(send)

    with pytest.raises(ZeroDivisionError):
        async with leases.hold(TURN):
            raise ZeroDivisionError

    assert isinstance(sent[-1], Release)


async def test_a_denied_lease_is_asked_for_again() -> None:
    sent: list[Message] = []
    leases = Leases(sent.append)

    async def work() -> None:
        async with leases.hold("rate:x"):
            pass

    task = asyncio.create_task(work())
    first = await _asked(sent, 1)
    leases.on_answer(Deny(first.lease_id, 0.001))
    second = await _asked(sent, 2)
    leases.on_answer(Grant(second.lease_id))
    await task

    assert first.lease_id != second.lease_id


async def test_who_is_cancelled_while_waiting_takes_the_question_back() -> None:
    sent: list[Message] = []
    leases = Leases(sent.append)

    async def work() -> None:
        async with leases.hold(TURN):
            pass

    task = asyncio.create_task(work())
    ask = await _asked(sent, 1)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task

    assert sent[-1] == Release(ask.lease_id, 0)
    # The grant was on its way already; it is nobody's.
    leases.on_answer(Grant(ask.lease_id))


async def test_without_a_scheduler_nothing_is_given_back() -> None:
    closed = False

    def send(message: Message) -> None:
        if closed:
            raise ChannelClosed
        _grant(leases, message)

    leases = Leases(send)
    async with leases.hold(TURN):
        closed = True


def _grant(leases: Leases, message: Message) -> None:
    if isinstance(message, Acquire):
        leases.on_answer(Grant(message.lease_id))
