"""What the outbox needs now and then: counted, swept, and rid of what is done or odd."""

from __future__ import annotations

import logging
from collections.abc import Callable
from datetime import datetime, timedelta

from engine.outbox_store import OutboxStore
from engine.sending import Hands
from engine.strays import Strays
from ipc.clock import Clock
from jobs.store import odd_writes, outbox, outbox_rows
from jobs.store.write_status import Status

_log = logging.getLogger(__name__)

KEEP_DONE = timedelta(hours=1)
PRUNE_EVERY_S = 60.0
# So often the pending rows are looked through for such as nobody could claim.
ODD_EVERY_S = 30.0
# While rows are out, and one pass follows the other.
COUNT_EVERY_S = 1.0


class Upkeep:
    """Done at the end of each pass, as far as it is due."""

    def __init__(
        self,
        *,
        clock: Clock,
        store: OutboxStore,
        hands: Hands,
        strays: Strays,
        poke: Callable[[], None],
    ) -> None:
        """Take what is ours, and how to have due rows looked for once more."""
        self._clock = clock
        self._store = store
        self._hands = hands
        self._strays = strays
        self._poke = poke
        self._pruned_s = float("-inf")
        self._counted_s = float("-inf")
        self._odd_s = float("-inf")
        # How many rows have each status.
        self.counts: dict[str, int] = {}

    async def keep(self) -> None:
        """Do what is due."""
        now_s = self._clock.monotonic_s()
        if now_s - self._counted_s < COUNT_EVERY_S and self._hands.out:
            # Counting looks at every row.
            return
        self._counted_s = now_s
        self.counts = await self._store.read(outbox_rows.counts)
        is_stray = self.counts.get(Status.INFLIGHT, 0) > len(self._hands.known())
        if is_stray and await self._strays.sweep():
            self._poke()
        if self.counts.get(Status.PENDING, 0) and now_s - self._odd_s >= ODD_EVERY_S:
            self._odd_s = now_s
            await self._end_odd()
        if self.counts.get(Status.DONE, 0) and now_s - self._pruned_s >= PRUNE_EVERY_S:
            self._pruned_s = now_s
            before: datetime = self._clock.now() - KEEP_DONE
            pruned = await self._store.write(lambda c: outbox.prune_done(c, before))
            _log.debug("%d done writes were pruned", pruned)

    async def _end_odd(self) -> None:
        """End pending rows that no look for due ones comes to."""
        now = self._clock.now()
        odd = await self._store.read(lambda connection: odd_writes.find(connection, now))
        if odd:
            await self._store.write(lambda connection: odd_writes.end(connection, odd, now))
            self._poke()
