"""What can be asked of contacts: the payloads, what they may hold, and how they are split."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Sequence
from typing import Annotated

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.writes import _contact_rows as rows
from jobs.writes._contact_rows import Was
from jobs.writes.fields import AnId, LabelId

ADDED_AT_ONCE = 100
DELETED_AT_ONCE = 20
MOST_CONTACTS = 1000

Ids = Annotated[tuple[AnId, ...], Meta(min_length=1, max_length=MOST_CONTACTS)]
Standing = Annotated[float, Meta(ge=-10, le=10)]
Labels = Annotated[tuple[LabelId, ...], Meta(max_length=63)]


class _Contacts(msgspec.Struct, frozen=True, forbid_unknown_fields=True, kw_only=True):
    contact_ids: Ids

    def __post_init__(self) -> None:
        """Refuse an id that is there twice."""
        if len(set(self.contact_ids)) < len(self.contact_ids):
            raise ValueError("`contact_ids` has an id twice")


class Add(_Contacts, frozen=True, kw_only=True):
    """Contacts to add, all with one standing."""

    standing: Standing
    watched: bool = False
    label_ids: Labels = ()
    was: tuple[Was, ...] | None = None


class Edit(_Contacts, frozen=True, kw_only=True):
    """Contacts to change; what is left out stays as the mirror has it."""

    standing: Standing
    watched: bool | None = None
    label_ids: Labels | None = None
    was: tuple[Was, ...] | None = None


class Remove(_Contacts, frozen=True, kw_only=True):
    """Contacts to remove."""

    was: tuple[Was, ...] | None = None


AnyChange = Add | Edit | Remove


def key_of(payload: AnyChange) -> str:
    """Return the key of exactly these contacts."""
    text = ",".join(map(str, sorted(payload.contact_ids)))
    if len(text) > 100:
        text = hashlib.sha256(text.encode()).hexdigest()
    return f"contacts:{text}"


def target(_payload: AnyChange) -> str:
    """Return the one target of all of them: their sets of ids can overlap."""
    return "contacts"


def split(connection: Connection, subject: Subject, payload: AnyChange) -> Sequence[AnyChange]:
    """Return one payload for each request."""
    if isinstance(payload, Edit):
        return [piece for one in _alike(connection, subject, payload) for piece in _pieces(one)]
    return list(_pieces(payload))


def _pieces(payload: AnyChange) -> Iterator[AnyChange]:
    size = DELETED_AT_ONCE if isinstance(payload, Remove) else ADDED_AT_ONCE
    ids = payload.contact_ids
    for at in range(0, len(ids), size):
        yield replace(payload, contact_ids=ids[at : at + size], was=None)


def _alike(connection: Connection, subject: Subject, payload: Edit) -> Iterator[Edit]:
    """Fill in what was left out: ESI takes labels and watch off a contact that comes without."""
    if payload.watched is not None and payload.label_ids is not None:
        yield payload
        return
    groups: dict[tuple[bool, tuple[int, ...]], list[int]] = {}
    for known in rows.read(connection, subject, payload.contact_ids):
        watched = bool(known.is_watched) if payload.watched is None else payload.watched
        labels = known.label_ids if payload.label_ids is None else payload.label_ids
        groups.setdefault((watched, labels), []).append(known.contact_id)
    for (watched, labels), ids in groups.items():
        yield replace(payload, contact_ids=tuple(ids), watched=watched, label_ids=labels)


def admit(connection: Connection, subject: Subject, payload: Add) -> None:
    """Refuse more contacts than a character can have."""
    known = rows.read(connection, subject, payload.contact_ids)
    new = sum(one.standing is None for one in known)
    there = rows.count(connection, subject)
    if new and there + new > MOST_CONTACTS:
        raise ValueError(
            f"`contact_ids` has {new} new ones; {subject} has {there} contacts, "
            f"and {MOST_CONTACTS} are the most"
        )


def admit_edit(connection: Connection, subject: Subject, payload: Edit) -> None:
    """Refuse to leave out what the mirror does not know: ESI would take it off."""
    if payload.watched is not None and payload.label_ids is not None:
        return
    known = rows.read(connection, subject, payload.contact_ids)
    strange = ", ".join(str(one.contact_id) for one in known if one.standing is None)
    if strange:
        raise ValueError(
            f"`contact_ids` {strange}: the mirror has no such contacts of {subject}, so "
            "`watched` and `label_ids` must be said"
        )
