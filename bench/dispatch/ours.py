"""The real scheduler with its real workers: every job of an empty ledger is due, and runs once.

What is outstanding is bounded by the workers and their slots, so the loop is a closed one. The
time ends with the last commit to the ledger, which the Scheduled events tell.
"""

from __future__ import annotations

import asyncio
import gc
import statistics
import tempfile
import time
from collections import Counter
from datetime import datetime
from pathlib import Path

from bench import ledger
from bench.dispatch.loop import WORKERS, Measured, Timing
from bench.proc import cpu_s, descendants, main_thread_cpu_s
from bench.scheduler import RunVoid, running, settings_for
from ipc.child import Spawner
from ipc.clock import SystemClock
from ipc.events import Event, Finished, Scheduled, Started
from ipc.scheduler_messages import Events
from ipc.settings import Engine, Settings
from ipc.subject import JobKey, Subject, SubjectType
from supervisor.main import SCHEDULER_ENTRY
from supervisor.scheduler import Scheduler

_FIRST_ID = 99_000_000
# Jobs for each second that is to be measured: more than this machine does.
_JOBS_A_SECOND = {4: 6_000, 32: 20_000}
_LIMIT_S = 120.0


class _Observer:
    """Listens to every event; what they were is counted afterwards, so that listening is cheap."""

    def __init__(self, jobs: int) -> None:
        self.done = asyncio.Event()
        self.counts: Counter[type] = Counter()
        self.waits_s: list[float] = []
        self.first: datetime | None = None
        self.last: datetime | None = None
        self._jobs = jobs
        self._batches: list[tuple[Event, ...]] = []
        self.heard = self._scheduled = 0

    def on_events(self, batch: Events) -> None:
        self._batches.append(batch.events)
        self.heard += len(batch.events)
        # Each job is told of three times at least; only towards the end a closer look is due.
        if self.heard >= 3 * self._jobs:
            self._scheduled = self._scheduled or sum(
                isinstance(event, Scheduled) for events in self._batches[:-1] for event in events
            )
            self._scheduled += sum(isinstance(event, Scheduled) for event in batch.events)
            if self._scheduled >= self._jobs:
                self.done.set()

    def count(self) -> None:
        """Count what was heard, and how long each job took."""
        started: dict[JobKey, datetime] = {}
        for event in (event for events in self._batches for event in events):
            self.counts[type(event)] += 1
            if isinstance(event, Started):
                started[event.key] = event.at
                self.first = self.first or event.at
            elif isinstance(event, Finished):
                self.waits_s.append((event.at - started.pop(event.key)).total_seconds())
            elif isinstance(event, Scheduled):
                self.last = event.at

    def check(self, ledger_rows: int) -> None:
        """Raise RunVoid unless each job left its row and its events, once."""
        found = {
            "ledger rows": ledger_rows,
            "Started": self.counts[Started],
            "Finished": self.counts[Finished],
            "Scheduled": self.counts[Scheduled],
        }
        if wrong := {name: count for name, count in found.items() if count != self._jobs}:
            raise RunVoid(f"{self._jobs} jobs, but {wrong}; events: {self.counts}")


class OurPeer:
    """The scheduler of this project; a fresh database for each run."""

    name = "esisyncd scheduler"

    def __init__(self, entry: str = SCHEDULER_ENTRY) -> None:
        """Take the scheduler's entry point, which a profile wraps."""
        self._entry = entry

    def measure(self, outstandings: tuple[int, ...], timing: Timing) -> dict[int, Measured]:
        """Start a scheduler for each number of outstanding jobs, and let all jobs run."""
        results: dict[int, Measured] = {}
        for outstanding in outstandings:
            jobs = round(_JOBS_A_SECOND.get(outstanding, 10_000) * timing.measure_s)
            with tempfile.TemporaryDirectory(prefix="bench-dispatch-") as folder:
                results[outstanding] = self._measure(Path(folder), outstanding, jobs)
        return results

    def _measure(self, folder: Path, outstanding: int, jobs: int) -> Measured:
        slots = Engine(workers=WORKERS, jobs_per_worker=outstanding // WORKERS)
        settings = settings_for(folder, slots)
        ids = range(_FIRST_ID, _FIRST_ID + jobs)
        subjects = (Subject(SubjectType.ALLIANCE, number) for number in ids)
        ledger.prepare(settings.database_url, subjects, SystemClock().now())
        observer, cpu_us = asyncio.run(self._run(settings, jobs))
        observer.count()
        observer.check(ledger.count_successes(settings.database_url))
        assert observer.first is not None  # noqa: S101 - check() counted them
        assert observer.last is not None  # noqa: S101
        return Measured(
            jobs=jobs,
            elapsed_s=(observer.last - observer.first).total_seconds(),
            p50_s=statistics.median(observer.waits_s),
            cpu_us=cpu_us,
        )

    async def _run(self, settings: Settings, jobs: int) -> tuple[_Observer, dict[str, float]]:
        observer = _Observer(jobs)
        async with running(Spawner(), settings, observer.on_events, entry=self._entry) as ours:
            before_s = _cpu(ours)
            # What is kept of the events would be looked through again and again.
            gc.disable()
            try:
                async with asyncio.timeout(_LIMIT_S):
                    await observer.done.wait()
            except TimeoutError:
                raise RunVoid(f"events stopped after {observer.heard}") from None
            finally:
                gc.enable()
            after_s = _cpu(ours)
        return observer, {name: (after_s[name] - before_s[name]) / jobs * 1e6 for name in after_s}


def _cpu(ours: Scheduler) -> dict[str, float]:
    pid = ours.pid
    loop_s = main_thread_cpu_s(pid)
    return {
        "scheduler's loop": loop_s,
        "scheduler's database threads": cpu_s(pid) - loop_s,
        "workers": sum(map(cpu_s, descendants(pid))),
        "observer": time.process_time(),
    }
