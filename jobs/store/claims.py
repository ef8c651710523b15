"""Claims on rows of the outbox: whose turn it is, who sends it, and how that ends."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    and_,
    bindparam,
    case,
    exists,
    func,
    or_,
    select,
    update,
)

from ipc.subject import SubjectType
from jobs.store.odd_rows import OddRow
from jobs.store.outbox_rows import LIFETIME, OutboxRow, Status, read
from jobs.store.schema.core import access, credential, subject
from jobs.store.schema.core import outbox as table
from jobs.store.subjects import State

_log = logging.getLogger(__name__)
# A claim older than this belongs to nobody any more.
CLAIM_S = 300.0
# How a row ends that cannot be read. What was noted may be that the write is in doubt.
UNREADABLE_END = case(
    (table.c.result.is_not(None), Status.UNCERTAIN.value), else_=Status.FAILED.value
)


@dataclass(frozen=True, slots=True, kw_only=True)
class End:
    """How a claim of a row ends; next_attempt_at None: as it was."""

    id: int
    revision: int
    status: str
    attempts: int
    error: str | None = None
    next_attempt_at: datetime | None = None
    result: str | None = None
    held_until: datetime | None = None


_FREE: dict[str, Any] = {
    "claimed_by_epoch": None,
    "claim_expires_at": None,
    "updated_at": bindparam("now", type_=table.c.updated_at.type),
}
# Made once: putting a statement together costs more than running it. In the order of the numbers:
# two that lock the same rows in another order would wait for each other.
_CLAIMS = (
    select(table.c.id, table.c.status, table.c.revision, table.c.claimed_by_epoch)
    .where(table.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(table.c.id)
    .with_for_update()
)
_END = (
    update(table)
    .where(table.c.id == bindparam("of"))
    .values(
        **_FREE,
        status=bindparam("ended_as"),
        last_error=bindparam("error"),
        attempts=bindparam("tries"),
        result=bindparam("told"),
        held_until=bindparam("until"),
        next_attempt_at=func.coalesce(
            bindparam("next", type_=table.c.next_attempt_at.type), table.c.next_attempt_at
        ),
    )
)
_REPLACED = (
    update(table)
    .where(table.c.id == bindparam("of"))
    .values(
        **_FREE,
        status=Status.PENDING.value,
        next_attempt_at=bindparam("now", type_=table.c.updated_at.type),
    )
)


def find_due(
    connection: Connection, now: datetime, limit: int, without: Collection[int] = ()
) -> list[int]:
    """Return the ids of rows that can be claimed now, oldest first.

    Passed over are rows of a subject that is not active or has no usable credential, and of the
    characters in without, until they expire: then whoever runs them sees the date and ends them.
    Of several rows with one target only the oldest open one is taken, and none while another is
    inflight.
    """
    # In the order of its index the search ends as soon as it has enough; by the time alone, which
    # the index of times would serve, it would look at all that waits.
    is_due = func.coalesce(table.c.next_attempt_at, table.c.created_at) <= now
    query = (
        select(table.c.id)
        .where(
            table.c.status == Status.PENDING.value,
            is_due,
            or_(and_(_is_active(), _has_credential()), is_over(now)),
            ~_has_older(),
        )
        .order_by(table.c.created_at, table.c.id)
        .limit(limit)
    )
    if without:
        is_other = table.c.subject_type != SubjectType.CHARACTER.value
        may_go = or_(is_other, table.c.subject_id.not_in(without), is_over(now))
        query = query.where(may_go)
    return list(connection.scalars(query))


def find_senders(connection: Connection, ids: Iterable[int], now: datetime) -> dict[int, int]:
    """Return the characters of these rows that have not expired, by row."""
    query = select(table.c.id, table.c.subject_id).where(
        table.c.id.in_(list(ids)),
        table.c.subject_type == SubjectType.CHARACTER.value,
        is_over(now).is_not(True),
    )
    return {row.id: row.subject_id for row in connection.execute(query)}


def claim(
    connection: Connection,
    ids: Iterable[int],
    now: datetime,
    epoch: int,
    *,
    claim_s: float = CLAIM_S,
) -> list[OutboxRow]:
    """Mark rows inflight for this epoch that are still pending, and return these, oldest first.

    One that cannot be read ends instead.
    """
    claimed = connection.scalars(
        update(table)
        .where(table.c.id.in_(list(ids)), table.c.status == Status.PENDING.value)
        .values(
            status=Status.INFLIGHT.value,
            claimed_by_epoch=epoch,
            claim_expires_at=now + timedelta(seconds=claim_s),
            updated_at=now,
        )
        .returning(table.c.id)
    ).all()
    rows, odd = read(connection, table.c.id.in_(claimed))
    _end(connection, odd, UNREADABLE_END, now)
    return rows


def found_inflight(connection: Connection, epoch: int, now: datetime) -> list[OutboxRow]:
    """Return the rows that an older epoch had claimed and never ended.

    One that cannot be read is uncertain from now on.
    """
    rows, odd = read(
        connection,
        and_(
            table.c.status == Status.INFLIGHT.value,
            or_(table.c.claimed_by_epoch < epoch, table.c.claimed_by_epoch.is_(None)),
        ),
    )
    leave_uncertain(connection, odd, now)
    return rows


def leave_uncertain(connection: Connection, odd: Iterable[OddRow], now: datetime) -> None:
    """End inflight rows that cannot be read, and so not be looked for."""
    _end(connection, odd, Status.UNCERTAIN.value, now)


def adopt(
    connection: Connection,
    ids: Iterable[int],
    epoch: int,
    now: datetime,
) -> int:
    """Take over rows found inflight, so that this epoch can finish them; return how many."""
    return connection.execute(
        update(table)
        .where(table.c.id.in_(list(ids)), table.c.status == Status.INFLIGHT.value)
        .values(
            claimed_by_epoch=epoch,
            claim_expires_at=now + timedelta(seconds=CLAIM_S),
            updated_at=now,
        )
    ).rowcount


def finish(connection: Connection, end: End, epoch: int, now: datetime) -> str:
    """End one claim; see finish_all."""
    return finish_all(connection, [end], epoch, now)[0]


def finish_all(connection: Connection, ends: Sequence[End], epoch: int, now: datetime) -> list[str]:
    """End claims, each of another row, and return the status that each row has now.

    The status asked for holds for the revision that was sent; where the payload was replaced
    meanwhile, the row is pending again and due at once. A row that is not inflight under this
    epoch is left alone; one that is gone counts as cancelled.
    """
    rows = {row.id: row for row in connection.execute(_CLAIMS, {"ids": [end.id for end in ends]})}
    finals: list[str] = []
    ended: list[dict[str, Any]] = []
    replaced: list[dict[str, Any]] = []
    for end in ends:
        row = rows.get(end.id)
        if row is None:
            finals.append(Status.CANCELLED.value)
        elif row.status != Status.INFLIGHT.value or row.claimed_by_epoch != epoch:
            finals.append(str(row.status))
        elif row.revision != end.revision:
            replaced.append({"of": end.id, "now": now})
            finals.append(Status.PENDING.value)
        else:
            finals.append(Status(end.status).value)
            ended.append(
                {
                    "of": end.id,
                    "now": now,
                    "ended_as": finals[-1],
                    "error": end.error,
                    "next": end.next_attempt_at,
                    "tries": end.attempts,
                    "told": end.result,
                    "until": end.held_until,
                }
            )
    if ended:
        connection.execute(_END, ended)
    if replaced:
        connection.execute(_REPLACED, replaced)
    return finals


def is_over(now: datetime) -> ColumnElement[bool]:
    """Tell whether a row has waited as long as it may; as jobs.writes.decision does for one."""
    unsaid = and_(table.c.expires_at.is_(None), table.c.created_at <= now - LIFETIME)
    return or_(table.c.expires_at <= now, unsaid)


def _end(
    connection: Connection, odd: Iterable[OddRow], status: str | ColumnElement[str], now: datetime
) -> None:
    for row in odd:
        connection.execute(
            update(table)
            .where(table.c.id == row.id, table.c.status == Status.INFLIGHT.value)
            .values(
                status=status,
                last_error=row.reason,
                claimed_by_epoch=None,
                claim_expires_at=None,
                updated_at=now,
            )
        )
        _log.warning("outbox row %d is not sent: %s", row.id, row.reason)


def _is_active() -> ColumnElement[bool]:
    return exists().where(
        subject.c.type == table.c.subject_type,
        subject.c.id == table.c.subject_id,
        subject.c.state == State.ACTIVE.value,
    )


def _has_credential() -> ColumnElement[bool]:
    own = exists().where(
        credential.c.character_id == table.c.subject_id, ~credential.c.needs_reauth
    )
    through = exists().where(
        access.c.subject_type == table.c.subject_type,
        access.c.subject_id == table.c.subject_id,
        access.c.credential_id == credential.c.id,
        ~credential.c.needs_reauth,
    )
    is_character = table.c.subject_type == SubjectType.CHARACTER.value
    return or_(and_(is_character, own), and_(~is_character, through))


def _has_older() -> ColumnElement[bool]:
    older = table.alias("older")
    return exists().where(
        table.c.target != "",
        older.c.subject_type == table.c.subject_type,
        older.c.subject_id == table.c.subject_id,
        older.c.target == table.c.target,
        older.c.id != table.c.id,
        or_(
            older.c.status == Status.INFLIGHT.value,
            and_(
                older.c.status == Status.PENDING.value,
                # One that was made, and is only to be seen yet, holds up nothing.
                or_(older.c.result.is_(None), older.c.result.not_like('{"sent":%')),
                or_(
                    older.c.created_at < table.c.created_at,
                    and_(older.c.created_at == table.c.created_at, older.c.id < table.c.id),
                ),
            ),
        ),
    )
