"""The orders that a worker is carrying out: one task each, under its deadline, always answered."""

from __future__ import annotations

import asyncio
import contextlib
import logging
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal, assert_never

from ipc.channel import ChannelClosed
from ipc.messages import (
    JobDone,
    Message,
    RefreshDone,
    ResolveDone,
    RunJob,
    RunRefresh,
    RunResolve,
    RunWrite,
    WriteDone,
)
from ipc.outcome import Bug, Cancelled
from jobs.catalog import Catalog
from jobs.pipeline import run_kind
from jobs.purse import Purse
from jobs.reasons import CutOff, Verdict, verdict_of
from jobs.refresh import run_refresh
from jobs.resolving import run_resolve
from jobs.summary import Ending, ending_of
from jobs.tools import Tools
from jobs.writes.execute import Attempt, give_back, run_write

Order = RunJob | RunWrite | RunRefresh | RunResolve
Reason = Literal["deadline", "stopping", "withdrawn"]

_log = logging.getLogger("jobs.orders")

# The loop calls a timer up to its clock's resolution early.
_GRAIN_S = 0.001


@dataclass(slots=True)
class _Running:
    """An order in flight, and why it was cancelled, if it was."""

    # When it is cut off, as the loop counts.
    overdue_s: float
    task: asyncio.Task[None] = field(init=False)
    cancelled_for: Reason | None = None
    # A task that is cancelled before its first step would never answer.
    started: bool = False
    # It has what must reach the database, and is not to be cut off: the process neither.
    held: bool = False

    def begin(self) -> None:
        """Note the first step; CutOff if it was cancelled before."""
        self.started = True
        if self.cancelled_for is not None:
            raise CutOff(self.cancelled_for)

    def hold(self) -> None:
        """Note that it must not be cut off any more."""
        self.held = True

    def verdict(self, what: str, error: BaseException) -> Verdict:
        """Return what an error means, with its traceback in the log if nobody foresaw it."""
        if isinstance(error, asyncio.CancelledError) and self.cancelled_for is not None:
            error = CutOff(self.cancelled_for)
        verdict = verdict_of(error)
        if isinstance(verdict.reaction, Bug):
            _log.error("%s ended by an error nobody foresaw", what, exc_info=error)
        else:
            _log.debug("%s: %s", what, verdict.reason)
        return verdict


class Orders:
    """What this worker was told to do and has not answered yet."""

    def __init__(
        self,
        tools: Tools,
        catalog: Catalog,
        send: Callable[[Message], None],
        send_last: Callable[[Message], None],
    ) -> None:
        """Take what jobs share, the kinds there are, and the way to the scheduler.

        send_last: the quicker way of an answer that no other follows soon.
        """
        self._tools = tools
        self._catalog = catalog
        self._send = send
        self._send_last = send_last
        self._running: dict[int, _Running] = {}
        self._loop = asyncio.get_running_loop()
        # One for all of them: most orders end long before, and a timer each costs more than they.
        self._alarm: asyncio.TimerHandle | None = None
        self._alarm_s = float("inf")

    @property
    def running(self) -> tuple[int, ...]:
        """Return the ids of the orders in flight."""
        return tuple(self._running)

    @property
    def held(self) -> tuple[int, ...]:
        """Return the ids of the orders that must not be cut off."""
        return tuple(job_id for job_id, running in self._running.items() if running.held)

    async def wait(self, timeout_s: float) -> None:
        """Wait until an order has ended, or the time is over."""
        tasks = [running.task for running in self._running.values()]
        if tasks:
            await asyncio.wait(tasks, timeout=timeout_s, return_when=asyncio.FIRST_COMPLETED)

    def take(self, order: Order) -> None:
        """Start an order; one that runs already, or is of another epoch, is left alone."""
        if order.epoch != self._tools.epoch:
            _log.warning("order %d of epoch %d is not for us", order.job_id, order.epoch)
            return
        if order.job_id in self._running:
            _log.warning("order %d is being carried out already", order.job_id)
            return
        overdue_s = self._loop.time() + order.deadline_s
        running = self._running[order.job_id] = _Running(overdue_s)
        running.task = self._loop.create_task(
            self._carry_out(order, running), name=f"order-{order.job_id}"
        )
        if overdue_s < self._alarm_s:
            self._set_alarm(overdue_s)

    def cancel(self, job_id: int, reason: Reason) -> None:
        """End an order in flight; the first reason is the one that counts."""
        running = self._running.get(job_id)
        if running is None:
            _log.debug("order %d has ended already", job_id)
            return
        if running.cancelled_for is None:
            running.cancelled_for = reason
        if running.started:
            running.task.cancel()

    def _set_alarm(self, at_s: float) -> None:
        if self._alarm is not None:
            self._alarm.cancel()
        self._alarm = self._loop.call_at(at_s, self._cut_off_overdue)
        self._alarm_s = at_s

    def _cut_off_overdue(self) -> None:
        self._alarm, self._alarm_s = None, float("inf")
        # What was due is so now, whatever the clock's grain.
        now_s = self._loop.time() + _GRAIN_S
        left_s = []
        for job_id, running in self._running.items():
            if running.cancelled_for is not None:
                continue
            if running.overdue_s <= now_s:
                self.cancel(job_id, "deadline")
            else:
                left_s.append(running.overdue_s)
        if left_s:
            self._set_alarm(min(left_s))

    async def _carry_out(self, order: Order, running: _Running) -> None:
        try:
            match order:
                case RunJob():
                    answer: Message = await self._job(order, running)
                case RunWrite():
                    answer = await self._write(order, running)
                case RunRefresh():
                    answer = await self._refresh(order, running)
                case RunResolve():
                    answer = await self._resolve(order, running)
                case _:
                    assert_never(order)
        finally:
            # Before the answer leaves: the scheduler may send the same id again at once.
            del self._running[order.job_id]
        try:
            self._answer(order, answer)
        except ChannelClosed:
            _log.debug("nobody is left to tell, and this process is leaving")

    def _answer(self, order: Order, answer: Message) -> None:
        """Send an answer; one that cannot be sent gives way to one that says so."""
        send = self._send if self._running else self._send_last
        try:
            send(answer)
        except ChannelClosed:
            raise
        except Exception as error:  # noqa: BLE001 - the boundary of one job
            _log.exception("the answer to order %d cannot be sent", order.job_id)
            send(_without(order, verdict_of(error)))

    async def _job(self, order: RunJob, running: _Running) -> JobDone:
        clock = self._tools.clock
        started_s = clock.monotonic_s()
        purse = Purse(self._tools.leases, clock, order.allowances, order.priority)
        try:
            running.begin()
            ending = await run_kind(self._tools, self._catalog[order.key.kind], order, purse)
        except BaseException as error:  # noqa: BLE001 - the boundary of one job
            ending = ending_of(running.verdict(str(order.key), error))
        return _done(order, ending, clock.monotonic_s() - started_s, purse)

    async def _write(self, order: RunWrite, running: _Running) -> WriteDone:
        attempt = Attempt()
        try:
            running.begin()
            return await run_write(self._tools, order, attempt)
        except BaseException as error:  # noqa: BLE001 - the boundary of one job
            verdict = running.verdict(f"outbox row {order.outbox_id}", error)
            if verdict.reaction != Cancelled(stopping=True):
                return await self._give_back(order, running, attempt, verdict)
            # Left inflight: the next scheduler finds it so, and has it looked up.
            return _left_inflight(order, verdict, attempt)

    async def _give_back(
        self, order: RunWrite, running: _Running, attempt: Attempt, verdict: Verdict
    ) -> WriteDone:
        """Return the answer for a row that was given back; being cancelled does not end that."""
        counts = isinstance(verdict.reaction, Bug)
        task = self._loop.create_task(
            give_back(self._tools, order, verdict.reason, attempt, counts),
            name=f"give-back-{order.job_id}",
        )
        while not task.done():
            # The scheduler repeats its CancelJob, and kills this process if that takes too long.
            with contextlib.suppress(asyncio.CancelledError):
                await asyncio.wait((task,))
        try:
            return task.result()
        except BaseException as error:  # noqa: BLE001 - the boundary of one job
            verdict = running.verdict(f"outbox row {order.outbox_id}", error)
            return _left_inflight(order, verdict, attempt)

    async def _refresh(self, order: RunRefresh, running: _Running) -> RefreshDone:
        try:
            running.begin()
            return await run_refresh(self._tools, order, running.hold)
        except BaseException as error:  # noqa: BLE001 - the boundary of one job
            verdict = running.verdict(f"refresh of credential {order.credential_id}", error)
            return _not_refreshed(order, verdict)

    async def _resolve(self, order: RunResolve, running: _Running) -> ResolveDone:
        try:
            running.begin()
            return await run_resolve(self._tools, order)
        except BaseException as error:  # noqa: BLE001 - the boundary of one job
            verdict = running.verdict("the look for names", error)
            return ResolveDone(order.job_id, order.epoch, trouble=verdict.reason)


def _left_inflight(order: RunWrite, verdict: Verdict, attempt: Attempt) -> WriteDone:
    return WriteDone(
        order.job_id,
        order.epoch,
        order.outbox_id,
        "pending",
        verdict.reason,
        reaction=verdict.reaction,
        spent=attempt.spent,
    )


def _not_refreshed(order: RunRefresh, verdict: Verdict) -> RefreshDone:
    return RefreshDone(
        order.job_id,
        order.epoch,
        order.credential_id,
        "trouble",
        order.generation,
        reason=verdict.reason,
    )


def _without(order: Order, verdict: Verdict) -> Message:
    """Return the answer of an order that has ended, and of which nothing else can be told."""
    match order:
        case RunJob():
            outcome = ending_of(verdict).outcome
            return JobDone(order.job_id, order.attempt, order.epoch, outcome, 0.0, verdict.reaction)
        case RunWrite():
            return _left_inflight(order, verdict, Attempt())
        case RunRefresh():
            return _not_refreshed(order, verdict)
        case RunResolve():
            return ResolveDone(order.job_id, order.epoch, trouble=verdict.reason)
        case _:
            assert_never(order)


def _done(order: RunJob, ending: Ending, duration_s: float, purse: Purse) -> JobDone:
    return JobDone(
        job_id=order.job_id,
        attempt=order.attempt,
        epoch=order.epoch,
        outcome=ending.outcome,
        duration_s=duration_s,
        reaction=ending.reaction,
        fresh_until=ending.fresh_until,
        changed=ending.changed,
        due=ending.due,
        refresh=ending.refresh,
        grants_changed=ending.grants_changed,
        spent=purse.close(),
        troubled=purse.troubled,
        answered=purse.answered,
    )
