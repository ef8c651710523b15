"""What becomes of an outbox row after an attempt; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from ipc.outcome import AnyReaction
from jobs import errors
from jobs.esi.headers import clamp_wait_s
from jobs.esi.reactions import GameRefused, ServerTrouble
from jobs.esi.transport import AnswerLost, NotSent
from jobs.reasons import Flagged, one_line, verdict_of
from jobs.store.outbox_rows import LIFETIME, OutboxRow
from jobs.store.write_status import Status
from jobs.writes.kind import FOUND_WITHIN
from jobs.writes.notes import Doubt, Notes, Sent, notes_of, sent_text, text_of

__all__ = ["FOUND_WITHIN", "LIFETIME", "Decision", "Doubt"]

# Attempts that ESI or the game itself answered with a failure.
MAX_ATTEMPTS = 8
_FIRST_S = 2.0
_LONGEST_S = 300.0
MAX_JITTER_S = 2.0
# A row without a usable credential is looked at again after this.
_NO_CREDENTIAL_S = 300.0
# A sent mail shows in ESI's cached lists after at most half a minute.
LOOK_AGAIN_S = 35.0
# Clocks differ, ours and the game's.
CLOCK_MARGIN = timedelta(seconds=60)
_FIRST_DAY = datetime.min.replace(tzinfo=UTC) + CLOCK_MARGIN

_COST = re.compile(r"ContactCostNotApproved\D*(\d{1,18})?", re.IGNORECASE)
_UNREACHABLE = re.compile(r"ContactOwnerUnreachable", re.IGNORECASE)
_REMAINING = re.compile(r"remaining_?time\D{0,8}(\d{1,18})", re.IGNORECASE)
_SPAM = re.compile(r"spam", re.IGNORECASE)
# The game tells times in steps of 100 ns; a number of seconds is never so large.
_TICKS_FROM = 100_000
_TICKS_A_SECOND = 10_000_000


@dataclass(frozen=True, slots=True)
class Decision:
    """The row's next status, and what the scheduler must know."""

    status: Status
    attempts: int
    reason: str = ""
    next_attempt_at: datetime | None = None
    result: str | None = None
    reaction: AnyReaction | None = None
    # Instead of all that, where what was found turns out to be another row's.
    otherwise: Decision | None = None


def doubt_of(row: OutboxRow) -> Doubt | None:
    """Return the doubt noted in a row, if it is about the payload that the row has now."""
    return notes_of(row).in_doubt


def doubt_text(doubt: Doubt) -> str:
    """Return a doubt as a row's result keeps it."""
    return text_of(Notes(in_doubt=doubt))


def is_too_old(row: OutboxRow, now: datetime) -> bool:
    """Tell whether a row has waited as long as it may."""
    # Not created_at + LIFETIME: another program may have written the last day of the calendar.
    return row.expires_at <= now if row.expires_at else row.created_at <= now - LIFETIME


def not_before(asked_at: datetime) -> datetime:
    """Return from when on ESI's clock a write can have been made that was asked for then."""
    # Another program may have written the first day of the calendar.
    return max(asked_at, _FIRST_DAY) - CLOCK_MARGIN


def backoff_s(attempts: int) -> float:
    """Return the wait after so many counted attempts, without jitter."""
    return float(min(_LONGEST_S, _FIRST_S * 2 ** max(0, min(attempts, 20) - 1)))


def age_backoff_s(age_s: float) -> float:
    """Return the wait of a row whose failures do not count: half its age, within the bounds."""
    return min(_LONGEST_S, max(_FIRST_S, age_s / 2))


def decide(
    error: BaseException,
    row: OutboxRow,
    now: datetime,
    jitter_s: float,
    *,
    repeatable: bool,
    asked_at: datetime | None,
    look_for: timedelta | None = FOUND_WITHIN,
) -> Decision:
    """Return what becomes of a row whose attempt ended with an error.

    asked_at: when the write was sent; None: it was not. look_for: how long a write in doubt can
    be found; None: it cannot be looked for.
    """
    if asked_at is not None and not repeatable and _is_ambiguous(error):
        return _in_doubt(error, row, now, asked_at, look_for)
    match error:
        case errors.PauseAll() | errors.PauseBucket():
            return _again(error, error.until, row.attempts)
        case GameRefused():
            return _after_game_refusal(error, row, now, jitter_s)
        case ServerTrouble() if error.own:
            return _counted(error, row, now, jitter_s)
        case errors.TokenRejected() if asked_at is not None:
            return _counted(error, row, now, jitter_s)
        case errors.NeedsLogin() | Flagged():
            wait_s = _NO_CREDENTIAL_S
        case errors.Transient() | errors.BadAnswer() | errors.TokenRejected():
            wait_s = age_backoff_s((now - row.created_at).total_seconds()) + jitter_s
        case errors.RefusedWrite() | errors.MissingScope() | errors.MissingRole() | errors.Gone():
            return _given_up(error, row)
        case _:
            return _counted(error, row, now, jitter_s)
    if is_too_old(row, now):
        return _given_up(error, row)
    return _again(error, now + timedelta(seconds=wait_s), row.attempts)


def blind(row: OutboxRow, reason: str) -> Decision:
    """Return what becomes of a row in doubt whose write ESI lets nobody look for."""
    told = "it may have arrived, and cannot be looked for; it is not sent again"
    return Decision(Status.UNCERTAIN, row.attempts, one_line(f"{told} ({reason})"))


def after_look(row: OutboxRow, doubt: Doubt, now: datetime, found: str | None) -> Decision:
    """Return what becomes of a row in doubt after its write was looked for."""
    if found is not None:
        otherwise = after_look(row, doubt, now, None)
        return Decision(Status.DONE, row.attempts, result=found, otherwise=otherwise)
    if now <= doubt.until:
        return Decision(
            Status.PENDING,
            row.attempts,
            "it may have arrived; looking for it",
            now + timedelta(seconds=LOOK_AGAIN_S),
            doubt_text(doubt),
        )
    return Decision(
        Status.UNCERTAIN,
        row.attempts,
        "it may have arrived and was not found; it is not sent again",
        result=doubt_text(doubt),
    )


def after_blind_look(
    error: BaseException, row: OutboxRow, doubt: Doubt, now: datetime, jitter_s: float
) -> Decision:
    """Return what becomes of a row in doubt when looking for its write failed."""
    if isinstance(error, errors.MissingScope | errors.MissingRole | errors.RefusedWrite):
        return Decision(
            Status.UNCERTAIN,
            row.attempts,
            one_line(f"it may have arrived, and cannot be looked for: {_reason(error)}"),
            result=doubt_text(doubt),
        )
    if is_too_old(row, now):
        return after_look(row, Doubt(doubt.revision, doubt.since, now - LIFETIME), now, None)
    pause = isinstance(error, errors.PauseAll | errors.PauseBucket)
    until = error.until if pause else now + timedelta(seconds=LOOK_AGAIN_S + jitter_s)  # type: ignore[attr-defined]
    return Decision(
        Status.PENDING,
        row.attempts,
        _reason(error),
        until,
        doubt_text(doubt),
        verdict_of(error).reaction,
    )


def after_blind_verify(
    error: BaseException, row: OutboxRow, sent: Sent, now: datetime, jitter_s: float
) -> Decision:
    """Return what becomes of a row whose write was made when looking at it failed."""
    hopeless = isinstance(error, errors.MissingScope | errors.MissingRole | errors.RefusedWrite)
    if hopeless or is_too_old(row, now):
        note = f"it arrived, and how it shows cannot be seen: {_reason(error)}"
        return after_sent(row, {**sent.result, "note": note})
    pause = isinstance(error, errors.PauseAll | errors.PauseBucket)
    until = error.until if pause else now + timedelta(seconds=LOOK_AGAIN_S + jitter_s)  # type: ignore[attr-defined]
    told = one_line(f"it arrived; looking at it again ({_reason(error)})")
    reaction = verdict_of(error).reaction
    return Decision(
        Status.PENDING, row.attempts, told, until, sent_text(row, sent.result), reaction
    )


def after_cut(
    row: OutboxRow,
    now: datetime,
    reason: str,
    *,
    repeatable: bool,
    asked_at: datetime | None,
    look_for: timedelta | None = FOUND_WITHIN,
    counts: bool = False,
) -> Decision:
    """Return what becomes of a row whose attempt was cut off; asked_at None: before it was sent.

    counts: by an error that nobody foresaw, and that may come each time.
    """
    notes = notes_of(row)
    if notes.in_doubt is None and notes.sent is None and not repeatable and asked_at is not None:
        if look_for is None:
            return blind(row, reason)
        notes = Notes(Doubt(row.revision, not_before(asked_at), now + look_for))
    attempts = _raised(row, counts)
    if is_too_old(row, now) or attempts >= MAX_ATTEMPTS:
        ended = _cut_for_good(notes, now, reason, attempts)
        if ended is not None:
            return ended
    wait_s = max(LOOK_AGAIN_S, age_backoff_s((now - row.created_at).total_seconds()))
    return Decision(
        Status.PENDING,
        attempts,
        reason,
        now + timedelta(seconds=wait_s),
        None if notes == Notes() else text_of(notes),
    )


def _cut_for_good(notes: Notes, now: datetime, reason: str, attempts: int) -> Decision | None:
    """Return how a row ends that was cut off for too long; None while it can still be found."""
    if notes.sent is not None:
        told = one_line(f"it arrived, and how it shows cannot be seen: {reason}")
        return Decision(Status.DONE, attempts, told, result=text_of(notes.sent.result))
    if notes.in_doubt is None:
        return Decision(Status.FAILED, attempts, reason)
    if now <= notes.in_doubt.until:
        return None
    told = one_line(f"it may have arrived, and cannot be looked for: {reason}")
    return Decision(Status.UNCERTAIN, attempts, told, result=doubt_text(notes.in_doubt))


def after_sent(row: OutboxRow, result: Mapping[str, Any]) -> Decision:
    """Return what becomes of a row whose write was made, by its result."""
    told = dict(result)
    note = str(told.pop("note", ""))
    return Decision(Status.DONE, row.attempts, one_line(note), result=text_of(told))


def _is_ambiguous(error: BaseException) -> bool:
    """Tell whether the write may have been made although its answer says otherwise, or nothing."""
    if isinstance(error, NotSent | GameRefused):
        return False
    if isinstance(error, AnswerLost | ServerTrouble | errors.BadAnswer):
        return True
    known = isinstance(error, errors.JobError | Flagged)
    return not known


def _in_doubt(
    error: BaseException,
    row: OutboxRow,
    now: datetime,
    asked_at: datetime,
    look_for: timedelta | None,
) -> Decision:
    if look_for is None:
        return blind(row, _reason(error))
    doubt = Doubt(row.revision, not_before(asked_at), now + look_for)
    counts = isinstance(error, ServerTrouble) and error.own
    return Decision(
        Status.PENDING,
        _raised(row, counts),
        one_line(f"it may have arrived; looking for it ({_reason(error)})"),
        now + timedelta(seconds=LOOK_AGAIN_S),
        doubt_text(doubt),
        None,
    )


def _after_game_refusal(
    error: GameRefused, row: OutboxRow, now: datetime, jitter_s: float
) -> Decision:
    """Return what becomes of a row that the game itself refused, by the reason it gave."""
    said = error.reason
    cost = _COST.search(said)
    if cost is not None:
        price = f" of {int(cost[1]):,} ISK" if cost[1] else ""
        return Decision(
            Status.FAILED,
            row.attempts,
            one_line(f"the recipient charges strangers, and the cost{price} was not approved"),
        )
    if _UNREACHABLE.search(said):
        return _given_up(error, row)
    wait = _REMAINING.search(said)
    if wait is not None or _SPAM.search(said):
        number = float(wait[1]) if wait is not None else 60.0
        seconds = number / _TICKS_A_SECOND if number >= _TICKS_FROM else number
        return _again(error, now + timedelta(seconds=clamp_wait_s(seconds)), row.attempts)
    return _counted(error, row, now, jitter_s)


def _counted(error: BaseException, row: OutboxRow, now: datetime, jitter_s: float) -> Decision:
    attempts = _raised(row, True)
    if attempts >= MAX_ATTEMPTS or is_too_old(row, now):
        return Decision(
            Status.FAILED, attempts, _reason(error), reaction=verdict_of(error).reaction
        )
    wait_s = backoff_s(attempts) + jitter_s
    return _again(error, now + timedelta(seconds=wait_s), attempts)


def _raised(row: OutboxRow, counts: bool) -> int:
    """Return a row's attempts with this one, if it counts."""
    # Another program may have written the largest number that the column holds.
    return min(row.attempts, MAX_ATTEMPTS) + counts


def _again(error: BaseException, at: datetime, attempts: int) -> Decision:
    return Decision(Status.PENDING, attempts, _reason(error), at, None, verdict_of(error).reaction)


def _given_up(error: BaseException, row: OutboxRow) -> Decision:
    return Decision(Status.FAILED, row.attempts, _reason(error))


def _reason(error: BaseException) -> str:
    if isinstance(error, errors.RefusedWrite):
        return one_line(error.reason)
    return verdict_of(error).reason
