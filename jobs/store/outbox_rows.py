"""Rows of the outbox as they are read."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    func,
    select,
)

from ipc.subject import Subject, SubjectType
from jobs.store import odd_rows, statements
from jobs.store.odd_rows import OddRow
from jobs.store.schema.core import outbox as table
from jobs.store.write_status import Status

# Words and nothing more: the table's own names are of a type that knows how they are quoted.
_NAMES = tuple("".join(column.name) for column in table.c)
# What could not be sent for so long is given up, where the row says nothing else.
LIFETIME = timedelta(hours=24)


class OutboxRow(msgspec.Struct, frozen=True, kw_only=True):
    """One wanted write."""

    id: int
    subject: Subject
    kind: str
    payload: str
    dedupe_key: str
    target: str
    revision: int
    status: Status
    attempts: int
    next_attempt_at: datetime
    claimed_by_epoch: int | None
    claim_expires_at: datetime | None
    expires_at: datetime | None
    last_error: str | None
    result: str | None
    held_until: datetime | None
    created_at: datetime
    updated_at: datetime


# Of another program's times a zone may be missing.
_Time = Annotated[datetime, Meta(tz=True)]


class _Stored(msgspec.Struct, array_like=True):
    """A row's values in the order of the columns, as SQLite's driver gives them."""

    id: int
    subject_type: SubjectType
    subject_id: Annotated[int, Meta(ge=0)]
    kind: str
    payload: str
    dedupe_key: str
    target: str
    revision: int
    status: Status
    attempts: int
    next_attempt_at: _Time
    claimed_by_epoch: int | None
    claim_expires_at: _Time | None
    expires_at: _Time | None
    last_error: str | None
    result: str | None
    held_until: _Time | None
    created_at: _Time
    updated_at: _Time


_THESE = (
    select(table)
    .where(table.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(table.c.created_at, table.c.id)
)
_THESE_ON_SQLITE = (
    f"SELECT {', '.join(_NAMES)} FROM outbox"  # noqa: S608 - our own names
    " WHERE id IN (SELECT value FROM json_each(?)) ORDER BY created_at, id"
)


def get(connection: Connection, id_: int) -> OutboxRow | None:
    """Return one row; None when there is none."""
    return get_all(connection, [id_]).get(id_)


def get_all(connection: Connection, ids: Iterable[int]) -> dict[int, OutboxRow]:
    """Return rows by their numbers; those that cannot be read are left out."""
    return {row.id: row for row in read_these(connection, ids)[0]}


def read_these(connection: Connection, ids: Iterable[int]) -> tuple[list[OutboxRow], list[OddRow]]:
    """Return rows by their numbers, oldest first, and those that cannot be read."""
    numbers = list(ids)
    if connection.dialect.name == "sqlite":
        # Most often all are as they should be: then there is a quicker way.
        listed = statements.listed(connection.dialect, numbers)
        try:
            found = statements.rows(connection, _THESE_ON_SQLITE, (listed,))
            return [_of_stored(msgspec.convert(row, _Stored)) for row in found], []
        except odd_rows.CAUSES as error:
            odd_rows.raise_if_of_database(error)
    return odd_rows.read(connection, table, _THESE, _row, {"ids": numbers})


def why_unreadable(connection: Connection, id_: int) -> str | None:
    """Return why a row cannot be read; None for one that can, or that is not there."""
    _, odd = read(connection, table.c.id == id_)
    return odd[0].reason if odd else None


def list_rows(
    connection: Connection,
    *,
    subject_: Subject | None = None,
    statuses: Iterable[str] = (),
    limit: int = 1000,
) -> list[OutboxRow]:
    """Return rows, oldest first: all of them, or those of a subject or with one of the statuses.

    Those that cannot be read are left out.
    """
    return list_all(connection, subject_=subject_, statuses=statuses, limit=limit)[0]


def list_all(
    connection: Connection,
    *,
    subject_: Subject | None = None,
    statuses: Iterable[str] = (),
    limit: int = 1000,
) -> tuple[list[OutboxRow], list[OddRow]]:
    """Return what list_rows does, and what it leaves out."""
    terms: list[ColumnElement[bool]] = []
    if subject_ is not None:
        terms += [
            table.c.subject_type == subject_.type.value,
            table.c.subject_id == subject_.id,
        ]
    if wanted := list(statuses):
        terms.append(table.c.status.in_(wanted))
    return read(connection, *terms, limit=limit)


def counts(connection: Connection) -> dict[str, int]:
    """Return how many rows have each status."""
    query = select(table.c.status, func.count()).group_by(table.c.status)
    return {row[0]: row[1] for row in connection.execute(query)}


def read(
    connection: Connection, *terms: ColumnElement[bool], limit: int | None = None
) -> tuple[list[OutboxRow], list[OddRow]]:
    """Return rows of which this holds, oldest first, and those that cannot be read."""
    query = select(table).where(*terms).order_by(table.c.created_at, table.c.id).limit(limit)
    return odd_rows.read(connection, table, query, _row)


def _row(row: Row[Any]) -> OutboxRow:
    """Return a row; ValueError where another program wrote what is none."""
    values: dict[str, Any] = dict(zip(_NAMES, row, strict=True))
    subject_ = {"type": values.pop("subject_type"), "id": values.pop("subject_id")}
    return msgspec.convert({**values, "subject": subject_}, OutboxRow)


def _of_stored(row: _Stored) -> OutboxRow:
    """Return a row; ValueError for a time in another zone, which may lie beyond the calendar."""
    times = (row.next_attempt_at, row.created_at, row.updated_at)
    for time in (*times, row.claim_expires_at, row.expires_at, row.held_until):
        if time is not None and time.tzinfo is not UTC:
            raise ValueError("a time in another zone")
    return OutboxRow(
        id=row.id,
        subject=Subject(row.subject_type, row.subject_id),
        kind=row.kind,
        payload=row.payload,
        dedupe_key=row.dedupe_key,
        target=row.target,
        revision=row.revision,
        status=row.status,
        attempts=row.attempts,
        next_attempt_at=row.next_attempt_at,
        claimed_by_epoch=row.claimed_by_epoch,
        claim_expires_at=row.claim_expires_at,
        expires_at=row.expires_at,
        last_error=row.last_error,
        result=row.result,
        held_until=row.held_until,
        created_at=row.created_at,
        updated_at=row.updated_at,
    )
