"""Storing how rows ended: several in one go, each with what its end does to the mirror."""

from __future__ import annotations

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection

from ipc.clock import Clock
from ipc.messages import RunWrite
from jobs.group_commit import is_of_all
from jobs.store import claims, outbox
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status
from jobs.writes.decision import Decision
from jobs.writes.registry import WRITES
from jobs.writes.settle import forget_validators, settle_all
from jobs.writes.twins import unless_anothers

_log = logging.getLogger("jobs.writes")


@dataclass(frozen=True, slots=True)
class Mark:
    """What is to become of a row that an order was about."""

    order: RunWrite
    row: OutboxRow
    decision: Decision
    clock: Clock


@dataclass(frozen=True, slots=True)
class Marked:
    """What the row says now, and why."""

    final: str
    decision: Decision


def mark_all(connection: Connection, marks: Sequence[Mark]) -> list[Marked]:
    """Write the new status of rows, and take back or confirm their changes of the mirror."""
    now = marks[0].clock.now()
    # What was found of one can be another's, and that may be among the others here.
    sure = [mark for mark in marks if mark.decision.otherwise is None]
    made = dict(zip(map(id, sure), _mark_sure(connection, sure, now), strict=True))
    for mark in marks:
        if mark.decision.otherwise is not None:
            decision = unless_anothers(connection, mark.row, mark.decision)
            known = Mark(mark.order, mark.row, decision, mark.clock)
            (made[id(mark)],) = _mark_sure(connection, [known], now)
    return [made[id(mark)] for mark in marks]


def _mark_sure(connection: Connection, marks: Sequence[Mark], now: datetime) -> list[Marked]:
    if not marks:
        return []
    ends = [_end_of(mark, now) for mark in marks]
    finals = claims.finish_all(connection, ends, marks[0].order.epoch, now)
    ended = [
        mark.row
        for mark, final in zip(marks, finals, strict=True)
        if final == mark.decision.status
        and final in (Status.FAILED, Status.DONE)
        and ((kind := WRITES.get(mark.row.kind)) is None or kind.mirrored)
    ]
    if ended:
        _settle(connection, ended, now)
    return [Marked(final, mark.decision) for mark, final in zip(marks, finals, strict=True)]


def _end_of(mark: Mark, now: datetime) -> claims.End:
    row, decision = mark.row, mark.decision
    kind = WRITES.get(row.kind)
    holds = decision.status is Status.DONE and kind is not None and kind.shows is not None
    return claims.End(
        id=row.id,
        revision=mark.order.revision,
        status=decision.status,
        attempts=decision.attempts,
        error=decision.reason or None,
        next_attempt_at=decision.next_attempt_at,
        result=decision.result,
        held_until=now + kind.lag if holds and kind is not None else None,
    )


def _settle(connection: Connection, rows: Sequence[OutboxRow], now: datetime) -> None:
    """Have the mirror follow the ends of rows; where it cannot, they have ended all the same."""
    savepoint = connection.begin_nested()
    try:
        settle_all(connection, [row.id for row in rows], now)
    except Exception as error:
        if is_of_all(error):
            raise
        savepoint.rollback()
        if len(rows) > 1:
            for row in rows:
                _settle(connection, [row], now)
            return
        _let_go(connection, rows[0])
    else:
        savepoint.commit()


def _let_go(connection: Connection, row: OutboxRow) -> None:
    _log.exception("the mirror could not follow the end of outbox row %d", row.id)
    outbox.let_go(connection, row.id)
    kind = WRITES.get(row.kind)
    if kind is not None:
        forget_validators(connection, row.subject, kind)
