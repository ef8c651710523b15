"""The end of a job: streak, event, triggers, next time and ledger row, in that order."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from functools import lru_cache
from typing import Protocol

import msgspec

from engine import policy
from engine.carried import Carried, Load
from engine.entry import Again, Entry, State
from engine.events import Outlet
from engine.herald import Herald
from engine.jitter import jitter_s
from engine.lineup import Lineup
from engine.policy import Announce, Decision
from engine.schedule import Schedule
from ipc import events
from ipc.clock import Clock
from ipc.messages import JobDone
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.spec import Kind
from jobs.store.ledger import LedgerRow


class Recorder(Protocol):
    """Who stores ledger rows."""

    def record(self, key: JobKey, row: LedgerRow, next_in_s: float | None) -> None:
        """Queue a job's row; its Scheduled event follows the commit."""


@dataclass(slots=True)
class Figures:
    """What has ended since the start."""

    done: int = 0
    failed: int = 0
    last_success_at: datetime | None = None


@dataclass(slots=True)
class Finisher:
    """Turns the end of a job into its consequences."""

    clock: Clock
    schedule: Schedule
    lineup: Lineup
    carried: Carried
    outlet: Outlet
    recorder: Recorder
    herald: Herald
    coalesce_s: float
    # Drawn from 0 to 1.
    draw: Callable[[], float]
    figures: Figures = field(default_factory=Figures)
    # Told of jobs that were parked, and of subjects whose parent row exists now.
    on_parked: Callable[[Entry], None] = lambda _entry: None
    on_parent: Callable[[Subject], None] = lambda _subject: None

    def finish(self, entry: Entry, done: JobDone, now: datetime, load: Load | None = None) -> None:
        """Take in how a job ended that a worker ran; load: what a global kind worked on."""
        kind = entry.kind
        every_s = self.lineup.every_s[kind.name]
        decision = policy.decide(done, every_s, entry.failures, now, _same_wait_s(entry, done, now))
        success = decision.success
        if load is not None and success:
            decision = self._resume(decision, load)
        # It came to a proper end: whatever killed its worker before was something else.
        entry.strikes = 0
        entry.suspect = False
        if entry.again is not Again.RUN_NOW:
            entry.urgent = False
        self.settle(entry, decision, now, done)
        if load is not None and not success:
            self.carried.put_back(kind.name, load)
        if success:
            if kind.triggers:
                self._fire(kind, entry.key.subject)
            if kind.parent is not None:
                self.on_parent(entry.key.subject)
                self.schedule.release(entry.key.subject, self.clock.monotonic_s())
        for key in done.due:
            self.make_due(key)

    def settle(
        self, entry: Entry, decision: Decision, now: datetime, done: JobDone | None = None
    ) -> None:
        """Carry out a decision about a job; done is None when no worker ran it."""
        now_s = self.clock.monotonic_s()
        before = entry.failures
        self.schedule.set_failures(entry, decision.failures)
        if not decision.unrecorded:
            self._count(decision, now)
        park = decision.park
        parked = park is not None and self.schedule.park(entry, park.reason, park.generation)
        ends = decision.success and (before > 0 or bool(self.herald.ill))
        if ends or parked or decision.failures > before:
            self._tell(entry, decision, before, parked=parked)
        if self.outlet.on:
            self._announce(entry, decision, now, 0.0 if done is None else done.duration_s,
                           parked=parked)  # fmt: skip
        if decision.success:
            self.schedule.note_success(entry)
        if not parked:
            due_s = now_s + decision.delay_s + jitter_s(decision, self.draw())
            entry.not_before_s = due_s if decision.honours is Again.NO else 0.0
            self.schedule.end(entry, now_s, due_s, decision.honours)
            if entry.kind.subject is SubjectType.GLOBAL and entry.kind.name in self.carried:
                self.carried.resume_at(entry.kind.name, entry.due_s)
                self.schedule.make_due(entry, now_s + self.coalesce_s)
        if not decision.unrecorded and not entry.gone:
            next_in_s = None if parked else max(0.0, entry.due_s - now_s)
            row = _row(entry, decision, now, next_in_s, done)
            self.schedule.set_row(entry, row)
            self.recorder.record(entry.key, row, next_in_s)
        if decision.unrecorded:
            self.note_cut_off(entry, now)
        if parked:
            self.on_parked(entry)

    def note_cut_off(self, entry: Entry, now: datetime) -> None:
        """Have the next scheduler run a job again that a stop cut off; its last end stands.

        Without this, one that was asked for before its time would wait for that time again.
        """
        if entry.row is None or entry.gone:
            return
        entry.row = msgspec.structs.replace(
            entry.row, next_eligible_at=now, parked_reason=None, parked_generation=None
        )
        self.recorder.record(entry.key, entry.row, None)

    def make_due(self, key: JobKey) -> None:
        """Bring a job forward that another one named."""
        if key.subject.type is SubjectType.GLOBAL:
            self._carry(key.kind, None)
            return
        entry = self.schedule.get(key)
        if entry is not None:
            self.schedule.make_due(entry, self.clock.monotonic_s())

    # --- triggers ---

    def _fire(self, kind: Kind, subject: Subject) -> None:
        now_s = self.clock.monotonic_s()
        for name in kind.triggers:
            target = self.lineup.kind(name)
            if target is None:
                continue
            if target.subject is subject.type:
                entry = self.schedule.get(JobKey(name, subject))
                if entry is not None:
                    self.schedule.make_due(entry, now_s)
            elif target.subject is SubjectType.GLOBAL:
                self._carry(name, subject)

    def _carry(self, name: str, subject: Subject | None) -> None:
        """Gather subjects for a global kind; its run waits a little for more of them."""
        entry = self.schedule.get(JobKey(name, GLOBAL))
        if entry is None or entry.state is State.PARKED:
            return
        # While it runs, its ordinary time is not known yet; settle() sees to both.
        self.carried.add(name, subject, entry.due_s)
        if entry.state is State.SCHEDULED:
            self.schedule.make_due(entry, self.clock.monotonic_s() + self.coalesce_s)

    def _resume(self, decision: Decision, load: Load) -> Decision:
        """Keep a global kind's ordinary time when it worked on some subjects only."""
        delay_s = min(decision.delay_s, max(0.0, load.resume_s - self.clock.monotonic_s()))
        return msgspec.structs.replace(decision, delay_s=delay_s)

    # --- records ---

    def _count(self, decision: Decision, now: datetime) -> None:
        figures = self.figures
        if decision.announce is Announce.FAILED:
            figures.failed += 1
        else:
            figures.done += 1
            if decision.success:
                figures.last_success_at = now

    def _tell(self, entry: Entry, decision: Decision, before: int, *, parked: bool) -> None:
        """Have the log tell when a job begins to fail, and when it is well again."""
        reason = decision.outcome.reason
        if decision.success:
            self.herald.well(entry, before)
        elif parked:
            self.herald.parked(entry, reason)
        elif not decision.told:
            self.herald.failed(entry, reason, before, decision.delay_s)

    def _announce(
        self, entry: Entry, decision: Decision, now: datetime, duration_s: float, *, parked: bool
    ) -> None:
        announce = decision.announce
        if announce is Announce.FINISHED:
            self.outlet.add(events.Finished(now, entry.key, decision.outcome, duration_s))
        elif announce is Announce.FAILED:
            reason = decision.outcome.reason
            self.outlet.add(events.Failed(now, entry.key, reason, decision.failures, parked))
        elif announce is Announce.BACKING_OFF:
            self.outlet.add(events.BackingOff(now, entry.key, decision.retry_s))


def _same_wait_s(entry: Entry, done: JobDone, now: datetime) -> float:
    """Return how long a job waited after an end for the same reason; 0 after another one.

    0 too where a person asked for it, or logged in: then it begins anew.
    """
    last = entry.row
    if last is None or last.next_eligible_at is None or last.last_reason != done.outcome.reason:
        return 0.0
    if entry.failures == 0:
        return 0.0
    # What brought it sooner than it was planned is no reason to wait longer.
    waited = min(last.next_eligible_at, now) - last.last_attempt_at
    return max(0.0, waited.total_seconds())


@lru_cache(maxsize=256)
def _after(now: datetime, milliseconds: int) -> datetime:
    """Return a time; jobs that ended together share it, and it is written as text once."""
    return now + timedelta(milliseconds=milliseconds)


def _row(
    entry: Entry, decision: Decision, now: datetime, next_in_s: float | None, done: JobDone | None
) -> LedgerRow:
    """Return the ledger row of a job that has just ended; a failure keeps the last success."""
    last = entry.row
    outcome = decision.outcome
    success = decision.success
    duration_ms = None if done is None else int(done.duration_s * 1000)
    changed = done is not None and done.changed
    return LedgerRow(
        key=entry.key,
        token=outcome.token,
        rows_touched=outcome.rows_touched,
        rows_skipped=outcome.rows_skipped,
        to_fetch=outcome.to_fetch,
        words_unknown=outcome.words_unknown,
        last_reason=outcome.reason or None,
        started_at=None if duration_ms is None else _after(now, -duration_ms),
        duration_ms=duration_ms,
        last_attempt_at=now,
        last_success_at=now if success else (last.last_success_at if last else None),
        last_changed_at=now if changed else (last.last_changed_at if last else None),
        next_eligible_at=None if next_in_s is None else _after(now, round(next_in_s * 1000)),
        fresh_until=done.fresh_until if done and success else (last.fresh_until if last else None),
        consecutive_failures=entry.failures,
        strikes=entry.strikes,
        parked_reason=entry.parked_reason or None,
        parked_generation=entry.parked_generation,
    )
