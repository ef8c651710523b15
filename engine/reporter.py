"""What the supervisor is told of the scheduler: that it is well, and the states of its jobs."""

from __future__ import annotations

import asyncio
import contextlib
from collections.abc import Callable

from engine.events import Outlet
from engine.line import Line
from engine.schedule import Schedule
from engine.status import COUNT_LIMIT, Status
from ipc import events
from ipc.channel import ChannelClosed
from ipc.clock import Clock
from ipc.scheduler_messages import AskStatus, SchedulerHeartbeat

# Events tell observers that the scheduler is well this often at least.
HEARTBEAT_EVENT_S = 30.0


class Reporter:
    """Tells the supervisor unasked that the loop turns, and pages of states when asked."""

    def __init__(
        self,
        clock: Clock,
        line: Line,
        status: Status,
        schedule: Schedule,
        outlet: Outlet,
        heartbeat_s: float,
    ) -> None:
        """Take whom to tell, and of what."""
        self._clock = clock
        self._line = line
        self._status = status
        self._schedule = schedule
        self._outlet = outlet
        self._heartbeat_s = heartbeat_s
        self._asked: asyncio.Queue[AskStatus] = asyncio.Queue()

    def ask(self, ask: AskStatus) -> None:
        """Take a question for job states."""
        self._asked.put_nowait(ask)

    async def beat(self, tick: Callable[[], None]) -> None:
        """Tell the supervisor from this loop itself that it turns; tick is called each time."""
        told_s = float("-inf")
        while True:
            self._line.try_send(SchedulerHeartbeat(self._status.summary()))
            tick()
            now_s = self._clock.monotonic_s()
            if self._outlet.on and now_s - told_s >= HEARTBEAT_EVENT_S:
                told_s = now_s
                schedule = self._schedule
                due = schedule.count_due(now_s, COUNT_LIMIT)
                self._outlet.add(
                    events.Heartbeat(self._clock.now(), schedule.in_flight, due, schedule.entries)
                )
            await asyncio.sleep(self._heartbeat_s)

    async def send_pages(self) -> None:
        """Answer questions for job states, no faster than the supervisor reads."""
        while True:
            ask = await self._asked.get()
            for page in self._status.pages(ask.request_id, ask.subject):
                with contextlib.suppress(ChannelClosed):
                    self._line.send(page)
                    # The page leaves at the end of this turn of the loop.
                    await asyncio.sleep(0)
                    await self._line.drained()
