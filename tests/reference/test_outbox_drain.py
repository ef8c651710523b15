"""Writes on their way from the outbox to ESI, on real processes and over their deaths."""

from __future__ import annotations

from datetime import timedelta

import msgspec
import pytest

from ipc.clock import SystemClock
from ipc.commands import Drain
from ipc.events import WorkerUp
from tests.reference.house import FIRST, House, character

pytestmark = pytest.mark.process

ONE = character()
TWO = character(FIRST + 1)
SENT = "POST /characters/{character_id}/mail"
CHANGED = "PUT /characters/{character_id}/mail/{mail_id}"
LETTER = {
    "recipients": [{"recipient_id": TWO.id, "recipient_type": "character"}],
    "subject": "A letter",
    "body": "With a body",
}


def only_when_asked(house: House) -> None:
    """Let no drain come by itself within a test."""
    timings = msgspec.structs.replace(house.settings.timings, drain_interval_s=3600.0)
    house.settings = msgspec.structs.replace(house.settings, timings=timings)


async def test_a_write_goes_out_at_the_next_drain(house: House) -> None:
    await house.log_in()
    await house.enroll(TWO)
    await house.start()
    mine = await house.append(ONE, "mail.send", LETTER)
    # Nobody has a credential for this one.
    other = await house.append(TWO, "mail.send", LETTER)
    await house.outbox_reaches(mine, "done")
    assert house.effects() == [SENT]
    assert await house.outbox_status(other) == "pending"


async def test_a_write_goes_out_when_asked(house: House) -> None:
    only_when_asked(house)
    await house.log_in()
    await house.start()
    # A worker that comes up is a reason to look, too.
    await house.until("both workers", lambda: len(house.of(WorkerUp)) == 2)
    # That look is over by then.
    await house.heartbeats(10)
    row = await house.append(ONE, "mail.send", LETTER)
    await house.heartbeats()
    assert await house.outbox_status(row) == "pending"
    await house.do(Drain())
    await house.outbox_reaches(row, "done")
    assert house.effects() == [SENT]


async def test_a_write_that_is_done_is_not_made_again_by_the_next_scheduler(house: House) -> None:
    await house.log_in()
    done = await house.append(ONE, "mail.send", LETTER)
    await house.set_outbox(done, status="done")
    await house.start()
    await house.kill()
    await house.start()
    # What comes after it is made: so this drain has seen both.
    later = await house.append(ONE, "mail.send", LETTER, "later")
    await house.outbox_reaches(later, "done")
    assert house.effects() == [SENT]
    assert await house.outbox_status(done) == "done"


async def test_a_write_outlives_the_scheduler_that_could_not_make_it(house: House) -> None:
    await house.enroll(ONE)
    row = await house.append(ONE, "mail.send", LETTER)
    await house.start()
    await house.do(Drain())
    await house.heartbeats()
    assert await house.outbox_status(row) == "pending"
    assert house.effects() == []
    await house.kill()
    await house.log_in()
    await house.start()
    await house.outbox_reaches(row, "done")
    assert house.effects() == [SENT]


async def test_a_write_that_a_dead_scheduler_had_claimed_is_made(house: House) -> None:
    await house.log_in()
    mail_id = house.newest_mail(FIRST)
    row = await house.append(ONE, "mail.set_read", {"mail_id": mail_id, "read": True})
    await house.start()
    await house.outbox_reaches(row, "done")
    now = SystemClock().now()
    epoch = house.scheduler.ready.epoch if house.scheduler.ready else 0
    await house.kill()
    # As if it had died between the claim and the answer.
    await house.set_outbox(
        row,
        status="inflight",
        claimed_by_epoch=epoch,
        claim_expires_at=now + timedelta(minutes=5),
    )
    await house.start()
    await house.outbox_reaches(row, "done")
    assert house.effects() == [CHANGED, CHANGED]


async def test_what_was_done_long_ago_is_removed(house: House) -> None:
    await house.log_in()
    old = await house.append(ONE, "mail.send", LETTER, "old")
    new = await house.append(ONE, "mail.send", LETTER, "new")
    now = SystemClock().now()
    await house.set_outbox(old, status="done", updated_at=now - timedelta(days=1))
    await house.set_outbox(new, status="done", updated_at=now)
    await house.start()
    await house.outbox_loses(old)
    assert await house.outbox_status(new) == "done"
