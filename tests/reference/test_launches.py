"""What a scheduler takes over from the ledger when it starts, on real processes."""

from __future__ import annotations

import socket

import pytest

from ipc.events import Seeded, Started, WorkerUp
from ipc.exits import Exit
from ipc.outcome import Token
from ipc.subject import SubjectType
from jobs.catalog import load
from tests.reference.house import House, character, key

pytestmark = pytest.mark.process

PRICES = key("global.market_prices")
STATUS = key("global.server_status")


async def test_a_job_that_is_not_due_yet_waits_for_its_time(house: House) -> None:
    for kind in load(["jobs.kinds"]).of(SubjectType.GLOBAL):
        if kind.name != STATUS.kind:
            await house.remember(key(kind.name), Token.SYNCED, due_in_s=1800, succeeded_ago_s=60)
    await house.start()
    await house.scheduled(STATUS)
    await house.heartbeats()
    assert {event.key.kind for event in house.of(Started)} == {STATUS.kind}


async def test_a_job_whose_time_has_passed_runs_at_once(house: House) -> None:
    await house.remember(PRICES, Token.SYNCED, due_in_s=-3600, succeeded_ago_s=30_000)
    await house.start()
    await house.event(Started, PRICES)


async def test_the_last_outcome_and_the_countdown_are_told_at_launch(house: House) -> None:
    await house.remember(PRICES, Token.SYNCED, due_in_s=1800, succeeded_ago_s=60)
    await house.start()
    seeded = await house.event(Seeded, PRICES)
    assert seeded.outcome.token is Token.SYNCED
    assert seeded.next_in_s is not None
    assert 0 < seeded.next_in_s <= 1800


async def test_a_scheduler_that_is_told_to_stop_leaves_as_asked(house: House) -> None:
    await house.enroll(character())
    await house.start()
    assert await house.stop() == 0


async def test_a_scheduler_whose_supervisor_is_gone_leaves_by_itself(house: House) -> None:
    await house.start()
    worker = await house.event(WorkerUp)
    house.scheduler.child.sock.shutdown(socket.SHUT_RDWR)
    # Not as asked: a code of its own.
    assert await house.ended() == Exit.ORPHANED
    await house.gone(worker.pid)
