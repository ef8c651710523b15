"""What workers tell, passed on to the parts that it concerns."""

from __future__ import annotations

from dataclasses import dataclass
from typing import assert_never

from engine.budgets import Budgets
from engine.dispatch import Dispatcher
from engine.events import Outlet
from engine.lending import Lending
from engine.outbox import Drain
from engine.pool import FromPool, Loss
from engine.resolver import Resolver
from engine.sending import Sending
from engine.standstill import Standstill
from ipc import events
from ipc.clock import Clock
from ipc.messages import (
    Acquire,
    ErrorsLeft,
    Holding,
    JobDone,
    RefreshDone,
    Release,
    ResolveDone,
    WriteDone,
)


@dataclass(frozen=True, slots=True)
class FromWorkers:
    """The pool's listener."""

    clock: Clock
    epoch: int
    outlet: Outlet
    dispatcher: Dispatcher
    lending: Lending
    budgets: Budgets
    standstill: Standstill
    drain: Drain
    resolver: Resolver

    def on_messages(self, worker: int, messages: list[FromPool]) -> None:
        """Take what a worker sent; one look at the clock for all of it."""
        now = self.clock.now()
        dispatcher = self.dispatcher
        for message in messages:
            match message:
                case JobDone():
                    dispatcher.on_job_done(message, now)
                case Acquire():
                    self.lending.acquire(worker, message)
                case Release():
                    self.lending.release(worker, message)
                case WriteDone():
                    self._on_write_done(message)
                case ResolveDone():
                    self.resolver.on_done(message)
                case RefreshDone():
                    dispatcher.on_refresh_done(message)
                case ErrorsLeft():
                    self.standstill.on_errors_left(message)
                case Holding():
                    dispatcher.in_flight.keep(message.job_ids, self.clock.monotonic_s())
                case _:
                    assert_never(message)
        dispatcher.refill()

    def on_up(self, worker: int, pid: int, boot_s: float) -> None:
        """Note that a worker takes work."""
        self.standstill.tell(worker)
        self.outlet.add(events.WorkerUp(self.clock.now(), worker, pid, boot_s))
        self.dispatcher.wake()
        self.drain.poke()

    def on_lost(self, loss: Loss) -> None:
        """Note that a worker is gone."""
        self.lending.bury(loss.worker)
        self.outlet.add(
            events.WorkerDied(self.clock.now(), loss.worker, loss.pid, loss.cause, len(loss.jobs))
        )
        self.dispatcher.on_lost(loss.jobs, alone=loss.alone, innocent=loss.innocent)
        self.drain.look_up_lost()

    def _on_write_done(self, done: WriteDone) -> None:
        piece = self.dispatcher.in_flight.get(done.job_id)
        if piece is None or done.epoch != self.epoch or not isinstance(piece.what, Sending):
            return
        self.dispatcher.in_flight.pop(done.job_id)
        self.budgets.settle(piece.what.loans, done.spent, self.clock.monotonic_s())
        self.drain.on_write_done(piece.what, done)
