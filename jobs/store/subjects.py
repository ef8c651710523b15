"""Subjects: whose data is mirrored, and what is left of one that is forgotten."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum
from typing import Any

from sqlalchemy import ColumnElement, Connection, Row, and_, delete, or_, select, update

from ipc.subject import Subject, SubjectType
from jobs.errors import SubjectGone
from jobs.store import grants, odd_rows, statements
from jobs.store.inserts import insert
from jobs.store.schema import core, metadata
from jobs.store.schema.core import subject as table
from jobs.store.schema.marks import owner_column

_STATE = {
    "sqlite": "SELECT state FROM subject WHERE type = ? AND id = ?",
    "postgresql": "SELECT state FROM subject WHERE type = %s AND id = %s FOR SHARE",
}


class State(StrEnum):
    """Whether a subject is mirrored."""

    ACTIVE = "active"
    # Its rows are kept, and nothing is asked any more.
    WITHDRAWN = "withdrawn"
    # Its rows were removed.
    DELETED = "deleted"


def is_of_ours(type_column: ColumnElement[str]) -> ColumnElement[bool]:
    """Return whether a row is of a type of subject that this version knows."""
    return type_column.in_([word.value for word in SubjectType])


def all_states(connection: Connection) -> dict[Subject, State]:
    """Return every subject that was ever known.

    A row with a word or a number that is none of ours, as another version or program may write it,
    is left out: it must not keep all others from being mirrored.
    """
    query = select(table.c.type, table.c.id, table.c.state).where(
        is_of_ours(table.c.type),
        table.c.state.in_([word.value for word in State]),
    )
    return dict(odd_rows.read_well(connection, table, query, _state))


def _state(row: Row[Any]) -> tuple[Subject, State]:
    odd_rows.require_id(row.id, "id")
    return Subject(SubjectType(row.type), row.id), State(row.state)


def enroll(connection: Connection, subject: Subject, now: datetime) -> None:
    """Make a subject active, whatever it was."""
    _set_state(connection, subject, State.ACTIVE, now)


def discover(connection: Connection, subject: Subject, now: datetime) -> None:
    """Add a subject that was never known; one that was withdrawn or deleted stays so."""
    grants.execute(
        connection,
        insert(connection, table)
        .values(
            type=subject.type.value,
            id=subject.id,
            state=State.ACTIVE.value,
            created_at=now,
            updated_at=now,
        )
        .on_conflict_do_nothing(index_elements=["type", "id"]),
    )


def withdraw(connection: Connection, subject: Subject, now: datetime) -> bool:
    """Stop mirroring a subject, its rows are kept; tell whether it was mirrored.

    A deleted one stays deleted.
    """
    changed = grants.execute(
        connection,
        update(table)
        .where(_is(subject), table.c.state == State.ACTIVE.value)
        .values(state=State.WITHDRAWN.value, updated_at=now),
    )
    return changed > 0


def mark_deleted(connection: Connection, subject: Subject, now: datetime) -> None:
    """Remember that a subject was forgotten, so that no discovery brings it back."""
    _set_state(connection, subject, State.DELETED, now)


def require_active(connection: Connection, subject: Subject) -> None:
    """Raise SubjectGone unless the subject is active; it stays so until the transaction ends."""
    if subject.type is SubjectType.GLOBAL:
        return
    sql = _STATE[connection.dialect.name]
    state = statements.scalar(connection, sql, (subject.type.value, subject.id))
    if state != State.ACTIVE.value:
        raise SubjectGone(f"{subject} is {state or 'not known'}")


def delete_rows(connection: Connection, subject: Subject) -> dict[str, int]:
    """Remove a subject's rows from all tables but the shared ones; return how many from each.

    What is known of its requests goes too: else a later 304 would claim rows that are not there.
    """
    if subject.type is SubjectType.GLOBAL:
        raise ValueError("the global subject owns no rows")
    column = f"{subject.type}_id"
    counts: dict[str, int] = {}
    for mirror in metadata.sorted_tables[::-1]:
        if owner_column(mirror) == column:
            counts[mirror.name] = connection.execute(
                delete(mirror).where(mirror.c[column] == subject.id)
            ).rowcount
    mine = ("subject_type", "subject_id")
    for own in (core.ledger, core.outbox, core.access):
        counts[own.name] = connection.execute(
            delete(own).where(own.c[mine[0]] == subject.type.value, own.c[mine[1]] == subject.id)
        ).rowcount
    counts["route_state"] = _delete_route_states(connection, subject, column)
    if subject.type is SubjectType.CHARACTER:
        counts["credential"] = _delete_credentials(connection, subject.id)
    return {name: count for name, count in counts.items() if count}


def _delete_route_states(connection: Connection, subject: Subject, column: str) -> int:
    states = core.route_state
    # Params are canonical JSON: no blanks, and the number ends at a comma or a brace.
    about: list[ColumnElement[bool]] = [
        states.c.params.like(f'%"{column}":{subject.id}{end}%') for end in ",}"
    ]
    if subject.type is SubjectType.CHARACTER:
        about.append(states.c.owner_id == subject.id)
    return connection.execute(delete(states).where(or_(*about))).rowcount


def _delete_credentials(connection: Connection, character_id: int) -> int:
    own = core.credential.c.character_id == character_id
    ids = select(core.credential.c.id).where(own)
    connection.execute(delete(core.access).where(core.access.c.credential_id.in_(ids)))
    return connection.execute(delete(core.credential).where(own)).rowcount


def _set_state(connection: Connection, subject: Subject, state: State, now: datetime) -> None:
    statement = insert(connection, table).values(
        type=subject.type.value, id=subject.id, state=state.value, created_at=now, updated_at=now
    )
    grants.execute(
        connection,
        statement.on_conflict_do_update(
            index_elements=["type", "id"],
            set_={"state": statement.excluded.state, "updated_at": statement.excluded.updated_at},
            where=table.c.state != statement.excluded.state,
        ),
    )


def _is(subject: Subject) -> ColumnElement[bool]:
    return and_(table.c.type == subject.type.value, table.c.id == subject.id)
