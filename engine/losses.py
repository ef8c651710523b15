"""What becomes of work whose worker died: it runs again, and who may be the cause runs alone."""

from __future__ import annotations

from engine import policy
from engine.budgets import Budgets
from engine.carried import Carried
from engine.entry import Again, Entry, State
from engine.finish import Finisher
from engine.inflight import InFlight
from engine.pool import Pool
from engine.refreshes import Access
from engine.schedule import Schedule
from engine.suspects import Suspects, is_too_many
from engine.tokens import Tokens
from engine.work import Job, What
from ipc.clock import Clock


class Losses:
    """Takes in deaths of workers, and knows who is suspected of them."""

    def __init__(
        self,
        clock: Clock,
        schedule: Schedule,
        finisher: Finisher,
        budgets: Budgets,
        carried: Carried,
        pool: Pool,
        in_flight: InFlight[What],
        tokens: Tokens,
    ) -> None:
        """Take the parts that deaths concern."""
        self._clock = clock
        self._schedule = schedule
        self._finisher = finisher
        self._budgets = budgets
        self._carried = carried
        self._pool = pool
        self._in_flight = in_flight
        self._tokens = tokens
        self.suspects: Suspects[Entry] = Suspects()
        # From now on what is cut off is no failure.
        self.stopping = False
        # Work ids that a suspect's deaths are known by, to explain them when it is parked.
        self._deaths: dict[Entry, list[int]] = {}

    def next_suspect(self) -> Entry | None:
        """Return a suspect whose turn to run alone has come, counted as in flight."""
        while (entry := self.suspects.next()) is not None:
            if not entry.gone and entry.state is State.HELD:
                self._schedule.resume(entry)
                return entry
            self.suspects.ended(entry)
            if entry.gone:
                self._deaths.pop(entry, None)
        return None

    def answered(self, entry: Entry, *, alone: bool) -> None:
        """Note that a job came to its end: nothing that died before was its doing."""
        if alone:
            self.suspects.ended(entry)
        if self._deaths:
            self._deaths.pop(entry, None)

    def take(self, job_ids: list[int], *, alone: bool, innocent: bool) -> None:
        """Take in that a worker died with this work unanswered.

        innocent: what ended it has nothing to do with its work.
        """
        now_s = self._clock.monotonic_s()
        known = any(
            isinstance(piece.what, Job) and piece.what.culprit
            for job_id in job_ids
            if (piece := self._in_flight.get(job_id)) is not None
        )
        for job_id in job_ids:
            piece = self._in_flight.pop(job_id)
            if piece is None:
                continue
            what = piece.what
            if isinstance(what, Job):
                excused = innocent or (known and not what.culprit)
                self._on_job(what, job_ids, now_s, alone=alone, innocent=excused)
            elif isinstance(what, Access):
                self._tokens.on_lost(what)
            else:
                what.on_lost()

    def _on_job(
        self,
        job: Job,
        job_ids: list[int],
        now_s: float,
        *,
        alone: bool,
        innocent: bool,
    ) -> None:
        entry = job.entry
        self._budgets.write_off(job.loans, now_s)
        if job.load is not None:
            self._carried.put_back(entry.kind.name, job.load)
        if alone:
            self.suspects.ended(entry)
        if entry.gone or innocent or self.stopping:
            self._schedule.end(entry, now_s, now_s, Again.RUN_NOW)
            if self.stopping:
                self._finisher.note_cut_off(entry, self._clock.now())
            return
        self._deaths.setdefault(entry, []).extend(job_ids)
        if not alone and not job.culprit:
            entry.suspect = True
            self._schedule.hold(entry)
            self.suspects.accuse(entry)
            return
        entry.strikes += 1
        if is_too_many(entry.strikes):
            reason = f"ended its worker {entry.strikes} times while it ran alone"
            decision = policy.park_for_good(reason, entry.failures)
            self._pool.explain(self._deaths.pop(entry, []))
        elif job.culprit:
            decision = policy.fail("ran over its deadline and did not end", entry.failures)
        else:
            decision = policy.fail("its worker died while it ran", entry.failures)
        self._finisher.settle(entry, decision, self._clock.now())
