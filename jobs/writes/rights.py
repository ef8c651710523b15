"""Whether a subject may write at all: asked before a write is noted."""

from __future__ import annotations

from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.errors import MissingScope, NeedsLogin
from jobs.store import credentials, subjects
from jobs.store.subjects import State
from jobs.writes.payloads import kind_of


def require_right(connection: Connection, subject: Subject, kind: str) -> None:
    """Raise MissingScope if no credential of the subject grants the write, NeedsLogin if it has
    none; BadPayload if there is no such kind."""
    needed = kind_of(kind, subject).scopes
    own = [one for one in credentials.list_all(connection) if one.character_id == subject.id]
    if not own:
        raise NeedsLogin(f"there is no credential of {subject}")
    if subjects.all_states(connection).get(subject) is not State.ACTIVE:
        raise NeedsLogin(f"{subject} is not mirrored: nothing is sent for it")
    granted = max((one.scopes & needed for one in own), key=len)
    if granted != needed:
        raise MissingScope(", ".join(sorted(needed - granted)), own[0].id)
