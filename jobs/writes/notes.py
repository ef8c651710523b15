"""What a row's result keeps while the row is not done: all of it about one revision."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec

from ipc.unreadable import UNREADABLE
from jobs.store.outbox_rows import OutboxRow


class Doubt(msgspec.Struct, frozen=True):
    """From when to when the write must have been made, if it was."""

    revision: int
    since: datetime
    until: datetime


class Sent(msgspec.Struct, frozen=True):
    """The write was made, and is still to be seen at ESI."""

    revision: int
    result: dict[str, Any]


class Progress(msgspec.Struct, frozen=True):
    """What attempts that broke off have made already."""

    revision: int
    of: dict[str, Any]


class Notes(msgspec.Struct, frozen=True, omit_defaults=True):
    """The three of them; each can be missing."""

    in_doubt: Doubt | None = None
    sent: Sent | None = None
    progress: Progress | None = None


def notes_of(row: OutboxRow) -> Notes:
    """Return the notes in a row that are about the payload that it has now."""
    if not row.result:
        return Notes()
    try:
        notes = msgspec.json.decode(row.result, type=Notes)
    except UNREADABLE:
        return Notes()

    def current(note: Any) -> Any:
        return note if note is not None and note.revision == row.revision else None

    return Notes(current(notes.in_doubt), current(notes.sent), current(notes.progress))


def text_of(result: object) -> str:
    """Return notes, or what became of a write, as a row's result keeps them."""
    return msgspec.json.encode(result).decode()


def sent_text(row: OutboxRow, result: Mapping[str, Any]) -> str:
    """Return the note that a row's write was made."""
    return text_of(Notes(sent=Sent(row.revision, dict(result))))


def progress_text(row: OutboxRow, progress: Mapping[str, Any]) -> str | None:
    """Return the note of what was made so far; None if nothing was."""
    if not progress:
        return None
    return text_of(Notes(progress=Progress(row.revision, dict(progress))))
