"""Due jobs go to workers, and what comes back goes to whom it concerns.

Everything here runs on the loop, for a whole batch of messages at a time, and waits for nothing.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from datetime import datetime

from engine import policy
from engine.budgets import Budgets, Loan, allowances_of
from engine.carried import Carried, Load
from engine.downtime import STATUS_KIND, Downtime
from engine.entry import Again, Entry
from engine.events import Outlet
from engine.finish import Finisher
from engine.grants import Verdict
from engine.holdback import Holdback
from engine.inflight import InFlight, Piece
from engine.lineup import Lineup
from engine.losses import Losses
from engine.pauses import Pauses
from engine.pool import NoWorker, Pool
from engine.ramp import Ramp
from engine.refreshes import Access
from engine.schedule import Schedule
from engine.tokens import Tokens
from engine.work import Job, What
from ipc import events
from ipc.clock import Clock
from ipc.messages import JobDone, RefreshDone, RunJob
from ipc.outcome import PauseAll, PauseBucket, TokenRejected
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.rates import PERSON, ROUTINE

_log = logging.getLogger(__name__)

# A worker ends a job at its deadline itself; this much later the scheduler sees to it.
WORKER_SLACK_S = 0.5


class Dispatcher:
    """Starts what is due, keeps deadlines, and takes in results."""

    def __init__(
        self,
        *,
        clock: Clock,
        epoch: int,
        schedule: Schedule,
        lineup: Lineup,
        carried: Carried,
        outlet: Outlet,
        finisher: Finisher,
        pauses: Pauses,
        budgets: Budgets,
        ramp: Ramp,
        downtime: Downtime,
        pool: Pool,
        cancel_grace_s: float,
        on_pause: Callable[[PauseAll], None],
        on_grants_changed: Callable[[], None],
        on_downtime: Callable[[bool], None],
    ) -> None:
        """Take the parts it works with; nothing is dispatched before open()."""
        self._clock = clock
        self._epoch = epoch
        self._schedule = schedule
        self._lineup = lineup
        self._carried = carried
        self._outlet = outlet
        self._finisher = finisher
        self._pauses = pauses
        self._budgets = budgets
        self._ramp = ramp
        self._downtime = downtime
        self._holdback = Holdback(clock, schedule, finisher, budgets, downtime, on_downtime)
        # Nothing went out at the last look.
        self._stood_still = True
        self._pool = pool
        self._on_pause = on_pause
        self._on_grants_changed = on_grants_changed
        self._loop = asyncio.get_running_loop()
        self._next_id = 1
        self._open = False
        self._stopping = False
        self._pump_due = False
        self._timer: asyncio.TimerHandle | None = None
        self._timer_at_s = float("inf")
        self.in_flight: InFlight[What] = InFlight(cancel_grace_s)
        self.tokens = Tokens(
            clock=clock,
            epoch=epoch,
            schedule=schedule,
            finisher=finisher,
            pool=pool,
            next_id=self.next_id,
            hand_out=self.in_flight.add,
            is_open=lambda: self.is_open,
            on_grants_changed=on_grants_changed,
        )
        self._losses = Losses(
            clock, schedule, finisher, budgets, carried, pool, self.in_flight, self.tokens
        )

    # --- the gate ---

    def open(self, is_open: bool) -> None:
        """Let jobs out, or hold them back, as while the database is away."""
        self._open = is_open
        self.wake()

    def stop(self) -> None:
        """Let no job out any more; what is cut off from now on is no failure."""
        self._stopping = self._losses.stopping = True

    @property
    def is_open(self) -> bool:
        """Tell whether work may go out now."""
        return self._may_ask and not self._downtime.is_shut(self._clock.monotonic_s())

    @property
    def _may_ask(self) -> bool:
        """Tell whether ESI may be asked, if only whether it is back."""
        return self._open and not self._stopping and self._pauses.remaining_s <= 0

    def wake(self) -> None:
        """Look for due jobs once this turn of the loop is over."""
        if not self._pump_due:
            self._pump_due = True
            self._loop.call_soon(self._pump)

    def refill(self) -> None:
        """Start due jobs at once, in the room that answers have just made."""
        self._pump()

    def next_id(self) -> int:
        """Return a number for a piece of work."""
        self._next_id += 1
        return self._next_id - 1

    def _pump(self) -> None:
        self._pump_due = False
        now_s = self._clock.monotonic_s()
        self._keep_deadlines(now_s)
        if not self._may_ask:
            self._stood_still = True
        elif self._downtime.is_shut(now_s):
            self._stood_still = True
            self._probe(now_s)
        else:
            self._start_due(now_s)
        self._set_timer(now_s)

    def _start_due(self, now_s: float) -> None:
        """Start what is due, as far as there is room; slowly at first after a standstill."""
        free, ramp = self._pool.free_slots, self._ramp
        if self._stood_still:
            self._stood_still = False
            ramp.begin(now_s)
        if ramp.is_bound:
            free = min(free, ramp.room(now_s))
        if free <= 0:
            return
        now, before = self._clock.now(), free
        entry: Entry | None = None
        try:
            while free > 0 and (entry := self._schedule.take(now_s)) is not None:
                free -= self._start(entry, now_s, now)
        except NoWorker:
            _log.debug("no worker has room")
        if ramp.is_bound:
            ramp.took(before - free, all_due=entry is None)
        self._start_suspect(now_s, now)

    def _probe(self, now_s: float) -> None:
        """While ESI is down, let one job out now and then that finds out whether it is back."""
        if self._pool.free_slots <= 0 or not self._downtime.begin_probe(now_s):
            return
        entry = self._schedule.get(JobKey(STATUS_KIND, GLOBAL))
        if entry is None:
            entry = self._schedule.take(now_s)
        elif not self._schedule.take_this(entry):
            return
        if entry is None:
            return
        if entry.plan.verdict is not Verdict.RUN:
            self._schedule.put_off(entry, now_s)
            return
        limit_s = self._lineup.deadline_s[entry.kind.name]
        with contextlib.suppress(NoWorker):
            self._send(entry, now_s, self._clock.now(), limit_s, alone=False, probe=True)

    def _set_timer(self, looked_s: float) -> None:
        """Wake up for the next due job, deadline or end of a pause, with one timer.

        looked_s: as of when due jobs were started. What fell due since then must still wake us.
        """
        at_s = self.in_flight.next_overdue_s() if len(self.in_flight) else None
        if self._open and not self._stopping:
            due_s = self._schedule.next_due_s()
            if due_s is not None:
                due_s = max(due_s, self._pauses.until_s)
                if self._ramp.is_bound:
                    due_s = max(due_s, self._ramp.next_s())
                if self._downtime.is_shut(looked_s):
                    due_s = max(due_s, self._downtime.next_look_s)
                # With no room, the next answer of a worker wakes us.
                if due_s > looked_s and (at_s is None or due_s < at_s):
                    at_s = due_s
        if at_s is None or at_s >= self._timer_at_s:
            return
        if self._timer is not None:
            self._timer.cancel()
        self._timer_at_s = at_s
        delay_s = max(0.0, at_s - self._clock.monotonic_s())
        self._timer = self._loop.call_later(delay_s, self._on_timer)

    def _on_timer(self) -> None:
        self._timer = None
        self._timer_at_s = float("inf")
        self._pump()

    # --- starting ---

    def _start(self, entry: Entry, now_s: float, now: datetime) -> int:
        """Start a job that was taken; return how many slots it took."""
        plan = entry.plan
        if plan.verdict is not Verdict.RUN:
            self._finish_unrun(entry, now)
            return 0
        limit_s = self._lineup.deadline_s[entry.kind.name]
        if plan.credentials and self.tokens.hold_back(entry, limit_s, now_s, now):
            return 0
        if self._holdback.keeps(entry, now_s, now):
            return 0
        if entry.suspect or entry.strikes:
            self._schedule.hold(entry)
            self._losses.suspects.accuse(entry)
            return 0
        self._send(entry, now_s, now, limit_s, alone=False)
        return 1

    def _send(
        self,
        entry: Entry,
        now_s: float,
        now: datetime,
        limit_s: float,
        *,
        alone: bool,
        probe: bool = False,
    ) -> None:
        kind = entry.kind
        load: Load | None = None
        subjects: tuple[Subject, ...] = ()
        if kind.subject is SubjectType.GLOBAL:
            load = self._carried.take(kind.name, now_s)
            if load is not None:
                subjects = tuple(load.subjects)
        plan = entry.plan
        job_id = self._next_id
        self._next_id = job_id + 1
        attempt = entry.failures + 1
        loans: tuple[Loan, ...] = ()
        if entry.demands is None:
            work = RunJob(
                job_id,
                attempt,
                self._epoch,
                entry.key,
                limit_s,
                plan.grants,
                plan.blocked,
                subjects,
            )
        else:
            priority = PERSON if entry.urgent else ROUTINE
            loans = self._budgets.lend(entry.demands, priority, now_s)
            work = RunJob(job_id, attempt, self._epoch, entry.key, limit_s, plan.grants,
                          plan.blocked, subjects, allowances_of(loans), priority)  # fmt: skip
        try:
            worker = self._pool.submit_alone(work) if alone else self._pool.submit(work)
        except NoWorker:
            if load is not None:
                self._carried.put_back(kind.name, load)
            self._budgets.settle(loans, (), now_s)
            self._schedule.end(entry, now_s, entry.due_s, Again.RUN_NOW)
            raise
        slack_s = policy.LONE_START_S if alone else WORKER_SLACK_S
        piece: Piece[What] = Piece(
            job_id,
            Job(entry, load, loans, probe=probe),
            worker,
            now_s,
            limit_s + slack_s,
            attempt,
        )
        piece.alone = alone
        self.in_flight.add(piece)
        if self._outlet.on:
            self._outlet.add(events.Started(now, entry.key, worker, attempt))

    def _finish_unrun(self, entry: Entry, now: datetime) -> None:
        """End a due job without a request, because its credentials allow none."""
        every_s = self._lineup.every_s[entry.kind.name]
        decision = policy.decide_unrun(entry.plan, every_s, entry.failures)
        self._finisher.settle(entry, decision, now)

    def _start_suspect(self, now_s: float, now: datetime) -> None:
        entry = self._losses.next_suspect()
        if entry is None:
            return
        try:
            limit_s = self._lineup.deadline_s[entry.kind.name]
            self._send(entry, now_s, now, limit_s, alone=True)
        except NoWorker:
            self._losses.suspects.ended(entry)

    def on_lost(self, job_ids: list[int], *, alone: bool, innocent: bool) -> None:
        """Take in that a worker died with this work unanswered.

        innocent: what ended it has nothing to do with its work.
        """
        self._losses.take(job_ids, alone=alone, innocent=innocent)
        self.wake()

    # --- deadlines ---

    def _keep_deadlines(self, now_s: float) -> None:
        overdue_s = self.in_flight.next_overdue_s() if len(self.in_flight) else None
        if overdue_s is None or overdue_s > now_s:
            return
        for piece in self.in_flight.to_cancel(now_s):
            self._pool.cancel(piece.job_id, "deadline")
        for piece in self.in_flight.to_kill(now_s):
            what = piece.what
            _log.error("work %d does not end when cancelled: its worker is ended", piece.job_id)
            if isinstance(what, Job):
                what.culprit = True
            self._pool.kill(piece.job_id, "did not end when cancelled")

    def cancel(self, entries: list[Entry]) -> None:
        """Cut off the jobs of a withdrawn subject."""
        flying = {id(entry) for entry in entries}
        now_s = self._clock.monotonic_s()
        for piece in self.in_flight.pieces():
            if isinstance(piece.what, Job) and id(piece.what.entry) in flying:
                self._pool.cancel(piece.job_id, "withdrawn")
                self.in_flight.note_cancelled(piece, now_s)
        self.wake()

    # --- answers ---

    def on_job_done(self, done: JobDone, now: datetime) -> None:
        """Take in a job's answer; one that nobody waits for is passed over."""
        piece = self.in_flight.get(done.job_id)
        if piece is None or piece.attempt != done.attempt or done.epoch != self._epoch:
            _log.debug("a late answer to work %d is passed over", done.job_id)
            return
        job = piece.what
        if not isinstance(job, Job):
            _log.warning("work %d was answered as a job and is none", done.job_id)
            return
        self.in_flight.pop(done.job_id)
        entry = job.entry
        if job.loans or done.spent:
            self._budgets.settle(job.loans, done.spent, self._clock.monotonic_s())
        self._losses.answered(entry, alone=piece.alone)
        if job.probe or done.troubled or done.answered:
            done = self._holdback.hear(done, now, probe=job.probe)
        if done.reaction is not None:
            self._before_finish(done)
        self._finisher.finish(entry, done, now, job.load)
        if done.refresh:
            self.tokens.audit(done.refresh)
        if done.grants_changed:
            self._on_grants_changed()

    def _before_finish(self, done: JobDone) -> None:
        match done.reaction:
            case PauseAll() as pause:
                self._on_pause(pause)
            case PauseBucket(bucket=bucket, until=until, refused=True):
                wait_s = policy.pause_s(until, self._clock.now())
                self._budgets.get(bucket).block(self._clock.monotonic_s() + wait_s)
            case TokenRejected(credential_id=credential_id, generation=generation):
                self.tokens.reject(credential_id, generation)
            case _:
                pass

    def on_refresh_done(self, done: RefreshDone) -> None:
        """Take in the end of a refresh."""
        piece = self.in_flight.get(done.job_id)
        if piece is None or done.epoch != self._epoch or not isinstance(piece.what, Access):
            return
        self.in_flight.pop(done.job_id)
        self.tokens.on_done(piece.what, done)
