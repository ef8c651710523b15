"""The database cannot be used: why, since when, and when it is tried again."""

from __future__ import annotations

import asyncio
import logging
from collections import Counter
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Literal

from ipc.clock import Clock
from jobs.store.database import StoreError

_log = logging.getLogger(__name__)

FIRST_RETRY_S = 1.0
LAST_RETRY_S = 30.0

# A write that has waited so long is told of while it still waits.
PATIENCE_S = 5.0

# Who met it: each goes on by its own success only. A database may be readable and full.
Source = Literal["boot", "ledger", "discovery", "outbox"]


class Trouble:
    """While there is any, nothing is dispatched: no worker could store what it fetched."""

    def __init__(self, clock: Clock) -> None:
        """Start without trouble."""
        self._clock = clock
        self._changed: Callable[[], None] = lambda: None
        self._attempts: Counter[Source] = Counter()
        self._texts: dict[Source, str] = {}
        self._since_s = 0.0
        # Since when the writes wait that have waited for too long.
        self._waits: dict[Source, float] = {}

    @property
    def is_broken(self) -> bool:
        """Tell whether an attempt has failed; a write that only waits may still work."""
        return bool(self._texts)

    @property
    def text(self) -> str:
        """Return what is wrong in a line; empty when nothing is."""
        if self._texts or not self._waits:
            return next(iter(self._texts.values()), "")
        waited_s = self._clock.monotonic_s() - min(self._waits.values())
        return f"locked by another program, or very slow: a write has waited for {waited_s:.0f} s"

    @property
    def lasts_s(self) -> float:
        """Return for how long attempts have failed by now."""
        return self._clock.monotonic_s() - self._since_s if self._texts else 0.0

    def on_change(self, changed: Callable[[], None]) -> None:
        """Set whom to tell when trouble comes or goes."""
        self._changed = changed

    def note(self, source: Source, error: StoreError | str) -> float:
        """Note a failed attempt; return the seconds until the next one."""
        delay_s = min(LAST_RETRY_S, FIRST_RETRY_S * 2.0 ** min(self._attempts[source], 8))
        self._attempts[source] += 1
        first = not self._texts
        self._texts[source] = str(error)
        if first:
            self._since_s = self._clock.monotonic_s()
            _log.error("the database cannot be used, trying again: %s", error)
            self._changed()
        return delay_s

    async def wait_after(self, source: Source, error: StoreError | str) -> None:
        """Note a failed attempt and wait for the next one."""
        await asyncio.sleep(self.note(source, error))

    @asynccontextmanager
    async def watching(self, source: Source) -> AsyncIterator[None]:
        """Tell of the write inside, from the wait for its turn on, while it takes too long."""
        started_s = self._clock.monotonic_s()
        timer = asyncio.get_running_loop().call_later(PATIENCE_S, self._lose_patience, source)
        try:
            yield
        finally:
            timer.cancel()
            if self._waits.pop(source, None) is not None:
                waited_s = self._clock.monotonic_s() - started_s
                _log.warning("a write to the database (%s) took %.0f s", source, waited_s)

    def _lose_patience(self, source: Source) -> None:
        self._waits[source] = self._clock.monotonic_s() - PATIENCE_S
        _log.warning(
            "a write to the database (%s) has waited for %.0f s: it is locked by another program,"
            " or very slow",
            source,
            PATIENCE_S,
        )

    def over(self, source: Source) -> None:
        """Note that an attempt worked."""
        if not self._texts or source not in self._texts:
            return
        del self._texts[source]
        del self._attempts[source]
        if not self._texts:
            _log.warning(
                "the database works again after %.0f s", self._clock.monotonic_s() - self._since_s
            )
            self._changed()
