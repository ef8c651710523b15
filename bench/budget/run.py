"""Runs the days, judges them, and prints or writes the report."""

from __future__ import annotations

import argparse
import json
import logging
import statistics
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from bench.budget.day import Day, Size
from bench.budget.report import write_report
from bench.figures import Target, table

PROFILES = ("standard", "eager")
FULL = Size(1000, 50, 24.0)
QUICK = Size(20, 2, 2.0)


def figures_of(day: Day) -> dict[str, Any]:
    """Return what a day came to, in plain values."""
    wire, workers, tally = day.wire, day.workers, day.tally
    seconds = day.clock.now_s
    restart = int(tally.restart_s)
    groups = {
        name: {
            "limit": group.limit,
            "owners": len(group.owners),
            "requests": group.requests,
            "tokens": group.tokens,
            "mean_share": group.tokens / (group.limit * len(group.owners) * seconds / 900),
            "peak_share": group.peak,
            "refused": group.refused,
            "quarters": [
                group.quarters[n] / (group.limit * len(group.owners))
                for n in range(int(seconds // 900))
            ],
        }
        for name, group in sorted(wire.groups.items())
    }
    kinds = {
        name: {
            "seen": ages.seen,
            "p50": statistics.median(ages.kept),
            "p95": statistics.quantiles(ages.kept, n=20)[-1],
        }
        for name, ages in sorted(workers.ages.items())
        if len(ages.kept) >= 20
    }
    return {
        "profile": day.profile,
        "characters": day.size.characters,
        "corporations": day.size.corporations,
        "hours": seconds / 3600,
        "planned_hours": day.size.hours,
        "jobs": tally.entries,
        "jobs_done": workers.jobs_done,
        "jobs_waited": workers.jobs_waited,
        "requests": sum(wire.statuses.values()),
        "statuses": {str(status): n for status, n in sorted(wire.statuses.items())},
        "refused_by": dict(wire.refused_by),
        "least_errors_left": wire.least_errors_left,
        "most_starts_a_second": max(workers.starts.values()),
        "busiest_second": {
            "at_s": workers.busiest.at_s,
            "kinds": dict(workers.busiest.kinds.most_common()),
        },
        "starts_after_restart": [workers.starts[restart + n] for n in range(120)],
        "writes": tally.writes,
        "writes_denied": tally.writes_denied,
        "downtimes": tally.downtimes,
        "failing_at_the_end": day.schedule.failing,
        "overdue_each_minute": tally.late,
        "requests_each_minute": [wire.by_minute[n] for n in range(int(seconds // 60))],
        "cpu_us_a_job": tally.cpu_s / max(1, workers.jobs_done) * 1e6,
        "groups": groups,
        "kinds": kinds,
    }


def targets_of(figures: dict[str, Any]) -> list[Target]:
    """Return what a day has to keep to."""
    name, statuses = figures["profile"], figures["statuses"]
    small = [each["peak_share"] for each in figures["groups"].values() if each["limit"] <= 30]
    starts = figures["most_starts_a_second"]
    targets = [
        Target(f"{name}: answers 420", statuses.get("420", 0), 0, at_most=True),
        Target(f"{name}: answers 429", statuses.get("429", 0), 0, at_most=True),
        Target(f"{name}: writes kept waiting", figures["writes_denied"], 0, at_most=True),
        Target(f"{name}: errors left at the worst", figures["least_errors_left"], 20),
        Target(f"{name}: jobs started in one second", starts, 199, at_most=True),
    ]
    if small:
        targets.append(
            Target(f"{name}: fullest of the small buckets", max(small), 0.99, at_most=True)
        )
    return targets


def text_of(figures: dict[str, Any]) -> str:
    """Return the tables of a day."""
    head = (
        f"{figures['profile']}: {figures['characters']:,} characters, "
        f"{figures['corporations']} corporations, {figures['hours']:g} h; "
        f"{figures['jobs']:,} jobs enrolled, {figures['jobs_done']:,} runs, "
        f"{figures['requests']:,} requests; {figures['cpu_us_a_job']:.0f} µs of CPU a run"
    )
    lines = [
        head,
        "",
        table(
            ("rate group", "owners", "requests", "mean share", "peak share", "429"),
            [
                (
                    f"{name} {each['limit']}",
                    f"{each['owners']:,}",
                    f"{each['requests']:,}",
                    f"{each['mean_share']:.1%}",
                    f"{each['peak_share']:.1%}",
                    str(each["refused"]),
                )
                for name, each in figures["groups"].items()
            ],
        ),
        "",
        table(
            ("section", "renewals", "p50", "p95 of age over cache age"),
            [
                (name, f"{each['seen']:,}", f"{each['p50']:.2f}", f"{each['p95']:.2f}")
                for name, each in figures["kinds"].items()
            ],
        ),
        "",
    ]
    return "\n".join([*lines, *(target.text() for target in targets_of(figures))])


def main(arguments: Sequence[str] | None = None) -> int:
    """Run both profiles; 1 if a limit was tripped."""
    parser = argparse.ArgumentParser(prog="python -m bench.budget", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="20 characters, two hours")
    parser.add_argument("--json", action="store_true", help="print JSON")
    parser.add_argument("--profile", choices=PROFILES, help="this one only")
    parser.add_argument("--characters", type=int, metavar="N", help="instead of 1,000")
    parser.add_argument("--corporations", type=int, metavar="N", help="instead of 50")
    parser.add_argument("--hours", type=float, metavar="H", help="instead of 24")
    parser.add_argument("--save", type=Path, metavar="FILE", help="keep the figures as JSON")
    parser.add_argument("--from", dest="saved", type=Path, nargs="*", metavar="FILE",
                        help="run nothing: report these")  # fmt: skip
    parser.add_argument("--report", type=Path, metavar="FOLDER", help="write citizenship.md there")
    options = parser.parse_args(arguments)
    logging.disable(logging.WARNING)
    base = QUICK if options.quick else FULL
    size = Size(
        options.characters or base.characters,
        base.corporations if options.corporations is None else options.corporations,
        options.hours or base.hours,
    )
    if options.saved:
        days = [one for path in options.saved for one in json.loads(path.read_text())]
    else:
        profiles = [options.profile] if options.profile else PROFILES
        days = []
        for profile in profiles:
            days.append(_run(size, profile, days, options.save))
    if options.report:
        write_report(options.report, days)
    if options.json:
        print(json.dumps({"schema": 1, "days": days}, indent=2))
    else:
        print("\n\n".join(text_of(figures) for figures in days))
    met = [target.is_met for figures in days for target in targets_of(figures)]
    return 0 if all(met) else 1


def _run(
    size: Size, profile: str, before: list[dict[str, Any]], save: Path | None
) -> dict[str, Any]:
    day = Day(size, profile)

    def progress(part: int) -> None:
        done, asked = day.workers.jobs_done, sum(day.wire.statuses.values())
        print(f"{profile}: {part}/24, {done:,} runs, {asked:,} requests", file=sys.stderr)
        if save is not None:
            # A long run that is cut off has not been for nothing.
            save.write_text(json.dumps([*before, figures_of(day)]))

    day.run(progress)
    return figures_of(day)
