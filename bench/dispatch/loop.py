"""A closed loop: so many jobs are outstanding at any time, and each answer sends the next one."""

from __future__ import annotations

import statistics
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from bench.scheduler import RunVoid

WORKERS = 4


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run of one peer came to."""

    jobs: int
    elapsed_s: float
    # Half of the jobs were answered within this time.
    p50_s: float
    # Microseconds of CPU for each job, by what used them.
    cpu_us: dict[str, float] = field(default_factory=dict)

    @property
    def rate(self) -> float:
        """Return jobs per second."""
        return self.jobs / self.elapsed_s


@dataclass(frozen=True, slots=True)
class Timing:
    """How long a loop runs before it counts, and while it counts."""

    warm_s: float
    measure_s: float


class ClosedLoop:
    """Counts the answers that arrive within the measured time, and keeps the jobs coming."""

    def __init__(self, outstanding: int, timing: Timing, send: Callable[[float], None]) -> None:
        """Take how a job is sent; it is given the time, and hands it back with the answer."""
        self._outstanding = outstanding
        self._timing = timing
        self._send = send
        self._begin_s = self._end_s = 0.0
        self._waits: list[float] = []
        self.answers = 0
        self.done = threading.Event()

    def start(self) -> None:
        """Send the first jobs."""
        now = time.perf_counter()
        self._begin_s = now + self._timing.warm_s
        self._end_s = self._begin_s + self._timing.measure_s
        for _ in range(self._outstanding):
            self._send(time.perf_counter())

    def answered(self, sent_s: float) -> None:
        """Count an answer and send the next job, until the time is over."""
        now = time.perf_counter()
        self.answers += 1
        if now >= self._end_s:
            self._outstanding -= 1
            if self._outstanding == 0:
                self.done.set()
            return
        if now >= self._begin_s:
            self._waits.append(now - sent_s)
        self._send(now)

    def measured(self, cpu_s: dict[str, float]) -> Measured:
        """Return the figures, given the CPU time that the whole loop used."""
        if not self._waits:
            raise RunVoid("no job was answered in the measured time")
        return Measured(
            jobs=len(self._waits),
            elapsed_s=self._timing.measure_s,
            p50_s=statistics.median(self._waits),
            cpu_us={name: used / self.answers * 1e6 for name, used in cpu_s.items()},
        )
