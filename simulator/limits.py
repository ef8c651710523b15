"""ESI's two limits as plain objects: token buckets of rate groups, and the error limit."""

from __future__ import annotations

import math
from collections import deque
from dataclasses import dataclass

from simulator.contract import Rate

# Errors are counted by the minute.
ERROR_WINDOW_S = 60.0


def token_cost(status: int) -> int:
    """Return what an answer costs: 2 for 2xx, 1 for 3xx, 5 for 4xx but 429, 0 otherwise."""
    if 200 <= status < 300:
        return 2
    if 300 <= status < 400:
        return 1
    if 400 <= status < 500 and status != 429:
        return 5
    return 0


@dataclass(frozen=True, slots=True)
class Reading:
    """How a bucket stands after a request."""

    group: str
    limit: str
    remaining: int
    used: int

    def headers(self) -> dict[str, str]:
        """Return the reading as the headers ESI sends."""
        return {
            "X-Ratelimit-Group": self.group,
            "X-Ratelimit-Limit": self.limit,
            "X-Ratelimit-Remaining": str(self.remaining),
            "X-Ratelimit-Used": str(self.used),
        }


class Bucket:
    """One bucket with a floating window: each token comes back a window after it was spent."""

    def __init__(self, rate: Rate, window_scale: float = 1.0) -> None:
        self._rate = rate
        self._window_s = max(1, round(rate.window_s * window_scale))
        minutes, seconds = divmod(self._window_s, 60)
        window = f"{self._window_s}s" if seconds else f"{minutes}m"
        self._limit = f"{rate.tokens}/{window}"
        self._spent: deque[tuple[float, int]] = deque()
        self._used = 0

    def wait_s(self, now_s: float) -> float:
        """Return 0 when a request may be made, else how long until one may."""
        self._give_back(now_s)
        if self._used < self._rate.tokens:
            return 0.0
        over = self._used - self._rate.tokens + 1
        for at_s, cost in self._spent:
            over -= cost
            if over <= 0:
                return at_s + self._window_s - now_s
        return float(self._window_s)

    def spend(self, now_s: float, cost: int) -> Reading:
        """Take tokens for an answer and tell how the bucket stands."""
        self._give_back(now_s)
        if cost:
            self._spent.append((now_s, cost))
            self._used += cost
        remaining = max(0, self._rate.tokens - self._used)
        return Reading(self._rate.group, self._limit, remaining, min(self._used, self._rate.tokens))

    def _give_back(self, now_s: float) -> None:
        spent = self._spent
        oldest = now_s - self._window_s
        while spent and spent[0][0] <= oldest:
            self._used -= spent.popleft()[1]


class RateLimits:
    """Every bucket there is, by rate group and owner."""

    def __init__(self, window_scale: float = 1.0) -> None:
        self._buckets: dict[tuple[str, str], Bucket] = {}
        self._window_scale = window_scale

    def bucket(self, rate: Rate, owner: str) -> Bucket:
        """Return the bucket of an owner in a group, a full one at first sight."""
        key = (rate.group, owner)
        found = self._buckets.get(key)
        if found is None:
            found = self._buckets[key] = Bucket(rate, self._window_scale)
        return found

    def clear(self) -> None:
        """Fill every bucket again."""
        self._buckets.clear()


class ErrorLimit:
    """The error limit of one source: so many failed answers in a fixed window, then none at all."""

    def __init__(self, *, errors: int = 100) -> None:
        self._errors = errors
        self._window = -1
        self._count = 0

    def reset_s(self, now_s: float) -> int:
        """Return the whole seconds until the window ends, at least 1."""
        return max(1, math.ceil(ERROR_WINDOW_S - now_s % ERROR_WINDOW_S))

    def blocked(self, now_s: float) -> bool:
        """True while nothing is answered any more."""
        self._turn(now_s)
        return self._count >= self._errors

    def record(self, now_s: float, status: int) -> None:
        """Count an answer that is neither 2xx nor 3xx."""
        self._turn(now_s)
        if not 200 <= status < 400:
            self._count += 1

    def headers(self, now_s: float) -> dict[str, str]:
        """Return the headers ESI sends with every answer of a route without a group."""
        self._turn(now_s)
        return {
            "X-ESI-Error-Limit-Remain": str(max(0, self._errors - self._count)),
            "X-ESI-Error-Limit-Reset": str(self.reset_s(now_s)),
        }

    def _turn(self, now_s: float) -> None:
        window = int(now_s // ERROR_WINDOW_S)
        if window != self._window:
            self._window = window
            self._count = 0
