"""What a person can do about a row: have it tried again, or drop it."""

from __future__ import annotations

from datetime import datetime

import msgspec
from sqlalchemy import Connection

from jobs.store import odd_writes, outbox, outbox_rows
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status
from jobs.writes.notes import notes_of
from jobs.writes.payloads import checked, read_row
from jobs.writes.settle import forget_validators, settle


class CannotChange(Exception):
    """The row is in no state in which that can be done; the text says why."""


class UnknownWrite(CannotChange):
    """There is no row of that number."""


def cancel(connection: Connection, row_id: int, now: datetime) -> str | None:
    """Drop a row and take its change of the mirror back.

    One that cannot be read is dropped as it is; then returns why nothing was taken back.
    """
    if outbox_rows.why_unreadable(connection, row_id) is not None:
        # It may be readable but for a time, which matters no more.
        odd_writes.mend_times(connection, row_id, now)
    odd = outbox_rows.why_unreadable(connection, row_id)
    if odd is not None:
        if not outbox.cancel(connection, row_id, now):
            raise CannotChange(f"write {row_id} is neither pending nor uncertain, and {odd}")
        return odd
    row = _row(connection, row_id)
    if row.status in (Status.DONE, Status.FAILED, Status.CANCELLED):
        raise CannotChange(f"write {row_id} is {row.status} already")
    if row.status is Status.INFLIGHT:
        raise CannotChange(f"write {row_id} is being sent right now")
    if notes_of(row).sent is not None:
        raise CannotChange(f"write {row_id} has arrived already, and is only looked at")
    if not outbox.cancel(connection, row_id, now):
        # It was claimed since it was read.
        raise CannotChange(f"write {row_id} is being sent right now")
    settle(connection, row_id, now)
    return None


def retry(connection: Connection, row_id: int, now: datetime) -> OutboxRow:
    """Have a row tried again now; return it as it was.

    For one that is uncertain that is the decision that it did not arrive.
    """
    row = _row(connection, row_id)
    if row.status is Status.PENDING:
        outbox.make_due(connection, row_id, now)
        return row
    if row.status in (Status.DONE, Status.INFLIGHT):
        raise CannotChange(f"write {row_id} is {row.status}")
    other = outbox.find_open(connection, row.subject, row.kind, row.dedupe_key)
    if other is not None and other.id != row_id:
        raise CannotChange(f"write {other.id} is open for the same thing")
    # BadPayload where trying again would not help.
    kind, payload = read_row(row)
    payload = checked(kind, payload)
    forget_validators(connection, row.subject, kind)
    if hasattr(payload, "was"):
        payload = msgspec.structs.replace(payload, was=None)
    payload = kind.apply(connection, row.subject, payload, now)
    outbox.set_payload(connection, row_id, row.revision, msgspec.json.encode(payload).decode())
    outbox.rearm(connection, row_id, now, now + kind.lifetime)
    return row


def _row(connection: Connection, row_id: int) -> OutboxRow:
    row = outbox_rows.get(connection, row_id)
    if row is None:
        odd = outbox_rows.why_unreadable(connection, row_id)
        if odd is None:
            raise UnknownWrite(f"there is no write {row_id}")
        raise CannotChange(f"write {row_id}: {odd}")
    return row
