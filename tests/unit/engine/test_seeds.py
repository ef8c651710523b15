"""Where a job starts, by its row in the ledger."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from engine.seeds import Seed, ends_park, last_outcome, plant
from ipc.outcome import Outcome, Token
from jobs.spec import Kind
from tests.unit.engine.engine_kinds import NOW, ORDERS, WALLET, row


def at(seconds: float) -> Any:
    """Return a time so far from now."""
    return NOW + timedelta(seconds=seconds)


def seed(of: Kind, *, launch: bool = True, generations: tuple[int, ...] = (), **more: Any) -> Seed:
    """Plant a job with such a row."""
    return plant(
        of, of.every.total_seconds(), row(of, **more), NOW, launch=launch, generations=generations
    )


def test_a_job_without_a_row_is_due() -> None:
    assert plant(WALLET, 3600, None, NOW, launch=True) == Seed(0.0)


def test_a_future_time_within_the_interval_is_kept() -> None:
    assert seed(WALLET, next_eligible_at=at(600)).delay_s == 600


@pytest.mark.parametrize("next_in_s", [-1, -86_400])
def test_a_past_time_means_now(next_in_s: float) -> None:
    assert seed(WALLET, next_eligible_at=at(next_in_s)).delay_s == 0


def test_a_time_beyond_the_interval_is_cut_to_it() -> None:
    assert seed(WALLET, next_eligible_at=at(90_000)).delay_s == 3600


def test_a_time_within_the_stored_expiry_is_kept() -> None:
    found = seed(WALLET, next_eligible_at=at(7200), fresh_until=at(7200))
    assert found.delay_s == 7200


def test_the_wait_of_a_failure_is_kept_however_long_it_had_become() -> None:
    failed: dict[str, Any] = {"token": Token.FAILED, "consecutive_failures": 12}
    found = seed(WALLET, last_attempt_at=at(-3000), next_eligible_at=at(83_400), **failed)
    assert found == Seed(83_400, 12)
    # By a clock that is behind it waits no longer than it was to wait, and a day at most.
    year_s = 365 * 86_400
    asked: dict[str, Any] = {"last_attempt_at": at(year_s), **failed}
    assert seed(WALLET, next_eligible_at=at(year_s + 7200), **asked).delay_s == 7200
    assert seed(WALLET, next_eligible_at=at(2 * year_s), **asked).delay_s == 86_400


def test_a_clock_that_is_behind_makes_no_expiry_longer_than_it_was() -> None:
    year_s = 365 * 86_400
    found = seed(
        WALLET,
        last_attempt_at=at(year_s),
        next_eligible_at=at(year_s + 300),
        fresh_until=at(year_s + 300),
    )
    assert found.delay_s == 3600


def test_without_a_time_the_last_success_and_the_interval_count() -> None:
    assert seed(WALLET, last_success_at=at(-600)).delay_s == 3000
    assert seed(WALLET, last_success_at=at(-4000)).delay_s == 0
    assert seed(WALLET).delay_s == 0


def test_the_streak_is_remembered() -> None:
    found = seed(WALLET, token=Token.FAILED, consecutive_failures=5, strikes=2)
    assert (found.failures, found.strikes) == (5, 2)


def test_launch_kinds_are_due_whatever_the_ledger_says() -> None:
    assert seed(ORDERS, next_eligible_at=at(900), last_success_at=at(-61)).delay_s == 0
    assert seed(ORDERS, next_eligible_at=at(900)).delay_s == 0


def test_launch_kinds_that_succeeded_a_moment_ago_wait() -> None:
    assert seed(ORDERS, next_eligible_at=at(900), last_success_at=at(-59)).delay_s == 900


def test_launch_kinds_wait_like_others_after_the_launch() -> None:
    assert seed(ORDERS, launch=False, next_eligible_at=at(900)).delay_s == 900


def test_only_launch_kinds_are_due_at_launch() -> None:
    assert seed(WALLET, next_eligible_at=at(900), last_success_at=at(-300)).delay_s == 900


def test_a_park_is_remembered() -> None:
    found = seed(WALLET, parked_reason="poison", consecutive_failures=3)
    assert (found.parked_reason, found.parked_generation, found.failures) == ("poison", None, 3)


def test_a_park_that_a_login_has_ended_since_is_none() -> None:
    parked: dict[str, Any] = {"parked_reason": "flagged", "parked_generation": 4}
    assert seed(WALLET, generations=(5,), **parked) == Seed()
    assert seed(WALLET, generations=(4,), **parked).parked_reason == "flagged"


def test_a_poison_park_is_ended_by_no_credential() -> None:
    assert not ends_park(None, {7})
    assert not ends_park(3, ())
    assert ends_park(3, {7})


@pytest.mark.parametrize("token", list(Token))
def test_every_word_of_the_ledger_is_an_outcome_again(token: Token) -> None:
    found = last_outcome(row(WALLET, token, rows_touched=7, last_reason="why"))
    assert found == Outcome(token, 7, "why")


@pytest.mark.parametrize(
    ("token", "failures", "helps"),
    [
        (Token.FAILED, 4, True),
        (Token.BLOCKED, 0, True),
        (Token.NOT_READY, 0, True),
        (Token.SKIPPED, 0, True),
        (Token.SYNCED, 0, False),
        (Token.EMPTY, 0, False),
        # It only waits for a limit of ESI, which a login gives no more of.
        (Token.FAILED, 0, False),
    ],
)
def test_what_ended_badly_before_a_login_is_due_without_its_streak(
    token: Token, failures: int, helps: bool
) -> None:
    ended: dict[str, Any] = {
        "token": token,
        "consecutive_failures": failures,
        "next_eligible_at": at(300),
        "strikes": 2,
    }
    told = row(WALLET, **ended)
    later = plant(WALLET, 3600, told, NOW, launch=True, logged_in_at=at(-5))
    assert later == (Seed(strikes=2) if helps else Seed(300.0, failures, 2))
    for before in (None, told.last_attempt_at, at(-3600)):
        kept = plant(WALLET, 3600, told, NOW, launch=True, logged_in_at=before)
        assert kept == Seed(300.0, failures, 2)


def test_a_login_ends_no_park_that_only_a_person_ends() -> None:
    told = row(WALLET, token=Token.FAILED, parked_reason="killed its worker", strikes=3)
    kept = plant(WALLET, 3600, told, NOW, launch=True, logged_in_at=at(-5))
    assert kept.parked_reason == "killed its worker"
