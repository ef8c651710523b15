"""Two writes that cannot be told apart: what was found of one may be the other's."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection, or_, select

from ipc.unreadable import UNREADABLE
from jobs.store import outbox_rows
from jobs.store.outbox_rows import OutboxRow
from jobs.store.schema.core import outbox as table
from jobs.store.write_status import Status
from jobs.writes.decision import Decision, doubt_of
from jobs.writes.registry import WRITES

# Where a mail is looked for, these are not to be seen of it.
_UNSEEN = frozenset({"body", "approved_cost"})


def unless_anothers(connection: Connection, row: OutboxRow, decision: Decision) -> Decision:
    """Return what becomes of a row whose write was found, in the transaction that marks it.

    Only here nobody else can take the same find for itself.
    """
    if decision.otherwise is None or decision.result is None:
        return decision
    if _is_taken(connection, row, decision.result) or _is_on_its_way(connection, row):
        return decision.otherwise
    return decision


def _is_taken(connection: Connection, row: OutboxRow, result: str) -> bool:
    """Tell whether another row is known to have made what was found."""
    name = WRITES[row.kind].id_field
    found = msgspec.json.decode(result, type=dict[str, Any]).get(name)
    if found is None:
        return False
    # In a result that JSON holds as the first or a later, or as its last field.
    text = f'%"{name}":{found}'
    query = select(table.c.id).where(
        table.c.subject_type == row.subject.type.value,
        table.c.subject_id == row.subject.id,
        table.c.kind == row.kind,
        table.c.id != row.id,
        table.c.status == Status.DONE.value,
        or_(table.c.result.like(text + ",%"), table.c.result.like(text + "}%")),
    )
    return connection.execute(query).first() is not None


def _is_on_its_way(connection: Connection, row: OutboxRow) -> bool:
    """Tell whether one like it is being sent now: what was found may be that one's."""
    seen = _seen(row.payload)
    return any(
        other.id != row.id
        and other.kind == row.kind
        and doubt_of(other) is None
        and _seen(other.payload) == seen
        for other in outbox_rows.list_rows(
            connection, subject_=row.subject, statuses=[Status.INFLIGHT.value]
        )
    )


def _seen(payload: str) -> dict[str, Any] | None:
    """Return what a write shows of itself at ESI; None of a row that another program spoilt."""
    try:
        fields = msgspec.json.decode(payload, type=dict[str, Any])
    except UNREADABLE:
        return None
    return {name: value for name, value in fields.items() if name not in _UNSEEN}
