"""What one job may spend of ESI's rate limits: what it left with, and what it borrows on the way.

For a request that is under way the dearest answer is set aside; its real cost is known when it is
answered. So a bucket is never spent by answers that come out dearer than hoped for.
"""

from __future__ import annotations

import asyncio
import math
from collections.abc import Iterable
from dataclasses import dataclass, field
from datetime import timedelta

from ipc.clock import Clock
from ipc.messages import Allowance, Deny, Grant, Spent
from jobs.errors import PauseBucket
from jobs.leases import Leases
from jobs.rates import PATIENCE_S, PREFIX, ROUTINE, WORST_COST

# Borrowed at first, and at most, in one go.
FIRST_LOAN = 4 * WORST_COST
LARGEST_LOAN = 32 * WORST_COST
# The game's own refusal of a write, in ESI's words; ESI is well.
GAME_REFUSED = 520


@dataclass(slots=True)
class _Pot:
    """One bucket's tokens in the hands of this job."""

    # What it left with.
    allowed: int = 0
    left: int = 0
    next_loan: int = FIRST_LOAN
    # Lease number and tokens of what was borrowed since.
    loans: list[tuple[int, int]] = field(default_factory=list)
    remaining: int = -1
    limit: int = 0
    window_s: int = 0
    borrowing: asyncio.Lock | None = None

    @property
    def spent(self) -> int:
        """Return what was spent so far, requests under way at their dearest."""
        return self.allowed + sum(tokens for _, tokens in self.loans) - self.left

    def heard(self, bucket: str) -> Spent | None:
        """Return what there is to tell before the job ends; None: it has asked nothing yet."""
        spent = self.spent
        if not spent and self.remaining < 0:
            return None
        return Spent(bucket, spent, self.remaining, self.limit, self.window_s)


class Purse:
    """One for each job or write; many jobs ask nothing, and it costs them next to nothing."""

    __slots__ = ("_clock", "_leases", "_pots", "_priority", "answered", "troubled")

    def __init__(
        self,
        leases: Leases,
        clock: Clock,
        allowances: Iterable[Allowance] = (),
        priority: int = ROUTINE,
    ) -> None:
        """Take what the scheduler lent beforehand, and the way to borrow more."""
        self._leases = leases
        self._clock = clock
        self._priority = priority
        self._pots: dict[str, _Pot] = {}
        for one in allowances:
            self._pots[one.bucket] = _Pot(one.tokens, one.tokens)
        # Routes that answered 5xx.
        self.troubled: tuple[str, ...] = ()
        # A route was answered as it should be.
        self.answered = False

    async def take(self, bucket: str) -> None:
        """Set the cost of one request aside; PauseBucket when there is nothing for too long."""
        pot = self._pots.get(bucket)
        if pot is None:
            pot = self._pots[bucket] = _Pot()
        if pot.left < WORST_COST:
            if pot.borrowing is None:
                pot.borrowing = asyncio.Lock()
            async with pot.borrowing:
                while pot.left < WORST_COST:
                    await self._borrow(bucket, pot)
        pot.left -= WORST_COST

    def pay(self, bucket: str, cost: int) -> None:
        """Take back what a request did not cost after all."""
        self._pots[bucket].left += WORST_COST - cost

    def note(self, bucket: str, remaining: int, limit: int, window_s: int) -> None:
        """Remember what ESI last said of a bucket."""
        pot = self._pots[bucket]
        pot.remaining, pot.limit, pot.window_s = remaining, limit, window_s

    def saw(self, route: str, status: int) -> None:
        """Remember what kind of answer a route gave."""
        if status >= 500 and status != GAME_REFUSED:
            if route not in self.troubled:
                self.troubled += (route,)
        else:
            self.answered = True

    def close(self) -> tuple[Spent, ...]:
        """Give back what was borrowed; return what was spent of the rest, and what ESI said."""
        if not self._pots:
            return ()
        told = []
        for bucket, pot in self._pots.items():
            spent = pot.spent
            own = min(spent, pot.allowed) if pot.loans else spent
            spent -= own
            for lease_id, tokens in pot.loans:
                part = min(spent, tokens)
                spent -= part
                self._leases.give_back(lease_id, part)
            own += spent
            if own or pot.remaining >= 0:
                told.append(Spent(bucket, own, pot.remaining, pot.limit, pot.window_s))
        self._pots.clear()
        return tuple(told)

    async def _borrow(self, bucket: str, pot: _Pot) -> None:
        """Borrow more, after a short wait if need be."""
        waited_s = 0.0
        while True:
            lease_id, answer = await self._leases.borrow(
                PREFIX + bucket, pot.next_loan, self._priority, pot.heard(bucket)
            )
            match answer:
                case Grant(amount=amount):
                    pot.loans.append((lease_id, amount))
                    pot.left += amount
                    pot.next_loan = min(2 * pot.next_loan, LARGEST_LOAN)
                    return
                case Deny(retry_s=retry_s, sure_s=sure_s):
                    if waited_s + retry_s > PATIENCE_S:
                        # What is lent has not come back so far: then it may well all be spent.
                        wait_s = max(retry_s, sure_s)
                        until = self._clock.now() + timedelta(seconds=wait_s)
                        raise PauseBucket(bucket, until, math.ceil(wait_s), refused=False)
                    await asyncio.sleep(retry_s)
                    waited_s += retry_s
