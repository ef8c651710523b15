"""Who is mirrored and with which jobs: enrols, grants anew and withdraws what has changed."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping
from dataclasses import replace
from datetime import datetime

from engine import grants, seeds
from engine.entry import Entry, State
from engine.events import Outlet
from engine.grants import Holder, Plan, Verdict
from engine.lineup import Lineup
from engine.schedule import Schedule
from engine.world import History, World
from ipc import events
from ipc.clock import Clock
from ipc.outcome import Outcome, Token
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.spec import Kind
from jobs.store.ledger import LedgerRow

# Grants are looked at again without a change: a refusal ends by time alone.
LOOK_S = 3600.0


class Roster:
    """The enrolled subjects and the credentials that their jobs were planned with."""

    def __init__(
        self,
        clock: Clock,
        schedule: Schedule,
        lineup: Lineup,
        outlet: Outlet,
        cut_off: Callable[[list[Entry]], None],
    ) -> None:
        """Take whom to tell of jobs in flight whose subject was withdrawn."""
        self._clock = clock
        self._schedule = schedule
        self._lineup = lineup
        self._outlet = outlet
        self._cut_off = cut_off
        self._holders: dict[Subject, tuple[Holder, ...]] = {}
        # Subjects with a job that waits for a login.
        self._parked: set[Subject] = set()
        # Subjects whose parent row exists, as far as is known.
        self._ready: set[Subject] = set()
        # What was announced as withheld.
        self._withheld: set[JobKey] = set()
        self._looked_s = clock.monotonic_s()
        # Subjects that had a credential, and have none left.
        self._bereft: set[Subject] = set()
        # Subjects that need a login.
        self.flagged: tuple[Subject, ...] = ()
        # Those among them whose credentials all belong to another client than the configured one.
        self.foreign: tuple[Subject, ...] = ()

    @property
    def subjects(self) -> Collection[Subject]:
        """Return who is enrolled."""
        return self._holders.keys()

    def note_parked(self, entry: Entry) -> None:
        """Look whether a change of its credential ends a job's park."""
        if entry.parked_generation is not None:
            self._parked.add(entry.key.subject)

    def note_parent(self, subject: Subject) -> None:
        """Note that a subject's parent row exists."""
        self._ready.add(subject)

    def to_enrol(self, world: World) -> set[Subject]:
        """Return the subjects that apply() may enrol jobs of, whose history it needs."""
        everyone = self.needs_look()
        return {
            subject
            for subject in (*world.active, GLOBAL)
            if (known := self._holders.get(subject)) is None
            or (
                self._is_to_regrant(subject, known, self._holders_of(subject, world), everyone)
                and self._lacks_jobs(subject)
            )
        }

    def needs_look(self) -> bool:
        """Tell whether grants are due for a look without a change."""
        return self._clock.monotonic_s() - self._looked_s >= LOOK_S

    def apply(
        self,
        world: World,
        history: History,
        *,
        launch: bool = False,
        quiet: Collection[Subject] = (),
    ) -> None:
        """Take over what has changed; quiet: enrolled by command, so no Seeded events."""
        now = self._clock.now()
        everyone = self.needs_look()
        if everyone:
            self._looked_s = self._clock.monotonic_s()
        for subject in [known for known in self._holders if known not in world.active]:
            if subject != GLOBAL:
                self.withdraw(subject)
        self._ready |= history.ready
        for subject in (GLOBAL, *sorted(world.active)):
            holders = self._holders_of(subject, world)
            known = self._holders.get(subject)
            self._holders[subject] = holders
            if holders or subject == GLOBAL:
                self._bereft.discard(subject)
            elif known or (known is None and self._had_a_login(subject, history.rows, now)):
                self._bereft.add(subject)
            if known is None:
                if subject != GLOBAL and not launch:
                    self._outlet.add(events.Enrolled(now, subject))
                self._enroll(subject, history.rows, now, launch=launch, loud=subject not in quiet)
            elif self._is_to_regrant(subject, known, holders, everyone):
                self._regrant(subject, history.rows, now)
        held = [(one, holders) for one, holders in self._holders.items() if one != GLOBAL]
        foreign = {subject for subject, holders in held if _are_foreign(holders)}
        flagged = {subject for subject, holders in held if _is_flagged(holders)}
        self.foreign = tuple(sorted(foreign))
        self.flagged = tuple(sorted(foreign | flagged | self._bereft))

    def _holders_of(self, subject: Subject, world: World) -> tuple[Holder, ...]:
        """Return the credentials that serve a subject; of global kinds, any with their scope."""
        if subject != GLOBAL:
            return world.holders.get(subject, ())
        scopes = self._lineup.global_scopes
        if not scopes:
            return ()
        able = (
            holder
            for other, holders in world.holders.items()
            if other.type is SubjectType.CHARACTER and other in world.active
            for holder in holders
            if scopes & holder.scopes
        )
        best = sorted(able, key=lambda one: (one.flagged, one.foreign, one.credential_id))
        return tuple(best[: grants.GLOBAL_READERS])

    def withdraw(self, subject: Subject) -> None:
        """Take a subject out; its jobs in flight are cut off."""
        if self._holders.pop(subject, None) is None:
            return
        self.flagged = tuple(flagged for flagged in self.flagged if flagged != subject)
        self.foreign = tuple(foreign for foreign in self.foreign if foreign != subject)
        self._bereft.discard(subject)
        self._parked.discard(subject)
        self._ready.discard(subject)
        self._withheld = {key for key in self._withheld if key.subject != subject}
        flying = self._schedule.withdraw(subject)
        self._outlet.add(events.Withdrawn(self._clock.now(), subject))
        if flying:
            self._cut_off(flying)

    def reconcile(self, rows: Mapping[JobKey, LedgerRow]) -> None:
        """Take over changed features and intervals from the line-up."""
        now, now_s = self._clock.now(), self._clock.monotonic_s()
        for entry in list(self._schedule):
            if not self._lineup.is_on(entry.kind):
                self._schedule.remove(entry)
            elif entry.failures == 0:
                latest_s = now_s + self._lineup.every_s[entry.kind.name]
                if entry.due_s > latest_s and not _is_fresh_beyond(entry, latest_s - now_s, now):
                    self._schedule.move(entry, latest_s)
        for subject in self._holders:
            self._enroll(subject, rows, now, launch=False, loud=True)

    # --- one subject ---

    def _enroll(
        self,
        subject: Subject,
        rows: Mapping[JobKey, LedgerRow],
        now: datetime,
        *,
        launch: bool,
        loud: bool,
    ) -> None:
        for kind in self._lineup.of(subject.type):
            if self._lineup.is_on(kind):
                key = JobKey(kind.name, subject)
                plan = grants.plan(kind, self._holders[subject], now)
                self._add(key, kind, plan, rows.get(key), now, launch=launch, loud=loud)

    def _add(
        self,
        key: JobKey,
        kind: Kind,
        plan: Plan,
        row: LedgerRow | None,
        now: datetime,
        *,
        launch: bool = False,
        loud: bool = True,
    ) -> None:
        if plan.verdict is not Verdict.RUN:
            self._withhold(key, plan, now, loud=loud)
            return
        every_s = self._lineup.every_s[kind.name]
        seed = seeds.plant(
            kind,
            every_s,
            row,
            now,
            launch=launch,
            generations=self._generations(key.subject, plan),
            logged_in_at=self._login(key.subject, plan),
        )
        now_s = self._clock.monotonic_s()
        succeeded = row is not None and row.last_success_at is not None
        due_s = now_s + seed.delay_s
        entry = self._schedule.enroll(key, kind, plan, due_s, succeeded=succeeded)
        if entry is None:
            return
        self._withheld.discard(key)
        self._schedule.set_row(entry, row)
        entry.strikes = seed.strikes
        self._schedule.set_failures(entry, seed.failures)
        if seed.parked_reason:
            self._schedule.park(entry, seed.parked_reason, seed.parked_generation)
            self.note_parked(entry)
        elif self._waits_for_parent(kind, key.subject):
            self._schedule.defer(entry)
        if loud and row is not None and self._outlet.on:
            waits = entry.state is State.SCHEDULED
            next_in_s = seed.delay_s if waits else None
            self._outlet.add(events.Seeded(now, key, seeds.last_outcome(row), next_in_s))

    def _withhold(self, key: JobKey, plan: Plan, now: datetime, *, loud: bool) -> None:
        """Tell once what a flag keeps from being enrolled."""
        if plan.verdict is not Verdict.SKIP or key in self._withheld:
            return
        self._withheld.add(key)
        if loud:
            self._outlet.add(events.Seeded(now, key, Outcome(Token.BLOCKED, reason=plan.reason)))

    def _is_to_regrant(
        self,
        subject: Subject,
        known: tuple[Holder, ...],
        holders: tuple[Holder, ...],
        everyone: bool,
    ) -> bool:
        return everyone or subject in self._parked or _changed(known, holders)

    def _lacks_jobs(self, subject: Subject) -> bool:
        """Tell whether a kind that is switched on is not enrolled: nothing of it may run so far."""
        return any(
            self._lineup.is_on(kind) and self._schedule.get(JobKey(kind.name, subject)) is None
            for kind in self._lineup.of(subject.type)
        )

    def _regrant(self, subject: Subject, rows: Mapping[JobKey, LedgerRow], now: datetime) -> None:
        """Plan a subject's jobs with the credentials that it has now; what is new is due now."""
        now_s = self._clock.monotonic_s()
        for kind in self._lineup.of(subject.type):
            key = JobKey(kind.name, subject)
            plan = grants.plan(kind, self._holders[subject], now)
            entry = self._schedule.get(key)
            if entry is None:
                self._add_granted(key, kind, plan, rows.get(key), now)
                continue
            before, entry.plan = entry.plan, plan
            if entry.state is State.PARKED:
                generations = self._generations(subject, plan)
                if seeds.ends_park(entry.parked_generation, generations):
                    self._schedule.unpark(entry, now_s)
                    self._schedule.set_failures(entry, 0)
            elif _gained(before, plan):
                self._schedule.make_due(entry, now_s)
            elif entry.row is not None and seeds.login_helps(entry.row, self._login(subject, plan)):
                self._schedule.set_failures(entry, 0)
                self._schedule.make_due(entry, now_s)
        if all(entry.parked_generation is None for entry in self._schedule.of(subject)):
            self._parked.discard(subject)

    def _add_granted(
        self, key: JobKey, kind: Kind, plan: Plan, row: LedgerRow | None, now: datetime
    ) -> None:
        """Enrol a job that may run from now on, if it is switched on; it is due at once."""
        if self._lineup.is_on(kind):
            self._add(key, kind, plan, row, now)
            entry = self._schedule.get(key)
            if entry is not None:
                self._schedule.make_due(entry, self._clock.monotonic_s())

    def _generations(self, subject: Subject, plan: Plan) -> frozenset[int]:
        return frozenset(
            holder.generation
            for holder in self._holders[subject]
            if holder.credential_id in plan.credentials
        )

    def _login(self, subject: Subject, plan: Plan) -> datetime | None:
        """Return the last login to the credentials that a job runs under."""
        times = [
            holder.logged_in_at
            for holder in self._holders[subject]
            if holder.credential_id in plan.credentials and holder.logged_in_at is not None
        ]
        return max(times, default=None)

    def _had_a_login(
        self, subject: Subject, rows: Mapping[JobKey, LedgerRow], now: datetime
    ) -> bool:
        """Tell whether a job of a subject without credentials once ran that cannot without one."""
        return any(
            JobKey(kind.name, subject) in rows
            and self._lineup.is_on(kind)
            and grants.plan(kind, (), now).verdict is Verdict.LOGIN
            for kind in self._lineup.of(subject.type)
        )

    def _waits_for_parent(self, kind: Kind, subject: Subject) -> bool:
        profile = self._lineup.profile_of(subject.type)
        return (
            profile is not None
            and kind is not profile
            and self._lineup.is_on(profile)
            and subject not in self._ready
        )


def _is_flagged(holders: tuple[Holder, ...]) -> bool:
    return bool(holders) and all(holder.flagged for holder in holders)


def _are_foreign(holders: tuple[Holder, ...]) -> bool:
    return bool(holders) and all(holder.foreign for holder in holders)


def _changed(before: tuple[Holder, ...], after: tuple[Holder, ...]) -> bool:
    """Tell whether anything but the generations differs: a refreshed token grants nothing new."""
    if len(before) != len(after):
        return True
    return any(
        replace(old, generation=0) != replace(new, generation=0)
        for old, new in zip(before, after, strict=True)
    )


def _gained(before: Plan, after: Plan) -> bool:
    """Tell whether more may run than before."""
    if after.verdict is not Verdict.RUN:
        return False
    return before.verdict is not Verdict.RUN or len(after.blocked) < len(before.blocked)


def _is_fresh_beyond(entry: Entry, seconds: float, now: datetime) -> bool:
    row = entry.row
    if row is None or row.fresh_until is None:
        return False
    return (row.fresh_until - now).total_seconds() > seconds
