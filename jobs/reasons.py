"""What an error means: the word in the ledger, a line for people, and the scheduler's reaction."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from ipc import outcome as wire
from ipc.outcome import AnyReaction, Token
from ipc.plain_text import plain
from jobs import errors
from jobs.rates import ERRORS
from jobs.store.errors import BadRow, StoreError

# A reason goes into the ledger and on the screen: one line of bounded length.
_REASON_CHARS = 400


@dataclass
class CutOff(errors.JobError):
    """The job was ended from outside before it was done."""

    why: Literal["deadline", "stopping", "withdrawn"]


@dataclass
class Flagged(errors.JobError):
    """The credential waits for its character to log in again: nothing is asked with it."""

    reason: str


@dataclass(frozen=True, slots=True)
class Verdict:
    """How an error ends a job or a part of one."""

    token: Token
    reason: str
    reaction: AnyReaction | None = None
    # Going on with the other parts of the job would meet the same error.
    ends_job: bool = False


_CUT_OFF = {
    "deadline": Verdict(Token.FAILED, "deadline exceeded", wire.Cancelled(), ends_job=True),
    "stopping": Verdict(
        Token.FAILED, "cut off by a stop", wire.Cancelled(stopping=True), ends_job=True
    ),
    "withdrawn": Verdict(Token.SKIPPED, "the subject was withdrawn", ends_job=True),
}


def one_line(text: str) -> str:
    """Return a text without line breaks or control characters, and not too long for a ledger."""
    flat = " ".join(plain(text).split())
    return flat if len(flat) <= _REASON_CHARS else flat[: _REASON_CHARS - 1] + "…"


def spent_limit(bucket: str, retry_s: int) -> str:
    """Return the sentence that a limit is spent, or so nearly that the rest is kept."""
    if bucket == ERRORS:
        return f"ESI's error limit is nearly spent; it resets in {retry_s} s"
    return f"the rate limit {bucket} is spent; try again in {retry_s} s"


def verdict_of(error: BaseException) -> Verdict:  # noqa: C901 - one case an error type
    """Return what an error means for its job."""
    match error:
        case CutOff():
            return _CUT_OFF[error.why]
        case errors.PauseAll():
            return Verdict(
                Token.FAILED,
                f"ESI's error limit is spent; it resets in {error.reset_s} s",
                wire.PauseAll(error.until, error.reset_s),
                ends_job=True,
            )
        case errors.PauseBucket():
            return Verdict(
                Token.FAILED,
                one_line(spent_limit(error.bucket, error.retry_s)),
                wire.PauseBucket(error.bucket, error.until, error.retry_s, error.refused),
            )
        case errors.Transient():
            return Verdict(Token.FAILED, one_line(error.reason), wire.Transient(error.retry_at))
        case errors.TokenRejected():
            return Verdict(
                Token.FAILED,
                "the access token has expired or was refused",
                wire.TokenRejected(error.credential_id, error.generation),
                ends_job=True,
            )
        case errors.NeedsLogin():
            return Verdict(
                Token.FAILED,
                one_line(error.reason),
                wire.NeedsLogin(error.credential_id, error.generation),
                ends_job=True,
            )
        case errors.MissingScope():
            return Verdict(Token.BLOCKED, one_line(f"missing scope {error.scope}"))
        case errors.MissingRole():
            return Verdict(Token.BLOCKED, one_line(f"missing role: {error.reason}"))
        case errors.NotReady():
            return Verdict(Token.NOT_READY, one_line(error.reason), wire.NotReadyYet())
        case errors.Gone():
            return Verdict(Token.FAILED, one_line(error.reason), wire.NotThere())
        case errors.BadAnswer():
            return Verdict(Token.FAILED, one_line(error.reason), wire.BadAnswer())
        case Flagged():
            return Verdict(Token.SKIPPED, one_line(error.reason))
        case errors.SubjectGone():
            return Verdict(Token.SKIPPED, one_line(error.reason), ends_job=True)
        case errors.Fenced():
            # Not this job's failure; its scheduler is about to find out by itself.
            return Verdict(
                Token.FAILED,
                "the database belongs to a newer daemon",
                wire.Cancelled(stopping=True),
                ends_job=True,
            )
        case BadRow():
            return Verdict(Token.FAILED, one_line(str(error)), wire.BadAnswer())
        case StoreError():
            return Verdict(Token.FAILED, one_line(str(error)), wire.Transient(), ends_job=True)
        case _:
            text = one_line(f"{type(error).__name__}: {error}")
            return Verdict(Token.FAILED, text, wire.Bug(text), ends_job=True)
