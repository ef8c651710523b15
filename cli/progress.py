"""Whether jobs that were asked for have ended: from events, and from status where one is missed."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime, timedelta

from cli.waits import waits_for_esi
from ipc.control_messages import Missed
from ipc.events import BackingOff, Event, Failed, Finished
from ipc.outcome import Token
from ipc.scheduler_messages import JobState
from ipc.subject import JobKey

# A scheduler that has just started comes to know its jobs one subject after the other.
LOOKS_TO_BE_GONE = 5


class Progress:
    """Follows a set of jobs from when they were made due to their ends."""

    def __init__(self, jobs: Iterable[JobState]) -> None:
        """Take the jobs as they were before they were made due."""
        self._last_attempts: dict[JobKey, datetime | None] = {
            job.key: job.last_attempt_at for job in jobs
        }
        # Why each that ended ended badly; empty when it did not.
        self.ended: dict[JobKey, str] = {}
        # Until when those wait that ESI asked to; they go on by themselves.
        self.held: dict[JobKey, datetime] = {}

        # Jobs whose end an event told; the state may have been faster.
        self._told: set[JobKey] = set()
        # Of which states say nothing, and how many in a row.
        self._missed: dict[JobKey, int] = {}

    @property
    def keys(self) -> frozenset[JobKey]:
        """Return the jobs that are followed."""
        return frozenset(self._last_attempts)

    @property
    def waiting(self) -> frozenset[JobKey]:
        """Return the jobs of which nothing is known yet."""
        return self.keys - self.ended.keys() - self.held.keys()

    @property
    def bad(self) -> dict[JobKey, str]:
        """Return the jobs that ended badly, and why."""
        return {key: reason for key, reason in self.ended.items() if reason}

    def take_event(self, event: Event | Missed) -> bool:
        """Note what an event says; tell whether it concerned a job whose end had not been told.

        What a job does after that is another run, which nobody asked for here.
        """
        match event:
            case Finished(key=key, outcome=outcome):
                reason = outcome.reason or "failed" if outcome.token is Token.FAILED else ""
            case Failed(key=key, reason=text):
                reason = text or "failed"
            case BackingOff(key=key, at=at, retry_s=retry_s) if key in self.keys - self._told:
                self.held[key] = at + timedelta(seconds=retry_s)
                return True
            case _:
                return False
        if key not in self.keys - self._told:
            return False
        self._told.add(key)
        self._end(key, reason)
        return True

    def take_status(self, jobs: Iterable[JobState]) -> None:
        """Note what the state says: a job that was attempted since has ended."""
        jobs = list(jobs)
        seen = set()
        for job in jobs:
            seen.add(job.key)
            before = self._last_attempts.get(job.key)
            after = job.last_attempt_at
            if job.key not in self.waiting or job.in_flight or after is None:
                continue
            if before is None or after > before:
                if waits_for_esi(job):
                    self.held[job.key] = job.next_run_at or after
                    continue
                failed = job.outcome is not None and job.outcome.token is Token.FAILED
                reason = job.outcome.reason if job.outcome is not None else ""
                self._end(job.key, (reason or "failed") if failed else "")
        self._missed = {key: self._missed.get(key, 0) + 1 for key in self.waiting - seen}
        for key, times in self._missed.items():
            if times >= LOOKS_TO_BE_GONE:
                self._end(key, "no longer scheduled")
        if any(job.failures and job.key.kind.endswith(".profile") for job in jobs):
            for job in jobs:
                if job.key in self.waiting and _is_deferred(job):
                    self._end(job.key, "waits for the profile of its subject, which fails")

    def _end(self, key: JobKey, reason: str) -> None:
        self.held.pop(key, None)
        self.ended[key] = reason


def _is_deferred(job: JobState) -> bool:
    return job.next_run_at is None and not (job.in_flight or job.parked_reason)
