"""When a job runs again, by how it ended."""

from __future__ import annotations

from datetime import timedelta

import pytest

from engine import policy
from engine.entry import Again
from engine.grants import Plan, Verdict
from engine.policy import Announce, Decision, decide
from ipc.messages import JobDone
from ipc.outcome import (
    AnyReaction,
    BadAnswer,
    Bug,
    Cancelled,
    NeedsLogin,
    NotReadyYet,
    NotThere,
    Outcome,
    PauseAll,
    PauseBucket,
    Token,
    TokenRejected,
    Transient,
)
from tests.unit.engine.engine_kinds import NOW

SYNCED, EMPTY, BLOCKED, NOT_READY, SKIPPED = (
    Outcome(Token.SYNCED, 3),
    Outcome(Token.EMPTY),
    Outcome(Token.BLOCKED, reason="missing role"),
    Outcome(Token.NOT_READY),
    Outcome(Token.SKIPPED, reason="flagged"),
)
FAILED = Outcome(Token.FAILED, reason="it broke")


def done(outcome: Outcome = FAILED, reaction: AnyReaction | None = None, **more: object) -> JobDone:
    """Return the end of a job."""
    return JobDone(1, 1, 1, outcome, 0.5, reaction, **more)  # type: ignore[arg-type]


@pytest.mark.parametrize("outcome", [SYNCED, EMPTY])
def test_a_success_comes_again_at_the_interval_and_ends_the_streak(outcome: Outcome) -> None:
    decision = decide(done(outcome), 3600, 4, NOW)
    assert (decision.delay_s, decision.failures, decision.announce) == (3600, 0, Announce.FINISHED)


@pytest.mark.parametrize(
    ("fresh_s", "delay_s"), [(60, 3600), (7200, 7200), (-5, 3600), (1e7, policy.LONGEST_WAIT_S)]
)
def test_a_success_is_not_asked_again_before_its_data_can_have_changed(
    fresh_s: float, delay_s: float
) -> None:
    fresh_until = NOW + timedelta(seconds=fresh_s)
    assert decide(done(SYNCED, fresh_until=fresh_until), 3600, 0, NOW).delay_s == delay_s


def test_a_long_part_that_stopped_early_goes_on_soon() -> None:
    decision = decide(done(Outcome(Token.SYNCED, to_fetch=1)), 3600, 0, NOW)
    assert decision.delay_s == policy.CATCHING_UP_S


@pytest.mark.parametrize("outcome", [BLOCKED, NOT_READY])
@pytest.mark.parametrize(("every_s", "delay_s"), [(3600, 120), (60, 60)])
def test_a_pending_outcome_is_looked_at_again_soon(
    outcome: Outcome, every_s: float, delay_s: float
) -> None:
    decision = decide(done(outcome), every_s, 2, NOW)
    assert (decision.delay_s, decision.failures, decision.announce) == (
        delay_s,
        2,
        Announce.FINISHED,
    )


def test_skipped_waits_the_interval() -> None:
    decision = decide(done(SKIPPED), 3600, 1, NOW)
    assert (decision.delay_s, decision.announce) == (3600, Announce.FINISHED)


def test_a_missing_parent_is_retried_shortly_and_told_to_nobody() -> None:
    decision = decide(done(NOT_READY, NotReadyYet()), 3600, 2, NOW)
    assert (decision.delay_s, decision.failures, decision.announce, decision.outcome.token) == (
        3.0,
        2,
        Announce.NOTHING,
        Token.NOT_READY,
    )


@pytest.mark.parametrize(
    ("failures", "delay_s"), [(0, 2), (1, 4), (2, 8), (6, 128), (8, 300), (500, 300)]
)
def test_failures_back_off_from_two_seconds_to_five_minutes(failures: int, delay_s: float) -> None:
    decision = decide(done(FAILED, Transient()), 3600, failures, NOW)
    assert (decision.delay_s, decision.failures) == (delay_s, failures + 1)
    assert (decision.announce, decision.outcome.reason) == (Announce.FAILED, "it broke")


@pytest.mark.parametrize(
    "reaction",
    [None, BadAnswer(), NotThere(), Bug("boom"), TokenRejected(1, 2), Cancelled(), Transient()],
)
def test_what_is_no_wait_and_no_park_is_a_failure(reaction: AnyReaction | None) -> None:
    decision = decide(done(FAILED, reaction), 3600, 0, NOW)
    assert (decision.failures, decision.announce, decision.park) == (1, Announce.FAILED, None)


@pytest.mark.parametrize(
    ("failures", "same_wait_s", "delay_s"),
    [
        (0, 0, 2),
        # As with any failure at first, and so again after a failure of another sort.
        (1, 2, 4),
        (8, 0, 300),
        (9, 330, 660),
        (14, 21_000, 42_000),
        (16, 84_000, 86_400),
        (500, 86_430, 86_400),
    ],
)
def test_what_does_not_exist_is_asked_for_less_and_less_often(
    failures: int, same_wait_s: float, delay_s: float
) -> None:
    decision = decide(done(FAILED, NotThere()), 3600, failures, NOW, same_wait_s)
    assert (decision.delay_s, decision.failures) == (delay_s, failures + 1)
    assert (decision.announce, decision.park) == (Announce.FAILED, None)


@pytest.mark.parametrize(("same_wait_s", "delay_s"), [(330, 660), (3600, 3600)])
def test_where_only_a_part_does_not_exist_the_interval_is_the_longest_wait(
    same_wait_s: float, delay_s: float
) -> None:
    decision = decide(done(FAILED, NotThere(whole=False)), 3600, 20, NOW, same_wait_s)
    assert decision.delay_s == delay_s


def test_trouble_is_tried_again_soon_however_long_it_lasts() -> None:
    """As in a downtime, when a refusal is no verdict."""
    assert decide(done(FAILED, Transient()), 3600, 50, NOW, 86_400).delay_s == 300


def test_a_server_that_names_a_time_is_not_asked_before_it() -> None:
    retry_at = NOW + timedelta(seconds=90)
    assert decide(done(FAILED, Transient(retry_at)), 3600, 0, NOW).delay_s == 90


@pytest.mark.parametrize(("wait_s", "delay_s"), [(42, 42), (0, 1), (-9, 1)])
@pytest.mark.parametrize("shared", [True, False])
def test_420_and_429_wait_as_long_as_esi_says_and_are_no_failure(
    wait_s: int, delay_s: float, shared: bool
) -> None:
    until = NOW + timedelta(seconds=wait_s)
    reaction = PauseAll(until, wait_s) if shared else PauseBucket("b", until, wait_s)
    decision = decide(done(FAILED, reaction), 3600, 3, NOW)
    assert (decision.delay_s, decision.retry_s, decision.failures) == (delay_s, wait_s, 3)
    assert (decision.announce, decision.honours) == (Announce.BACKING_OFF, Again.NO)
    assert decision.outcome.token is Token.FAILED


def test_no_usable_login_parks_until_the_credential_changes() -> None:
    decision = decide(done(FAILED, NeedsLogin(7, 12)), 3600, 0, NOW)
    assert decision.park == policy.Park("it broke", 12)
    assert decision.announce is Announce.FAILED


def test_what_a_stop_cut_off_is_due_again_and_no_failure() -> None:
    decision = decide(done(FAILED, Cancelled(stopping=True)), 3600, 3, NOW)
    assert (decision.delay_s, decision.failures, decision.announce) == (0, 3, Announce.NOTHING)
    assert decision.unrecorded


def test_a_poisonous_job_is_parked_for_good() -> None:
    assert policy.park_for_good("killed it", 2).park == policy.Park("killed it", None)


def test_what_credentials_let_make_no_request_waits_by_the_reason() -> None:
    def unrun(verdict: Verdict) -> Decision:
        return policy.decide_unrun(Plan(verdict, reason="why"), 120.0, 3)

    skipped, blocked, login = map(unrun, (Verdict.SKIP, Verdict.BLOCK, Verdict.LOGIN))
    assert skipped == Decision(Outcome(Token.SKIPPED, reason="why"), 120.0, 0)
    assert blocked == Decision(Outcome(Token.BLOCKED, reason="why"), policy.BLOCKED_LOOK_S, 3)
    assert login == policy.park_for_login("why", 3, 0)
    with pytest.raises(ValueError, match="may run"):
        unrun(Verdict.RUN)
