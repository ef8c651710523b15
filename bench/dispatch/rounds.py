"""Runs every peer in every round, then prints medians, spreads and ratios."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Sequence
from typing import Protocol

from bench.dispatch import profiled
from bench.dispatch.bare_pipe import BarePipePeer
from bench.dispatch.celery_peer import CeleryPeer
from bench.dispatch.loop import WORKERS, Measured, Timing
from bench.dispatch.ours import OurPeer
from bench.dispatch.pools import ExecutorPeer, PoolPeer
from bench.figures import Spread, Target, table
from bench.redis_server import PeerMissing, running_redis
from bench.scheduler import RunVoid

FEW, MANY = 4, 32
OUTSTANDING = (FEW, MANY)

Runs = dict[str, list[dict[int, Measured]]]


class Peer(Protocol):
    """Something that runs no-op jobs in four processes."""

    name: str

    def measure(self, outstandings: tuple[int, ...], timing: Timing) -> dict[int, Measured]:
        """Start, run a closed loop with each number of jobs outstanding, and stop."""


def _rates(runs: Runs, name: str, outstanding: int) -> list[float]:
    return [run[outstanding].rate for run in runs[name]]


def _ratio(runs: Runs, peer: str, outstanding: int) -> Spread:
    return Spread.of_ratios(
        _rates(runs, OurPeer.name, outstanding), _rates(runs, peer, outstanding)
    )


def _targets(runs: Runs) -> list[Target]:
    pool, celery, pipe = PoolPeer.name, CeleryPeer.name, BarePipePeer.name
    return [
        Target(f"{MANY} outstanding, times {pool}", _ratio(runs, pool, MANY).median, 2.0),
        Target(f"{MANY} outstanding, times {celery}", _ratio(runs, celery, MANY).median, 15.0),
        Target(f"{MANY} outstanding, share of the {pipe}", _ratio(runs, pipe, MANY).median, 0.5),
        Target(f"{FEW} outstanding, times {pool}", _ratio(runs, pool, FEW).median, 1.0),
    ]


def _cpu(runs: Runs, name: str, outstanding: int) -> dict[str, float]:
    several = [run[outstanding].cpu_us for run in runs[name]]
    return {part: Spread.of([one[part] for one in several]).median for part in several[0]}


def _print(runs: Runs, targets: Sequence[Target]) -> None:
    rounds = len(runs[OurPeer.name])
    print(
        f"No-op jobs, {WORKERS} processes, closed loop; {os.cpu_count()} cores. "
        f"Median of {rounds} rounds [smallest..largest]."
    )
    for outstanding in OUTSTANDING:
        rows = [
            (
                name,
                Spread.of(_rates(runs, name, outstanding)).text(),
                f"{Spread.of([run[outstanding].p50_s * 1e3 for run in of_name]).median:.2f}",
                "" if name == OurPeer.name else _ratio(runs, name, outstanding).text(2),
                ", ".join(f"{p} {us:.0f}" for p, us in _cpu(runs, name, outstanding).items()),
            )
            for name, of_name in runs.items()
        ]
        print()
        head = (f"{outstanding} outstanding", "jobs/s", "p50 ms", "ours/it", "CPU µs a job")
        print(table(head, rows))
    print()
    print("\n".join(target.text() for target in targets))


def _plain(runs: Runs, targets: Sequence[Target]) -> dict[str, object]:
    return {
        "schema": 1,
        "cores": os.cpu_count(),
        "rounds": len(runs[OurPeer.name]),
        "peers": {
            name: {
                str(outstanding): {
                    "jobs_per_s": Spread.of(_rates(runs, name, outstanding)).plain(),
                    "p50_ms": Spread.of([r[outstanding].p50_s * 1e3 for r in of_name]).plain(),
                    "cpu_us_a_job": _cpu(runs, name, outstanding),
                    "ours_over_it": _ratio(runs, name, outstanding).plain(),
                }
                for outstanding in OUTSTANDING
            }
            for name, of_name in runs.items()
        },
        "targets": [target.plain() for target in targets],
    }


def _run(rounds: int, timing: Timing) -> Runs:
    with running_redis() as server:
        celery = CeleryPeer(server)
        peers: list[Peer] = [OurPeer(), PoolPeer(), ExecutorPeer(), celery, BarePipePeer()]
        runs: Runs = {peer.name: [] for peer in peers}
        for number in range(rounds):
            for peer in peers:
                print(f"round {number + 1}/{rounds}: {peer.name}", file=sys.stderr)
                runs[peer.name].append(peer.measure(OUTSTANDING, timing))
    return runs


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the run is void or a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.dispatch", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer and shorter rounds")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument(
        "--profile",
        action="store_true",
        help="no peers: show in which functions the scheduler and a worker spend their time",
    )
    options = parser.parse_args(arguments)
    timing = Timing(0.3, 1.0) if options.quick else Timing(0.5, 3.0)
    try:
        if options.profile:
            return profiled.show(MANY, timing)
        runs = _run(2 if options.quick else 5, timing)
    except (RunVoid, PeerMissing) as error:
        print(f"The run is void: {error}", file=sys.stderr)
        return 1
    targets = _targets(runs)
    if options.json:
        print(json.dumps(_plain(runs, targets), indent=2))
    else:
        _print(runs, targets)
    return 0 if all(target.is_met for target in targets) else 1
