"""Where an enrolled job starts, decided from its ledger row; pure."""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.policy import LONGEST_WAIT_S
from ipc.outcome import Outcome, Token
from jobs.spec import Kind
from jobs.store.ledger import LedgerRow

# Kinds that are due at every launch wait if they succeeded within this.
LAUNCH_FLOOR_S = 60.0


@dataclass(frozen=True, slots=True)
class Seed:
    """First due time and remembered history of a job."""

    # Seconds from now; 0: due at once.
    delay_s: float = 0.0
    failures: int = 0
    strikes: int = 0
    # Not empty: parked, and why.
    parked_reason: str = ""
    parked_generation: int | None = None


def plant(
    kind: Kind,
    every_s: float,
    row: LedgerRow | None,
    now: datetime,
    *,
    launch: bool,
    generations: Collection[int] = (),
    logged_in_at: datetime | None = None,
) -> Seed:
    """Return the seed of a job.

    launch: the scheduler has just started. generations: those of the credentials it would run
    under; a park that a login has ended since is none any more. logged_in_at: the last login to
    these; what failed or was blocked before is due at once.
    """
    if row is None:
        return Seed()
    if row.parked_reason:
        if ends_park(row.parked_generation, generations):
            return Seed()
        return Seed(
            0.0, row.consecutive_failures, row.strikes, row.parked_reason, row.parked_generation
        )
    if login_helps(row, logged_in_at):
        return Seed(strikes=row.strikes)
    delay_s = _delay_s(every_s, row, now)
    if launch and kind.due_at_launch and not _is_within_floor(row, now):
        delay_s = 0.0
    return Seed(delay_s, row.consecutive_failures, row.strikes)


def ends_park(parked_generation: int | None, generations: Collection[int]) -> bool:
    """Tell whether these credentials end a park made at that generation; None: a poison park."""
    return (
        parked_generation is not None
        and bool(generations)
        and (parked_generation not in generations)
    )


def login_helps(row: LedgerRow, logged_in_at: datetime | None) -> bool:
    """Tell whether a person logged in since a job ended badly; a spent limit stays spent."""
    if logged_in_at is None or logged_in_at <= row.last_attempt_at:
        return False
    outcome = last_outcome(row)
    waits = outcome.token is Token.FAILED and row.consecutive_failures == 0
    return not outcome.is_success and not waits


def last_outcome(row: LedgerRow) -> Outcome:
    """Return the outcome that a ledger row tells of."""
    return Outcome(
        row.token,
        row.rows_touched,
        row.last_reason or "",
        row.rows_skipped,
        row.to_fetch,
        row.words_unknown,
    )


def _delay_s(every_s: float, row: LedgerRow, now: datetime) -> float:
    due_at = row.next_eligible_at
    if due_at is None and row.last_success_at is not None:
        due_at = row.last_success_at + timedelta(seconds=every_s)
    if due_at is None:
        return 0.0
    # A stored time far ahead is a clock that was wrong, not a reason to wait.
    longest_s = every_s
    # A failure may wait for longer: what ESI says is not there for up to a day.
    for until in (row.fresh_until, due_at if row.token is Token.FAILED else None):
        if until is not None:
            # From when it was asked on: by the clock of now it may be years.
            wait_s = (until - row.last_attempt_at).total_seconds()
            longest_s = max(longest_s, min(wait_s, LONGEST_WAIT_S))
    return max(0.0, min((due_at - now).total_seconds(), longest_s))


def _is_within_floor(row: LedgerRow, now: datetime) -> bool:
    if row.last_success_at is None:
        return False
    return (now - row.last_success_at).total_seconds() < LAUNCH_FLOOR_S
