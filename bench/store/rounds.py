"""Lets four workers write sets without pause, and tells how long commits of the ledger took.

Times are of the wall, so a busy machine misses the targets: how late a thread that sleeps is woken
tells how busy it was, and the CPU of a transaction what it would take on a quiet one.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import msgspec

from bench import ledger
from bench.dispatch.loop import WORKERS
from bench.figures import Target, table
from bench.scheduler import RunVoid, running, settings_for
from bench.store import watched
from bench.store.kinds.corporation.asset_set import LARGE, LARGE_FROM, SIZES
from ipc.child import Spawner
from ipc.clock import SystemClock
from ipc.commands import RunNow
from ipc.events import BackingOff, Failed, Finished
from ipc.scheduler_messages import Do, Events
from ipc.settings import Engine
from ipc.subject import Subject, SubjectType

KINDS = "bench.store.kinds"
JOBS_PER_WORKER = 8
SMALL, WITH_LARGE = "sets of up to 5,000 rows", f"beside one set of {LARGE:,} rows"
BOUNDS_MS = {SMALL: 25.0, WITH_LARGE: 60.0}
_FIRST_ID = 98_000_000
_LIMIT_S = 600.0


@dataclass(frozen=True, slots=True)
class Measured:
    """What one load came to."""

    elapsed_s: float
    jobs: int
    rows: int
    ledger_ms: list[float]
    writes_ms: list[float]
    writes_cpu_ms: list[float]
    late_ms: list[float]
    errors: list[str]

    def plain(self) -> dict[str, object]:
        """Return the figures for JSON."""
        return {
            "elapsed_s": self.elapsed_s,
            "jobs": self.jobs,
            "rows": self.rows,
            "ledger_commits": len(self.ledger_ms),
            "ledger_ms": _figures(self.ledger_ms),
            "worker_transactions": len(self.writes_ms),
            "worker_ms": _figures(self.writes_ms),
            "worker_cpu_ms": _figures(self.writes_cpu_ms),
            "late_ms": _figures(self.late_ms),
            "errors": self.errors,
        }


class _Heard:
    """Counts the ends of jobs, and tells when as many have ended as were begun."""

    def __init__(self) -> None:
        self.changed = asyncio.Event()
        self.jobs = self.rows = 0
        self.failed: list[str] = []

    def take(self, batch: Events) -> None:
        """Count what a batch tells."""
        for event in batch.events:
            match event:
                case Finished(outcome=outcome):
                    self.jobs += 1
                    self.rows += outcome.rows_touched
                case Failed(key=key, reason=reason):
                    self.failed.append(f"{key}: {reason}")
                case BackingOff(key=key):
                    self.failed.append(f"{key} was told to wait")
                case _:
                    pass
        self.changed.set()

    async def until(self, jobs: int) -> None:
        """Wait until so many jobs have ended well; RunVoid when one did not."""
        while self.jobs < jobs:
            if self.failed:
                raise RunVoid(f"a job failed: {self.failed[0]}")
            self.changed.clear()
            await self.changed.wait()


def _subjects(sets: int, *, large: bool) -> list[Subject]:
    ids = [_FIRST_ID + number for number in range(sets)]
    if large:
        ids.append(LARGE_FROM)
    return [Subject(SubjectType.CORPORATION, one) for one in ids]


def measure(sets: int, passes: int, *, large: bool) -> Measured:
    """Write every set once into an empty database, then again as often as there are passes."""
    subjects = _subjects(sets, large=large)
    with (
        tempfile.TemporaryDirectory(prefix="bench-store-") as folder,
        tempfile.TemporaryDirectory(prefix="bench-watched-") as figures,
    ):
        engine = Engine(workers=WORKERS, jobs_per_worker=JOBS_PER_WORKER)
        settings = msgspec.structs.replace(
            settings_for(Path(folder), engine), kind_packages=(KINDS,)
        )
        ledger.prepare(settings.database_url, subjects, SystemClock().now())
        os.environ[watched.FOLDER_VARIABLE] = figures

        async def run() -> tuple[float, _Heard]:
            heard = _Heard()
            began_s = time.monotonic()
            entry = f"{watched.__name__}:scheduler_main"
            async with running(Spawner(), settings, heard.take, entry=entry) as ours:
                async with asyncio.timeout(_LIMIT_S):
                    await heard.until(len(subjects))
                    for number in range(1, passes + 1):
                        for place, subject in enumerate(subjects):
                            ours.send(Do(f"pass-{number}-{place}", RunNow(subject)))
                        await heard.until(len(subjects) * (number + 1))
                return time.monotonic() - began_s, heard

        try:
            elapsed_s, heard = asyncio.run(run())
        except TimeoutError:
            raise RunVoid(f"the sets were not written within {_LIMIT_S:.0f} s") from None
        found = watched.read(Path(figures))
    scheduler = found.pop("scheduler")
    return Measured(
        elapsed_s=elapsed_s,
        jobs=heard.jobs,
        rows=heard.rows,
        ledger_ms=[one * 1000 for one in scheduler.ledger_s],
        writes_ms=[seconds * 1000 for one in found.values() for seconds in one.writes_s],
        writes_cpu_ms=[seconds * 1000 for one in found.values() for seconds in one.writes_cpu_s],
        late_ms=[seconds * 1000 for seconds in scheduler.late_s],
        errors=[text for one in (scheduler, *found.values()) for text in one.errors],
    )


def _figures(values: Sequence[float]) -> dict[str, float]:
    return {
        "p50": statistics.median(values),
        "p99": statistics.quantiles(values, n=100, method="inclusive")[98],
        "max": max(values),
    }


def _targets(runs: dict[str, Measured]) -> list[Target]:
    targets = []
    for name, one in runs.items():
        p99_ms = _figures(one.ledger_ms)["p99"]
        targets.append(Target(f"{name}: ledger, p99, ms", p99_ms, BOUNDS_MS[name], at_most=True))
        targets.append(Target(f"{name}: errors of SQLite", len(one.errors), 0, at_most=True))
    return targets


def _print(runs: dict[str, Measured], targets: Sequence[Target]) -> None:
    print(
        f"{WORKERS} workers with {JOBS_PER_WORKER} jobs each, sets of"
        f" {min(SIZES)} to {max(SIZES):,} rows; {os.cpu_count()} cores,"
        f" load {os.getloadavg()[0]:.1f}"
    )
    rows = []
    for name, one in runs.items():
        waits, writes = _figures(one.ledger_ms), _figures(one.writes_ms)
        cpu, late = _figures(one.writes_cpu_ms), _figures(one.late_ms)
        rows.append(
            (
                name,
                f"{len(one.ledger_ms):,}",
                *(f"{waits[word]:.1f}" for word in ("p50", "p99", "max")),
                f"{len(one.writes_ms):,}",
                *(f"{writes[word]:.1f}" for word in ("p50", "p99", "max")),
                f"{cpu['p99']:.1f}",
                f"{cpu['max']:.1f}",
                f"{late['p99']:.1f}",
                f"{one.rows / one.elapsed_s:,.0f}",
                f"{len(one.errors)}",
            )
        )
    head = (
        "", "ledger commits", "p50 ms", "p99 ms", "max ms",
        "transactions", "p50 ms", "p99 ms", "max ms", "p99 CPU ms", "max CPU ms",
        "woken late, p99 ms", "rows/s", "errors",
    )  # fmt: skip
    print(table(head, rows))
    print("\n".join(target.text() for target in targets))


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the run is void or a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.store", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer sets")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    sets, passes = (160, 2) if options.quick else (480, 4)
    try:
        runs = {
            SMALL: measure(sets, passes, large=False),
            WITH_LARGE: measure(sets, passes, large=True),
        }
    except RunVoid as error:
        print(f"The run is void: {error}", file=sys.stderr)
        return 1
    targets = _targets(runs)
    if options.json:
        plain = {
            "schema": 1,
            "cores": os.cpu_count(),
            "loads": {name: one.plain() for name, one in runs.items()},
            "targets": [target.plain() for target in targets],
        }
        print(json.dumps(plain, indent=2))
    else:
        _print(runs, targets)
    return 0 if all(target.is_met for target in targets) else 1
