"""Kills, waits, weighs and asks in rounds, then prints medians, spreads and the targets."""

from __future__ import annotations

import argparse
import json
import sys
from collections.abc import Sequence

from bench.figures import Spread, Target, table
from bench.recovery import deaths, front, memory
from bench.redis_server import PeerMissing, running_redis
from bench.scheduler import RunVoid

WORKER_MS = 50.0
DISPATCH_S = 1.0
IDLE_MB = 130.0
STATUS_S = 0.2


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the run is void or a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.recovery", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    rounds = 1 if options.quick else 3
    worker_s: list[float] = []
    dispatch_s: list[float] = []
    status_s: list[float] = []
    trees: dict[str, list[dict[str, float]]] = {"esisyncd": [], "Celery 4 + beat + Redis": []}
    try:
        with running_redis() as server:
            for number in range(rounds):
                print(f"round {number + 1}/{rounds}", file=sys.stderr)
                for _ in range(3):
                    worker_s += deaths.workers()
                dispatch_s += deaths.schedulers()
                status_s += front.statuses()
                trees["esisyncd"].append(memory.ours())
                trees["Celery 4 + beat + Redis"].append(memory.celery(server))
    except (RunVoid, PeerMissing) as error:
        print(f"The run is void: {error}", file=sys.stderr)
        return 1
    figures = {
        "worker killed to its replacement READY, ms": Spread.of([s * 1e3 for s in worker_s]),
        "backoff's end to first dispatch, s": Spread.of(dispatch_s),
        "`esisyncd status` from start to end, s": Spread.of(status_s),
        **{
            f"idle tree, MB PSS: {who}": Spread.of([sum(one.values()) for one in of_who])
            for who, of_who in trees.items()
        },
    }
    worker, dispatch, status, idle, celery = figures.values()
    targets = [
        Target("worker killed to READY, ms", worker.median, WORKER_MS, at_most=True),
        Target("first dispatch after the backoff, s", dispatch.median, DISPATCH_S, at_most=True),
        Target("`esisyncd status`, s", status.median, STATUS_S, at_most=True),
        Target("idle tree, MB PSS", idle.median, IDLE_MB, at_most=True),
    ]
    if options.json:
        plain = {
            "schema": 1,
            "rounds": rounds,
            "figures": {name: spread.plain() for name, spread in figures.items()},
            "idle_share_of_celery": idle.median / celery.median,
            "trees": trees,
            "targets": [target.plain() for target in targets],
        }
        print(json.dumps(plain, indent=2))
        return 0 if all(target.is_met for target in targets) else 1
    print(f"Median of {rounds} rounds [smallest..largest]\n")
    rows = [(name, spread.text(2)) for name, spread in figures.items()]
    print(table(("figure", "value"), rows))
    print(f"\nIdle, ours is {idle.median / celery.median:.0%} of Celery's. The last round, MB:")
    for who, of_who in trees.items():
        parts = ", ".join(f"{process} {mb:.0f}" for process, mb in of_who[-1].items())
        print(f"  {who}: {parts}")
    print()
    print("\n".join(target.text() for target in targets))
    return 0 if all(target.is_met for target in targets) else 1


if __name__ == "__main__":
    raise SystemExit(main())
