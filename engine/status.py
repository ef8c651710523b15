"""The scheduler in figures, and the state of each job in pages."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta

from engine.budgets import Budgets
from engine.downtime import Downtime
from engine.entry import Entry, State
from engine.finish import Figures
from engine.outbox import Drain
from engine.pauses import Pauses
from engine.pool import Pool
from engine.roster import Roster
from engine.schedule import Schedule
from engine.seeds import last_outcome
from engine.tokens import Tokens
from engine.trouble import Trouble
from ipc.clock import Clock
from ipc.scheduler_messages import JobState, StatusPage, Summary
from ipc.subject import Subject

# Jobs in a message: each tells its reason up to twice, in 400 letters of up to four bytes.
PAGE = 250
# Subjects named in a summary: a message has a size.
NAMED = 1_000
# Counting what is due costs what is due.
COUNT_LIMIT = 1_000


@dataclass(slots=True)
class Status:
    """Everything that status tells of the scheduler."""

    clock: Clock
    schedule: Schedule
    pool: Pool
    pauses: Pauses
    budgets: Budgets
    downtime: Downtime
    trouble: Trouble
    roster: Roster
    tokens: Tokens
    drain: Drain
    figures: Figures

    def summary(self) -> Summary:
        """Return the present figures."""
        until, now_s = self.pauses.until, self.clock.monotonic_s()
        down_s = self.downtime.shut_for_s(now_s)
        return Summary(
            workers=self.pool.states(),
            entries=self.schedule.entries,
            due=self.schedule.count_due(now_s, COUNT_LIMIT),
            in_flight=self.schedule.in_flight,
            parked=self.schedule.parked,
            failing=self.schedule.failing,
            rows_skipped=self.schedule.rows_skipped,
            words_unknown=self.schedule.words_unknown,
            paused_until=until,
            pause_reason="" if until is None else self.pauses.reason,
            down_since=None if down_s is None else self.clock.now() - timedelta(seconds=down_s),
            database_trouble=self.trouble.text,
            database_trouble_s=self.trouble.lasts_s,
            limits=self.budgets.waits(now_s),
            errors_left=self.budgets.errors.left(now_s),
            outbox=self.drain.counts,
            needs_login=self.roster.flagged[:NAMED],
            sso_trouble=self._sso_trouble(),
            last_success_at=self.figures.last_success_at,
            done=self.figures.done,
            failed=self.figures.failed,
        )

    def _sso_trouble(self) -> str:
        """Return what is wrong with our client at SSO in a line; empty when nothing is."""
        if self.tokens.trouble or not self.roster.foreign:
            return self.tokens.trouble
        first = self.roster.foreign[0]
        more = len(self.roster.foreign) - 1
        who = f"{first} and {more} more" if more else f"{first}"
        return f"{who} logged in with another client than [sso] client_id: log in again"

    def pages(self, request_id: int, subject: Subject | None) -> Iterator[StatusPage]:
        """Return the jobs of a subject, or all, in pages; made one by one as they are sent."""
        entries: Iterable[Entry]
        entries = list(self.schedule) if subject is None else self.schedule.of(subject)
        entries = sorted(entries, key=lambda entry: (entry.key.subject, entry.key.kind))
        if not entries:
            yield StatusPage(request_id, (), last=True)
            return
        for start in range(0, len(entries), PAGE):
            now, now_s = self.clock.now(), self.clock.monotonic_s()
            jobs = tuple(_state(entry, now, now_s) for entry in entries[start : start + PAGE])
            yield StatusPage(request_id, jobs, last=start + PAGE >= len(entries))


def _state(entry: Entry, now: datetime, now_s: float) -> JobState:
    row = entry.row
    scheduled = entry.state in (State.SCHEDULED, State.HELD)
    return JobState(
        key=entry.key,
        outcome=None if row is None else last_outcome(row),
        last_attempt_at=None if row is None else row.last_attempt_at,
        last_success_at=None if row is None else row.last_success_at,
        last_changed_at=None if row is None else row.last_changed_at,
        fresh_until=None if row is None else row.fresh_until,
        next_run_at=now + timedelta(seconds=entry.due_s - now_s) if scheduled else None,
        in_flight=entry.state is State.IN_FLIGHT,
        failures=entry.failures,
        parked_reason=entry.parked_reason,
        waits_for=entry.waits_for,
    )
