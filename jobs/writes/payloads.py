"""Payloads: read from whatever they came as, and refused by the name of the field."""

from __future__ import annotations

from typing import Any

import msgspec

from ipc.plain_text import encodable
from ipc.subject import Subject, SubjectType
from ipc.unreadable import UNREADABLE
from jobs.errors import JobError
from jobs.store.outbox_rows import OutboxRow
from jobs.writes.kind import WriteKind
from jobs.writes.registry import WRITES


class BadPayload(JobError):
    """What is asked for is no write that could be made; the text names the field."""


def kind_of(name: str, subject: Subject) -> WriteKind:
    """Return the kind of that name; BadPayload if there is none, or none for such a subject."""
    kind = WRITES.get(name)
    if kind is None:
        raise BadPayload(f"nothing here makes writes of the kind {name}")
    if subject.type is not SubjectType.CHARACTER:
        raise BadPayload(f"{name} is for characters, not for {subject}")
    return kind


def checked(kind: WriteKind, payload: Any) -> Any:
    """Return a payload, given as a Struct or a mapping, as the kind's Struct."""
    values = msgspec.to_builtins(payload)
    try:
        made = msgspec.convert(values, kind.payload)
    except msgspec.ValidationError as error:
        raise BadPayload(f"the payload of {kind.name} is wrong: {error}") from None
    _require_text(values)
    return made


def read_row(row: OutboxRow) -> tuple[WriteKind, Any]:
    """Return the kind and the payload of a row; BadPayload if it cannot be carried out."""
    kind = kind_of(row.kind, row.subject)
    try:
        payload = msgspec.json.decode(row.payload, type=kind.payload)
    except UNREADABLE as error:
        raise BadPayload(f"the payload cannot be read: {error}") from None
    _require_text(msgspec.to_builtins(payload))
    return kind, payload


def _require_text(value: Any, field: str = "") -> None:
    """Raise BadPayload if a text in a value is none that both databases could store."""
    match value:
        case str():
            if "\0" in value or encodable(value) != value:
                raise BadPayload(f"the payload is wrong: a character of {field} is none of a text")
        case dict():
            for name, each in value.items():
                _require_text(each, str(name))
        case list() | tuple():
            for each in value:
                _require_text(each, field)
        case _:
            pass
