"""ESI within this process: its limits as the simulated EVE keeps them, and answers without rows."""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from dataclasses import dataclass, field

from simulator.contract import RouteFacts
from simulator.limits import ErrorLimit, RateLimits, token_cost

# The downtime begins after this share of the day, at 11:00 of a whole one.
DOWN_AT_SHARE = 11 / 24
DOWN_FOR_S = 360.0
WINDOW_S = 900.0
# Of asks about data that were known: how many find that something has changed.
CHANGED_SHARE = 0.3
GATEWAY_SHARE = 0.0005
GONE_SHARE = 0.002


@dataclass(slots=True)
class Group:
    """What was spent of one rate group."""

    limit: int
    tokens: int = 0
    requests: int = 0
    refused: int = 0
    # The fullest that one owner's bucket was, as a share of its limit.
    peak: float = 0.0
    owners: set[str] = field(default_factory=set)
    # Tokens by quarter of an hour.
    quarters: Counter[int] = field(default_factory=Counter)


@dataclass(frozen=True, slots=True)
class Said:
    """What an answer said: its status, and the limits that it told."""

    status: int
    remaining: int = -1
    limit: int = 0
    errors_left: int | None = None
    reset_s: int = 0


class Wire:
    """Answers requests, and keeps the books that the report is made of."""

    def __init__(self, seed: int, seconds: float) -> None:
        """Start with full buckets; there is one downtime within so many seconds."""
        self._down_s = seconds * DOWN_AT_SHARE
        self._random = random.Random(seed)
        self._limits = RateLimits()
        self._errors = ErrorLimit()
        self.groups: dict[str, Group] = {}
        self.statuses: Counter[int] = Counter()
        self.by_minute: Counter[int] = Counter()
        self.least_errors_left = 100
        self.refused_by: defaultdict[str, int] = defaultdict(int)

    def is_down(self, now_s: float) -> bool:
        """Tell whether the downtime is on."""
        return self._down_s <= now_s < self._down_s + DOWN_FOR_S

    def ask(self, facts: RouteFacts, owner: str, now_s: float, *, known: bool, one: bool) -> Said:
        """Answer one request. known: it compares; one: it is about one thing among many."""
        status = self._status(now_s, known=known, one=one)
        self.by_minute[int(now_s // 60)] += 1
        if self._errors.blocked(now_s):
            self.statuses[420] += 1
            self.refused_by[facts.key] += 1
            return Said(420, errors_left=0, reset_s=self._errors.reset_s(now_s))
        if facts.rate is not None:
            return self._rated(facts, owner, status, now_s)
        self.statuses[status] += 1
        self._errors.record(now_s, status)
        left = int(self._errors.headers(now_s)["X-ESI-Error-Limit-Remain"])
        self.least_errors_left = min(self.least_errors_left, left)
        return Said(status, errors_left=left, reset_s=self._errors.reset_s(now_s))

    def _rated(self, facts: RouteFacts, owner: str, status: int, now_s: float) -> Said:
        assert facts.rate is not None  # noqa: S101 - narrows the type
        bucket = self._limits.bucket(facts.rate, owner)
        group = self.groups.get(facts.rate.group)
        if group is None:
            group = self.groups[facts.rate.group] = Group(facts.rate.tokens)
        if bucket.wait_s(now_s) > 0:
            status = 429
            group.refused += 1
            self.refused_by[facts.key] += 1
        self.statuses[status] += 1
        cost = token_cost(status)
        reading = bucket.spend(now_s, cost)
        group.requests += 1
        group.tokens += cost
        group.owners.add(owner)
        group.quarters[int(now_s // WINDOW_S)] += cost
        group.peak = max(group.peak, reading.used / facts.rate.tokens)
        return Said(status, reading.remaining, facts.rate.tokens)

    def _status(self, now_s: float, *, known: bool, one: bool) -> int:
        if self.is_down(now_s):
            return 503
        drawn = self._random.random()
        if drawn < GATEWAY_SHARE:
            return 502
        if one and drawn < GATEWAY_SHARE + GONE_SHARE:
            return 404
        return 304 if known and drawn > CHANGED_SHARE else 200
