"""When a job runs again, decided from how it ended; pure."""

from __future__ import annotations

import math
from datetime import datetime
from enum import Enum, auto
from typing import assert_never

import msgspec

from engine.entry import Again
from engine.grants import Plan, Verdict
from ipc.messages import JobDone
from ipc.outcome import (
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

# A returned "not ready" or "blocked" is looked at again after this, or the interval if shorter.
PENDING_RETRY_S = 120.0
# The parent row of the subject is missing.
NOT_READY_RETRY_S = 3.0
FAILURE_BASE_S = 2.0
FAILURE_CAP_S = 300.0
# What does not exist is asked for at least so often.
NOT_THERE_CAP_S = 86_400.0
# The least wait after 420 and 429.
LEAST_WAIT_S = 1.0
# A long part that stopped early goes on after this.
CATCHING_UP_S = 15.0
# A job that may run no part asks its grants again after this.
BLOCKED_LOOK_S = 3600.0
# SSO's first refusal of a refresh is asked about again after this.
REFUSED_RETRY_S = 61.0
# The lone worker may have to be started first.
LONE_START_S = 30.0
# No answer of a server makes a job or a pause wait longer than this.
LONGEST_WAIT_S = 86_400.0
# Nothing that holds more than one job back stands longer: ESI's windows are shorter.
LONGEST_PAUSE_S = 900.0


class Announce(Enum):
    """Which event tells of the end of a job."""

    FINISHED = auto()
    FAILED = auto()
    BACKING_OFF = auto()
    NOTHING = auto()


class Park(msgspec.Struct, frozen=True):
    """A job stops until a person, or a changed credential, ends that."""

    reason: str
    # Ends when the credential has another generation; None: only run-now ends it.
    generation: int | None


class Decision(msgspec.Struct, frozen=True, gc=False):
    """What becomes of a job that ended."""

    outcome: Outcome
    delay_s: float
    failures: int
    announce: Announce = Announce.FINISHED
    # Which requests for one more run come before the delay.
    honours: Again = Again.TRIGGER
    park: Park | None = None
    # BackingOff carries the server's own value.
    retry_s: int = 0
    # Nothing happened that the ledger should tell: the job was cut off by a stop.
    unrecorded: bool = False
    # It is a success: triggers fire.
    success: bool = False
    # The log was told of the cause, once for many jobs.
    told: bool = False


def failure_backoff_s(failures: int) -> float:
    """Return the wait after so many failures in a row, the last one included."""
    return min(FAILURE_CAP_S, FAILURE_BASE_S * 2.0 ** min(failures - 1, 16))


def decide_unrun(plan: Plan, every_s: float, failures: int) -> Decision:
    """Return what becomes of a due job that its credentials let make no request."""
    match plan.verdict:
        case Verdict.SKIP:
            return Decision(Outcome(Token.SKIPPED, reason=plan.reason), every_s, 0)
        case Verdict.BLOCK:
            outcome = Outcome(Token.BLOCKED, reason=plan.reason)
            return Decision(outcome, BLOCKED_LOOK_S, failures)
        case Verdict.LOGIN:
            return park_for_login(plan.reason, failures, 0)
        case Verdict.RUN:
            raise ValueError("a job that may run")
        case _:
            assert_never(plan.verdict)


def decide(
    done: JobDone, every_s: float, failures: int, now: datetime, same_wait_s: float = 0.0
) -> Decision:
    """Return what becomes of a job of this interval that ended so, after so many failures.

    same_wait_s: how long it waited after its last end, if that gave the same reason.
    """
    if done.reaction is not None:
        return _react(done, every_s, failures, now, same_wait_s)
    outcome = done.outcome
    if outcome.is_success:
        delay_s = every_s
        if done.fresh_until is not None:
            delay_s = max(delay_s, (done.fresh_until - now).total_seconds())
        if outcome.to_fetch:
            delay_s = min(delay_s, CATCHING_UP_S)
        delay_s = min(delay_s, max(LONGEST_WAIT_S, every_s))
        return Decision(outcome, delay_s, 0, success=True)
    if outcome.is_pending:
        return Decision(outcome, min(PENDING_RETRY_S, every_s), failures)
    if outcome.token is Token.SKIPPED:
        return Decision(outcome, every_s, 0)
    return fail(outcome.reason, failures)


def fail(reason: str, failures: int, at_least_s: float = 0.0) -> Decision:
    """Return the decision for one more failure in a streak."""
    streak = failures + 1
    return Decision(
        Outcome(Token.FAILED, reason=reason),
        max(failure_backoff_s(streak), at_least_s),
        streak,
        Announce.FAILED,
        Again.RUN_NOW,
    )


def park_for_login(reason: str, failures: int, generation: int) -> Decision:
    """Return the decision for a job that only a login can help."""
    return Decision(
        Outcome(Token.FAILED, reason=reason),
        0.0,
        failures + 1,
        Announce.FAILED,
        Again.RUN_NOW,
        Park(reason, generation),
    )


def park_for_good(reason: str, failures: int) -> Decision:
    """Return the decision for a job that only a person may start again."""
    return Decision(
        Outcome(Token.FAILED, reason=reason),
        0.0,
        failures + 1,
        Announce.FAILED,
        Again.RUN_NOW,
        Park(reason, None),
    )


def wait_for_limit(reason: str, seconds: float, failures: int) -> Decision:
    """Return the decision for a job that was not started because a limit of ESI is spent."""
    return Decision(
        Outcome(Token.FAILED, reason=reason),
        seconds,
        failures,
        Announce.BACKING_OFF,
        Again.NO,
        retry_s=math.ceil(seconds),
    )


def wait_s(until: datetime, now: datetime) -> float:
    """Return how long a server's wait lasts: a second at least, a day at most."""
    return min(max((until - now).total_seconds(), LEAST_WAIT_S), LONGEST_WAIT_S)


def pause_s(until: datetime, now: datetime) -> float:
    """Return how long a pause lasts for all, or for all that share a bucket."""
    return min(wait_s(until, now), LONGEST_PAUSE_S)


def _react(
    done: JobDone, every_s: float, failures: int, now: datetime, same_wait_s: float
) -> Decision:
    reaction = done.reaction
    reason = done.outcome.reason
    match reaction:
        case NotReadyYet():
            outcome = Outcome(Token.NOT_READY, reason=reason)
            return Decision(outcome, NOT_READY_RETRY_S, failures, Announce.NOTHING)
        case PauseAll(until=until, reset_s=asked_s) | PauseBucket(until=until, retry_s=asked_s):
            return _back_off(reason, until, asked_s, failures, now)
        case NeedsLogin(generation=generation):
            return park_for_login(reason or "needs a login", failures, generation)
        case Cancelled(stopping=True):
            return Decision(
                done.outcome, 0.0, failures, Announce.NOTHING, Again.RUN_NOW, unrecorded=True
            )
        case Transient(retry_at=retry_at):
            return fail(reason, failures, 0.0 if retry_at is None else wait_s(retry_at, now))
        case Bug(text=text):
            return fail(reason or text, failures)
        case Cancelled() | TokenRejected() | BadAnswer():
            return fail(reason, failures)
        case NotThere(whole=whole):
            # Where the job brings other things, those are wanted at the interval.
            cap_s = NOT_THERE_CAP_S if whole else every_s
            return fail(reason, failures, min(2.0 * same_wait_s, cap_s))
        case None:
            raise ValueError("a job without a reaction")
        case _:
            assert_never(reaction)


def _back_off(reason: str, until: datetime, retry_s: int, failures: int, now: datetime) -> Decision:
    return Decision(
        Outcome(Token.FAILED, reason=reason or f"ESI asked to wait {retry_s} s"),
        wait_s(until, now),
        failures,
        Announce.BACKING_OFF,
        Again.NO,
        retry_s=retry_s,
    )
