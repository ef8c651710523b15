"""A real scheduler with its real workers, started as the supervisor starts it.

The benchmark stands in for the supervisor: it holds the other end of the pipe, and listens.
"""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import AsyncIterator, Callable
from pathlib import Path

from ipc.child import Spawner
from ipc.clock import SystemClock
from ipc.messages import PROTOCOL_VERSION
from ipc.scheduler_messages import Begin, Events
from ipc.settings import Engine, Settings, Timings, encode_settings
from supervisor.main import SCHEDULER_ENTRY
from supervisor.scheduler import Relayed, Scheduler

ROOT = Path(__file__).resolve().parent.parent
_READY_S = 60.0
_GRACE_S = 5.0
_MARGIN_S = 5.0


class RunVoid(Exception):
    """What was measured cannot be believed: something is missing."""


def settings_for(folder: Path, engine: Engine) -> Settings:
    """Return settings under which only the benchmark's own kinds exist."""
    return Settings(
        data_dir=str(folder),
        engine=engine,
        kind_packages=("bench.kinds",),
        extra_path=str(ROOT),
        log_level="warning",
        # What is measured is the way of a job, not the pace that ESI is spared with.
        timings=Timings(ramp_per_s=0.0),
    )


@contextlib.asynccontextmanager
async def running(
    spawner: Spawner,
    settings: Settings,
    on_events: Callable[[Events], None],
    *,
    generation: int = 1,
    entry: str = SCHEDULER_ENTRY,
) -> AsyncIterator[Scheduler]:
    """Start a scheduler, give it once it dispatches, and stop it."""
    changed = asyncio.Event()

    def on_message(message: Relayed) -> None:
        if isinstance(message, Events):
            on_events(message)

    begin = Begin(PROTOCOL_VERSION, generation, encode_settings(settings), listening=True)
    scheduler = await Scheduler.start(spawner, entry, begin, SystemClock(), on_message, changed.set)
    try:
        async with asyncio.timeout(_READY_S):
            while scheduler.ready is None:
                if scheduler.is_dead:
                    raise RunVoid(f"it did not start: {scheduler.how_it_ended().cause}")
                changed.clear()
                await changed.wait()
        yield scheduler
        scheduler.stop(_GRACE_S, _MARGIN_S)
        while not scheduler.is_dead:
            changed.clear()
            await changed.wait()
        end = scheduler.how_it_ended()
        if end.exit_code != 0:
            raise RunVoid(f"the scheduler ended badly: {end.cause}")
    finally:
        await scheduler.close()
