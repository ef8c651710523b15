"""What one operation of the schedule costs, from a thousand entries to a million.

Beside it stand a list that is searched from end to end, and the limit: a bare heap of tuples
that knows of nothing but times.
"""

from __future__ import annotations

import argparse
import heapq
import json
import random
import sys
import time
from collections.abc import Callable, Sequence
from datetime import timedelta
from typing import Any

from bench.figures import Spread, Target, table
from engine.entry import Again, Entry
from engine.schedule import Schedule
from ipc.subject import JobKey, Subject, SubjectType
from jobs.spec import Kind, Part

SIZES = (1_000, 10_000, 100_000, 1_000_000)
QUICK_SIZES = (1_000, 10_000, 100_000)
LIMIT_US = 15.0
# A list is searched so often; at a million entries each search takes a large part of a second.
LIST_CYCLES = 5
KINDS = 20
EVERY_S = 3600.0
DUE_IN_A_WAKE = 32


def _kind(number: int) -> Kind:
    return Kind(
        name=f"character.bench_{number}",
        subject=SubjectType.CHARACTER,
        feature=None,
        every=timedelta(seconds=EVERY_S),
        parts=(Part(name="noop"),),
    )


class Bench:
    """One schedule of a given size, and what is done to it."""

    def __init__(self, size: int, seed: int) -> None:
        """Enroll the entries, spread over one interval; that is the first figure."""
        self.random = random.Random(seed)
        self.size = size
        self.now_s = 1_000_000.0
        self.schedule = Schedule()
        kinds = [_kind(number) for number in range(KINDS)]
        keys = [
            (JobKey(kind.name, Subject(SubjectType.CHARACTER, 90_000_000 + n)), kind)
            for n in range(size // KINDS)
            for kind in kinds
        ]
        plan: Any = None
        times = [self.now_s + self.random.random() * EVERY_S for _ in keys]
        enroll = self.schedule.enroll
        begin = time.perf_counter()
        for (key, kind), due_s in zip(keys, times, strict=True):
            enroll(key, kind, plan, due_s)
        self.enroll_us = (time.perf_counter() - begin) / size * 1e6
        self.entries = list(self.schedule)

    def some(self, count: int) -> list[Entry]:
        """Return entries drawn at random."""
        return self.random.choices(self.entries, k=count)

    def cycle(self, count: int) -> int:
        """Take the job that is due, end it, ask when the next is due."""
        schedule = self.schedule
        for _ in range(count):
            due_s = schedule.next_due_s()
            assert due_s is not None  # noqa: S101 - else nothing is measured
            entry = schedule.take(due_s)
            assert entry is not None  # noqa: S101
            schedule.end(entry, due_s, due_s + EVERY_S, Again.TRIGGER)
        return count

    def find(self, count: int) -> int:
        """Look a job up by its key."""
        keys = [entry.key for entry in self.some(count)]
        begin = time.perf_counter()
        get = self.schedule.get
        for key in keys:
            get(key)
        self.own_s = time.perf_counter() - begin
        return count

    def move(self, count: int) -> int:
        """Give a job another time; so often that the places left behind are swept out."""
        entries = self.some(count)
        times = [self.now_s + self.random.random() * EVERY_S for _ in entries]
        begin = before = time.perf_counter()
        for entry, due_s in zip(entries, times, strict=True):
            self.schedule.move(entry, due_s)
            now = time.perf_counter()
            self.longest_s = max(self.longest_s, now - before)
            before = now
        self.own_s = before - begin
        return count

    def run_now(self, count: int) -> int:
        """Make a job due before all others, take it, end it."""
        entries = self.some(count)
        begin = time.perf_counter()
        for entry in entries:
            self.schedule.run_now(entry, self.now_s)
            taken = self.schedule.take(self.now_s)
            assert taken is entry  # noqa: S101
            self.schedule.end(entry, self.now_s, self.now_s + EVERY_S, Again.TRIGGER)
        self.own_s = time.perf_counter() - begin
        return count

    def trigger(self, count: int) -> int:
        """Bring a job forward, by its key."""
        keys = [entry.key for entry in self.some(count)]
        begin = time.perf_counter()
        for number, key in enumerate(keys):
            entry = self.schedule.get(key)
            assert entry is not None  # noqa: S101
            self.schedule.make_due(entry, self.now_s - number)
        self.own_s = time.perf_counter() - begin
        return count

    def park(self, count: int) -> int:
        """Park a job that ended, and end the park."""
        schedule = self.schedule
        for _ in range(count):
            due_s = schedule.next_due_s()
            assert due_s is not None  # noqa: S101
            entry = schedule.take(due_s)
            assert entry is not None  # noqa: S101
            schedule.park(entry, "a reason", None)
            schedule.unpark(entry, due_s + EVERY_S)
        return count

    def withdraw(self, count: int) -> int:
        """Take a subject out and enroll it again; counted for each job."""
        subjects = self.random.sample(sorted(self.schedule.subjects()), count // KINDS)
        begin = time.perf_counter()
        for subject in subjects:
            owned = self.schedule.of(subject)
            self.schedule.withdraw(subject)
            for entry in owned:
                self.schedule.enroll(entry.key, entry.kind, entry.plan, entry.due_s)
        self.own_s = time.perf_counter() - begin
        self.entries = list(self.schedule)
        return count

    def idle_wake(self, count: int) -> int:
        """Wake with nothing due: ask for a job, get none, ask for the next time."""
        due_s = self.schedule.next_due_s()
        assert due_s is not None  # noqa: S101
        for _ in range(count):
            entry = self.schedule.take(due_s - 1.0)
            assert entry is None  # noqa: S101
            self.schedule.next_due_s()
        return count

    def busy_wake(self, count: int) -> int:
        """Wake with a few due: take them all, end them, ask for the next time."""
        schedule = self.schedule
        for _ in range(count):
            entries: list[Entry] = []
            now_s = 0.0
            while len(entries) < DUE_IN_A_WAKE:
                now_s = schedule.next_due_s() or 0.0
                entry = schedule.take(now_s)
                assert entry is not None  # noqa: S101
                entries.append(entry)
            for entry in entries:
                schedule.end(entry, now_s, now_s + EVERY_S, Again.TRIGGER)
            schedule.next_due_s()
        return count

    # Time of the operations alone, where entries were drawn first.
    own_s = 0.0
    longest_s = 0.0


OPERATIONS: tuple[tuple[str, Callable[[Bench, int], int]], ...] = (
    ("find by key", Bench.find),
    ("cycle: next time, take, end", Bench.cycle),
    ("run-now: move up, take, end", Bench.run_now),
    ("trigger: find, bring forward", Bench.trigger),
    ("park and unpark: take, park, unpark", Bench.park),
    ("withdraw and enroll, a job", Bench.withdraw),
    ("move, sweeps included", Bench.move),
)
WAKES: tuple[tuple[str, Callable[[Bench, int], int]], ...] = (
    ("wake with nothing due", Bench.idle_wake),
    (f"wake with {DUE_IN_A_WAKE} due", Bench.busy_wake),
)
ENROLL = "enroll"
LONGEST = "longest single move: a sweep"
BARE_HEAP = "bare heap, one cycle (the limit)"
LIST_SCAN = "list searched, one cycle"


def _timed(bench: Bench, operation: Callable[[Bench, int], int], count: int) -> float:
    bench.own_s = 0.0
    begin = time.perf_counter()
    done = operation(bench, count)
    total_s = time.perf_counter() - begin
    return (bench.own_s or total_s) / done * 1e6


def bare_heap_us(size: int, count: int) -> float:
    """Return what a cycle costs on a heap of tuples."""
    heap = [(random.random() * EVERY_S, number) for number in range(size)]
    heapq.heapify(heap)
    begin = time.perf_counter()
    for _ in range(count):
        due_s, number = heapq.heappop(heap)
        heapq.heappush(heap, (due_s + EVERY_S, number))
    return (time.perf_counter() - begin) / count * 1e6


def list_scan_us(size: int, count: int) -> float:
    """Return what a cycle costs on a list of entries that is searched for the due one."""
    entries = [[random.random() * EVERY_S, number, False] for number in range(size)]
    begin = time.perf_counter()
    for _ in range(count):
        first = min((entry for entry in entries if not entry[2]), key=lambda entry: entry[0])
        first[2] = True
        first[0] += EVERY_S
        first[2] = False
    return (time.perf_counter() - begin) / count * 1e6


def run_round(size: int, seed: int) -> dict[str, float]:
    """Return microseconds for every operation at one size."""
    bench = Bench(size, seed)
    figures = {ENROLL: bench.enroll_us}
    count = min(size, 20_000)
    for name, operation in OPERATIONS[:-1]:
        figures[name] = _timed(bench, operation, count)
    name, operation = OPERATIONS[-1]
    figures[name] = _timed(bench, operation, size + size // 10 + 2_000)
    figures[LONGEST] = bench.longest_s * 1e6
    for name, operation in WAKES:
        figures[name] = _timed(bench, operation, min(count, 1_000))
    figures[BARE_HEAP] = bare_heap_us(size, count)
    figures[LIST_SCAN] = list_scan_us(size, LIST_CYCLES)
    return figures


def _targets(sizes: Sequence[int], spreads: dict[int, dict[str, Spread]]) -> list[Target]:
    least, most = sizes[0], sizes[-1]
    operations = [ENROLL, *(name for name, _ in OPERATIONS)]
    targets = [
        Target(f"{name} at {most:,}, µs", spreads[most][name].median, LIMIT_US, at_most=True)
        for name in operations
    ]
    targets += [
        Target(
            f"{name}: {most:,} entries against {least:,}",
            spreads[most][name].median / spreads[least][name].median,
            # Caches that no longer hold it all, and a heap ten levels deeper; not a thousand.
            10.0,
            at_most=True,
        )
        for name, _ in WAKES
    ]
    return targets


def main(arguments: Sequence[str] | None = None) -> int:
    """Run all sizes in every round; 1 if an operation costs more than it may."""
    parser = argparse.ArgumentParser(prog="python -m bench.schedule", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rounds, to 100,000 entries")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    sizes = QUICK_SIZES if options.quick else SIZES
    rounds = 2 if options.quick else 3
    runs: dict[int, list[dict[str, float]]] = {size: [] for size in sizes}
    for number in range(rounds):
        for size in sizes:
            runs[size].append(run_round(size, number))
            print(f"round {number + 1}/{rounds}: {size:,} entries", file=sys.stderr)
    names = list(runs[sizes[0]][0])
    spreads = {
        size: {name: Spread.of([run[name] for run in of_size]) for name in names}
        for size, of_size in runs.items()
    }
    targets = _targets(sizes, spreads)
    if options.json:
        plain = {
            "schema": 1,
            "rounds": rounds,
            "us": {
                str(size): {name: spread.plain() for name, spread in of_size.items()}
                for size, of_size in spreads.items()
            },
            "targets": [target.plain() for target in targets],
        }
        print(json.dumps(plain, indent=2))
    else:
        print(f"Microseconds an operation, median of {rounds} rounds [smallest..largest]\n")
        head = ("operation", *(f"{size:,}" for size in sizes))
        print(table(head, [(n, *(spreads[size][n].text(2) for size in sizes)) for n in names]))
        print()
        print("\n".join(target.text() for target in targets))
    return 0 if all(target.is_met for target in targets) else 1


if __name__ == "__main__":
    raise SystemExit(main())
