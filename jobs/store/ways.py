"""Ways: through which credentials corporations and alliances are read."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, delete, select, update

from ipc.subject import Subject, SubjectType
from jobs.store import grants, odd_rows, subjects
from jobs.store.inserts import insert
from jobs.store.schema.core import access as table
from jobs.store.words import text_of_words, words_of_text

_IS_OURS = subjects.is_of_ours(table.c.subject_type)


@dataclass(frozen=True, slots=True)
class Way:
    """One way to read a corporation or alliance; roles None: not known yet."""

    subject: Subject
    credential_id: int
    roles: frozenset[str] | None
    refused_until: datetime | None
    # What the refusal concerns: whatever needs one of these; None: everything.
    refused_roles: frozenset[str] | None = None


def list_all(connection: Connection) -> list[Way]:
    """Return every way to read a corporation or alliance; one that cannot be read is left out."""
    query = (
        select(table)
        .where(_IS_OURS, table.c.subject_id > 0)
        .order_by(table.c.subject_type, table.c.subject_id, table.c.credential_id)
    )
    return odd_rows.read_well(connection, table, query, _row)


def _row(row: Row[Any]) -> Way:
    odd_rows.require_id(row.subject_id, "subject_id")
    return Way(
        subject=Subject(SubjectType(row.subject_type), row.subject_id),
        credential_id=row.credential_id,
        roles=None if row.roles is None else words_of_text(row.roles),
        refused_until=row.refused_until,
        refused_roles=None if row.refused_roles is None else words_of_text(row.refused_roles),
    )


def link(connection: Connection, subject: Subject, credential_id: int, now: datetime) -> None:
    """Add a way to read a subject, with roles not known yet, unless it is there."""
    grants.execute(
        connection,
        insert(connection, table)
        .values(**_way(subject, credential_id), updated_at=now)
        .on_conflict_do_nothing(),
    )


def set_roles(
    connection: Connection,
    credential_id: int,
    subject: Subject,
    roles: Iterable[str] | None,
    now: datetime,
) -> None:
    """Store the roles that a credential has; where they changed, an earlier refusal is void."""
    text = None if roles is None else text_of_words(roles)
    grants.execute(
        connection,
        insert(connection, table)
        .values(**_way(subject, credential_id), roles=text, updated_at=now)
        .on_conflict_do_update(
            index_elements=["subject_type", "subject_id", "credential_id"],
            set_={"roles": text, "refused_until": None, "refused_roles": None, "updated_at": now},
            where=table.c.roles.is_distinct_from(text),
        ),
    )


def refuse(
    connection: Connection,
    subject: Subject,
    credential_id: int,
    until: datetime,
    now: datetime,
    roles: Iterable[str] = (),
) -> None:
    """Remember that a credential may not read before then what needs one of these roles.

    No roles: nothing of the subject. What was refused before and still is stays so.
    """
    text = text_of_words(roles) or None
    before = connection.execute(
        select(table.c.refused_until, table.c.refused_roles)
        .where(*_is_way(subject, credential_id))
        .with_for_update()
    ).first()
    if before is not None and before.refused_until is not None and before.refused_until > now:
        wider = text is None or before.refused_roles is None
        text = None if wider else text_of_words(words_of_text(f"{text} {before.refused_roles}"))
    refusal = {"refused_until": until, "refused_roles": text, "updated_at": now}
    connection.execute(
        insert(connection, table)
        .values(**_way(subject, credential_id), **refusal)
        .on_conflict_do_update(
            index_elements=["subject_type", "subject_id", "credential_id"], set_=refusal
        )
    )
    grants.note_change(connection)


def unlink(connection: Connection, subject: Subject, credential_id: int) -> None:
    """Remove a way to read a subject: its character is no member any more."""
    grants.execute(
        connection,
        delete(table).where(*_is_way(subject, credential_id)),
    )


def forgive(connection: Connection, credential_id: int, now: datetime) -> None:
    """Have what ESI refused to a credential asked once more; the caller notes the change."""
    connection.execute(
        update(table)
        .where(table.c.credential_id == credential_id)
        .values(refused_until=None, refused_roles=None, updated_at=now)
    )


def move(connection: Connection, old: list[int], new: int, now: datetime) -> None:
    """Read through a new credential what was read through old ones; the caller notes the change.

    Roles are the character's own and stay; a refusal concerned the old token.
    """
    ways = connection.execute(
        select(table.c.subject_type, table.c.subject_id, table.c.roles)
        .where(table.c.credential_id.in_(old), _IS_OURS)
        .order_by(table.c.roles.is_(None), table.c.credential_id)
    ).all()
    connection.execute(delete(table).where(table.c.credential_id.in_(old)))
    for way in ways:
        subject = Subject(SubjectType(way.subject_type), way.subject_id)
        connection.execute(
            insert(connection, table)
            .values(**_way(subject, new), roles=way.roles, updated_at=now)
            .on_conflict_do_nothing()
        )


def _is_way(subject: Subject, credential_id: int) -> Iterator[ColumnElement[bool]]:
    for name, value in _way(subject, credential_id).items():
        yield table.c[name] == value


def _way(subject: Subject, credential_id: int) -> dict[str, Any]:
    return {
        "subject_type": subject.type.value,
        "subject_id": subject.id,
        "credential_id": credential_id,
    }
