"""Where the points are: wrappers around the product's functions, and shorter waits."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable
from contextvars import ContextVar
from dataclasses import replace
from datetime import timedelta
from functools import wraps
from typing import Any

import engine.deaths
import engine.outbox
import engine.sending
import jobs.orders
import jobs.rates
import jobs.store.claims
import jobs.writes.execute
from engine.outbox import Drain
from engine.sending import Sending
from jobs.esi.client import EsiClient
from jobs.esi.transport import Transport
from jobs.logbook import Logbook
from jobs.orders import Orders
from jobs.writes import decision
from jobs.writes.registry import WRITES
from tests.crash.failpoints import ANY, STALL_S, here, stalls

# Patched below, and so of no type.
orders: Any = jobs.orders
rates: Any = jobs.rates
claims: Any = jobs.store.claims
execute: Any = jobs.writes.execute

# In every process that sends: the row that this task is about, 0 in others.
_row: ContextVar[int] = ContextVar("row", default=0)
_sending: ContextVar[bool] = ContextVar("sending", default=False)

# After a write that may have been made; no list at EVE is so old here.
_FOUND_WITHIN = timedelta(seconds=1.5)

RowOf = Callable[..., int]


def hurry() -> None:
    """Shorten what a test would wait for; nothing of it is about the order of things."""
    decision.LOOK_AGAIN_S = 0.4
    # A row that stands still is cut off after this.
    engine.outbox.WRITE_DEADLINE_S = STALL_S / 2
    engine.sending.FIRST_WAIT_S = 0.02
    # One character writes here as much as hundreds do, and the dead give no tokens back.
    rates.GROUPS = {group: tokens * 1_000 for group, tokens in jobs.rates.GROUPS.items()}
    # How fast dead workers are replaced is tested elsewhere.
    engine.deaths.FREE_DEATHS = engine.deaths.TOO_MANY = 10_000


def install() -> None:
    """Put the points in; once in each process tree, before workers are forked off."""
    _of_the_scheduler()
    _of_the_worker()
    _of_the_logbook()
    _of_the_kinds()


def _of_the_scheduler() -> None:
    claim, adopt = claims.claim, claims.adopt

    @wraps(claim)
    def claim_rows(*given: Any, **named: Any) -> Any:
        here("claim.begun", ANY)
        rows = claim(*given, **named)
        for row in rows:
            here("claim.written", row.id)
        return rows

    @wraps(adopt)
    def adopt_rows(connection: Any, ids: list[int], *given: Any) -> Any:
        for row_id in ids:
            here("adopt.begun", row_id)
        found = adopt(connection, ids, *given)
        for row_id in ids:
            here("adopt.written", row_id)
        return found

    claims.claim, claims.adopt = claim_rows, adopt_rows
    send, done, lost = Drain._send, Drain.on_write_done, Sending.on_lost

    def send_row(self: Drain, sending: Sending) -> bool:
        here("adopt.committed" if sending.in_doubt else "claim.committed", sending.row.id)
        sent = send(self, sending)
        if sent:
            here("dispatch.sent", sending.row.id)
        return sent

    Drain._send = send_row  # type: ignore[method-assign]
    Drain.on_write_done = _around(done, "answer.read", "answer.settled", lambda _, s, __: s.row.id)  # type: ignore[method-assign]
    Sending.on_lost = _around(lost, "lost.heard", "lost.kept", lambda s: s.row.id)  # type: ignore[method-assign]


def _of_the_worker() -> None:
    run, give, carry = orders.run_write, orders.give_back, Orders._carry_out

    async def run_write(tools: Any, order: Any, attempt: Any) -> Any:
        _row.set(order.outbox_id)
        here("order.taken", order.outbox_id)
        return await run(tools, order, attempt)

    async def give_back(tools: Any, order: Any, *given: Any) -> Any:
        here("cut.begun", order.outbox_id)
        return await give(tools, order, *given)

    async def carry_out(self: Orders, order: Any, running: Any) -> None:
        await carry(self, order, running)
        if row_id := getattr(order, "outbox_id", 0):
            here("answer.sent", row_id)

    orders.run_write, orders.give_back = run_write, give_back
    Orders._carry_out = carry_out  # type: ignore[method-assign]
    ask, body, attempt_row = EsiClient.ask, Transport._body, execute._attempt

    async def ask_esi(self: EsiClient, route: Any, params: Any, **named: Any) -> Any:
        if route.method == "GET":
            return await ask(self, route, params, **named)
        _sending.set(True)
        here("send.before", _row.get())
        try:
            return await ask(self, route, params, **named)
        finally:
            _sending.set(False)
            here("send.answered", _row.get())
            await _stall("send.answered")

    async def read_body(self: Transport, response: Any) -> bytes:
        if _sending.get():
            here("send.headers", _row.get())
        return await body(self, response)

    async def attempt_it(work: Any, attempt: Any) -> Any:
        here("row.read", work.order.outbox_id)
        decided = await attempt_row(work, attempt)
        here("mark.waiting", work.order.outbox_id)
        await _stall("mark.waiting")
        return decided

    EsiClient.ask, Transport._body = ask_esi, read_body  # type: ignore[method-assign]
    execute._attempt = attempt_it
    claims.finish_all = _around_all(
        claims.finish_all, "mark.begun", "mark.written", lambda end: end.id
    )
    execute.mark_all = _around_all(execute.mark_all, None, "mark.done", lambda mark: mark.row.id)
    execute._answer = _around(
        execute._answer, "mark.committed", None, lambda order, *_: order.outbox_id
    )
    decision.after_cut = _around(
        decision.after_cut, None, "cut.decided", lambda row, *_, **__: row.id
    )


def _of_the_logbook() -> None:
    note = Logbook.note

    def note_row(self: Logbook, row_id: int, job_id: int) -> None:
        note(self, row_id, job_id)
        # 0: it is only carried over.
        if job_id:
            here("send.noted", row_id)

    Logbook.note = note_row  # type: ignore[method-assign]


def _of_the_kinds() -> None:
    """Compensating and looking, of every kind that there is."""
    for kind in list(WRITES.values()):
        find, compensate = kind.find, kind.compensate

        def undo(*given: Any, of: Any = compensate) -> None:
            here("compensate.begun", ANY)
            of(*given)
            here("compensate.done", ANY)

        async def look(*given: Any, of: Any = find) -> Any:
            here("look.begun", _row.get())
            found = await of(*given)
            here("look.answered", _row.get())
            return found

        changed = replace(
            kind,
            compensate=undo,
            find=None if find is None else look,
            found_within=_FOUND_WITHIN,
        )
        WRITES[kind.name] = changed  # type: ignore[index]


async def _stall(point: str) -> None:
    if stalls(point, _row.get()):
        await asyncio.sleep(STALL_S)


def _pass(point: str | None, rows: Iterable[int]) -> None:
    if point is not None:
        for row_id in rows:
            here(point, row_id)


def _around_all(function: Any, before: str | None, after: str | None, row_of: RowOf) -> Any:
    """Pass the points once for each of the rows that a function takes at once."""

    @wraps(function)
    def wrapped(connection: Any, several: Any, *given: Any) -> Any:
        _pass(before, map(row_of, several))
        result = function(connection, several, *given)
        _pass(after, map(row_of, several))
        return result

    return wrapped


def _around(function: Any, before: str | None, after: str | None, row_of: RowOf) -> Any:
    @wraps(function)
    def wrapped(*given: Any, **named: Any) -> Any:
        if before is not None:
            here(before, row_of(*given, **named))
        result = function(*given, **named)
        if after is not None:
            here(after, row_of(*given, **named))
        return result

    return wrapped
