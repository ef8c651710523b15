"""What the database says of subjects and credentials, read as one state."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from dataclasses import dataclass, field
from typing import Any

from sqlalchemy import Connection, select

from engine.grants import Holder
from engine.lineup import Lineup
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store import credentials, ledger, subjects, ways
from jobs.store.credentials import Credential
from jobs.store.ledger import LedgerRow
from jobs.store.subjects import State
from jobs.store.ways import Way

# From so many ids on, the whole column is read.
_MANY = 500


@dataclass(frozen=True, slots=True)
class World:
    """Subjects, and the credentials through which each is read."""

    fingerprint: tuple[Any, ...]
    active: frozenset[Subject]
    credentials: tuple[Credential, ...]
    holders: Mapping[Subject, tuple[Holder, ...]]
    # Named by a credential or a way to read, and never seen before.
    strangers: frozenset[Subject] = frozenset()


@dataclass(frozen=True, slots=True)
class History:
    """What is known of subjects that are about to be enrolled."""

    rows: Mapping[JobKey, LedgerRow] = field(default_factory=dict)
    # Those whose parent row exists.
    ready: frozenset[Subject] = frozenset()


def read_world(
    connection: Connection, known: tuple[Any, ...] | None, client_id: str = ""
) -> World | None:
    """Return the world; None when its fingerprint is still the known one.

    client_id: the configured client, to which credentials should belong; empty: to any.
    """
    fingerprint = credentials.fingerprint(connection)
    if fingerprint == known:
        return None
    states = subjects.all_states(connection)
    found = credentials.list_all(connection)
    holders: dict[Subject, list[Holder]] = {}
    by_id: dict[int, Credential] = {}
    for credential in found:
        by_id[credential.id] = credential
        subject = Subject(SubjectType.CHARACTER, credential.character_id)
        holders.setdefault(subject, []).append(_holder(credential, client_id))
    for way in ways.list_all(connection):
        grantor = by_id.get(way.credential_id)
        if grantor is not None:
            holder = _holder(grantor, client_id, way)
            holders.setdefault(way.subject, []).append(holder)
    return World(
        fingerprint,
        frozenset(subject for subject, state in states.items() if state is State.ACTIVE),
        tuple(found),
        {subject: tuple(held) for subject, held in holders.items()},
        frozenset(subject for subject in holders if subject not in states),
    )


def read_history(connection: Connection, lineup: Lineup, of: Collection[Subject]) -> History:
    """Return the ledger rows of subjects, and which of them have their parent row."""
    wanted = frozenset(of)
    rows = {row.key: row for row in ledger.load_of(connection, wanted)}
    ready: set[Subject] = set()
    for subject_type in SubjectType:
        profile = lineup.profile_of(subject_type)
        ids = {subject.id for subject in wanted if subject.type is subject_type}
        if profile is None or profile.parent is None or not ids:
            continue
        column = profile.parent.c[f"{subject_type.value}_id"]
        query = select(column)
        if len(ids) <= _MANY:
            query = query.where(column.in_(ids))
        ready.update(
            Subject(subject_type, found) for found in connection.scalars(query) if found in ids
        )
    return History(rows, frozenset(ready))


def _holder(credential: Credential, client_id: str, way: Way | None = None) -> Holder:
    return Holder(
        credential.id,
        credential.character_id,
        credential.scopes,
        credential.generation,
        credential.needs_reauth,
        way.roles if way else None,
        way.refused_until if way else None,
        way.refused_roles if way else None,
        foreign=client_id not in ("", credential.client_id),
        logged_in_at=credential.logged_in_at,
    )
