"""From a kill -9 to the moment at which the work goes on."""

from __future__ import annotations

import asyncio
import os
import signal
import tempfile
import time
from pathlib import Path

from bench import ledger
from bench.recovery.daemon import next_event, running_daemon
from bench.scheduler import RunVoid, running, settings_for
from ipc.child import Spawner
from ipc.clock import SystemClock
from ipc.events import Restarted, Started, WorkerUp
from ipc.scheduler_messages import Events
from ipc.settings import Engine, Settings
from ipc.subject import Subject, SubjectType

# A third death within ten seconds waits before it is replaced; that is not what is measured.
DEATHS_A_LIFE = 2
# The fifth in a row parks the daemon; the waits before are 1, 2 and 4 s.
SCHEDULER_DEATHS = 3
_WORKERS = 4
_WAIT_S = 30.0


def workers() -> list[float]:
    """Kill idle workers, one after the other; return the seconds to each replacement's READY."""
    with tempfile.TemporaryDirectory(prefix="bench-death-") as folder:
        settings = settings_for(Path(folder), Engine(workers=_WORKERS))
        subject = Subject(SubjectType.ALLIANCE, 99_000_000)
        ledger.prepare(settings.database_url, [subject], SystemClock().now())
        return asyncio.run(_workers(settings))


async def _workers(settings: Settings) -> list[float]:
    ups: list[tuple[float, int]] = []
    changed = asyncio.Event()

    def on_events(batch: Events) -> None:
        for event in batch.events:
            if isinstance(event, WorkerUp):
                ups.append((time.perf_counter(), event.pid))
                changed.set()

    async def until(count: int) -> None:
        try:
            async with asyncio.timeout(_WAIT_S):
                while len(ups) < count:
                    changed.clear()
                    await changed.wait()
        except TimeoutError:
            raise RunVoid(f"{len(ups)} workers came up, not {count}") from None

    waits_s = []
    async with running(Spawner(), settings, on_events):
        await until(_WORKERS)
        for number in range(DEATHS_A_LIFE):
            pid = ups[number][1]
            killed_s = time.perf_counter()
            os.kill(pid, signal.SIGKILL)
            await until(_WORKERS + number + 1)
            waits_s.append(ups[-1][0] - killed_s)
    return waits_s


def schedulers() -> list[float]:
    """Kill the scheduler of a daemon; return the seconds from each backoff's end to a dispatch."""
    waits_s = []
    with running_daemon(busy=True) as daemon, daemon.client() as client:
        client.observe()
        for _ in range(SCHEDULER_DEATHS):
            next_event(client, Started)
            os.kill(daemon.state().scheduler_pid, signal.SIGKILL)
            next_event(client, Restarted)
            restarted_s = time.perf_counter()
            next_event(client, Started)
            waits_s.append(time.perf_counter() - restarted_s)
    return waits_s
