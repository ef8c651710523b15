"""What was spent of ESI's limits outlives the scheduler, and never comes back too early."""

from __future__ import annotations

from datetime import timedelta
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st
from sqlalchemy import Connection, select

from engine.bucket_memory import EVERY_S, BucketMemory
from engine.budget import Account, Budget
from engine.budgets import Budgets
from engine.ledger_writer import Errand
from jobs.rates import ROUTINE, WRITE
from jobs.store import rate_buckets
from jobs.store.rate_buckets import SpentBucket
from jobs.store.schema.core import rate_bucket
from tests.clocks import ManualClock
from tests.unit.engine.engine_kinds import NOW
from tests.unit.engine.engine_rig import Rig, open_rig

NAME = "char-wallet:90000001"
WINDOW_S = 900.0


def heard(limit: int, remaining: int, now_s: float = 0.0) -> Budget:
    """Return a bucket of which ESI has told what is left."""
    budget = Budget(NAME, limit, WINDOW_S)
    budget.hear(remaining, limit, int(WINDOW_S), now_s)
    return budget


def reborn(budget: Budget, now_s: float) -> Budget:
    """Return the bucket as the next life knows it."""
    account = budget.to_remember(now_s)
    assert account is not None
    again = Budget(NAME, budget.limit, WINDOW_S)
    again.remember(account, now_s)
    return again


def test_the_next_life_knows_what_was_spent_until_it_comes_back() -> None:
    again = reborn(heard(150, 30, 1_000.0), 1_300.0)
    assert again.left(1_300.0) == 30
    assert again.left(1_899.0) == 30
    assert again.wait(30, ROUTINE, 1_899.0) is not None
    assert again.left(1_900.1) == 150


def test_without_what_was_spent_before_only_a_tenth_is_believed_in() -> None:
    assert Budget(NAME, 150, WINDOW_S).left(0.0) == 15
    assert reborn(heard(150, 149), 1.0).left(1.0) == 149


def test_what_is_lent_counts_as_spent() -> None:
    budget = heard(150, 150)
    budget.lend(40, WRITE, 10.0)
    assert reborn(budget, 20.0).left(20.0) == 110


def test_a_block_outlives_the_scheduler() -> None:
    budget = heard(150, 100)
    budget.block(300.0)
    wait = reborn(budget, 100.0).wait(5, WRITE, 100.0)
    assert wait is not None
    assert wait.seconds == pytest.approx(200.0)


def test_what_has_not_changed_is_told_once() -> None:
    budget = heard(150, 100)
    assert budget.to_remember(1.0) is not None
    assert budget.to_remember(2.0) is None
    budget.lend(5, WRITE, 3.0)
    assert budget.to_remember(3.0) is not None
    budget.settle(5, 0, 4.0)
    assert budget.to_remember(4.0) == Account(50, 896.0)


@given(
    st.lists(st.tuples(st.floats(0.1, 200), st.integers(1, 40), st.booleans()), max_size=30),
    st.floats(0.1, 900),
)
def test_nothing_is_believed_to_be_left_that_was_not(
    steps: list[tuple[float, int, bool]], later_s: float
) -> None:
    now_s, budget = 10_000.0, heard(150, 150, 10_000.0)
    for wait_s, tokens, comes_back in steps:
        now_s += wait_s
        lent = budget.lend(min(tokens, max(1, budget.left(now_s))), WRITE, now_s)
        if comes_back:
            budget.settle(lent, min(lent, tokens), now_s)
    account = budget.to_remember(now_s)
    if account is None:
        return
    again = Budget(NAME, 150, WINDOW_S)
    again.remember(account, now_s)
    assert again.left(now_s) == budget.left(now_s)
    assert again.left(now_s + later_s) <= budget.left(now_s + later_s) + budget.lent


class Queue:
    """Keeps what is to be written."""

    def __init__(self) -> None:
        self.errands: list[Errand] = []

    def run_errand(self, errand: Errand) -> None:
        """Keep it."""
        self.errands.append(errand)


def test_it_is_stored_now_and_then_and_only_what_has_changed() -> None:
    clock, budgets, queue = ManualClock(NOW), Budgets(), Queue()
    memory = BucketMemory(clock, budgets, queue)
    memory.tick()
    assert queue.errands == []
    budgets.get(NAME).hear(100, 150, 900, clock.monotonic_s())
    for _ in range(50):
        clock.advance(EVERY_S / 50)
        memory.tick()
    assert len(queue.errands) == 1
    # While that one waits for the database, no other joins it but the last.
    budgets.get(NAME).hear(90, 150, 900, clock.monotonic_s())
    clock.advance(EVERY_S)
    memory.tick()
    assert len(queue.errands) == 1
    memory.store(last=True)
    assert len(queue.errands) == 2


def test_a_window_that_is_over_and_a_clock_that_was_wrong() -> None:
    clock, budgets = ManualClock(NOW), Budgets()
    over = SpentBucket("char-detail:1", 600, 900, 500, NOW - timedelta(seconds=1))
    ahead = SpentBucket("char-detail:2", 600, 900, 500, NOW + timedelta(days=30))
    BucketMemory(clock, budgets, Queue()).take_over([over, ahead])
    assert [budget.name for budget in budgets] == ["char-detail:2"]
    bucket, now_s = budgets.get("char-detail:2"), clock.monotonic_s()
    assert bucket.left(now_s) == 100
    assert bucket.left(now_s + 901) == 600


async def stored(rig: Rig) -> list[SpentBucket]:
    """Return what is in the table, whatever the time."""

    def read(connection: Connection) -> list[SpentBucket]:
        return rate_buckets.load(connection, NOW - timedelta(minutes=30))

    return await rig.database.read(read)


async def test_the_engine_stores_it_and_the_next_one_begins_with_it(
    tmp_path: Path, empty_database: Path
) -> None:
    path = tmp_path / "memory.db"
    async with open_rig(path, empty_database) as rig:
        budget = rig.engine.budgets.get(NAME)
        budget.hear(20, 150, 900, rig.clock.monotonic_s())
        rig.engine.bucket_memory.store()
        await rig.settle()
        (row,) = await stored(rig)
        assert (row.spent, row.back_at) == (130, NOW + timedelta(seconds=900))
        budget.lend(5, WRITE, rig.clock.monotonic_s())
        budget.settle(5, 5, rig.clock.monotonic_s())
    # At the stop it was stored once more.
    async with open_rig(path, empty_database) as rig:
        now_s = rig.clock.monotonic_s()
        assert rig.engine.budgets.get(NAME).left(now_s) == 15
        assert rig.engine.budgets.get(NAME).is_heard
        assert not rig.engine.budgets.get("char-wallet:90000002").is_heard


async def test_what_has_come_back_is_dropped(tmp_path: Path, empty_database: Path) -> None:
    def prepare(connection: Connection) -> None:
        old = SpentBucket("char-detail:1", 600, 900, 500, NOW - timedelta(seconds=1))
        rate_buckets.save(connection, [old], NOW - timedelta(minutes=5))

    async with open_rig(tmp_path / "memory.db", empty_database, [prepare]) as rig:
        rig.engine.budgets.get(NAME).hear(20, 150, 900, rig.clock.monotonic_s())
        rig.engine.bucket_memory.store()
        await rig.settle()
        names = await rig.database.read(lambda c: list(c.scalars(select(rate_bucket.c.name))))
        assert names == [NAME]


def test_a_window_that_can_be_none_harms_neither_this_life_nor_the_next() -> None:
    clock, budgets, queue = ManualClock(NOW), Budgets(), Queue()
    memory = BucketMemory(clock, budgets, queue)
    until = NOW + timedelta(hours=1)
    memory.take_over([SpentBucket(NAME, 2**31 - 1, 2**31 - 1, 40, until)])
    assert (budgets.get(NAME).limit, budgets.get(NAME).window_s) == (150, WINDOW_S)
    budgets.get("new:1").hear(140, 150, 999_999_999 * 3600, clock.monotonic_s())
    memory.tick()
    assert len(queue.errands) == 1
