"""The real scheduler and four workers: one cold pass, and one in which nothing has changed."""

from __future__ import annotations

import asyncio
import sqlite3
import time
from contextlib import closing
from dataclasses import dataclass, field
from datetime import datetime
from pathlib import Path

from bench.dispatch.loop import WORKERS
from bench.proc import cpu_s, descendants
from bench.scheduler import RunVoid, running
from bench.sync.eve import asked, log_in, settings_for
from bench.sync.measured import Measured
from ipc.child import Spawner
from ipc.commands import RunNow
from ipc.events import BackingOff, Failed, Finished, Started
from ipc.scheduler_messages import Do, Events
from ipc.settings import Engine, Settings
from ipc.subject import GLOBAL, Subject
from simulator.process import SimulatedEve
from supervisor.main import SCHEDULER_ENTRY
from supervisor.scheduler import Scheduler

_LIMIT_S = 1800.0
NAMES = "global.name_resolution"
# Two heartbeats that say so: what the last jobs made due is begun by then.
_IDLE_LOOKS = 3
_SETTLING_PASSES = 40
# What a pass may write when nothing changed: the ledger, what was spent of ESI's limits, and until
# when answers are fresh.
# A POST has no validators: its rows hold when they were asked for.
_MAY_CHANGE = {
    "ledger": None,
    "rate_bucket": None,
    "route_state": ("expires_at", "checked_at"),
    "affiliation": ("checked_at",),
}


@dataclass
class _Heard:
    """What the events of one pass told."""

    subjects: set[Subject] = field(default_factory=set)
    jobs: int = 0
    failed: list[str] = field(default_factory=list)
    rows: int = 0
    first: datetime | None = None
    last: datetime | None = None

    def take(self, batch: Events) -> None:
        """Count the ends of jobs."""
        for event in batch.events:
            match event:
                case Started(at=at, key=key):
                    self.first = self.first or at
                    self.subjects.add(key.subject)
                case Finished(at=at, outcome=outcome):
                    self.jobs += 1
                    self.rows += outcome.rows_touched
                    self.last = at
                case Failed(at=at, key=key, reason=reason):
                    self.failed.append(f"{key}: {reason}")
                    self.last = at
                case BackingOff(at=at):
                    self.last = at
                case _:
                    pass


@dataclass(frozen=True, slots=True)
class Passes:
    """Both passes, and the tables that the second changed although nothing had."""

    cold: Measured
    warm: Measured
    touched: dict[str, int]


def measure_cold(eve: SimulatedEve, folder: Path, jobs_per_worker: int) -> Measured:
    """Mirror everything into an empty database; what EVE was asked then is its latest traffic."""
    settings = _prepared(eve, folder, jobs_per_worker)

    async def run() -> Measured:
        passes = [_Heard()]

        def on_events(batch: Events) -> None:
            passes[-1].take(batch)

        async with running(Spawner(), settings, on_events) as ours:
            return await _mirror(eve, ours, passes)

    return asyncio.run(run())


def measure(
    eve: SimulatedEve, folder: Path, jobs_per_worker: int, entry: str = SCHEDULER_ENTRY
) -> Passes:
    """Mirror everything into an empty database, then once more after all has expired."""
    settings = _prepared(eve, folder, jobs_per_worker)
    return asyncio.run(_run(eve, settings, entry))


def _prepared(eve: SimulatedEve, folder: Path, jobs_per_worker: int) -> Settings:
    """Log everybody in, and have EVE forget what it was asked."""
    settings = settings_for(eve, folder, Engine(workers=WORKERS, jobs_per_worker=jobs_per_worker))
    log_in(eve, settings)
    eve.order("/reset")
    eve.freeze()
    return settings


async def _run(eve: SimulatedEve, settings: Settings, entry: str) -> Passes:
    passes = [_Heard()]
    database = Path(settings.data_dir) / "esisyncd.db"

    def on_events(batch: Events) -> None:
        passes[-1].take(batch)

    async with running(Spawner(), settings, on_events, entry=entry) as ours:
        cold = await _mirror(eve, ours, passes)
        subjects = sorted(passes[0].subjects)
        # What is fetched a bit in each run, and what follows from it, is fetched to its end first.
        while passes[-1].rows:
            if len(passes) > _SETTLING_PASSES:
                raise RunVoid(f"each pass finds something new, the last {passes[-1].rows} rows")
            passes.append(_Heard())
            run_all(ours, subjects, len(passes))
            await _measure(eve, ours, passes[-1], begun_at={})
        before = contents(database)
        expire(database)
        passes.append(_Heard())
        await asyncio.to_thread(eve.order, "/reset")
        await asyncio.to_thread(eve.freeze)
        begun_at = cpu_now(ours, {})
        run_all(ours, subjects, len(passes))
        warm = await _measure(eve, ours, passes[-1], begun_at=begun_at)
        after = contents(database)
    touched = {name: len(before[name] ^ rows) for name, rows in after.items()}
    return Passes(cold, warm, {name: number for name, number in touched.items() if number})


async def _mirror(eve: SimulatedEve, ours: Scheduler, passes: list[_Heard]) -> Measured:
    """Measure a first pass, and after it the names of what it brought.

    Their job runs beside the others, and what came after its last look is left for 15 minutes.
    """
    begun_at = cpu_now(ours, {})
    first = await _measure(eve, ours, passes[-1], begun_at)
    passes.append(_Heard())
    ours.send(Do("names", RunNow(GLOBAL, NAMES)))
    names = await _measure(eve, ours, passes[-1], begun_at)
    return Measured(
        # Without the while in which nothing was due.
        elapsed_s=first.elapsed_s + names.elapsed_s,
        jobs=first.jobs + names.jobs,
        # Those of the first pass are counted again, as the CPU is.
        requests=names.requests,
        rows=first.rows + names.rows,
        cpu_s=names.cpu_s,
        simulator_cpu_s=first.simulator_cpu_s + names.simulator_cpu_s,
        most_in_flight=names.most_in_flight,
    )


async def _measure(
    eve: SimulatedEve, ours: Scheduler, done: _Heard, begun_at: dict[str, float]
) -> Measured:
    simulator_s = cpu_s(eve.pid)
    quiet = 0
    deadline = time.monotonic() + _LIMIT_S
    while quiet < _IDLE_LOOKS:
        await asyncio.sleep(0.26)
        state = ours.summary
        idle = state is not None and not state.due and not state.in_flight and done.jobs > 0
        quiet = quiet + 1 if idle else 0
        if time.monotonic() > deadline or ours.is_dead:
            raise RunVoid(f"the pass did not end; {done.jobs} jobs did")
    if done.first is None or done.last is None:
        raise RunVoid("nothing ran")
    if done.failed:
        raise RunVoid(f"{len(done.failed)} jobs failed, as {done.failed[0]}")
    ended_at = cpu_now(ours, begun_at)
    simulator_s = cpu_s(eve.pid) - simulator_s
    requests, most = await asyncio.to_thread(asked, eve)
    return Measured(
        elapsed_s=(done.last - done.first).total_seconds(),
        jobs=done.jobs,
        requests=requests,
        rows=done.rows,
        cpu_s=ended_at,
        simulator_cpu_s=simulator_s,
        most_in_flight=most,
    )


def run_all(ours: Scheduler, subjects: list[Subject], number: int) -> None:
    """Have every job run now."""
    for place, subject in enumerate(subjects):
        ours.send(Do(f"pass-{number}-{place}", RunNow(subject)))


def cpu_now(ours: Scheduler, since: dict[str, float]) -> dict[str, float]:
    """Return the CPU of scheduler and workers, less what it was."""
    now = {"scheduler": cpu_s(ours.pid), "workers": sum(map(cpu_s, descendants(ours.pid)))}
    return {name: value - since.get(name, 0.0) for name, value in now.items()}


def expire(database: Path) -> None:
    """Let every stored answer be one that may have changed."""
    with closing(sqlite3.connect(database, timeout=30.0)) as connection, connection:
        connection.execute("UPDATE route_state SET expires_at = '2000-01-01T00:00:00.000Z'")


def contents(database: Path) -> dict[str, set[tuple[object, ...]]]:
    """Return every row of every table, but for what any pass writes."""
    found: dict[str, set[tuple[object, ...]]] = {}
    with closing(sqlite3.connect(database, timeout=30.0)) as connection:
        query = "SELECT name FROM sqlite_master WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"
        for (name,) in connection.execute(query).fetchall():
            skipped = _MAY_CHANGE.get(name, ())
            if skipped is None:
                continue
            columns = [row[1] for row in connection.execute(f"PRAGMA table_info({name})")]
            chosen = ", ".join(f'"{column}"' for column in columns if column not in skipped)
            found[name] = set(connection.execute(f'SELECT {chosen} FROM "{name}"'))  # noqa: S608
    return found
