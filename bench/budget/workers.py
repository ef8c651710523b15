"""Workers without processes: jobs as the catalogue declares them, over the wire within.

A job asks its routes one after the other, skips what is fresh, spends its allowance and borrows
more, as a worker does; there are no rows and no database.
"""

from __future__ import annotations

import random
from collections import Counter, defaultdict
from collections.abc import Generator, Sequence
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any, Literal
from zlib import crc32

import msgspec

from bench.budget.loop import JumpClock, JumpLoop
from bench.budget.wire import Wire
from engine.budgets import Budgets
from engine.dispatch import Dispatcher
from engine.pool import NoWorker, Work
from ipc.messages import JobDone, RunJob, Spent
from ipc.outcome import AnyReaction, Outcome, PauseAll, PauseBucket, Token, Transient
from ipc.scheduler_messages import WorkerState
from jobs import rates
from jobs.spec import Kind
from simulator.contract import RouteFacts, by_key

SLOTS = 32
LATENCY_S = 0.06
FLOOR_S = 60.0
DAILY_S = 11 * 3600 + 300.0
OWNERS = ("{character_id}", "{corporation_id}", "{alliance_id}")
# Samples that are kept of each kind.
KEPT = 4000
OK, FAILED = Outcome(Token.SYNCED, 1), Outcome(Token.FAILED, 0, "it failed")


class _Stopped(Exception):
    """The job cannot go on now."""

    def __init__(self, reaction: AnyReaction) -> None:
        super().__init__()
        self.reaction = reaction


@dataclass(slots=True)
class Copy:
    """What the mirror holds of one request."""

    expires_s: float
    asked_s: float


@dataclass(slots=True)
class Pot:
    """A job's tokens of one bucket."""

    allowed: int = 0
    left: int = 0
    loans: list[tuple[int, int]] = field(default_factory=list)
    remaining: int = -1
    limit: int = 0


@dataclass(slots=True)
class Trip:
    """One run of a job under way."""

    work: RunJob
    pots: dict[str, Pot]
    fresh_s: float = float("inf")
    troubled: set[str] = field(default_factory=set)
    answered: bool = False
    reaction: AnyReaction | None = None


@dataclass(slots=True)
class Ask:
    """One route of a kind, as often as a run asks it."""

    part: str
    facts: RouteFacts
    group: str | None
    is_public: bool
    optional: bool
    times: int
    # About single things: new ones come now and then, and are asked for once.
    details: bool


@dataclass(slots=True)
class Ages:
    """How old a kind's copies were when they were renewed, over the routes' cache age."""

    seen: int = 0
    kept: list[float] = field(default_factory=list)

    def add(self, ratio: float, draw: random.Random) -> None:
        """Keep a sample, each with the same chance."""
        self.seen += 1
        if len(self.kept) < KEPT:
            self.kept.append(ratio)
        elif (place := draw.randrange(self.seen)) < KEPT:
            self.kept[place] = ratio


@dataclass(slots=True)
class Second:
    """The jobs that started in one second, by kind."""

    at_s: int = -1
    kinds: Counter[str] = field(default_factory=Counter)

    @property
    def starts(self) -> int:
        """Return how many they were."""
        return self.kinds.total()


class Workers:
    """The pool of the dispatcher, and everything below it."""

    def __init__(self, loop: JumpLoop, clock: JumpClock, wire: Wire, kinds: list[Kind], seed: int):
        """Take the wire and the kinds; `dispatcher` and `budgets` follow with each scheduler."""
        self.dispatcher: Dispatcher
        self.budgets: Budgets
        self._loop = loop
        self._clock = clock
        self._wire = wire
        self._random = random.Random(seed)
        self._asks = {kind.name: _asks_of(kind) for kind in kinds}
        self._copies: dict[tuple[str, str, int, int], Copy] = {}
        self._jobs: dict[int, Generator[float, None, JobDone]] = {}
        self._leases = 0
        self._life = 0
        self.ages: defaultdict[str, Ages] = defaultdict(Ages)
        self.starts: defaultdict[int, int] = defaultdict(int)
        self.busiest = self._second = Second()
        self.jobs_done = 0
        self.jobs_waited = 0
        self.owner_of: dict[int, int] = {}

    # --- Pool ---

    @property
    def free_slots(self) -> int:
        """Return how many more jobs can be taken."""
        return SLOTS - len(self._jobs)

    def submit(self, work: Work, *, over: bool = False) -> int:
        """Start a job."""
        if not isinstance(work, RunJob) or (not over and self.free_slots <= 0):
            raise NoWorker
        self._count_start(work.key.kind)
        self._jobs[work.job_id] = job = self._run(work)
        self._loop.call_later(0.002, self._step, work.job_id, job)
        return work.job_id % 4

    def _count_start(self, kind: str) -> None:
        at_s = int(self._clock.now_s)
        self.starts[at_s] += 1
        if self._second.at_s != at_s:
            self._second = Second(at_s)
        self._second.kinds[kind] += 1
        if self.starts[at_s] > self.busiest.starts:
            self.busiest = self._second

    def submit_alone(self, work: RunJob) -> int:  # noqa: ARG002
        """There are no suspects here."""
        raise NoWorker

    def cancel(self, job_id: int, reason: Literal["deadline", "stopping", "withdrawn"]) -> None:
        """Jobs end by themselves here."""

    def kill(self, job_id: int, why: str) -> None:
        """Nothing to kill."""

    def kill_worker(self, worker: int, why: str) -> None:
        """Nothing to kill."""

    def send(self, worker: int, message: msgspec.Struct) -> None:
        """Nobody listens."""

    def broadcast(self, message: msgspec.Struct) -> None:
        """Nobody listens."""

    def explain(self, jobs: list[int]) -> None:
        """Nobody dies."""

    def states(self) -> tuple[WorkerState, ...]:
        """Nobody asks."""
        return ()

    async def run(self) -> None:
        """Work happens on the loop."""

    async def stop(self, grace_s: float) -> None:
        """Work happens on the loop."""

    def die(self) -> None:
        """Lose every job under way, as when the scheduler dies; what was spent stays spent."""
        self._jobs.clear()
        self._life += 1

    # --- jobs ---

    def _step(self, job_id: int, job: Generator[float, None, JobDone]) -> None:
        if self._jobs.get(job_id) is not job:
            return
        try:
            self._loop.call_later(next(job), self._step, job_id, job)
        except StopIteration as ended:
            del self._jobs[job_id]
            self.jobs_done += 1
            self.dispatcher.on_job_done(ended.value, self._clock.now())
            self.dispatcher.refill()

    def _run(self, work: RunJob) -> Generator[float, None, JobDone]:
        trip = Trip(work, {one.bucket: Pot(one.tokens, one.tokens) for one in work.allowances})
        granted = {grant.part: grant.credential_id for grant in work.grants}
        began_s = self._clock.now_s
        for ask in self._asks[work.key.kind]:
            if ask.part in granted:
                owner = 0 if ask.is_public else self.owner_of.get(granted[ask.part], 0)
                yield from self._ask_all(trip, ask, owner)
                if trip.reaction is not None:
                    break
        if isinstance(trip.reaction, PauseBucket):
            self.jobs_waited += 1
        fresh_at = None
        if trip.fresh_s < 1e12:
            fresh_at = self._clock.start + timedelta(seconds=trip.fresh_s)
        return JobDone(work.job_id, work.attempt, work.epoch, FAILED if trip.reaction else OK,
                       self._clock.now_s - began_s, trip.reaction, fresh_at,
                       spent=self._close(trip.pots), troubled=tuple(trip.troubled),
                       answered=trip.answered)  # fmt: skip

    def _ask_all(self, trip: Trip, ask: Ask, owner: int) -> Generator[float, None, None]:
        """Ask one route, as often as it takes and as far as it goes."""
        work = trip.work
        bucket = "" if ask.group is None else rates.bucket_name(ask.group, owner)
        for number in range(self._times(ask, work)):
            key = (work.key.kind, ask.facts.key, work.key.subject.id, number)
            copy = None if ask.details else self._copies.get(key)
            if copy is not None and copy.expires_s > self._clock.now_s:
                trip.fresh_s = min(trip.fresh_s, copy.expires_s)
                continue
            try:
                yield from self._pay(trip.pots, bucket, work)
            except _Stopped as stopped:
                trip.reaction = None if ask.optional else stopped.reaction
                return
            yield LATENCY_S
            status = self._answer(ask, bucket, owner, copy, trip.pots)
            if status in (420, 429) or status >= 500:
                self._on_trouble(trip, ask, bucket, status)
                return
            trip.answered = trip.answered or status < 400
            if status < 400 and not ask.details:
                expires_s = self._expiry(ask.facts, work.key.subject.id)
                trip.fresh_s = min(trip.fresh_s, expires_s)
                self._note(work.key.kind, ask.facts, key, copy, expires_s)

    def _on_trouble(self, trip: Trip, ask: Ask, bucket: str, status: int) -> None:
        until = self._clock.now() + timedelta(seconds=60)
        if status == 420:
            trip.reaction = PauseAll(until, 60)
        elif status == 429:
            trip.reaction = PauseBucket(bucket, until, 60)
        else:
            trip.troubled.add(ask.facts.key)
            trip.reaction = None if ask.optional else Transient()

    def _times(self, ask: Ask, work: RunJob) -> int:
        if not ask.details:
            return ask.times
        key = (work.key.kind, ask.facts.key, work.key.subject.id, -1)
        if key not in self._copies:
            # The first run finds what has gathered over the years.
            self._copies[key] = Copy(0.0, 0.0)
            return 20
        return self._random.choice((0, 0, 0, 0, 0, 0, 0, 1, 1, 3))

    def _pay(self, pots: dict[str, Pot], bucket: str, work: RunJob) -> Generator[float, None, None]:
        now_s = self._clock.now_s
        if not bucket:
            if self.budgets.errors.is_spent(now_s):
                wait_s = self.budgets.errors.wait_s(now_s)
                raise _Stopped(self._pause(rates.ERRORS, wait_s))
            return
        pot = pots.get(bucket)
        if pot is None:
            pot = pots[bucket] = Pot()
        waited_s = 0.0
        while pot.left < rates.WORST_COST:
            self._leases += 1
            wait = self.budgets.borrow(
                0, self._leases, bucket, 20, work.priority, self._clock.now_s
            )
            if wait is None:
                tokens = self.budgets.lent(0, self._leases)
                pot.loans.append((self._leases, tokens))
                pot.left += tokens
            elif waited_s + wait.seconds > rates.PATIENCE_S:
                raise _Stopped(self._pause(bucket, max(wait.seconds, wait.sure_s)))
            else:
                waited_s += wait.seconds
                yield wait.seconds
        pot.left -= rates.WORST_COST

    def _pause(self, bucket: str, wait_s: float) -> PauseBucket:
        until = self._clock.now() + timedelta(seconds=wait_s)
        return PauseBucket(bucket, until, int(wait_s) + 1, refused=False)

    def _answer(
        self, ask: Ask, bucket: str, owner: int, copy: Copy | None, pots: dict[str, Pot]
    ) -> int:
        now_s = self._clock.now_s
        known = copy is not None and not ask.details and ask.facts.method == "GET"
        said = self._wire.ask(ask.facts, str(owner), now_s, known=known, one=ask.details)
        if bucket:
            pot = pots[bucket]
            pot.left += rates.WORST_COST - rates.cost_of(said.status)
            pot.remaining, pot.limit = said.remaining, said.limit
        elif said.errors_left is not None and said.errors_left < 60:
            self.budgets.errors.hear(said.errors_left, said.reset_s, now_s)
        return said.status

    def _close(self, pots: dict[str, Pot]) -> tuple[Spent, ...]:
        told = []
        for bucket, pot in pots.items():
            spent = pot.allowed + sum(tokens for _, tokens in pot.loans) - pot.left
            own = min(spent, pot.allowed)
            spent -= own
            for lease_id, tokens in pot.loans:
                self.budgets.give_back(0, lease_id, min(spent, tokens), self._clock.now_s)
                spent -= min(spent, tokens)
            if own or pot.remaining >= 0:
                told.append(Spent(bucket, own, pot.remaining, pot.limit, rates.WINDOW_S))
        return tuple(told)

    # --- what the mirror holds ---

    def _expiry(self, facts: RouteFacts, subject_id: int) -> float:
        """Return when the data can change: at the borders of windows with a phase of their own."""
        now_s, age_s = self._clock.now_s, facts.cache_age_s
        if age_s is None:
            day_s = now_s % 86_400
            return now_s - day_s + DAILY_S + (0 if day_s < DAILY_S else 86_400)
        if age_s == 0:
            return now_s + FLOOR_S
        phase_s = crc32(f"{facts.key}{subject_id}".encode()) % age_s
        return now_s + age_s - (now_s + phase_s) % age_s

    def _note(
        self, kind: str, facts: RouteFacts, key: Any, copy: Copy | None, expires_s: float
    ) -> None:
        now_s = self._clock.now_s
        if copy is None:
            self._copies[key] = Copy(expires_s, now_s)
            return
        if facts.cache_age_s:
            self.ages[kind].add((now_s - copy.asked_s) / facts.cache_age_s, self._random)
        copy.expires_s, copy.asked_s = expires_s, now_s


def _asks_of(kind: Kind) -> list[Ask]:
    """Return what a run of a kind asks, as far as its declaration tells."""
    asks = []
    table = by_key()
    for part in kind.parts:
        routes = part.uses if part.route is None else (part.route, *part.uses)
        for route in routes:
            facts = table.get(route.name)
            if facts is None:
                raise LookupError(f"{route.name} of {kind.name} is not in the contract")
            bare = route.path
            for owner in OWNERS:
                bare = bare.replace(owner, "")
            group = facts.rate.group if facts.rate is not None else None
            details = route is not part.route or ("{" in bare and part.run is not None)
            times = len(part.fan_out) if isinstance(part.fan_out, Sequence) else 3
            if facts.paging == "x-pages" and "assets" in route.path:
                times = 3
            public = group is not None and rates.is_public(route.name, group)
            asks.append(Ask(part.name, facts, group, public, part.optional, times, details))
    return asks
