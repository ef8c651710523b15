"""What is known of ESI's rate buckets, kept over a restart with the ledger's own commits."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Final, Protocol

from sqlalchemy import Connection

from engine import policy
from engine.budget import Account
from engine.budgets import Budgets
from engine.ledger_writer import Errand
from ipc.clock import Clock
from jobs.rates import is_limit
from jobs.store import rate_buckets
from jobs.store.rate_buckets import SpentBucket

# What a crash makes forgotten was spent within this.
EVERY_S: Final = 10.0


class Writer(Protocol):
    """Who stores small things in the commits that there are anyway."""

    def run_errand(self, errand: Errand) -> None:
        """Queue a small write; it may run more than once."""


@dataclass(slots=True)
class BucketMemory:
    """Stores what has changed, now and then, and takes it over at a start."""

    clock: Clock
    budgets: Budgets
    writer: Writer
    _next_s: float = 0.0
    # What was handed over and has not been stored yet.
    _waiting: dict[str, SpentBucket] = field(default_factory=dict)
    _is_queued: bool = False

    def take_over(self, known: Iterable[SpentBucket]) -> None:
        """Begin with what an earlier life has stored; a window that is over is none."""
        now, now_s = self.clock.now(), self.clock.monotonic_s()
        for one in known:
            back_in_s = (one.back_at - now).total_seconds()
            if back_in_s <= 0:
                continue
            budget = self.budgets.get(one.name)
            # What another program wrote may be no limit at all.
            if is_limit(one.tokens_limit, one.window_s):
                budget.set_limit(one.tokens_limit)
                budget.window_s = one.window_s
            blocked_s = 0.0
            if one.blocked_until is not None:
                blocked_s = (one.blocked_until - now).total_seconds()
            blocked_s = min(blocked_s, policy.LONGEST_PAUSE_S)
            budget.remember(Account(one.spent, back_in_s, blocked_s), now_s)

    def tick(self) -> None:
        """Store what has changed, if the last time is long enough ago."""
        now_s = self.clock.monotonic_s()
        if now_s >= self._next_s:
            self._next_s = now_s + EVERY_S
            self.store()

    def store(self, *, last: bool = False) -> None:
        """Queue what has changed; one write at most waits, and the last one beside it."""
        now, now_s = self.clock.now(), self.clock.monotonic_s()
        for budget in self.budgets:
            account = budget.to_remember(now_s)
            if account is None or not budget.is_heard:
                continue
            blocked = account.blocked_for_s
            self._waiting[budget.name] = SpentBucket(
                budget.name,
                budget.limit,
                int(budget.window_s),
                account.spent,
                now + timedelta(seconds=account.back_in_s),
                now + timedelta(seconds=blocked) if blocked else None,
            )
        if not self._waiting or (self._is_queued and not last):
            return
        rows, self._waiting = tuple(self._waiting.values()), {}
        self._is_queued = True

        def errand(connection: Connection) -> None:
            # In the database's thread; a run that is rolled back comes again, or never.
            self._is_queued = False
            rate_buckets.save(connection, rows, now)

        self.writer.run_errand(errand)
