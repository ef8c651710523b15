"""Time that jumps from one event to the next, as a clock and as the loop that timers are set on."""

from __future__ import annotations

import asyncio
import contextlib
import heapq
import itertools
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from typing import Any, cast


class JumpClock:
    """A clock that the loop moves."""

    def __init__(self, start: datetime) -> None:
        """Take the wall time at which it begins."""
        self.start = start
        self.now_s = 0.0

    def monotonic_s(self) -> float:
        """Return the seconds since the beginning."""
        return self.now_s

    def now(self) -> datetime:
        """Return the wall time."""
        return self.start + timedelta(seconds=self.now_s)


class Timer:
    """A callback to come; cancelled ones are passed over."""

    __slots__ = ("arguments", "callback")

    def __init__(self, callback: Callable[..., object], arguments: tuple[Any, ...]) -> None:
        self.callback: Callable[..., object] | None = callback
        self.arguments = arguments

    def cancel(self) -> None:
        """Never call it."""
        self.callback = None


class JumpLoop:
    """As much of an event loop as the scheduler's objects use: timers."""

    def __init__(self, clock: JumpClock) -> None:
        """Take the clock to move."""
        self.clock = clock
        self._heap: list[tuple[float, int, Timer]] = []
        self._order = itertools.count()

    def time(self) -> float:
        """Return the seconds since the beginning."""
        return self.clock.now_s

    def call_soon(self, callback: Any, *args: Any) -> Any:
        """Call at this moment, after what runs now."""
        return self.call_at(self.clock.now_s, callback, *args)

    def call_later(self, delay: float, callback: Any, *args: Any) -> Any:
        """Call after so many seconds."""
        return self.call_at(self.clock.now_s + delay, callback, *args)

    def call_at(self, when: float, callback: Any, *args: Any) -> Any:
        """Call at a time."""
        timer = Timer(callback, args)
        heapq.heappush(self._heap, (when, next(self._order), timer))
        return timer

    def run_to(self, end_s: float) -> None:
        """Let everything happen up to then."""
        heap, clock = self._heap, self.clock
        while heap and heap[0][0] <= end_s:
            at_s, _, timer = heapq.heappop(heap)
            callback = timer.callback
            if callback is None:
                continue
            # Timers are rounded to the past by nobody: time only goes on.
            clock.now_s = max(clock.now_s, at_s)
            callback(*timer.arguments)
        clock.now_s = end_s

    @contextlib.contextmanager
    def running(self) -> Iterator[None]:
        """Be what asyncio takes for the running loop."""
        asyncio._set_running_loop(cast("Any", self))  # noqa: SLF001 - meant for loops
        try:
            yield
        finally:
            asyncio._set_running_loop(None)  # noqa: SLF001

    def clear(self) -> None:
        """Forget every timer, as the end of a process does."""
        self._heap.clear()
