"""How fast a full outbox is sent: rows of mail through the real scheduler and its workers.

Beside it, in the same round, stand bare POSTs of the same mails: four processes that build the
same requests and decode the same answers with aiohttp, as many of them in flight, and do no more.
With the latency of a far server, and with none.
"""

from __future__ import annotations

import argparse
import asyncio
import json
import multiprocessing
import os
import shutil
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from functools import partial
from pathlib import Path
from typing import Any

import aiohttp
import msgspec
from sqlalchemy import Connection, insert

from bench.figures import Spread, Target, table
from bench.proc import cpu_s, descendants
from bench.scheduler import RunVoid, running, settings_for
from bench.sync.eve import asked
from ipc.child import Spawner
from ipc.clock import SystemClock
from ipc.events import Event, OutboxDone, OutboxInflight
from ipc.scheduler_messages import Events
from ipc.settings import COMPATIBILITY_DATE, Engine, Esi, Settings, Sso
from jobs.berths import AT_ONCE
from jobs.store import credentials, outbox_rows, upgrade
from jobs.store.database import Database
from jobs.store.schema.core import outbox as outbox_table
from jobs.writes.mail import Recipient, Send
from simulator.process import SimulatedEve

WORKERS = 4
ROWS = 10_000
QUICK_ROWS = 400
LATENCIES_S = (0.0, 0.06)
# With latency each row takes so much longer that fewer tell as much.
LATE_SHARE = 5
# Two tokens of the rate limit a mail, and 600 for each character.
ROWS_A_CHARACTER = 100
SHARE = 0.6
# Busier than that, the simulated EVE would be what is measured.
BUSY = 0.95
_LIMIT_S = 600.0
_CLIENT = "simulated-client"


@dataclass(frozen=True, slots=True)
class Letter:
    """One mail to send: who sends it, with which token, and the payload."""

    character_id: int
    token: str
    payload: bytes


@dataclass(frozen=True, slots=True)
class Measured:
    """What one run came to."""

    rows: int
    elapsed_s: float
    # Milliseconds of CPU for each row, of the simulated EVE not.
    cpu_ms: float
    # At the simulated EVE.
    most_in_flight: int = 0
    eve_cpu_s: float = 0.0

    @property
    def eve_busy(self) -> float:
        """Return how busy the simulated EVE's one process was; near 1 it is the bottleneck."""
        return self.eve_cpu_s / self.elapsed_s

    @property
    def rate(self) -> float:
        """Return rows per second."""
        return self.rows / self.elapsed_s


# --- ours --------------------------------------------------------------------------------------


class _Observer:
    """Counts the rows that are told to be done, and notes the time."""

    def __init__(self, rows: int) -> None:
        self.done = asyncio.Event()
        self.first: datetime | None = None
        self.last: datetime | None = None
        self._left = rows

    def on_events(self, message: Events) -> None:
        """Take a batch."""
        for event in message.events:
            self._take(event)

    def _take(self, event: Event) -> None:
        if isinstance(event, OutboxInflight):
            self.first = self.first or event.at
        elif isinstance(event, OutboxDone):
            self.last = event.at
            self._left -= 1
            if not self._left:
                self.done.set()


async def _drain(settings: Settings, rows: int) -> tuple[float, float]:
    """Let a scheduler send all rows; return the seconds, and the CPU seconds that it took."""
    observer = _Observer(rows)
    async with running(Spawner(), settings, observer.on_events) as scheduler:
        before_s = _cpu_of_tree(scheduler.pid)
        try:
            async with asyncio.timeout(_LIMIT_S):
                await observer.done.wait()
        except TimeoutError:
            raise RunVoid("not all rows are done") from None
        # Not of those that were there before: workers start after the scheduler is ready.
        used_s = _cpu_of_tree(scheduler.pid) - before_s
    assert observer.first is not None  # noqa: S101 - else nothing would be done
    assert observer.last is not None  # noqa: S101
    return (observer.last - observer.first).total_seconds(), used_s


def _cpu_of_tree(pid: int) -> float:
    return sum(map(cpu_s, [pid, *descendants(pid)]))


def ours(eve: SimulatedEve, template: Path, rows: int) -> Measured:
    """Send the rows of a prepared database."""
    with tempfile.TemporaryDirectory(prefix="bench-outbox-", dir="/tmp") as folder:
        shutil.copy(template, Path(folder) / "esisyncd.db")
        settings = msgspec.structs.replace(
            settings_for(Path(folder), Engine(workers=WORKERS)),
            esi=Esi(base_url=eve.urls.esi, contact="bench@example.org"),
            sso=Sso(base_url=eve.urls.sso, client_id=_CLIENT),
        )
        elapsed_s, used_s = asyncio.run(_drain(settings, rows))
        database = Database(settings.database_url)
        try:
            counts = database.read_now(outbox_rows.counts)
        finally:
            database.close_now()
    if counts != {"done": rows}:
        raise RunVoid(f"{rows} rows, but they ended as {counts}")
    return Measured(rows, elapsed_s, used_s / rows * 1e3)


def prepare(eve: SimulatedEve, path: Path, rows: int) -> list[Letter]:
    """Make a database with so many mails waiting; return what they are."""
    upgrade.prepare(f"sqlite:///{path}")
    who: list[Any] = eve.tokens(access=True)
    letters = [
        Letter(one["character_id"], one["access_token"], b"")
        for one in who[: -(-rows // ROWS_A_CHARACTER)]
    ]
    made: list[Letter] = []

    def fill(connection: Connection) -> None:
        now = SystemClock().now()
        waiting: list[dict[str, Any]] = []
        for one in who[: len(letters)]:
            credentials.save_login(
                connection, one["character_id"], _CLIENT, one["scopes"], one["access_token"],
                one["refresh_token"], now + timedelta(minutes=20), now,
            )  # fmt: skip
        for number in range(rows):
            sender = letters[number % len(letters)]
            mail = Send((Recipient(who[0]["character_id"], "character"),), f"{number}", "o7" * 50)
            body = msgspec.json.encode(mail)
            made.append(Letter(sender.character_id, sender.token, body))
            waiting.append(_row(sender.character_id, number, body.decode(), now))
        connection.execute(insert(outbox_table), waiting)

    database = Database(f"sqlite:///{path}")
    try:
        database.write_now(fill, durable=True)
    finally:
        database.close_now()
    return made


def _row(character_id: int, number: int, payload: str, now: datetime) -> dict[str, Any]:
    """Return a row as want() makes it, so that ten thousand can be stored at once."""
    return {
        "subject_type": "character",
        "subject_id": character_id,
        "kind": "mail.send",
        "payload": payload,
        "dedupe_key": f"send:{number}",
        "target": f"send:{number}",
        "next_attempt_at": now,
        "expires_at": now + timedelta(days=1),
        "created_at": now,
        "updated_at": now,
    }


# --- bare --------------------------------------------------------------------------------------


async def _post_all(
    url: str, letters: Sequence[Letter], in_flight: int
) -> tuple[float, float, float]:
    """Send the mails with so many in flight; return when it began and ended, and its CPU time."""
    waiting = iter([(one, msgspec.json.decode(one.payload, type=Send)) for one in letters])
    headers = {"X-Compatibility-Date": COMPATIBILITY_DATE, "Content-Type": "application/json"}

    async def send(session: aiohttp.ClientSession) -> None:
        for letter, mail in waiting:
            own = {"Authorization": f"Bearer {letter.token}"}
            async with session.post(
                f"{url}/characters/{letter.character_id}/mail",
                data=msgspec.json.encode(mail),
                headers=own,
            ) as answer:
                body = await answer.read()
                if answer.status != 201 or not msgspec.json.decode(body, type=int):
                    raise RunVoid(f"a bare POST was answered {answer.status}")

    async with aiohttp.ClientSession(headers=headers) as session:
        begin_s, before_s = time.monotonic(), time.process_time()
        await asyncio.gather(*(send(session) for _ in range(in_flight)))
        return begin_s, time.monotonic(), time.process_time() - before_s


def _post(url: str, letters: Sequence[Letter], in_flight: int) -> tuple[float, float, float]:
    return asyncio.run(_post_all(url, letters, in_flight))


def bare(eve: SimulatedEve, letters: Sequence[Letter]) -> Measured:
    """Send the same mails from as many processes."""
    shares = [
        (eve.urls.esi, letters[number::WORKERS], AT_ONCE // WORKERS) for number in range(WORKERS)
    ]
    with multiprocessing.get_context("spawn").Pool(WORKERS) as pool:
        # All are started, and have loaded what they need, before anything counts.
        pool.starmap(_post, [(eve.urls.esi, (), 1)] * WORKERS * 4, chunksize=1)
        times = pool.starmap(_post, shares, chunksize=1)
    elapsed_s = max(end for _, end, _ in times) - min(begin for begin, _, _ in times)
    return Measured(len(letters), elapsed_s, sum(used for *_, used in times) / len(letters) * 1e3)


# --- rounds ------------------------------------------------------------------------------------


def _round(rows: int, latency_s: float) -> tuple[Measured, Measured]:
    characters = -(-rows // ROWS_A_CHARACTER)
    with (
        SimulatedEve("--characters", str(characters), "--no-error-limit") as eve,
        tempfile.TemporaryDirectory(prefix="bench-outbox-", dir="/tmp") as folder,
    ):
        template = Path(folder) / "full.db"
        letters = prepare(eve, template, rows)
        eve.order("/latency", seconds=latency_s)
        own = _counted(eve, rows, partial(ours, eve, template, rows))
        return own, _counted(eve, rows, partial(bare, eve, letters))


def _counted(eve: SimulatedEve, rows: int, measure: Callable[[], Measured]) -> Measured:
    """Measure with all limits full; RunVoid unless each mail arrived, and once."""
    eve.order("/reset")
    eve.order("/limits", clear=True)
    eve_s = cpu_s(eve.pid)
    told = measure()
    told = replace(told, most_in_flight=asked(eve)[1], eve_cpu_s=cpu_s(eve.pid) - eve_s)
    if told.eve_busy > BUSY:
        raise RunVoid(f"the simulated EVE was the bottleneck: busy {told.eve_busy:.2f}")
    subjects: list[Any] = [effect["body"] for effect in eve.writes()]
    if len(subjects) != rows or len({body["subject"] for body in subjects}) != rows:
        raise RunVoid(f"{rows} mails, but {len(subjects)} arrived")
    return told


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the benchmark; 1 if the run is void or a target was missed."""
    parser = argparse.ArgumentParser(prog="python -m bench.outbox", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="fewer rows, fewer rounds")
    parser.add_argument("--json", action="store_true", help="print JSON")
    options = parser.parse_args(arguments)
    load = os.getloadavg()[0]
    rounds, most = (2, QUICK_ROWS) if options.quick else (3, ROWS)
    figures: list[dict[str, Any]] = []
    targets: list[Target] = []
    try:
        for latency_s in LATENCIES_S:
            rows = most // LATE_SHARE if latency_s else most
            runs = []
            for number in range(rounds):
                print(f"{latency_s * 1e3:.0f} ms, round {number + 1}/{rounds}", file=sys.stderr)
                runs.append(_round(rows, latency_s))
            told = _figures(rows, latency_s, runs)
            figures.append(told)
            targets.append(
                Target(
                    f"share of bare POSTs at {latency_s * 1e3:.0f} ms", told["share"].median, SHARE
                )
            )
    except RunVoid as error:
        print(f"The run is void: {error}", file=sys.stderr)
        return 1
    if options.json:
        plain = {
            "schema": 1,
            "cores": os.cpu_count(),
            "in_flight": AT_ONCE,
            "load_before": load,
            "runs": [{k: _plain(v) for k, v in told.items()} for told in figures],
            "targets": [target.plain() for target in targets],
        }
        print(json.dumps(plain, indent=2))
    else:
        print(
            f"{AT_ONCE} mails in flight, {rounds} rounds, {os.cpu_count()} cores,"
            f" a load of {load:.1f} before.\n"
        )
        head = (
            "latency", "rows", "ours/s", "bare/s", "ours/bare", "CPU ms a row", "bare",
            "most in flight", "bare", "EVE busy", "bare",
        )  # fmt: skip
        print(table(head, [_cells(told) for told in figures]) + "\n")
        print("\n".join(target.text() for target in targets))
    return 0 if all(target.is_met for target in targets) else 1


def _figures(
    rows: int, latency_s: float, runs: Sequence[tuple[Measured, Measured]]
) -> dict[str, Any]:
    own, other = [run[0] for run in runs], [run[1] for run in runs]
    return {
        "latency_s": latency_s,
        "rows": rows,
        "ours": Spread.of([one.rate for one in own]),
        "bare": Spread.of([one.rate for one in other]),
        "share": Spread.of_ratios([one.rate for one in own], [one.rate for one in other]),
        "cpu_ms": Spread.of([one.cpu_ms for one in own]),
        "bare_cpu_ms": Spread.of([one.cpu_ms for one in other]),
        "most_in_flight": Spread.of([one.most_in_flight for one in own]),
        "bare_most_in_flight": Spread.of([one.most_in_flight for one in other]),
        "eve_busy": Spread.of([one.eve_busy for one in own]),
        "bare_eve_busy": Spread.of([one.eve_busy for one in other]),
    }


def _plain(value: Any) -> Any:
    return value.plain() if isinstance(value, Spread) else value


def _cells(told: dict[str, Any]) -> tuple[str, ...]:
    return (
        f"{told['latency_s'] * 1e3:.0f} ms",
        f"{told['rows']:,}",
        told["ours"].text(),
        told["bare"].text(),
        told["share"].text(2),
        told["cpu_ms"].text(2),
        told["bare_cpu_ms"].text(2),
        f"{told['most_in_flight'].high:.0f}",
        f"{told['bare_most_in_flight'].high:.0f}",
        f"{told['eve_busy'].median:.2f}",
        f"{told['bare_eve_busy'].median:.2f}",
    )
