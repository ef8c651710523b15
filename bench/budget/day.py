"""One simulated day: the shipped scheduler objects over workers and a wire within this process."""

from __future__ import annotations

import random
import time
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta

from bench.budget.loop import JumpClock, JumpLoop
from bench.budget.wire import Wire
from bench.budget.workers import SLOTS, Workers
from engine.budgets import Budgets
from engine.carried import Carried
from engine.dispatch import Dispatcher
from engine.downtime import Downtime
from engine.events import Outlet
from engine.finish import Finisher
from engine.grants import Holder, plan
from engine.herald import Herald
from engine.lineup import Lineup
from engine.pauses import Pauses
from engine.ramp import Ramp
from engine.schedule import Schedule
from ipc.outcome import PauseAll
from ipc.settings import Settings
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs import rates
from jobs.catalog import load
from jobs.rates import PATIENCE_S
from jobs.store.credentials import Credential
from jobs.store.ledger import LedgerRow
from simulator.contract import by_key

START = datetime(2026, 11, 30, tzinfo=UTC)
# People press `sync`, and programs write, so often.
PERSON_EVERY_S = 60.0
WRITE_EVERY_S = 30.0
MAIL = "POST /characters/{character_id}/mail"


@dataclass(frozen=True, slots=True)
class Size:
    """How much is mirrored, and for how long."""

    characters: int
    corporations: int
    hours: float


@dataclass(slots=True)
class Tally:
    """What was counted beside the wire's own books."""

    writes: int = 0
    writes_denied: int = 0
    most_waiting: int = 0
    # Shut gates, and for how long in all.
    downtimes: int = 0
    pauses: int = 0
    restart_s: float = 0.0
    cpu_s: float = 0.0
    entries: int = 0
    late: list[int] = field(default_factory=list)


class _Recorder:
    """Where ledger rows go: nowhere."""

    def record(self, key: JobKey, row: LedgerRow, next_in_s: float | None) -> None:
        """Forget it; the entry keeps its row."""


class Day:
    """A mirror over one day, restarted in the middle of it."""

    def __init__(self, size: Size, profile: str, seed: int = 1) -> None:
        """Build the workers and the wire, and a first scheduler."""
        self.size = size
        self.profile = profile
        self.clock = JumpClock(START)
        self.loop = JumpLoop(self.clock)
        self.wire = Wire(seed, size.hours * 3600)
        settings = Settings(data_dir="/", profile="eager" if profile == "eager" else "standard")
        self.catalog = load(settings.kind_packages)
        self.lineup = Lineup(self.catalog, settings)
        self.settings = settings
        self.kinds = [kind for kind in self.catalog.values() if self.lineup.is_on(kind)]
        parts = (part for kind in self.kinds for part in kind.parts)
        self.scopes = frozenset(scope for part in parts for scope in part.scopes)
        self.workers = Workers(self.loop, self.clock, self.wire, self.kinds, seed)
        self.random = random.Random(seed)
        self.tally = Tally()
        self._began_s = 0.0
        self.credentials = [_credential(n) for n in range(1, size.characters + 1)]
        self.workers.owner_of = {one.id: one.character_id for one in self.credentials}
        self.schedule: Schedule
        self.budgets: Budgets
        self.dispatcher: Dispatcher
        with self.loop.running():
            self.boot()

    def boot(self) -> None:
        """Start a scheduler that knows nothing of what was spent; everything is due at once."""
        clock = self.clock
        self.schedule, self.budgets = Schedule(), Budgets()
        carried, self.downtime = Carried(), Downtime()
        outlet = Outlet(lambda _message: None, lambda: 0)
        finisher = Finisher(clock, self.schedule, self.lineup, carried, outlet, _Recorder(),
                            Herald(clock), 60.0, self.random.random)  # fmt: skip
        self.pauses = Pauses(clock)
        self.dispatcher = Dispatcher(
            clock=clock, epoch=1, schedule=self.schedule, lineup=self.lineup, carried=carried,
            outlet=outlet, finisher=finisher, pauses=self.pauses, budgets=self.budgets,
            ramp=Ramp(self.settings.timings.ramp_per_s, SLOTS), downtime=self.downtime,
            pool=self.workers, cancel_grace_s=5.0, on_pause=self._on_pause,
            on_grants_changed=lambda: None, on_downtime=self._on_downtime,
        )  # fmt: skip
        self.workers.dispatcher, self.workers.budgets = self.dispatcher, self.budgets
        self.budgets.know_owners((one.id, one.character_id) for one in self.credentials)
        self.dispatcher.tokens.update(self.credentials)
        self._enroll()
        self.tally.entries = self.schedule.entries
        self.dispatcher.open(True)
        self.loop.call_later(PERSON_EVERY_S, self._person)
        self.loop.call_later(WRITE_EVERY_S, self._write)
        self.loop.call_later(1.0, self._tick)

    def run(self, progress: Callable[[int], None]) -> None:
        """Live through the day, with a new scheduler in the middle of it."""
        self._began_s = time.process_time()
        end_s = self.size.hours * 3600
        with self.loop.running():
            for part in range(1, 25):
                self.loop.run_to(end_s * part / 24)
                self.tally.cpu_s = time.process_time() - self._began_s
                progress(part)
                if part == 12:
                    self.tally.restart_s = self.clock.now_s
                    self.loop.clear()
                    self.workers.die()
                    self.boot()

    def _enroll(self) -> None:
        now, now_s = self.clock.now(), self.clock.now_s
        for kind in self.kinds:
            for subject, holders in self._subjects(kind.subject):
                self.schedule.enroll(
                    JobKey(kind.name, subject), kind, plan(kind, holders, now), now_s
                )

    def _subjects(self, of: SubjectType) -> list[tuple[Subject, list[Holder]]]:
        holders = [_holder(one, self.scopes) for one in self.credentials]
        match of:
            case SubjectType.CHARACTER:
                return [(Subject(of, one.character_id), [one]) for one in holders]
            case SubjectType.CORPORATION:
                return [
                    (Subject(of, 98_000_000 + n), [holders[n % len(holders)]])
                    for n in range(self.size.corporations)
                ]
            case SubjectType.GLOBAL:
                return [(GLOBAL, [])]
            case _:
                return []

    # --- what happens beside the jobs ---

    def _tick(self) -> None:
        self.budgets.expire(self.clock.now_s)
        self.tally.most_waiting = max(
            self.tally.most_waiting, len(self.budgets.waits(self.clock.now_s))
        )
        if self.clock.now_s % 60 < 1:
            self.tally.late.append(self.schedule.count_due(self.clock.now_s, 100_000))
        self.loop.call_later(1.0, self._tick)

    def _person(self) -> None:
        number = self.random.choice(self.credentials).character_id
        for entry in self.schedule.of(Subject(SubjectType.CHARACTER, number)):
            self.schedule.run_now(entry, self.clock.now_s)
        self.dispatcher.wake()
        self.loop.call_later(PERSON_EVERY_S, self._person)

    def _write(self) -> None:
        """Send a mail, as the outbox does."""
        self.loop.call_later(WRITE_EVERY_S, self._write)
        if self.dispatcher.is_open:
            self.tally.writes += 1
            self._send_mail(self.random.choice(self.credentials).character_id, self.tally.writes)

    def _send_mail(self, number: int, mail: int, waited_s: float = 0.0) -> None:
        """Borrow, and send; a worker waits a little for tokens, and no longer."""
        bucket, now_s = rates.bucket_name("char-social", number), self.clock.now_s
        wait = self.budgets.borrow(1, -mail, bucket, 20, rates.WRITE, now_s)
        if wait is None:
            said = self.wire.ask(by_key()[MAIL], str(number), now_s, known=False, one=False)
            self.budgets.give_back(1, -mail, rates.cost_of(said.status), now_s)
        elif waited_s + wait.seconds > PATIENCE_S:
            self.tally.writes_denied += 1
        else:
            waited_s += wait.seconds
            self.loop.call_later(wait.seconds, self._send_mail, number, mail, waited_s)

    def _on_pause(self, pause: PauseAll) -> None:
        self.tally.pauses += 1
        self.pauses.extend(pause.until, "420")

    def _on_downtime(self, is_down: bool) -> None:
        self.tally.downtimes += is_down


def _credential(number: int) -> Credential:
    return Credential(number, 90_000_000 + number, "client", frozenset(),
                      START + timedelta(days=400), 1, False, None, None)  # fmt: skip


def _holder(one: Credential, scopes: frozenset[str]) -> Holder:
    """Return a credential that holds every scope, and whose roles ESI decides on."""
    return Holder(one.id, one.character_id, scopes, one.generation)
