"""What workers ask for and give back: the turn to write, and tokens of rate buckets."""

from __future__ import annotations

import logging
from dataclasses import dataclass

from engine.budgets import Budgets
from engine.pool import Pool
from engine.turns import Turns
from ipc.clock import Clock
from ipc.messages import Acquire, Deny, Grant, Release
from jobs.rates import PREFIX, TURN

_log = logging.getLogger(__name__)

DENY_RETRY_S = 60.0


@dataclass(frozen=True, slots=True)
class Lending:
    """Lends workers what they share."""

    clock: Clock
    turns: Turns
    budgets: Budgets
    pool: Pool

    def acquire(self, worker: int, message: Acquire) -> None:
        """Lend a worker what it asks for, now or as soon as it is free."""
        if message.resource == TURN:
            self.turns.acquire(worker, message.lease_id, message.priority)
        elif message.resource.startswith(PREFIX):
            self._borrow(worker, message)
        else:
            _log.warning("worker %d asks for %s, which is not given out", worker, message.resource)
            self.pool.send(worker, Deny(message.lease_id, DENY_RETRY_S))

    def release(self, worker: int, message: Release) -> None:
        """Take back what a worker needs no more."""
        now_s = self.clock.monotonic_s()
        if not self.budgets.give_back(worker, message.lease_id, message.spent, now_s):
            self.turns.release(worker, message.lease_id)

    def bury(self, worker: int) -> None:
        """Take back what a dead worker had: its turn is free, its tokens count as spent."""
        self.turns.free(worker)
        self.budgets.bury(worker, self.clock.monotonic_s())

    def _borrow(self, worker: int, message: Acquire) -> None:
        """Lend a worker more of a rate bucket, for a job under way."""
        now_s = self.clock.monotonic_s()
        lease_id, name = message.lease_id, message.resource.removeprefix(PREFIX)
        if message.heard is not None:
            self.budgets.hear(message.heard, now_s)
        wait = self.budgets.borrow(worker, lease_id, name, message.amount, message.priority, now_s)
        if wait is not None:
            self.pool.send(worker, Deny(lease_id, wait.seconds, wait.sure_s))
        else:
            lent = self.budgets.lent(worker, lease_id)
            self.pool.send(worker, Grant(lease_id, lent))
