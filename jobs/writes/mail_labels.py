"""The writes that concern labels for mail: make one, delete one."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Annotated, Any, Literal, get_args

import msgspec
from msgspec import Meta
from msgspec.structs import replace
from sqlalchemy import Connection, delete, insert, select

from ipc.unreadable import UNREADABLE
from jobs.esi.reactions import Absent
from jobs.spec import Route
from jobs.store.inserts import insert as upsert
from jobs.store.schema.mail import mail_label, mail_label_link
from jobs.writes.answers import decoded
from jobs.writes.fields import LabelId
from jobs.writes.kind import Sender, Window, WriteKind, leave_as_is

if TYPE_CHECKING:
    from datetime import datetime

    from ipc.subject import Subject

_GROUP = "char-social"
_PATH = "/characters/{character_id}/mail/labels"
LIST = Route("GET", _PATH, cache_age_s=30, rate_group=_GROUP)
CREATE = Route("POST", _PATH, rate_group=_GROUP)
DELETE = Route("DELETE", f"{_PATH}/{{label_id}}", rate_group=_GROUP)

Color = Literal[
    "#0000fe", "#006634", "#0099ff", "#00ff33", "#01ffff", "#349800", "#660066", "#666666",
    "#999999", "#99ffff", "#9a0000", "#ccff9a", "#e6e6e6", "#fe0000", "#ff6600", "#ffff01",
    "#ffffcd", "#ffffff",
]  # fmt: skip
COLORS: tuple[str, ...] = get_args(Color)


class Create(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A label to make; was: those of this name that were there before."""

    name: Annotated[str, Meta(min_length=1, max_length=40)]
    color: Color = "#ffffff"
    was: tuple[int, ...] | None = None


class Known(msgspec.Struct, frozen=True):
    """A label as the mirror had it, and the mails that bore it."""

    name: str | None
    color: str | None
    unread_count: int | None
    mail_ids: tuple[int, ...]


class Delete(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """A label to delete, from every mail that bears it too."""

    label_id: LabelId
    was: Known | None = None


class _Label(msgspec.Struct):
    label_id: int | None = None
    name: str | None = None


class _Labels(msgspec.Struct):
    labels: tuple[_Label, ...] = ()


# --- make one ----------------------------------------------------------------------------------


def key_of_new(payload: Create) -> str:
    """Return the key: a name can be there once."""
    return f"label:{payload.name}"


def note_known(connection: Connection, subject: Subject, payload: Create, _now: datetime) -> Create:
    """Change nothing in the mirror, where a label needs its number; note its namesakes."""
    if payload.was is not None:
        return payload
    ids = connection.scalars(
        select(mail_label.c.label_id).where(
            mail_label.c.character_id == subject.id, mail_label.c.name == payload.name
        )
    )
    return replace(payload, was=tuple(ids))


async def create(sender: Sender, payload: Create) -> Mapping[str, Any]:
    """Make the label; return its number."""
    body = {"name": payload.name, "color": payload.color}
    answer = await sender.ask(CREATE, {"character_id": sender.character_id}, body)
    try:
        return {"label_id": msgspec.json.decode(answer.body, type=int)}
    except UNREADABLE:
        # It is there all the same; its number comes with the next list of labels.
        return {}


async def find_created(
    sender: Sender, payload: Create, _window: Window, taken: frozenset[int]
) -> Mapping[str, Any] | None:
    """Look for a label of this name that was not there before."""
    answer = await sender.look(LIST, {"character_id": sender.character_id})
    for label in decoded(answer.body, _Labels, "the labels").labels:
        old = label.label_id in (payload.was or ()) or label.label_id in taken
        if label.label_id is not None and label.name == payload.name and not old:
            return {"label_id": label.label_id, "found": True}
    return None


def add_row(
    connection: Connection, subject: Subject, payload: Create, result: Mapping[str, Any]
) -> None:
    """Add the label to the mirror, now that it has a number."""
    label_id = result.get("label_id")
    if label_id is None:
        return
    statement = upsert(connection, mail_label).values(
        character_id=subject.id,
        label_id=label_id,
        name=payload.name,
        color=payload.color,
        unread_count=0,
    )
    connection.execute(
        statement.on_conflict_do_nothing(index_elements=["character_id", "label_id"])
    )


def is_there(
    connection: Connection, subject: Subject, _payload: Create, result: Mapping[str, Any]
) -> bool:
    """Tell whether the mirror has the label that was made."""
    query = select(mail_label.c.label_id).where(
        mail_label.c.character_id == subject.id, mail_label.c.label_id == result.get("label_id")
    )
    return connection.execute(query).first() is not None


# --- delete one --------------------------------------------------------------------------------


def key_of(payload: Delete) -> str:
    """Return the key of the label."""
    return f"label:{payload.label_id}"


def remove_row(connection: Connection, subject: Subject, payload: Delete, _now: datetime) -> Delete:
    """Remove the label from the mirror, and from its mails."""
    label, link = mail_label.c, mail_label_link.c
    row = connection.execute(
        select(mail_label).where(
            label.character_id == subject.id, label.label_id == payload.label_id
        )
    ).first()
    worn = (link.character_id == subject.id, link.label_id == payload.label_id)
    mail_ids = tuple(connection.scalars(select(link.mail_id).where(*worn).order_by(link.mail_id)))
    connection.execute(
        delete(mail_label).where(
            label.character_id == subject.id, label.label_id == payload.label_id
        )
    )
    connection.execute(delete(mail_label_link).where(*worn))
    if payload.was is not None or row is None:
        return payload
    return replace(payload, was=Known(row.name, row.color, row.unread_count, mail_ids))


async def delete_label(sender: Sender, payload: Delete) -> Mapping[str, Any]:
    """Delete the label at ESI; one that is not there any more is as good as deleted."""
    params = {"character_id": sender.character_id, "label_id": payload.label_id}
    try:
        await sender.ask(DELETE, params)
    except Absent:
        return {"was_gone": True}
    return {}


def restore(connection: Connection, subject: Subject, payload: Delete) -> None:
    """Put the label back, and onto its mails."""
    was = payload.was
    if was is None:
        return
    statement = upsert(connection, mail_label).values(
        character_id=subject.id,
        label_id=payload.label_id,
        name=was.name,
        color=was.color,
        unread_count=was.unread_count,
    )
    connection.execute(
        statement.on_conflict_do_nothing(index_elements=["character_id", "label_id"])
    )
    worn = set(
        connection.scalars(
            select(mail_label_link.c.mail_id).where(
                mail_label_link.c.character_id == subject.id,
                mail_label_link.c.label_id == payload.label_id,
            )
        )
    )
    links = [
        {"character_id": subject.id, "mail_id": mail_id, "label_id": payload.label_id}
        for mail_id in was.mail_ids
        if mail_id not in worn
    ]
    if links:
        connection.execute(insert(mail_label_link), links)


def is_gone(
    connection: Connection, subject: Subject, payload: Delete, _result: Mapping[str, Any]
) -> bool:
    """Tell whether the mirror has no such label."""
    query = select(mail_label.c.label_id).where(
        mail_label.c.character_id == subject.id, mail_label.c.label_id == payload.label_id
    )
    return connection.execute(query).first() is None


_ORGANIZE = frozenset({"esi-mail.organize_mail.v1"})

KINDS = (
    WriteKind(
        name="mail.label_create",
        summary="Make a label for mail.",
        feature="mail",
        payload=Create,
        scopes=_ORGANIZE,
        routes=(CREATE,),
        dedupe=key_of_new,
        apply=note_known,
        execute=create,
        compensate=leave_as_is,
        confirm=add_row,
        repeatable=False,
        find=find_created,
        id_field="label_id",
        tables=frozenset({mail_label.name}),
        reads=(LIST,),
        shows=is_there,
    ),
    WriteKind(
        name="mail.label_delete",
        summary="Delete a label for mail, from every mail that bears it too.",
        feature="mail",
        payload=Delete,
        scopes=_ORGANIZE,
        routes=(DELETE,),
        dedupe=key_of,
        apply=remove_row,
        execute=delete_label,
        compensate=restore,
        tables=frozenset({mail_label.name}),
        reads=(LIST,),
        shows=is_gone,
    ),
)
