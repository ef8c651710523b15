"""Kills at random, while writes are asked for and made without a pause."""

from __future__ import annotations

import contextlib
import os
import random
import signal
import time
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field

from tests.crash.failpoints import passed, workers_of
from tests.crash.house import Wish, Writer, faults, revive, wait_for_ends
from tests.daemon.house import House

# Rows that are on their way at any time, those not counted that are looked for.
_OPEN = 12
_LATENCY_S = 0.02
_LONGEST_PAUSE_S = 0.05
_MARKS = 0.2
_TWINS = 0.1
_SCHEDULERS = 0.4
# So often some writes are let through before the next kill; else it may hit a boot.
_AT_WORK = 0.8
_MOST_DONE = 6


@dataclass(slots=True)
class Toll:
    """What was killed, and what became of the writes."""

    kills: Counter[str] = field(default_factory=Counter)
    # The point that the killed process had passed last.
    last_points: Counter[str] = field(default_factory=Counter)
    ends: Counter[str] = field(default_factory=Counter)
    faults: list[str] = field(default_factory=list)

    def text(self) -> str:
        """Return it in a few lines."""
        lines = [
            f"killed: {_counted(self.kills)}",
            f"after the point: {_counted(self.last_points)}",
            f"writes: {_counted(self.ends)}",
            *(self.faults or ["no write was lost, none was made twice"]),
        ]
        return "\n".join(lines)


def storm(writer: Writer, kills: int, seed: int, say: Callable[[str], None]) -> Toll:
    """Kill so many processes at random; wait for the ends of all writes and look at them."""
    house, luck = writer.house, random.Random(seed)
    toll = Toll()
    wishes: list[Wish] = []
    killed: list[int] = []
    house.eve.order("/latency", seconds=_LATENCY_S)
    schedulers = round(kills * _SCHEDULERS)
    victims = ["scheduler"] * schedulers + ["worker"] * (kills - schedulers)
    luck.shuffle(victims)
    while victims:
        wishes += _ask(writer, luck)
        if luck.random() < _AT_WORK:
            _let_through(house, luck.randint(1, _MOST_DONE))
        time.sleep(luck.uniform(0.0, _LONGEST_PAUSE_S))
        pid = _kill(house, victims[-1], luck)
        if pid:
            killed.append(pid)
            toll.kills[victims.pop()] += 1
            if len(killed) % 20 == 0:
                say(f"{len(killed)} of {kills} kills")
    house.eve.order("/latency", seconds=0.0)
    rows = wait_for_ends(house)
    wrong = faults(house, wishes, rows)
    toll.ends.update(str(row.status) for row in rows.values())
    toll.faults = [f"row {row_id} {fault}" for row_id, fault in wrong.items()]
    last = {int(pid): point for pid, point, _ in passed(house.folder)}
    toll.last_points.update(last.get(pid, "none") for pid in killed)
    return toll


def _ask(writer: Writer, luck: random.Random) -> list[Wish]:
    """Ask for as many writes as are missing to the number that is to be on its way."""
    on_their_way = writer.house.value(
        "SELECT count(*) FROM outbox "
        "WHERE status = 'inflight' OR status = 'pending' AND result IS NULL"
    )
    wishes: list[Wish] = []
    while len(wishes) + on_their_way < _OPEN:
        if luck.random() < _MARKS:
            wishes.append(writer.read()[0])
        else:
            wishes.append(writer.mail(twin=luck.random() < _TWINS)[0])
    return wishes


def _let_through(house: House, number: int) -> None:
    """Wait until so many more rows are done; there may be fewer that can still be."""
    done = _done(house) + number

    def check() -> bool:
        on_their_way = "SELECT count(*) FROM outbox WHERE status IN ('pending', 'inflight')"
        return _done(house) >= done or not house.value(on_their_way)

    house.until(f"{done} rows that are done", check, 200.0)


def _kill(house: House, victim: str, luck: random.Random) -> int:
    """Kill the scheduler or one of its workers; return its pid, 0 if there is none now."""
    scheduler = house.status().scheduler_pid
    if not scheduler:
        return 0
    if victim == "scheduler":
        house.kill(scheduler)
        revive(house, scheduler)
        return scheduler
    workers = workers_of(scheduler)
    if not workers:
        return 0
    pid = luck.choice(workers)
    with contextlib.suppress(ProcessLookupError):
        os.kill(pid, signal.SIGKILL)
        return pid
    return 0


def _done(house: House) -> int:
    return int(house.value("SELECT count(*) FROM outbox WHERE status = 'done'"))


def _counted(counts: Counter[str]) -> str:
    return ", ".join(f"{name} {count}" for name, count in counts.most_common())
