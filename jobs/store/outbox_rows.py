"""Rows of the outbox as they are read."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from enum import StrEnum
from typing import Any

import msgspec
from sqlalchemy import (
    ColumnElement,
    Connection,
    Row,
    bindparam,
    func,
    select,
)

from ipc.subject import Subject
from jobs.store import odd_rows
from jobs.store.odd_rows import OddRow
from jobs.store.schema.core import outbox as table

# Words and nothing more: the table's own names are of a type that knows how they are quoted.
_NAMES = tuple("".join(column.name) for column in table.c)
# What could not be sent for so long is given up, where the row says nothing else.
LIFETIME = timedelta(hours=24)


class Status(StrEnum):
    """Where a row stands."""

    PENDING = "pending"
    INFLIGHT = "inflight"
    DONE = "done"
    FAILED = "failed"
    # Nobody can tell whether the write arrived.
    UNCERTAIN = "uncertain"
    CANCELLED = "cancelled"


OPEN = (Status.PENDING, Status.INFLIGHT, Status.UNCERTAIN)


@dataclass(frozen=True, slots=True)
class OutboxRow:
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


_THESE = (
    select(table)
    .where(table.c.id.in_(bindparam("ids", expanding=True)))
    .order_by(table.c.created_at, table.c.id)
)


def get(connection: Connection, id_: int) -> OutboxRow | None:
    """Return one row; None when there is none."""
    return get_all(connection, [id_]).get(id_)


def get_all(connection: Connection, ids: Iterable[int]) -> dict[int, OutboxRow]:
    """Return rows by their numbers; those that cannot be read are left out."""
    rows, _ = odd_rows.read(connection, table, _THESE, _row, {"ids": list(ids)})
    return {row.id: row for row in rows}


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
