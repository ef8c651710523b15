"""Every rate bucket of ESI, and who has borrowed from it: no four workers spend one at once.

A job leaves with what it is likely to need, so that most jobs ask for nothing on the way. One
that needs more asks with Acquire. What a dead worker had borrowed counts as spent.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from engine.budget import Budget, Wait
from engine.error_limit import ErrorLimit
from ipc.messages import Allowance, PartGrant, Spent
from jobs import rates
from jobs.spec import Kind, Part, Route

# A lease that was not given back by then counts as spent.
EXPIRES_S: Final = 600.0
# Buckets that status names.
NAMED: Final = 20


@dataclass(frozen=True, slots=True)
class Loan:
    """Tokens of one bucket in a worker's hands."""

    budget: Budget
    tokens: int


@dataclass(frozen=True, slots=True)
class Demand:
    """What one run of a job is likely to need of a bucket."""

    budget: Budget
    tokens: int
    # Without it the job should not start; else it starts, and that part of it may have to wait.
    needed: bool


@dataclass(frozen=True, slots=True)
class Demands:
    """What one run of a job needs."""

    buckets: tuple[Demand, ...] = ()
    # It asks routes that have no rate group: those share the error limit.
    risks_errors: bool = False


@dataclass(frozen=True, slots=True)
class Held:
    """A job may not start yet: which limit holds it, and for how long."""

    limit: str
    wait: Wait


class Budgets:
    """The buckets of all owners, and the error limit."""

    def __init__(self) -> None:
        """Start without knowing what was spent before."""
        self._budgets: dict[str, Budget] = {}
        self._owners: dict[int, int] = {}
        # What workers borrowed beyond what their jobs left with, by worker and lease.
        self._loans: dict[tuple[int, int], Loan] = {}
        self._expiries: deque[tuple[float, tuple[int, int]]] = deque()
        # Buckets that somebody waits for, and until when.
        self._waits: dict[str, float] = {}
        self.errors = ErrorLimit()

    def know_owners(self, owners: Iterable[tuple[int, int]]) -> None:
        """Take over which character each credential is of."""
        self._owners = dict(owners)

    def get(self, name: str) -> Budget:
        """Return a bucket by its name, at first sight one of which nothing is known."""
        found = self._budgets.get(name)
        if found is None:
            group = name.partition(":")[0]
            limit = rates.GROUPS.get(group, rates.UNKNOWN_TOKENS)
            found = self._budgets[name] = Budget(name, limit, rates.WINDOW_S)
        return found

    def __iter__(self) -> Iterator[Budget]:
        """Walk all buckets."""
        return iter(self._budgets.values())

    # --- jobs ---

    def demands_of(self, kind: Kind, grants: Sequence[PartGrant]) -> Demands | None:
        """Return what one run needs of these parts; None: it asks nothing of ESI."""
        credentials = {grant.part: grant.credential_id for grant in grants}
        requests: dict[str, int] = {}
        needed: set[str] = set()
        risks_errors = False
        all_optional = all(part.optional for part in kind.parts)
        # Details borrow when there are some. Else the lists of all would wait whenever the details
        # of a few, as in a first load, have spent a bucket that everybody shares.
        only_things = all(part.is_of_things for part in kind.parts)
        for part in kind.parts:
            if part.name not in credentials:
                continue
            owner = self._owners.get(credentials[part.name], 0)
            for route in _routes(part):
                if route.rate_group is None:
                    risks_errors = True
                    continue
                if part.is_of_things and not only_things:
                    continue
                public = rates.is_public(route.name, route.rate_group)
                name = rates.bucket_name(route.rate_group, 0 if public else owner)
                requests[name] = requests.get(name, 0) + _usual_requests(part, route)
                is_main = part.route is None or route is part.route
                if is_main and (all_optional or not part.optional):
                    needed.add(name)
        if not requests and not risks_errors:
            return None
        buckets = (
            Demand(self.get(name), _tokens_for(count), name in needed)
            for name, count in requests.items()
        )
        return Demands(tuple(buckets), risks_errors)

    def held(self, demands: Demands, priority: int, now_s: float) -> Held | None:
        """Return what keeps a job from starting; None: nothing does."""
        worst: Held | None = None
        for demand in demands.buckets:
            if not demand.needed:
                continue
            wait = demand.budget.wait(demand.tokens, priority, now_s)
            if wait is not None and (worst is None or wait.seconds > worst.wait.seconds):
                worst = Held(demand.budget.name, wait)
        if demands.risks_errors and (wait_s := self.errors.wait_s(now_s)) > 0:
            spent = self.errors.is_spent(now_s)
            if (worst is None or wait_s > worst.wait.seconds) and (spent or not priority):
                worst = Held(rates.ERRORS, Wait(wait_s, exhausted=spent))
        if worst is not None:
            self._note_wait(worst.limit, now_s + worst.wait.seconds, now_s)
        return worst

    def lend(self, demands: Demands, priority: int, now_s: float) -> tuple[Loan, ...]:
        """Lend a job what it is likely to need; held() has agreed."""
        if demands.risks_errors:
            self.errors.started(now_s)
        return tuple(
            Loan(each.budget, each.budget.lend(each.tokens, priority, now_s))
            for each in demands.buckets
            if each.needed or each.budget.wait(each.tokens, priority, now_s) is None
        )

    def comes_back(self, names: Iterable[str], now_s: float) -> bool:
        """Tell whether a write has to wait for one of these buckets while tokens of it are lent."""
        cost = rates.WORST_COST
        for name in names:
            budget = self.get(name)
            if budget.lent and budget.wait(cost, rates.WRITE, now_s) is not None:
                return True
        return False

    def lend_to_write(self, names: Iterable[str], now_s: float) -> tuple[Loan, ...]:
        """Lend a write one request of each of these buckets, of those that have so much."""
        cost = rates.WORST_COST
        loans: list[Loan] = []
        for name in names:
            budget = self.get(name)
            if budget.wait(cost, rates.WRITE, now_s) is None:
                loans.append(Loan(budget, budget.lend(cost, rates.WRITE, now_s)))
        return tuple(loans)

    def settle(self, loans: Iterable[Loan], spent: Sequence[Spent], now_s: float) -> None:
        """Take back what a job that ended had left with."""
        told = {one.bucket: one for one in spent}
        for loan in loans:
            one = told.pop(loan.budget.name, None)
            if one is None:
                loan.budget.settle(loan.tokens, 0, now_s)
            else:
                self._settle(loan, one, now_s)
        for one in told.values():
            # Of buckets that nobody had thought of the worker has borrowed by itself.
            self.get(one.bucket).hear(one.remaining, one.limit, one.window_s, now_s)

    def write_off(self, loans: Iterable[Loan], now_s: float) -> None:
        """Count as spent what a job had left with that never came back."""
        for loan in loans:
            loan.budget.settle(loan.tokens, loan.tokens, now_s)

    # --- workers ---

    def borrow(
        self, worker: int, lease_id: int, name: str, tokens: int, priority: int, now_s: float
    ) -> Wait | None:
        """Lend a worker more for a job under way; return None, or how long it has to wait."""
        budget = self.get(name)
        wait = budget.wait(tokens, priority, now_s)
        if wait is not None and tokens > rates.WORST_COST:
            # Enough for one request is better than waiting for many.
            wait, tokens = budget.wait(rates.WORST_COST, priority, now_s), rates.WORST_COST
        if wait is not None:
            self._note_wait(name, now_s + max(wait.seconds, wait.sure_s), now_s)
            return wait
        key = (worker, lease_id)
        self._loans[key] = Loan(budget, budget.lend(tokens, priority, now_s))
        self._expiries.append((now_s + EXPIRES_S, key))
        return None

    def hear(self, heard: Spent, now_s: float) -> None:
        """Take over what ESI told a job that goes on; what it has spent is still lent to it."""
        self.get(heard.bucket).hear(heard.remaining, heard.limit, heard.window_s, now_s)

    def lent(self, worker: int, lease_id: int) -> int:
        """Return the tokens of a lease."""
        return self._loans[worker, lease_id].tokens

    def give_back(self, worker: int, lease_id: int, spent: int, now_s: float) -> bool:
        """Take a lease back; False when it is none of a bucket, or counts as spent already."""
        loan = self._loans.pop((worker, lease_id), None)
        if loan is None:
            return False
        loan.budget.settle(loan.tokens, spent, now_s)
        return True

    def bury(self, worker: int, now_s: float) -> None:
        """Count as spent what a dead worker had borrowed."""
        for key in [key for key in self._loans if key[0] == worker]:
            loan = self._loans.pop(key)
            loan.budget.settle(loan.tokens, loan.tokens, now_s)

    def expire(self, now_s: float) -> None:
        """Count as spent what was not given back in time."""
        while self._expiries and self._expiries[0][0] <= now_s:
            loan = self._loans.pop(self._expiries.popleft()[1], None)
            if loan is not None:
                loan.budget.settle(loan.tokens, loan.tokens, now_s)

    # --- what is told ---

    def waits(self, now_s: float) -> tuple[str, ...]:
        """Return the names of limits that jobs wait for now, a few of them."""
        if not self._waits:
            return ()
        self._waits = {name: until for name, until in self._waits.items() if until > now_s}
        return tuple(sorted(self._waits)[:NAMED])

    def _note_wait(self, name: str, until_s: float, now_s: float) -> None:
        if until_s - now_s > rates.PATIENCE_S:
            self._waits[name] = until_s

    def _settle(self, loan: Loan, one: Spent, now_s: float) -> None:
        loan.budget.settle(loan.tokens, one.tokens, now_s)
        if one.tokens or one.remaining >= 0:
            loan.budget.hear(one.remaining, one.limit, one.window_s, now_s)


def allowances_of(loans: Iterable[Loan]) -> tuple[Allowance, ...]:
    """Return what a job is told it may spend."""
    return tuple(Allowance(loan.budget.name, loan.tokens) for loan in loans)


def _routes(part: Part) -> tuple[Route, ...]:
    return part.uses if part.route is None else (part.route, *part.uses)


def _usual_requests(part: Part, route: Route) -> int:
    """Return how many requests of a route a run makes, as far as the declaration tells."""
    if route is not part.route or not isinstance(part.fan_out, Sequence):
        return 1
    return max(1, len(part.fan_out))


def _tokens_for(requests: int) -> int:
    """Return the tokens with which so many requests come through, a few of them at once."""
    at_once = min(requests, 4)
    return requests * rates.USUAL_COST + at_once * (rates.WORST_COST - rates.USUAL_COST)
