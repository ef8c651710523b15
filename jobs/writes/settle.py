"""What the end of a write does to the mirror, and what the mirror keeps until ESI agrees."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection

from ipc.subject import Subject
from ipc.unreadable import UNREADABLE
from jobs.store import outbox, outbox_rows, route_states
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status
from jobs.writes.kind import WriteKind
from jobs.writes.notes import notes_of
from jobs.writes.payloads import BadPayload, read_row
from jobs.writes.registry import WRITES


class _Result(msgspec.Struct):
    """What the mirror is told by a result; the rest is for people."""

    made: list[int] = []
    refused: dict[int, Any] = {}
    labels_not_applied: dict[int, list[int]] = {}
    label_id: int | None = None
    fitting_id: int | None = None


def settle(connection: Connection, row_id: int, now: datetime) -> None:
    """Take back a failed or cancelled write in the mirror, or bring in what came of a done one."""
    settle_all(connection, [row_id], now)


def settle_all(connection: Connection, row_ids: Collection[int], now: datetime) -> None:
    """Settle several rows, one after the other."""
    followed = outbox.find_followed(connection, row_ids, now)
    for row in outbox_rows.get_all(connection, row_ids).values():
        _settle(connection, row, now, is_followed=row.id in followed)


def _settle(connection: Connection, row: OutboxRow, now: datetime, *, is_followed: bool) -> None:
    try:
        kind, payload = read_row(row)
    except BadPayload:
        # Such a row has changed nothing.
        return
    if row.status is Status.DONE:
        _bring_in(connection, row, kind, payload, now)
    else:
        _take_back(connection, row, kind, payload)
    forget_validators(connection, row.subject, kind)
    if not is_followed:
        return
    # What was asked for after it wins over both.
    for later in outbox.in_force(connection, row.subject, WRITES, now, row.target):
        if (later.created_at, later.id) > (row.created_at, row.id):
            _assert_again(connection, later, now)


def reassert(
    connection: Connection, subject: Subject, tables: Collection[str], now: datetime
) -> int:
    """Have writes win over the values just loaded into these tables; return how many did.

    One that ESI shows by now is let go: from then on ESI knows better.
    """
    kinds = [kind.name for kind in WRITES.values() if not kind.tables.isdisjoint(tables)]
    if not kinds:
        return 0
    rows = outbox.in_force(connection, subject, kinds, now)
    return sum(_assert_again(connection, row, now) for row in rows)


def forget_validators(connection: Connection, subject: Subject, kind: WriteKind) -> None:
    """Have the next load bring everything: an unchanged answer would leave the change as it is."""
    for route in kind.reads:
        route_states.forget_validators(connection, route.name, subject.id)


def result_of(row: OutboxRow) -> dict[str, Any]:
    """Return what is known of a row that has ended; nothing if nobody can read it."""
    if row.status is Status.CANCELLED:
        progress = notes_of(row).progress
        return {} if progress is None else progress.of
    if row.status not in (Status.DONE, Status.FAILED) or not row.result:
        return {}
    try:
        msgspec.json.decode(row.result, type=_Result)
        return msgspec.json.decode(row.result, type=dict[str, Any])
    except UNREADABLE:
        return {}


def _assert_again(connection: Connection, row: OutboxRow, now: datetime) -> bool:
    try:
        kind, payload = read_row(row)
    except BadPayload:
        return False
    subject, result = row.subject, result_of(row)
    if row.status is Status.DONE:
        if kind.shows is None:
            return False
        made = _made(kind, payload, result)
        if made is None or kind.shows(connection, subject, made, result):
            outbox.let_go(connection, row.id)
            return False
        _bring_in(connection, row, kind, payload, now)
        return True
    if not kind.repeatable:
        # It changes nothing before it is done, and may have been made already: what it noted of
        # the state before tells it from what was there.
        return False
    fresh = replace(payload, was=None) if hasattr(payload, "was") else payload
    fresh = kind.apply(connection, subject, fresh, now)
    if fresh != payload:
        # What a refusal restores is what ESI says now.
        text = msgspec.json.encode(fresh).decode()
        outbox.set_payload(connection, row.id, row.revision, text)
    return True


def _bring_in(
    connection: Connection, row: OutboxRow, kind: WriteKind, payload: Any, now: datetime
) -> None:
    """Show what was made; a mirror job may have brought back ESI's older state meanwhile."""
    result = result_of(row)
    left = kind.rest(payload, result) if kind.rest is not None else None
    if left is not None:
        kind.compensate(connection, row.subject, left)
    made = _made(kind, payload, result)
    if made is not None:
        kind.apply(connection, row.subject, made, now)
    if kind.confirm is not None:
        kind.confirm(connection, row.subject, payload, result)


def _take_back(connection: Connection, row: OutboxRow, kind: WriteKind, payload: Any) -> None:
    left = kind.rest(payload, result_of(row)) if kind.rest is not None else payload
    if left is not None:
        kind.compensate(connection, row.subject, left)


def _made(kind: WriteKind, payload: Any, result: dict[str, Any]) -> Any | None:
    """Return the payload narrowed to what was made; None if nothing was."""
    if kind.rest is None or not result.get("refused"):
        return payload
    refused = {int(one) for one in result["refused"]}
    made = tuple(one for one in payload.contact_ids if one not in refused)
    return replace(payload, contact_ids=made) if made else None
