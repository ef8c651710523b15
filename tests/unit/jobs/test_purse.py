"""What a job may spend: set aside before, paid after, borrowed when it runs out."""

from __future__ import annotations

import asyncio
from datetime import UTC, datetime, timedelta

import pytest

from ipc.messages import Acquire, Allowance, Deny, Grant, Message, Release, Spent
from jobs.errors import PauseBucket
from jobs.leases import Leases
from jobs.purse import FIRST_LOAN, Purse
from jobs.rates import PERSON
from tests.clocks import ManualClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
BUCKET = "char-detail:9"


class Lender:
    """A scheduler that lends as it is told."""

    def __init__(self, *answers: int | float | tuple[float, float]) -> None:
        """Take the answers in order: tokens, or seconds to wait, alone or with the sure ones."""
        self.answers = list(answers)
        self.sent: list[Message] = []
        self.leases = Leases(self.send)

    def send(self, message: Message) -> None:
        """Answer at once."""
        self.sent.append(message)
        if isinstance(message, Acquire):
            answer = self.answers.pop(0)
            if isinstance(answer, tuple):
                self.leases.on_answer(Deny(message.lease_id, *answer))
            elif isinstance(answer, float):
                self.leases.on_answer(Deny(message.lease_id, answer))
            else:
                self.leases.on_answer(Grant(message.lease_id, answer))

    def of(self, kind: type[Message]) -> list[Message]:
        """Return what was sent of a type."""
        return [message for message in self.sent if isinstance(message, kind)]


def purse(lender: Lender, *allowances: Allowance, priority: int = 0) -> Purse:
    """Return a purse."""
    return Purse(lender.leases, ManualClock(NOW), allowances, priority)


async def test_what_it_left_with_costs_no_question() -> None:
    lender = Lender()
    ours = purse(lender, Allowance(BUCKET, 8))
    for cost in (2, 1):
        await ours.take(BUCKET)
        ours.pay(BUCKET, cost)
    ours.note(BUCKET, 597, 600, 900)
    assert ours.close() == (Spent(BUCKET, 3, 597, 600, 900),)
    assert lender.sent == []


async def test_what_was_not_asked_for_is_not_told() -> None:
    assert purse(Lender(), Allowance(BUCKET, 8)).close() == ()


async def test_more_is_borrowed_and_given_back_with_what_was_spent() -> None:
    lender = Lender(20)
    ours = purse(lender, Allowance(BUCKET, 5), priority=PERSON)
    for _ in range(4):
        await ours.take(BUCKET)
        ours.pay(BUCKET, 2)
    assert lender.sent == [Acquire(1, f"rate:{BUCKET}", FIRST_LOAN, PERSON, Spent(BUCKET, 2))]
    assert ours.close() == (Spent(BUCKET, 5),)
    assert lender.of(Release) == [Release(1, 3)]


async def test_loans_grow_so_that_long_jobs_ask_seldom() -> None:
    lender = Lender(*([10_000] * 50))
    lender.answers = [20, 40, 80, 160, 160]
    ours = purse(lender)
    for _ in range(100):
        await ours.take(BUCKET)
        ours.pay(BUCKET, 2)
    asked = [message.amount for message in lender.sent if isinstance(message, Acquire)]
    assert asked == [20, 40, 80, 160]


async def test_several_requests_at_once_borrow_once() -> None:
    lender = Lender(20)
    ours = purse(lender)
    await asyncio.gather(*(ours.take(BUCKET) for _ in range(4)))
    assert len(lender.of(Acquire)) == 1


async def test_a_short_wait_is_waited() -> None:
    lender = Lender(0.01, 20)
    ours = purse(lender)
    await ours.take(BUCKET)
    assert len(lender.of(Acquire)) == 2


async def test_a_long_wait_ends_the_run() -> None:
    ours = purse(Lender(30.5))
    with pytest.raises(PauseBucket) as stopped:
        await ours.take(BUCKET)
    assert stopped.value == PauseBucket(BUCKET, NOW + timedelta(seconds=30.5), 31, refused=False)


async def test_many_short_waits_end_the_run_too() -> None:
    ours = purse(Lender(*([0.01, 4.999])))
    with pytest.raises(PauseBucket):
        await ours.take(BUCKET)


async def test_what_nobody_learned_the_cost_of_counts_as_the_dearest() -> None:
    ours = purse(Lender(), Allowance(BUCKET, 8))
    await ours.take(BUCKET)
    assert ours.close() == (Spent(BUCKET, 5),)


async def test_after_short_waits_in_vain_the_sure_one_counts() -> None:
    ours = purse(Lender((0.01, 400.0), (4.999, 399.0)))
    with pytest.raises(PauseBucket) as stopped:
        await ours.take(BUCKET)
    assert stopped.value.retry_s == 399
