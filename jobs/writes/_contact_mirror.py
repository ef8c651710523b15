"""What a write does to the contacts of the mirror, before ESI shows it and after."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Any, TypeVar

from msgspec.structs import replace
from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.writes import _contact_rows as rows
from jobs.writes._contact_payloads import Add, AnyChange, Edit, Remove
from jobs.writes._contact_rows import Was
from jobs.writes.kind import not_made

Change = TypeVar("Change", Add, Edit, Remove)


def apply_add(connection: Connection, subject: Subject, payload: Add, _now: datetime) -> Add:
    """Add the contacts to the mirror."""
    was = rows.read(connection, subject, payload.contact_ids)
    rows.put(
        connection,
        subject,
        [
            replace(
                one,
                standing=payload.standing,
                is_watched=payload.watched,
                label_ids=payload.label_ids,
            )
            for one in was
        ],
    )
    return _noting(payload, was)


def apply_edit(connection: Connection, subject: Subject, payload: Edit, _now: datetime) -> Edit:
    """Change the contacts in the mirror that it has."""
    was = rows.read(connection, subject, payload.contact_ids)
    rows.put(
        connection,
        subject,
        [
            replace(
                one,
                standing=payload.standing,
                is_watched=one.is_watched if payload.watched is None else payload.watched,
                label_ids=one.label_ids if payload.label_ids is None else payload.label_ids,
            )
            for one in was
            if one.standing is not None
        ],
    )
    return _noting(payload, was)


def apply_remove(
    connection: Connection, subject: Subject, payload: Remove, _now: datetime
) -> Remove:
    """Remove the contacts from the mirror."""
    was = rows.read(connection, subject, payload.contact_ids)
    rows.remove(connection, subject, payload.contact_ids)
    return _noting(payload, was)


def _noting(payload: Change, was: tuple[Was, ...]) -> Change:
    """Return a payload that says what was there before it; the first to say so is right."""
    return payload if payload.was is not None else replace(payload, was=was)


def restore(connection: Connection, subject: Subject, payload: AnyChange) -> None:
    """Make the contacts what they were in the mirror."""
    concerned = set(payload.contact_ids)
    rows.put(connection, subject, [one for one in payload.was or () if one.contact_id in concerned])


def rest(payload: AnyChange, result: Mapping[str, Any]) -> AnyChange | None:
    """Return what was not made of a payload; None: all of it was."""
    left = not_made(payload.contact_ids, result)
    return replace(payload, contact_ids=left) if left else None


def shows_set(
    connection: Connection, subject: Subject, payload: Add | Edit, _result: Mapping[str, Any]
) -> bool:
    """Tell whether the mirror has the contacts so."""
    return all(
        rows.is_alike(one.standing, payload.standing)
        and (payload.watched is None or bool(one.is_watched) == payload.watched)
        and (payload.label_ids is None or set(one.label_ids) == set(payload.label_ids))
        for one in rows.read(connection, subject, payload.contact_ids)
    )


def shows_removed(
    connection: Connection, subject: Subject, payload: Remove, _result: Mapping[str, Any]
) -> bool:
    """Tell whether the mirror has none of the contacts."""
    known = rows.read(connection, subject, payload.contact_ids)
    return all(one.standing is None for one in known)


def take_off_labels(
    connection: Connection, subject: Subject, _payload: AnyChange, result: Mapping[str, Any]
) -> None:
    """Take labels off in the mirror that ESI did not put on."""
    lacking: Mapping[str, Sequence[int]] = result.get("labels_not_applied", {})
    known = rows.read(connection, subject, [int(one) for one in lacking])
    rows.put(
        connection,
        subject,
        [
            replace(
                one,
                label_ids=tuple(
                    each for each in one.label_ids if each not in lacking[str(one.contact_id)]
                ),
            )
            for one in known
            if one.standing is not None
        ],
    )
