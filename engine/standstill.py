"""What holds back the requests of all workers at once, told to everybody whom it concerns.

That is a spent error limit (HTTP 420), one that is nearly spent, and ESI being down.
"""

from __future__ import annotations

import logging
from dataclasses import dataclass
from datetime import timedelta

from engine.budgets import Budgets
from engine.downtime import Downtime
from engine.events import Outlet
from engine.ledger_writer import LedgerWriter
from engine.pauses import ALL, Pauses
from engine.pool import Pool
from ipc import events
from ipc.clock import Clock
from ipc.messages import ErrorsLeft, InDoubt, PauseRequests
from ipc.outcome import PauseAll
from jobs.store import pauses as stored_pauses

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Standstill:
    """Tells workers, observers and the database what holds all requests back."""

    clock: Clock
    pauses: Pauses
    budgets: Budgets
    downtime: Downtime
    pool: Pool
    ledger: LedgerWriter
    outlet: Outlet

    def pause(self, pause: PauseAll) -> None:
        """Hold all requests until the error limit is reset; the longest window stands."""
        text = f"ESI's error limit is spent; it resets in {pause.reset_s} s"
        until = self.pauses.extend(pause.until, text)
        if until is None:
            return
        _log.warning("all requests wait until %s: %s", f"{until:%H:%M:%S} UTC", text)
        self.pool.broadcast(PauseRequests(until))
        self.ledger.run_errand(
            lambda connection: stored_pauses.extend(connection, ALL, until, text)
        )
        self.outlet.add(events.Paused(self.clock.now(), until, text))

    def on_errors_left(self, message: ErrorsLeft) -> None:
        """Have all workers hold back what shares the error limit, when it is nearly spent."""
        until = self.clock.now() + timedelta(seconds=message.reset_s)
        if message.left == 0:
            # Every route answers 420 from now on.
            self.pause(PauseAll(until, message.reset_s))
        if self.budgets.errors.hear(message.left, message.reset_s, self.clock.monotonic_s()):
            _log.warning("ESI's error limit is nearly spent: %d are left", message.left)
            self.pool.broadcast(PauseRequests(until, errors_only=True))

    def on_downtime(self, is_down: bool) -> None:
        """Tell everybody that ESI went down, or came back."""
        doubt = self._doubt()
        if doubt is not None:
            self.pool.broadcast(doubt)
        if not is_down:
            _log.warning("ESI is back")
            return
        _log.warning("ESI is down: jobs wait, and it is asked now and then whether it is back")
        now = self.clock.now()
        wait_s = self.downtime.next_probe_s - self.clock.monotonic_s()
        self.outlet.add(events.Paused(now, now + timedelta(seconds=wait_s), "ESI is down"))

    def tell(self, worker: int) -> None:
        """Tell a worker that has just started what holds its requests back."""
        left_s = self.pauses.remaining_s
        if left_s > 0:
            # As the wall clock tells it by now; it may have been set since.
            until = self.clock.now() + timedelta(seconds=left_s)
            self.pool.send(worker, PauseRequests(until))
        doubt = self._doubt()
        if doubt is not None:
            self.pool.send(worker, doubt)

    def _doubt(self) -> InDoubt | None:
        left_s = self.downtime.doubt_until_s - self.clock.monotonic_s()
        return InDoubt(self.clock.now() + timedelta(seconds=left_s)) if left_s > 0 else None
