"""Claims on rows of the outbox: whose turn it is, who sends it, and how that ends."""

from __future__ import annotations

import logging
from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    and_,
    bindparam,
    case,
    exists,
    func,
    literal,
    or_,
    select,
    text,
    update,
)

from ipc.subject import SubjectType
from jobs.store import statements
from jobs.store.odd_rows import OddRow
from jobs.store.outbox_rows import LIFETIME, OutboxRow, read, read_these
from jobs.store.schema.core import access, credential, subject
from jobs.store.schema.core import outbox as table
from jobs.store.schema.types import time_for
from jobs.store.subjects import State
from jobs.store.write_status import Status

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


_WAITS = "outbox.status = 'pending'"
# Text, as what is marked is marked many at a time: SQLAlchemy's way costs more than the database's.
_CLAIM = (
    "UPDATE outbox SET status = 'inflight', claimed_by_epoch = {0}, claim_expires_at = {0},"
    " updated_at = {0} WHERE {within} AND {waits} RETURNING id"
)
_SENDERS = (
    "SELECT id, subject_id FROM outbox WHERE {within} AND subject_type = 'character'"
    " AND (expires_at > {0} OR (expires_at IS NULL AND created_at > {0}))"
)
# In the order of the numbers: two that lock the same rows in another order would wait for each
# other.
_HELD = "SELECT id, status, revision, claimed_by_epoch FROM outbox WHERE {within} ORDER BY id"
_END = (
    "UPDATE outbox SET status = {0}, last_error = {0}, attempts = {0}, result = {0},"
    " held_until = {0}, next_attempt_at = coalesce({0}, next_attempt_at),"
    " claimed_by_epoch = NULL, claim_expires_at = NULL, updated_at = {0} WHERE id = {0}"
)
_REPLACED = (
    "UPDATE outbox SET status = {0}, next_attempt_at = {0},"
    " claimed_by_epoch = NULL, claim_expires_at = NULL, updated_at = {0} WHERE id = {0}"
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
    values = {"now": now, "born": now - LIFETIME, "limit": limit}
    if without:
        return list(connection.scalars(_DUE_WITHOUT, {**values, "without": list(without)}))
    return list(connection.scalars(_DUE, values))


def find_senders(connection: Connection, ids: Iterable[int], now: datetime) -> dict[int, int]:
    """Return the characters of these rows that have not expired, by row."""
    dialect = connection.dialect
    mark, within = statements.placeholder(dialect), statements.within_list(dialect, "id")
    times = (time_for(dialect, now), time_for(dialect, now - LIFETIME))
    values = (statements.listed(dialect, list(ids)), *times)
    return dict(statements.rows(connection, _SENDERS.format(mark, within=within), values))


def claim(connection: Connection, ids: Iterable[int], now: datetime, epoch: int) -> list[OutboxRow]:
    """Mark rows inflight for this epoch that are still pending, and return these, oldest first.

    One that cannot be read ends instead.
    """
    dialect = connection.dialect
    until = time_for(dialect, now + timedelta(seconds=CLAIM_S))
    mark, within = statements.placeholder(dialect), statements.within_list(dialect, "id")
    listed = statements.listed(dialect, list(ids))
    values = (epoch, until, time_for(dialect, now), listed)
    claimed = statements.rows(connection, _CLAIM.format(mark, within=within, waits=_WAITS), values)
    rows, odd = read_these(connection, [id_ for (id_,) in claimed])
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
    dialect = connection.dialect
    mark, is_sqlite = statements.placeholder(dialect), dialect.name == "sqlite"
    query = _HELD.format(within=statements.within_list(dialect, "id"))
    listed = statements.listed(dialect, [end.id for end in ends])
    found = statements.rows(connection, query + ("" if is_sqlite else " FOR UPDATE"), (listed,))
    claims = {id_: claim for id_, *claim in found}
    inflight = Status.INFLIGHT.value
    at = time_for(dialect, now)
    finals: list[str] = []
    ended: list[tuple[Any, ...]] = []
    replaced: list[tuple[Any, ...]] = []
    for end in ends:
        if end.id not in claims:
            finals.append(Status.CANCELLED.value)
            continue
        status, revision, claimed_by = claims[end.id]
        if status != inflight or claimed_by != epoch:
            finals.append(str(status))
        elif revision != end.revision:
            replaced.append((Status.PENDING.value, at, at, end.id))
            finals.append(Status.PENDING.value)
        else:
            finals.append(Status(end.status).value)
            until, next_at = end.held_until, end.next_attempt_at
            ended.append(
                (
                    finals[-1],
                    end.error,
                    end.attempts,
                    end.result,
                    until and time_for(dialect, until),
                    next_at and time_for(dialect, next_at),
                    at,
                    end.id,
                )
            )
    statements.run_many(connection, _END.format(mark), ended)
    statements.run_many(connection, _REPLACED.format(mark), replaced)
    return finals


def is_over(now: datetime) -> ColumnElement[bool]:
    """Tell whether a row has waited as long as it may; as jobs.writes.decision does for one."""
    return _is_over(
        literal(now, table.c.updated_at.type), literal(now - LIFETIME, table.c.created_at.type)
    )


def _is_over(now: ColumnElement[datetime], born: ColumnElement[datetime]) -> ColumnElement[bool]:
    """born: what was asked for then has waited as long as it may, where it says nothing else."""
    unsaid = and_(table.c.expires_at.is_(None), table.c.created_at <= born)
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


def _due(*terms: ColumnElement[bool]) -> Select[Any]:
    # In the order of its index the search ends as soon as it has enough; by the time alone, which
    # the index of times would serve, it would look at all that waits.
    is_due = func.coalesce(table.c.next_attempt_at, table.c.created_at) <= _NOW
    return (
        select(table.c.id)
        .where(
            text(_WAITS),
            is_due,
            or_(and_(_is_active(), _has_credential()), _IS_OVER),
            ~_has_older(),
            *terms,
        )
        .order_by(table.c.created_at, table.c.id)
        .limit(bindparam("limit"))
    )


def _among(name: str) -> BindParameter[Any]:
    return bindparam(name, expanding=True)


# Made once: putting a statement together costs more than running it.
_NOW = bindparam("now", type_=table.c.updated_at.type)
_IS_OVER = _is_over(_NOW, bindparam("born", type_=table.c.created_at.type))
_DUE = _due()
_DUE_WITHOUT = _due(
    or_(
        table.c.subject_type != SubjectType.CHARACTER.value,
        table.c.subject_id.not_in(_among("without")),
        _IS_OVER,
    )
)
