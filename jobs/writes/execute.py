"""Carrying out one claimed row of the outbox, and marking it before anybody is told."""

from __future__ import annotations

import asyncio
import logging
import random
from collections.abc import Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass, field, replace
from datetime import datetime, timedelta
from typing import Any, Literal, cast

from sqlalchemy import Connection

from ipc.messages import RunWrite, Spent, WriteDone
from jobs import rates
from jobs.errors import JobError, NeedsLogin
from jobs.esi.client import EsiAnswer, Token
from jobs.esi.transport import AnswerLost, NotSent
from jobs.logbook import CannotNote
from jobs.purse import Purse
from jobs.spec import Params, Route
from jobs.store import credentials, outbox_rows
from jobs.store.errors import StoreError, StoreUnavailable
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status
from jobs.tokens import token_of
from jobs.tools import Tools
from jobs.writes import decision as deciding
from jobs.writes.decision import Decision, Doubt
from jobs.writes.kind import Window, WriteKind
from jobs.writes.mark import Mark, Marked, mark_all
from jobs.writes.notes import Sent, notes_of, progress_text, sent_text, text_of
from jobs.writes.payloads import BadPayload, read_row
from jobs.writes.registry import WRITES
from jobs.writes.settle import result_of

_log = logging.getLogger("jobs.writes")

Ended = Literal["pending", "done", "failed", "uncertain", "cancelled"]

# The rest of the deadline is for marking the row.
_SEND_SHARE = 0.7
# The database was away when a row was to be marked.
_MARK_AGAIN_S = 1.0
# More rows than a subject can have.
_ALL = 1 << 30


@dataclass(slots=True)
class Attempt:
    """One try to carry a row out, and when something of it first went out to ESI."""

    asked_at: datetime | None = None
    # What was made of the write so far.
    progress: dict[str, Any] = field(default_factory=dict)
    # Of ESI's limits.
    spent: tuple[Spent, ...] = ()


@dataclass(slots=True)
class _Sender:
    """Asks in the name of a character, and notes when that went out."""

    tools: Tools
    order: RunWrite
    token: Token
    attempt: Attempt
    scopes: frozenset[str]
    purse: Purse

    @property
    def character_id(self) -> int:
        """Return the character whose token is used."""
        return self.token.character_id

    @property
    def progress(self) -> dict[str, Any]:
        """Return what was made of the write so far."""
        return self.attempt.progress

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return self.tools.clock.now()

    async def ask(self, route: Route, params: Params, body: Any = None) -> EsiAnswer:
        """Write, and return ESI's answer; an error of jobs.errors otherwise."""
        return await self._ask(route, params, body, _Going(self))

    async def look(self, route: Route, params: Params, body: Any = None) -> EsiAnswer:
        """Ask something that changes nothing."""
        return await self._ask(route, params, body, self.tools.berths.one())

    async def _ask(
        self, route: Route, params: Params, body: Any, going: AbstractAsyncContextManager[None]
    ) -> EsiAnswer:
        return await self.tools.esi.ask(
            route, params, token=self.token, body=body, purse=self.purse, going=going
        )


class _Going:
    """Notes that a write goes out, as soon as there is a berth for it."""

    __slots__ = ("_berth", "_sender")

    def __init__(self, sender: _Sender) -> None:
        self._sender = sender
        self._berth = sender.tools.berths.one()

    async def __aenter__(self) -> None:
        await self._berth.__aenter__()
        try:
            self._note()
        except BaseException:
            await self._berth.__aexit__()
            raise

    async def __aexit__(self, *error: object) -> None:
        await self._berth.__aexit__(*error)

    def _note(self) -> None:
        sender = self._sender
        # What a pause keeps back was not sent.
        sender.tools.gate.check("")
        try:
            sender.tools.logbook.note(sender.order.outbox_id, sender.order.job_id)
        except CannotNote as error:
            raise NotSent(str(error)) from error
        sender.attempt.asked_at = sender.attempt.asked_at or sender.now()


@dataclass(frozen=True, slots=True)
class _Work:
    """An order, the row that it is about, and what there is to carry it out."""

    tools: Tools
    order: RunWrite
    row: OutboxRow
    # The subject's own credentials.
    own: Sequence[tuple[int, credentials.Tokens]]
    purse: Purse

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return self.tools.clock.now()


async def run_write(tools: Tools, order: RunWrite, attempt: Attempt) -> WriteDone:
    """Send one row, or look for it when it is in doubt, mark it, and return the answer."""
    row, own = await tools.reads.read(_find, order.outbox_id)
    if row is None or row.status is not Status.INFLIGHT or row.claimed_by_epoch != order.epoch:
        status = row.status if row is not None else Status.CANCELLED
        return _answer(order, Decision(status, 0, "the row is not claimed"), status.value, tools)
    purse = Purse(tools.leases, tools.clock, order.allowances, rates.WRITE)
    try:
        attempted = await _attempt(_Work(tools, order, row, own, purse), attempt)
    finally:
        attempt.spent = purse.close()
    marked = await tools.marks.write(mark_all, Mark(order, row, attempted, tools.clock))
    final, decision = marked.final, marked.decision
    if final in (Status.FAILED, Status.UNCERTAIN):
        _log.warning("outbox row %d (%s) is %s: %s", row.id, row.kind, final, decision.reason)
    return _answer(order, decision, final, tools, attempt.spent)


async def give_back(
    tools: Tools,
    order: RunWrite,
    reason: str,
    attempt: Attempt,
    counts: bool = False,
) -> WriteDone:
    """Mark a row whose attempt was cut off, and return the answer; waits for the database.

    counts: an error that nobody foresaw ended it.

    Nobody would touch a row again that stays claimed under a scheduler that lives. While the
    database is away there is no answer either, and the scheduler ends this process in the end.
    """

    def unit(connection: Connection) -> Marked:
        now = tools.clock.now()
        row = outbox_rows.get(connection, order.outbox_id)
        if row is None:
            return Marked(Status.CANCELLED.value, Decision(Status.CANCELLED, 0, reason))
        asked_at = row.next_attempt_at if order.in_doubt else attempt.asked_at
        kind = WRITES.get(row.kind)
        decision = deciding.after_cut(
            row,
            now,
            reason,
            repeatable=kind is None or kind.repeatable,
            asked_at=asked_at,
            look_for=None if kind is None else kind.look_for,
            counts=counts,
        )
        progress = notes_of(row).progress
        if not attempt.progress and progress is not None:
            attempt.progress = progress.of
        decision = _with_progress(decision, row, attempt)
        return mark_all(connection, [Mark(order, row, decision, tools.clock)])[0]

    while True:
        try:
            marked = await tools.write(unit, durable=True)
        except StoreUnavailable as error:
            # The scheduler tells that the database is away, once; of rows there may be hundreds.
            _log.debug("outbox row %d cannot be marked yet: %s", order.outbox_id, error)
            await asyncio.sleep(_MARK_AGAIN_S)
        else:
            return _answer(order, marked.decision, marked.final, tools, attempt.spent)


async def _attempt(work: _Work, attempt: Attempt) -> Decision:
    """Return what becomes of the row, after doing what can be done about it now."""
    row, order, now = work.row, work.order, work.now()
    if row.revision != order.revision:
        # Asked for anew meanwhile: the next claim sends what is wanted now.
        return Decision(Status.PENDING, row.attempts, next_attempt_at=now)
    try:
        kind, payload = read_row(row)
    except BadPayload as error:
        return Decision(Status.FAILED, row.attempts, str(error))
    notes = notes_of(row)
    if notes.sent is not None:
        return await _verify(work, kind, payload, notes.sent)
    doubt = notes.in_doubt
    if doubt is None and order.in_doubt and not kind.repeatable:
        if kind.look_for is None:
            return deciding.blind(row, "it was cut off by a crash")
        # Claimed at the earliest when it was due; what sent it is dead, so not later than now.
        since = deciding.not_before(row.next_attempt_at)
        doubt = Doubt(row.revision, since, now + kind.look_for)
    if doubt is not None:
        return await _look(work, kind, payload, doubt)
    if notes.progress is not None:
        attempt.progress = notes.progress.of
    return await _send(work, kind, payload, attempt)


async def _send(work: _Work, kind: WriteKind, payload: Any, attempt: Attempt) -> Decision:
    row = work.row
    try:
        if deciding.is_too_old(row, work.now()):
            why = row.last_error or "it was never sent"
            return _with_progress(Decision(Status.FAILED, row.attempts, why), row, attempt)
        sender = _sender(work, kind.scopes, attempt)
        async with _in_time(work.order):
            result = await kind.execute(sender, payload)
    except StoreError:
        raise
    except Exception as error:  # noqa: BLE001 - what was sent must be marked, whatever happened
        if not isinstance(error, JobError):
            _log.exception("outbox row %d met an error nobody foresaw", row.id)
        decision = deciding.decide(
            error,
            row,
            work.now(),
            _jitter_s(),
            repeatable=kind.repeatable,
            asked_at=attempt.asked_at,
            look_for=kind.look_for,
        )
        return _with_progress(decision, row, attempt)
    if kind.verify is None:
        return deciding.after_sent(row, result)
    sent = Sent(row.revision, dict(result))
    return await _verify(work, kind, payload, sent)


def _with_progress(decision: Decision, row: OutboxRow, attempt: Attempt) -> Decision:
    """Return a decision that keeps what was made so far."""
    if decision.result is not None or not attempt.progress:
        return decision
    if decision.status is Status.FAILED:
        return replace(decision, result=text_of(attempt.progress))
    return replace(decision, result=progress_text(row, attempt.progress))


async def _verify(work: _Work, kind: WriteKind, payload: Any, sent: Sent) -> Decision:
    """Look whether ESI shows what it took; whatever comes of that, the write was made."""
    row = work.row
    assert kind.verify is not None  # noqa: S101 - only such rows are noted as sent
    try:
        sender = _sender(work, frozenset(), Attempt())
        async with _in_time(work.order):
            seen = await kind.verify(sender, payload, sent.result)
    except JobError as error:
        return deciding.after_blind_verify(error, row, sent, work.now(), _jitter_s())
    if isinstance(seen, datetime):
        told = "it arrived; it is looked at when ESI shows it"
        later = sent_text(row, {**sent.result, "seen_at": seen.isoformat()})
        return Decision(Status.PENDING, row.attempts, told, seen, result=later)
    return deciding.after_sent(row, seen)


async def _look(work: _Work, kind: WriteKind, payload: Any, doubt: Doubt) -> Decision:
    """Look for a write of which nobody knows whether it was made; never make it again."""
    row = work.row
    assert kind.find is not None  # noqa: S101 - only such rows come into doubt
    try:
        sender = _sender(work, frozenset(), Attempt())
        taken = await work.tools.read(lambda conn: _taken(conn, row, kind.id_field))
        async with _in_time(work.order):
            found = await kind.find(sender, payload, Window(doubt.since, doubt.until), taken)
    except JobError as error:
        return deciding.after_blind_look(error, row, doubt, work.now(), _jitter_s())
    text = None if found is None else text_of(found)
    return deciding.after_look(row, doubt, work.now(), text)


def _sender(work: _Work, scopes: frozenset[str], attempt: Attempt) -> _Sender:
    """Return a sender with a token of the subject's own credential that carries the scopes."""
    tools = work.tools
    fit = [(number, each) for number, each in work.own if scopes <= each.scopes]
    if not fit:
        missing = ", ".join(sorted(scopes)) if work.own else "any credential"
        raise NeedsLogin(f"{work.row.subject} has not granted {missing}")
    ours = tools.settings.sso.client_id
    number, best = min(fit, key=lambda one: (one[1].needs_reauth, one[1].client_id != ours))
    token = token_of(number, best, work.now())
    return _Sender(tools, work.order, token, attempt, best.scopes, work.purse)


def _find(
    connection: Connection, ids: Sequence[int]
) -> list[tuple[OutboxRow | None, Sequence[tuple[int, credentials.Tokens]]]]:
    """Return rows, and the credentials of whom they are."""
    rows = outbox_rows.get_all(connection, ids)
    own = credentials.with_tokens(connection, {row.subject.id for row in rows.values()})
    found = map(rows.get, ids)
    return [(row, () if row is None else own.get(row.subject.id, ())) for row in found]


class _in_time:  # noqa: N801 - reads as a word in `async with`
    """Ends a request early enough to mark the row; what was sent by then is in doubt."""

    def __init__(self, order: RunWrite) -> None:
        self._limit = asyncio.timeout(order.deadline_s * _SEND_SHARE)

    async def __aenter__(self) -> None:
        await self._limit.__aenter__()

    async def __aexit__(self, *error: Any) -> None:
        try:
            await self._limit.__aexit__(*error)
        except TimeoutError:
            raise AnswerLost("no answer within the deadline") from None


def _taken(connection: Connection, row: OutboxRow, id_field: str) -> frozenset[int]:
    """Return the numbers of what other rows are known to have made."""
    ids: set[int] = set()
    for other in outbox_rows.list_rows(
        connection, subject_=row.subject, statuses=[Status.DONE], limit=_ALL
    ):
        if other.kind == row.kind and other.id != row.id and other.result:
            number = result_of(other).get(id_field)
            if isinstance(number, int):
                ids.add(number)
    return frozenset(ids)


def _answer(
    order: RunWrite, decision: Decision, final: str, tools: Tools, spent: tuple[Spent, ...] = ()
) -> WriteDone:
    wait = timedelta(0)
    if final == Status.PENDING and decision.next_attempt_at is not None:
        wait = max(wait, decision.next_attempt_at - tools.clock.now())
    # A row that somebody else holds is none of ours to report on; for the scheduler it waits.
    status = cast("Ended", final if final != Status.INFLIGHT else "pending")
    return WriteDone(
        job_id=order.job_id,
        epoch=order.epoch,
        outbox_id=order.outbox_id,
        status=status,
        reason=decision.reason,
        next_in_s=wait.total_seconds(),
        reaction=decision.reaction,
        spent=spent,
    )


def _jitter_s() -> float:
    return random.uniform(0.0, deciding.MAX_JITTER_S)  # noqa: S311 - spreads retries, no secret
