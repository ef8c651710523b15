"""One rate bucket: what is lent, what comes back, what is kept, and how routine is spread."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from engine.budget import UNHEARD_AGAIN_S, UNHEARD_LOOK_S, Budget
from jobs.rates import GROUPS, PERSON, ROUTINE, WORST_COST, WRITE
from simulator.contract import Rate
from simulator.limits import Bucket

WINDOW_S = 900.0


def heard(limit: int = 600, remaining: int | None = None, now_s: float = 0.0) -> Budget:
    """Return a bucket of which ESI has told what is left."""
    budget = Budget("char-detail:9", limit, WINDOW_S)
    budget.hear(limit if remaining is None else remaining, limit, int(WINDOW_S), now_s)
    return budget


def test_what_is_lent_is_not_lent_again() -> None:
    budget = heard(100)
    assert budget.lend(50, WRITE, 0.0) == 50
    assert budget.left(0.0) == 50
    wait = budget.wait(51, WRITE, 0.0)
    assert wait is not None
    assert wait.exhausted


def test_what_was_not_spent_comes_back_at_once_and_the_rest_a_window_later() -> None:
    budget = heard(100)
    budget.lend(50, WRITE, 0.0)
    budget.settle(50, 10, 3.0)
    assert budget.left(3.0) == 90
    assert budget.left(902.9) == 90
    assert budget.left(903.0) == 100


def test_routine_leaves_a_reserve_a_person_half_of_it_and_a_write_nothing() -> None:
    budget = heard(600, remaining=64)
    assert budget.wait(WORST_COST, ROUTINE, 0.0) is not None
    assert budget.wait(WORST_COST, PERSON, 0.0) is None
    assert budget.wait(34, PERSON, 0.0) is None
    assert budget.wait(35, PERSON, 0.0) is not None
    assert budget.wait(64, WRITE, 0.0) is None


def test_an_exhausted_bucket_tells_when_enough_comes_back() -> None:
    budget = heard(100)
    for at_s in (10.0, 20.0):
        budget.lend(40, WRITE, at_s)
        budget.settle(40, 40, at_s)
    wait = budget.wait(WORST_COST, ROUTINE, 30.0)
    assert wait is None
    budget.lend(10, WRITE, 30.0)
    budget.settle(10, 10, 30.0)
    wait = budget.wait(WORST_COST, ROUTINE, 30.0)
    assert wait is not None
    assert (wait.seconds, wait.exhausted) == (880.0, True)
    assert budget.wait(WORST_COST, ROUTINE, 910.0) is None


def test_low_tokens_are_spread_over_what_is_left_of_the_window() -> None:
    budget = heard(600)
    budget.lend(400, WRITE, 0.0)
    budget.settle(400, 400, 0.0)
    times = []
    now_s = 100.0
    while now_s < WINDOW_S:
        wait = budget.wait(WORST_COST, ROUTINE, now_s)
        if wait is not None:
            assert not wait.exhausted
            now_s += wait.seconds
            continue
        budget.lend(WORST_COST, ROUTINE, now_s)
        budget.settle(WORST_COST, 2, now_s)
        times.append(now_s)
    gaps = [later - earlier for earlier, later in itertools.pairwise(times)]
    assert 30 < len(times) < 100
    assert max(gaps) < 60
    assert times[-1] > WINDOW_S - 60


def test_a_person_is_not_made_to_wait_by_the_spreading() -> None:
    budget = heard(600, remaining=200)
    budget.lend(WORST_COST, ROUTINE, 0.0)
    assert budget.wait(WORST_COST, ROUTINE, 0.0) is not None
    assert budget.wait(WORST_COST, PERSON, 0.0) is None


def test_until_esi_speaks_only_the_reserve_is_believed_in() -> None:
    budget = Budget("char-detail:9", 600, WINDOW_S)
    assert budget.wait(60, ROUTINE, 0.0) is None
    assert budget.lend(60, ROUTINE, 0.0) == 60
    wait = budget.wait(WORST_COST, WRITE, 0.0)
    assert wait is not None
    assert wait.seconds == UNHEARD_LOOK_S
    budget.settle(60, 4, 0.2)
    budget.hear(596, 600, 900, 0.2)
    assert budget.left(0.2) == 596


def test_what_another_program_or_an_earlier_life_spent_counts() -> None:
    budget = Budget("char-detail:9", 600, WINDOW_S)
    budget.lend(8, ROUTINE, 0.0)
    budget.settle(8, 4, 0.5)
    budget.hear(100, 600, 900, 0.5)
    assert budget.left(0.5) == 100
    assert budget.left(901.0) == 600


def test_an_answer_overtaken_by_other_jobs_gives_nothing_back() -> None:
    budget = heard(600)
    budget.lend(10, ROUTINE, 0.0)
    budget.lend(10, ROUTINE, 0.0)
    budget.settle(10, 4, 1.0)
    budget.hear(596, 600, 900, 1.0)
    assert budget.left(1.0) == 586


def test_a_changed_limit_is_taken_over() -> None:
    budget = heard(600)
    budget.hear(300, 300, 60, 0.0)
    assert (budget.limit, budget.reserve, budget.window_s) == (300, 30, 60)


@pytest.mark.parametrize(("limit", "window_s"), [(150, 10**12), (10**9, 900), (0, 0), (-1, 900)])
def test_a_limit_that_can_be_none_is_not_taken_over(limit: int, window_s: int) -> None:
    budget = heard(600)
    budget.hear(400, limit, window_s, 0.0)
    assert (budget.limit, budget.window_s) == (600, WINDOW_S)
    assert budget.left(0.0) == 400


def test_a_refusal_blocks_everybody_and_the_longest_stands() -> None:
    budget = heard(600)
    budget.block(60.0)
    budget.block(30.0)
    wait = budget.wait(WORST_COST, WRITE, 10.0)
    assert wait is not None
    assert wait.seconds == 50.0
    assert budget.wait(WORST_COST, WRITE, 60.0) is None


@pytest.mark.parametrize("limit", sorted(set(GROUPS.values())))
def test_every_bucket_lets_a_request_of_routine_through(limit: int) -> None:
    budget = heard(limit)
    assert budget.wait(1000, ROUTINE, 0.0) is None
    lent = budget.lend(1000, ROUTINE, 0.0)
    assert WORST_COST <= lent <= limit - budget.reserve


@settings(deadline=None)
@given(
    limit=st.sampled_from(sorted(set(GROUPS.values()))),
    before=st.integers(0, 50),
    steps=st.lists(
        st.tuples(
            st.integers(0, 3000), st.integers(1, 60), st.sampled_from([ROUTINE, PERSON, WRITE]),
            st.lists(st.sampled_from([0, 1, 2, 5]), min_size=1, max_size=4),
        ),
        max_size=60,
    ),
)  # fmt: skip
def test_a_bucket_of_esi_is_never_overdrawn(
    limit: int, before: int, steps: list[tuple[int, int, int, list[int]]]
) -> None:
    """Whatever is asked for, lent and spent, the other side's own count never says 429."""
    esi = Bucket(Rate("g", limit, int(WINDOW_S)))
    now_s = 1000.0
    # An earlier life has left its reserve.
    esi.spend(now_s, min(before, limit - max(WORST_COST, limit // 10)))
    budget = Budget("g:9", limit, WINDOW_S)
    for gap, tokens, priority, costs in steps:
        now_s += gap / 10
        if budget.wait(tokens, priority, now_s) is not None:
            continue
        lent = budget.lend(tokens, priority, now_s)
        spent, reading = 0, None
        for cost in costs:
            if lent - spent < WORST_COST:
                break
            assert esi.wait_s(now_s) == 0
            reading = esi.spend(now_s, cost)
            spent += cost
            now_s += 0.05
        budget.settle(lent, spent, now_s)
        if reading is not None:
            budget.hear(reading.remaining, limit, int(WINDOW_S), now_s)
    assert budget.lent == 0
    assert math.isfinite(budget.left(now_s))


def test_what_is_lent_may_come_back_soon_or_be_spent_for_a_window() -> None:
    budget = heard(100)
    budget.lend(60, WRITE, 0.0)
    budget.settle(60, 60, 0.0)
    budget.lend(30, WRITE, 10.0)
    wait = budget.wait(WORST_COST, ROUTINE, 10.0)
    assert wait is not None
    assert (wait.seconds, wait.sure_s) == (1.0, 890.0)


@pytest.mark.parametrize("limit", [15, 30, 600])
def test_a_bucket_is_asked_again_where_all_that_was_lent_was_lost_with_a_worker(
    limit: int,
) -> None:
    """Nothing but an answer tells what is left of it, and a window would be long to wait."""
    budget = Budget("char-notification:9", limit, WINDOW_S)
    assert budget.wait(WORST_COST, ROUTINE, 0.0) is None
    lent = budget.lend(60, ROUTINE, 0.0)
    budget.settle(lent, lent, 1.0)
    wait = budget.wait(WORST_COST, ROUTINE, 1.0)
    assert wait is not None
    assert wait.seconds == UNHEARD_LOOK_S
    assert budget.wait(WORST_COST, ROUTINE, 0.9 + UNHEARD_AGAIN_S) is not None
    later_s = 1.0 + UNHEARD_AGAIN_S
    assert budget.wait(WORST_COST, ROUTINE, later_s) is None
    # One request, and no other before its answer.
    assert budget.lend(60, ROUTINE, later_s) == WORST_COST
    assert budget.wait(WORST_COST, WRITE, later_s + 60.0) is not None
    budget.settle(WORST_COST, 2, later_s)
    budget.hear(limit - 2, limit, int(WINDOW_S), later_s)
    # What may have been spent stays so.
    assert budget.left(later_s) == limit - lent - 2
