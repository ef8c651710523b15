"""Asking for a write: the mirror changes at once, and the row of the outbox with it."""

from __future__ import annotations

import itertools
from datetime import datetime, timedelta
from typing import Any

import msgspec
from sqlalchemy import Connection

from ipc.subject import Subject
from ipc.unreadable import UNREADABLE
from jobs.store import outbox
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status
from jobs.writes.kind import WriteKind
from jobs.writes.notes import Notes, notes_of
from jobs.writes.payloads import BadPayload, checked, kind_of
from jobs.writes.settle import forget_validators


def want(
    connection: Connection,
    subject: Subject,
    kind: str,
    payload: Any,
    now: datetime,
    *,
    lifetime: timedelta | None = None,
) -> int:
    """Note that a write is wanted, in the transaction of the caller; return the row's id.

    As want_all, for what takes one row.
    """
    (row_id,) = want_all(connection, subject, kind, payload, now, lifetime=lifetime)
    return row_id


def want_all(
    connection: Connection,
    subject: Subject,
    kind: str,
    payload: Any,
    now: datetime,
    *,
    lifetime: timedelta | None = None,
) -> list[int]:
    """Note that a write is wanted, in the transaction of the caller; return the ids of its rows.

    The payload is a Struct or a mapping; BadPayload names the field that is wrong. One that takes
    several requests becomes several rows. Asked again before it was sent, the newer payload takes
    the place of the older one; what the mirror held before the first of them is what a refusal
    restores. What cannot be repeated is not asked for again while a row that says the same is
    open, and another payload gets a row of its own once the first may have been sent.
    """
    write = kind_of(kind, subject)
    payload = checked(write, payload)
    if write.admit is not None:
        try:
            write.admit(connection, subject, payload)
        except ValueError as error:
            raise BadPayload(f"the payload of {kind} is wrong: {error}") from None
    forget_validators(connection, subject, write)
    pieces = [payload] if write.split is None else write.split(connection, subject, payload)
    until = now + (write.lifetime if lifetime is None else lifetime)
    return [_want(connection, subject, write, piece, now, until) for piece in pieces]


def _want(
    connection: Connection,
    subject: Subject,
    write: WriteKind,
    payload: Any,
    now: datetime,
    until: datetime,
) -> int:
    key = write.dedupe(payload)
    target = key if write.target is None else write.target(payload)
    if not write.repeatable:
        for row in outbox.find_kin(connection, subject, write.name, key):
            if _says(write, row, payload):
                return row.id
        key = _free_key(connection, subject, write, key, target)
    if hasattr(payload, "was"):
        earlier = outbox.find_open(connection, subject, write.name, key)
        was = None if earlier is None else _was(write, earlier.payload)
        if was is not None:
            payload = msgspec.structs.replace(payload, was=was)
    payload = write.apply(connection, subject, payload, now)
    text = msgspec.json.encode(payload).decode()
    return outbox.append(connection, subject, write.name, text, key, now, until, target=target)


def _says(write: WriteKind, row: OutboxRow, payload: Any) -> bool:
    """Tell whether a row wants the same, whatever was there before."""
    try:
        other = msgspec.json.decode(row.payload, type=write.payload)
    except UNREADABLE:
        return False
    if hasattr(payload, "was"):
        other = msgspec.structs.replace(other, was=payload.was)
    return bool(other == payload)


def _free_key(
    connection: Connection, subject: Subject, write: WriteKind, key: str, target: str
) -> str:
    """Return the key of a row that can take a payload without losing track of what was sent."""
    free = key
    for number in itertools.count(2):
        row = outbox.find_open(connection, subject, write.name, free)
        if row is None:
            break
        unsent = row.status is Status.PENDING and notes_of(row) == Notes()
        if unsent and (free == key or row.target == target):
            break
        free = outbox.kin_key(key, number)
    return free


def _was(write: WriteKind, text: str) -> Any:
    """Return what a payload says of the state before it; None if another program left it out."""
    try:
        return msgspec.json.decode(text, type=write.payload).was
    except UNREADABLE:
        return None
