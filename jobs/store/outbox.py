"""The outbox: writes that a user wants at ESI, until they are known to have been made."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from sqlalchemy import (
    ColumnElement,
    Connection,
    FromClause,
    Select,
    and_,
    bindparam,
    case,
    delete,
    exists,
    or_,
    select,
    update,
)

from ipc.subject import Subject
from jobs.store.inserts import insert
from jobs.store.outbox_rows import OutboxRow, read
from jobs.store.schema.core import OPEN_WRITES
from jobs.store.schema.core import outbox as table
from jobs.store.write_status import OPEN, Status

_REARMED = case(
    (table.c.status == Status.INFLIGHT.value, Status.INFLIGHT.value), else_=Status.PENDING.value
)


def append(
    connection: Connection,
    subject_: Subject,
    kind: str,
    payload_json: str,
    dedupe_key: str,
    now: datetime,
    expires_at: datetime | None,
    *,
    target: str | None = None,
) -> int:
    """Add a write and return its id; one still open for the same thing gets the new payload.

    Such a row counts its attempts anew, is due at once, and comes after what was asked for in
    the meantime. One that is inflight stays so: what is being sent is the older revision, and its
    end makes the row pending again. target: what it is written to; None: the dedupe key.
    """
    statement = insert(connection, table).values(
        subject_type=subject_.type.value,
        subject_id=subject_.id,
        kind=kind,
        payload=payload_json,
        dedupe_key=dedupe_key,
        target=dedupe_key if target is None else target,
        revision=1,
        status=Status.PENDING.value,
        attempts=0,
        next_attempt_at=now,
        expires_at=expires_at,
        created_at=now,
        updated_at=now,
    )
    row_id = connection.scalar(
        statement.on_conflict_do_update(
            index_elements=["subject_type", "subject_id", "kind", "dedupe_key"],
            index_where=OPEN_WRITES,
            set_={
                "payload": statement.excluded.payload,
                "revision": table.c.revision + 1,
                "status": _REARMED,
                "attempts": 0,
                "next_attempt_at": now,
                "expires_at": expires_at,
                "last_error": None,
                "created_at": now,
                "updated_at": now,
            },
        ).returning(table.c.id)
    )
    assert row_id is not None  # noqa: S101 - RETURNING gives the row, new or old
    return int(row_id)


def cancel(connection: Connection, id_: int, now: datetime) -> bool:
    """Take back a row that is not being sent; tell whether it was there to be taken back."""
    cancelled = connection.execute(
        update(table)
        .where(
            table.c.id == id_,
            table.c.status.in_([Status.PENDING.value, Status.UNCERTAIN.value]),
        )
        .values(status=Status.CANCELLED.value, updated_at=now)
    )
    return cancelled.rowcount == 1


def rearm(connection: Connection, id_: int, now: datetime, expires_at: datetime) -> None:
    """Make a row that has ended, or whose end nobody knows, pending and due at once."""
    connection.execute(
        update(table)
        .where(table.c.id == id_)
        .values(
            status=Status.PENDING.value,
            revision=table.c.revision + 1,
            attempts=0,
            next_attempt_at=now,
            expires_at=expires_at,
            last_error=None,
            result=None,
            held_until=None,
            created_at=now,
            updated_at=now,
        )
    )


def make_due(connection: Connection, id_: int, now: datetime) -> bool:
    """Make a pending row due now; tell whether it was pending."""
    made = connection.execute(
        update(table)
        .where(table.c.id == id_, table.c.status == Status.PENDING.value)
        .values(next_attempt_at=now, updated_at=now)
    )
    return made.rowcount == 1


def find_open(
    connection: Connection, subject_: Subject, kind: str, dedupe_key: str
) -> OutboxRow | None:
    """Return the open row about one thing; None when there is none."""
    rows, _ = read(
        connection,
        table.c.subject_type == subject_.type.value,
        table.c.subject_id == subject_.id,
        table.c.kind == kind,
        table.c.dedupe_key == dedupe_key,
        table.c.status.in_(OPEN),
    )
    return rows[0] if rows else None


def kin_key(dedupe_key: str, number: int) -> str:
    """Return the key of another row about the same thing."""
    return f"{dedupe_key}~{number}"


def find_kin(
    connection: Connection, subject_: Subject, kind: str, dedupe_key: str
) -> list[OutboxRow]:
    """Return the open rows about one thing: that of the key, and those with keys made of it."""
    return read(
        connection,
        table.c.subject_type == subject_.type.value,
        table.c.subject_id == subject_.id,
        table.c.kind == kind,
        or_(
            table.c.dedupe_key == dedupe_key,
            table.c.dedupe_key.startswith(f"{dedupe_key}~", autoescape=True),
        ),
        table.c.status.in_(OPEN),
    )[0]


def in_force(
    connection: Connection,
    subject_: Subject,
    kinds: Iterable[str],
    now: datetime,
    target: str | None = None,
) -> list[OutboxRow]:
    """Return the writes that what ESI shows may not have yet, in the order they were asked for."""
    terms = [] if target is None else [table.c.target == target]
    return read(
        connection,
        table.c.subject_type == subject_.type.value,
        table.c.subject_id == subject_.id,
        table.c.kind.in_(list(kinds)),
        _is_in_force(table, now),
        *terms,
    )[0]


def find_followed(connection: Connection, ids: Iterable[int], now: datetime) -> set[int]:
    """Return which of these rows have a later one with their target that in_force() would tell."""
    return set(connection.scalars(_FOLLOWED, {"ids": list(ids), "now": now}))


def set_payload(connection: Connection, id_: int, revision: int, payload_json: str) -> None:
    """Store what a row's payload says of the state before it; what is wanted stays the same.

    Nothing happens to a row that was asked for anew since it was read.
    """
    connection.execute(
        update(table)
        .where(table.c.id == id_, table.c.revision == revision)
        .values(payload=payload_json)
    )


def let_go(connection: Connection, id_: int) -> None:
    """Let what ESI shows win over a write that is done."""
    connection.execute(update(table).where(table.c.id == id_).values(held_until=None))


def prune_done(connection: Connection, before: datetime) -> int:
    """Remove rows done before then; return how many."""
    return connection.execute(
        delete(table).where(table.c.status == Status.DONE.value, table.c.updated_at < before)
    ).rowcount


def _is_in_force(rows: FromClause, now: datetime | ColumnElement[datetime]) -> ColumnElement[bool]:
    is_held = and_(rows.c.status == Status.DONE.value, rows.c.held_until > now)
    return or_(rows.c.status.in_(OPEN), is_held)


def _followed() -> Select[Any]:
    later = table.alias("later")
    is_later = or_(
        later.c.created_at > table.c.created_at,
        and_(later.c.created_at == table.c.created_at, later.c.id > table.c.id),
    )
    now = bindparam("now", type_=table.c.held_until.type)
    return select(table.c.id).where(
        table.c.id.in_(bindparam("ids", expanding=True)),
        exists().where(
            later.c.subject_type == table.c.subject_type,
            later.c.subject_id == table.c.subject_id,
            later.c.target == table.c.target,
            is_later,
            _is_in_force(later, now),
        ),
    )


_FOLLOWED = _followed()
