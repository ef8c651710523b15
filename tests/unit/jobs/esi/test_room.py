"""Bodies that swell at once: one after the other, and never stuck."""

from __future__ import annotations

import asyncio

import pytest

from jobs.esi.room import Room, Share


async def read(room: Room, pieces: int, most: list[int]) -> None:
    """Read a body of pieces of 10 bytes, letting others go on in between."""
    share = Share(room)
    try:
        for _ in range(pieces):
            await share.take(10)
            most.append(room.taken_bytes)
            await asyncio.sleep(0)
    finally:
        share.give_back()


async def test_when_the_room_is_full_one_goes_on_and_all_come_to_their_end() -> None:
    room, most = Room(100, small_bytes=0), list[int]()
    async with asyncio.TaskGroup() as group:
        for _ in range(8):
            group.create_task(read(room, 20, most))
    # The room, the one whose turn it is, and of each of the others the piece that was too much.
    assert max(most) <= 100 + 200 + 7 * 10
    assert (room.taken_bytes, room.turn.locked()) == (0, False)


async def test_bodies_that_fit_wait_for_nobody() -> None:
    room = Room(100, small_bytes=0)
    big = Share(room)
    await big.take(90)
    small = Share(room)
    await small.take(10)
    assert not room.turn.locked()


async def test_what_stays_small_waits_for_nobody_though_the_room_is_full() -> None:
    room = Room(100, small_bytes=20)
    big = Share(room)
    await big.take(150)
    small = Share(room)
    await small.take(20)
    waiting = asyncio.create_task(small.take(1))
    await asyncio.sleep(0)
    assert not waiting.done()
    big.give_back()
    await waiting
    small.give_back()
    assert (room.taken_bytes, room.turn.locked()) == (0, False)


async def test_one_that_is_given_up_while_it_waits_leaves_no_trace() -> None:
    room = Room(100, small_bytes=0)
    first, second = Share(room), Share(room)
    await first.take(150)
    waiting = asyncio.create_task(second.take(20))
    while not waiting.done() and room.taken_bytes < 170:
        await asyncio.sleep(0)
    waiting.cancel()
    with pytest.raises(asyncio.CancelledError):
        await waiting
    second.give_back()
    assert (room.taken_bytes, room.turn.locked()) == (150, True)
    first.give_back()
    assert (room.taken_bytes, room.turn.locked()) == (0, False)
