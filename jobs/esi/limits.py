"""What holds requests back within one process: pauses that ESI asked for, and a job's own width.

Times come in and go out as wall time; in between only durations count, or a clock that is set
back would keep the gate shut.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Callable
from datetime import datetime, timedelta

from ipc.clock import Clock
from jobs.downtime import is_downtime
from jobs.errors import PauseAll, PauseBucket
from jobs.esi.headers import MAX_WAIT_S
from jobs.rates import ERRORS
from jobs.together import AT_ONCE

_MAX_BUCKETS = 10_000
# So many errors fewer are worth telling.
ERRORS_STEP = 5
# A gateway says so when ESI is not there.
AWAY = frozenset({502, 503, 504})
# So long after that a refusal is no verdict.
DOUBT_AFTER_S = 60.0
# The scheduler never has a longer doubt.
LONGEST_DOUBT_S = 1800.0
_LONG_AGO_S = float("-inf")


def job_slots() -> asyncio.Semaphore:
    """Return what bounds the requests of one job at once."""
    return asyncio.Semaphore(AT_ONCE)


class RequestGate:
    """Asked before every request; raises instead of letting it out while a pause stands."""

    def __init__(self, clock: Clock, *, daily_downtime: bool = True) -> None:
        self._clock = clock
        self._daily_downtime = daily_downtime
        # All ends are monotonic.
        self._until_s = _LONG_AGO_S
        self._errors_until_s = _LONG_AGO_S
        self._buckets: dict[str, float] = {}
        # Hears of errors left and seconds to the reset, as often as that matters.
        self.on_errors: Callable[[int, int], None] = lambda _left, _reset_s: None
        # What ESI refuses until then is no verdict.
        self._doubt_until_s = _LONG_AGO_S
        # The same, by what this process itself was answered.
        self._away_until_s = _LONG_AGO_S
        self._told_left = 0
        self._told_until_s = _LONG_AGO_S

    def pause(self, until: datetime) -> None:
        """Let nothing out before then; of several pauses the longest stands."""
        self._until_s = max(self._until_s, self._end_s(until))

    def doubt(self, until: datetime) -> None:
        """Take no refusal for a verdict until then; the scheduler's word is the latest."""
        self._doubt_until_s = self._end_s(until, LONGEST_DOUBT_S)

    def saw(self, status: int) -> None:
        """Note an answer: when ESI says it is away, refusals are in doubt until a good one."""
        if status in AWAY:
            self._away_until_s = self._clock.monotonic_s() + DOUBT_AFTER_S
        elif status < 400:
            self._away_until_s = _LONG_AGO_S

    def in_doubt(self, now: datetime) -> bool:
        """Tell whether ESI may be down, or has just come back."""
        now_s = self._clock.monotonic_s()
        is_daily = self._daily_downtime and is_downtime(now)
        return is_daily or now_s < max(self._doubt_until_s, self._away_until_s)

    def hold_errors(self, until: datetime) -> None:
        """Let nothing out before then that shares the error limit; the longest stands."""
        self._errors_until_s = max(self._errors_until_s, self._end_s(until))

    def tell_errors(self, left: int, reset_s: int) -> None:
        """Tell how many errors are left, when that is clearly fewer than was last told."""
        now_s = self._clock.monotonic_s()
        stale = now_s >= self._told_until_s
        if stale or left <= self._told_left - ERRORS_STEP or left == 0 < self._told_left:
            self._told_left, self._told_until_s = left, now_s + reset_s
            self.on_errors(left, reset_s)

    def pause_bucket(self, bucket: str, until: datetime) -> None:
        """Let nothing of one rate bucket out before then; the longest stands."""
        if len(self._buckets) >= _MAX_BUCKETS:
            now_s = self._clock.monotonic_s()
            self._buckets = {name: end for name, end in self._buckets.items() if end > now_s}
        self._buckets[bucket] = max(self._end_s(until), self._buckets.get(bucket, _LONG_AGO_S))

    def check(self, bucket: str, *, risks_errors: bool = False) -> None:
        """Return if a request of this bucket may go out; PauseAll or PauseBucket if not.

        risks_errors: it shares the error limit.
        """
        now_s = self._clock.monotonic_s()
        if now_s < self._until_s:
            raise PauseAll(*self._told(self._until_s - now_s))
        if risks_errors and now_s < self._errors_until_s:
            until, wait_s = self._told(self._errors_until_s - now_s)
            raise PauseBucket(ERRORS, until, wait_s, refused=False)
        until_s = self._buckets.get(bucket)
        if until_s is not None:
            if now_s < until_s:
                until, wait_s = self._told(until_s - now_s)
                raise PauseBucket(bucket, until, wait_s, refused=False)
            del self._buckets[bucket]

    def _end_s(self, until: datetime, longest_s: float = MAX_WAIT_S) -> float:
        left_s = (until - self._clock.now()).total_seconds()
        return self._clock.monotonic_s() + min(left_s, longest_s)

    def _told(self, left_s: float) -> tuple[datetime, int]:
        """Return an end as the wall clock tells it now, and the whole seconds until then."""
        until = self._clock.now() + timedelta(seconds=left_s)
        return until, max(1, math.ceil(left_s))
