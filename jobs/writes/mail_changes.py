"""The writes that concern one mail: mark it as read, label it, delete it."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

import msgspec
from msgspec import Meta
from msgspec.structs import force_setattr, replace
from sqlalchemy import Connection, insert, select, update
from sqlalchemy import delete as delete_from

from ipc.subject import Subject
from jobs.esi.reactions import Absent
from jobs.spec import Route
from jobs.store.schema.mail import mail, mail_label_link
from jobs.writes.fields import AnId, LabelId
from jobs.writes.kind import Sender, WriteKind

CHANGE = Route("PUT", "/characters/{character_id}/mail/{mail_id}", rate_group="char-social")
DELETE = Route("DELETE", "/characters/{character_id}/mail/{mail_id}", rate_group="char-social")
_ORGANIZE = frozenset({"esi-mail.organize_mail.v1"})


class SetRead(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Mark a mail as read, or as unread."""

    mail_id: AnId
    read: bool
    was: bool | None = None


class SetLabels(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Give a mail these labels and no others."""

    mail_id: AnId
    labels: Annotated[tuple[LabelId, ...], Meta(max_length=25)]
    was: tuple[int, ...] | None = None

    def __post_init__(self) -> None:
        """Name each label once."""
        force_setattr(self, "labels", tuple(dict.fromkeys(self.labels)))


class Delete(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """Delete a mail."""

    mail_id: AnId
    # It was in the mirror, and not deleted.
    was: bool | None = None


def key_of(payload: SetRead | SetLabels | Delete) -> str:
    """Return the key of the mail, the same for all writes to it, so that their order is kept."""
    return f"mail:{payload.mail_id}"


def apply_read(
    connection: Connection, subject: Subject, payload: SetRead, _now: datetime
) -> SetRead:
    """Mark the mail in the mirror."""
    was = connection.scalar(select(mail.c.is_read).where(*_is(subject, payload.mail_id)))
    _mark_read(connection, subject, payload.mail_id, read=payload.read)
    return payload if payload.was is not None else replace(payload, was=was)


async def set_read(sender: Sender, payload: SetRead) -> Mapping[str, Any]:
    """Mark the mail at ESI."""
    await sender.ask(CHANGE, _params(sender, payload.mail_id), {"read": payload.read})
    return {}


def restore_read(connection: Connection, subject: Subject, payload: SetRead) -> None:
    """Mark the mail in the mirror as it was."""
    # A row that another program put in has changed nothing, and knows nothing.
    if payload.was is not None:
        _mark_read(connection, subject, payload.mail_id, read=payload.was)


def apply_labels(
    connection: Connection, subject: Subject, payload: SetLabels, _now: datetime
) -> SetLabels:
    """Label the mail in the mirror."""
    links = mail_label_link.c
    was = connection.scalars(
        select(links.label_id)
        .where(links.character_id == subject.id, links.mail_id == payload.mail_id)
        .order_by(links.label_id)
    ).all()
    _set_links(connection, subject, payload.mail_id, payload.labels)
    return payload if payload.was is not None else replace(payload, was=tuple(was))


async def set_labels(sender: Sender, payload: SetLabels) -> Mapping[str, Any]:
    """Label the mail at ESI."""
    await sender.ask(CHANGE, _params(sender, payload.mail_id), {"labels": payload.labels})
    return {}


def restore_labels(connection: Connection, subject: Subject, payload: SetLabels) -> None:
    """Label the mail in the mirror as it was."""
    if payload.was is not None:
        _set_links(connection, subject, payload.mail_id, payload.was)


def apply_delete(
    connection: Connection, subject: Subject, payload: Delete, now: datetime
) -> Delete:
    """Mark the mail as deleted in the mirror."""
    marked = connection.execute(
        update(mail)
        .where(*_is(subject, payload.mail_id), mail.c.deleted_at.is_(None))
        .values(deleted_at=now)
    ).rowcount
    return payload if payload.was is not None else replace(payload, was=marked > 0)


async def delete(sender: Sender, payload: Delete) -> Mapping[str, Any]:
    """Delete the mail at ESI; one that is not there any more is as good as deleted."""
    try:
        await sender.ask(DELETE, _params(sender, payload.mail_id))
    except Absent:
        return {"was_gone": True}
    return {}


def restore_deleted(connection: Connection, subject: Subject, payload: Delete) -> None:
    """Take the mark of deletion off the mail, if it bore none before."""
    if payload.was:
        connection.execute(
            update(mail).where(*_is(subject, payload.mail_id)).values(deleted_at=None)
        )


def _params(sender: Sender, mail_id: int) -> dict[str, int | str]:
    return {"character_id": sender.character_id, "mail_id": mail_id}


def _is(subject: Subject, mail_id: int) -> tuple[Any, Any]:
    return mail.c.character_id == subject.id, mail.c.mail_id == mail_id


def _mark_read(connection: Connection, subject: Subject, mail_id: int, *, read: bool) -> None:
    connection.execute(update(mail).where(*_is(subject, mail_id)).values(is_read=read))


def _set_links(
    connection: Connection, subject: Subject, mail_id: int, labels: tuple[int, ...]
) -> None:
    links = mail_label_link
    connection.execute(
        delete_from(links).where(links.c.character_id == subject.id, links.c.mail_id == mail_id)
    )
    if labels:
        connection.execute(
            insert(links),
            [
                {"character_id": subject.id, "mail_id": mail_id, "label_id": label}
                for label in dict.fromkeys(labels)
            ],
        )


KINDS = (
    WriteKind(
        name="mail.set_read",
        summary="Mark a mail as read, or as unread.",
        feature="mail",
        payload=SetRead,
        scopes=_ORGANIZE,
        routes=(CHANGE,),
        dedupe=key_of,
        apply=apply_read,
        execute=set_read,
        compensate=restore_read,
    ),
    WriteKind(
        name="mail.set_labels",
        summary="Give a mail these labels and no others.",
        feature="mail",
        payload=SetLabels,
        scopes=_ORGANIZE,
        routes=(CHANGE,),
        dedupe=key_of,
        apply=apply_labels,
        execute=set_labels,
        compensate=restore_labels,
    ),
    WriteKind(
        name="mail.delete",
        summary="Delete a mail.",
        feature="mail",
        payload=Delete,
        scopes=_ORGANIZE,
        routes=(DELETE,),
        dedupe=key_of,
        apply=apply_delete,
        execute=delete,
        compensate=restore_deleted,
    ),
)
