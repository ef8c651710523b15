"""Runs every peer in every round, with and without latency, then prints medians and ratios."""

from __future__ import annotations

import argparse
import json
import os
import sys
import tempfile
from collections.abc import Callable, Sequence
from pathlib import Path

from bench.dispatch.loop import WORKERS
from bench.figures import Spread, Target, table
from bench.redis_server import PeerMissing, RedisServer, running_redis
from bench.scheduler import RunVoid
from bench.sync import bare, celery_peer, ours, profiled
from bench.sync.eve import running_eve, settings_for
from bench.sync.measured import Measured
from ipc.settings import Engine

OURS, WARM, FEW = "esisyncd, cold", "esisyncd, warm", "esisyncd, cold, 4 jobs"
BARE, CELERY = "bare aiohttp loop", "Celery prefork + Redis"
JOBS_PER_WORKER = 8
LATENCIES_S = (0.06, 0.0)
# The simulated EVE is one process: busier than this, and it is what was measured.
SATURATED = 0.95

Runs = dict[str, list[Measured]]


def _once(characters: int, latency_s: float, server: RedisServer) -> dict[str, Measured]:
    """Let every peer do one pass against a simulated EVE of its own universe."""
    found: dict[str, Measured] = {}

    def in_folder(work: Callable[[Path], Measured]) -> Measured:
        with tempfile.TemporaryDirectory(prefix="bench-sync-") as folder:
            return work(Path(folder))

    with running_eve(characters, latency_s) as eve:
        with tempfile.TemporaryDirectory(prefix="bench-sync-") as folder:
            passes = ours.measure(eve, Path(folder), JOBS_PER_WORKER)
            if passes.touched:
                raise RunVoid(f"a pass in which nothing had changed wrote: {passes.touched}")
            found[OURS], found[WARM] = passes.cold, passes.warm
        with tempfile.TemporaryDirectory(prefix="bench-sync-") as folder:
            found[FEW] = ours.measure_cold(eve, Path(folder), 1)
            requests = bare.requests_of(eve, eve.tokens(access=True))
        settings = settings_for(eve, Path(tempfile.gettempdir()), Engine())
        date = settings.esi.compatibility_date
        found[BARE] = bare.measure(eve, requests, WORKERS * JOBS_PER_WORKER, date)
        found[CELERY] = in_folder(lambda folder: celery_peer.measure(eve, folder, server))
    return found


def _median(runs: Runs, name: str, figure: Callable[[Measured], float]) -> Spread:
    return Spread.of([figure(one) for one in runs[name]])


def _rate(one: Measured) -> float:
    return one.requests / one.elapsed_s


def _cpu_a_row(one: Measured) -> float:
    return one.total_cpu_s / one.rows * 1000


def _targets(runs: dict[float, Runs]) -> list[Target]:
    targets: list[Target] = []
    for latency_s, share in zip(LATENCIES_S, (0.8, 0.6), strict=True):
        of_limit = Spread.of_ratios(
            [_rate(one) for one in runs[latency_s][OURS]],
            [_rate(one) for one in runs[latency_s][BARE]],
        )
        name = f"{latency_s * 1000:g} ms of latency, requests/s, share of the limit"
        targets.append(Target(name, of_limit.median, share))
    still = runs[0.0]
    of_celery = Spread.of_ratios(
        [_cpu_a_row(one) for one in still[OURS]], [_cpu_a_row(one) for one in still[CELERY]]
    )
    targets.append(
        Target("no latency, CPU per row, share of Celery's", of_celery.median, 0.5, at_most=True)
    )
    return targets


def _print(characters: int, runs: dict[float, Runs], targets: Sequence[Target]) -> None:
    print(
        f"{characters} characters with all their sections, {WORKERS} processes;"
        f" {os.cpu_count()} cores. Median [smallest..largest]."
    )
    for latency_s, of_latency in runs.items():
        rows = [
            (
                name,
                f"{_median(of_latency, name, lambda one: one.jobs / one.elapsed_s).median:,.0f}",
                _median(of_latency, name, _rate).text(),
                f"{_median(of_latency, name, lambda one: one.rows / one.elapsed_s).median:,.0f}",
                f"{_median(of_latency, name, _cpu_a_row).median:.2f}" if passes[0].rows else "",
                f"{_median(of_latency, name, _cpu_a_request).median:.2f}",
                f"{_median(of_latency, name, lambda one: one.most_in_flight).median:.0f}",
                f"{_median(of_latency, name, lambda one: one.simulator_share).median:.2f}",
            )
            for name, passes in of_latency.items()
        ]
        head = (
            f"{latency_s * 1000:g} ms of latency", "jobs/s", "requests/s", "rows/s",
            "CPU s a 1,000 rows", "CPU ms a request", "most in flight", "EVE busy",
        )  # fmt: skip
        print()
        print(table(head, rows))
    print()
    print("\n".join(target.text() for target in targets))


def _cpu_a_request(one: Measured) -> float:
    return one.total_cpu_s / one.requests * 1000


def _plain(
    characters: int, runs: dict[float, Runs], targets: Sequence[Target]
) -> dict[str, object]:
    return {
        "schema": 1,
        "cores": os.cpu_count(),
        "characters": characters,
        "latencies": {
            f"{latency_s * 1000:g} ms": {
                name: [one.plain() for one in passes] for name, passes in of_latency.items()
            }
            for latency_s, of_latency in runs.items()
        },
        "targets": [target.plain() for target in targets],
    }


def _run(characters: int, rounds: int) -> dict[float, Runs]:
    runs: dict[float, Runs] = {latency_s: {} for latency_s in LATENCIES_S}
    with running_redis() as server:
        for number in range(rounds):
            for latency_s in LATENCIES_S:
                print(f"round {number + 1}/{rounds}, {latency_s * 1000:g} ms", file=sys.stderr)
                for name, one in _once(characters, latency_s, server).items():
                    runs[latency_s].setdefault(name, []).append(one)
    return runs


def _bottleneck(runs: dict[float, Runs]) -> str:
    """Return where the simulated EVE was what was measured; empty if nowhere."""
    found = [
        f"{name} with {latency_s * 1000:g} ms"
        for latency_s, of_latency in runs.items()
        for name, passes in of_latency.items()
        if name in (OURS, CELERY)
        and Spread.of([one.simulator_share for one in passes]).median > SATURATED
    ]
    return ", ".join(found)


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the run is void or a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.sync", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="one round")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--characters", type=int, default=10, help="how many (default: 10)")
    parser.add_argument(
        "--profile",
        action="store_true",
        help="no peers: show in which functions the scheduler and the workers spend their time",
    )
    options = parser.parse_args(arguments)
    try:
        if options.profile:
            return profiled.show(options.characters, JOBS_PER_WORKER)
        runs = _run(options.characters, 1 if options.quick else 3)
    except (RunVoid, PeerMissing) as error:
        print(f"The run is void: {error}", file=sys.stderr)
        return 1
    targets = _targets(runs)
    if options.json:
        print(json.dumps(_plain(options.characters, runs, targets), indent=2))
    else:
        _print(options.characters, runs, targets)
    if where := _bottleneck(runs):
        print(f"The run is void: the simulated EVE was the bottleneck for {where}", file=sys.stderr)
        return 1
    return 0 if all(target.is_met for target in targets) else 1
