"""The whole ledger, as its readers see it."""

from __future__ import annotations

from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs.store import ledger
from jobs.store.ledger import LedgerRow
from jobs.store.schema.core import ledger as table

_TYPES = [one.value for one in SubjectType]


def load_all(connection: Connection) -> list[LedgerRow]:
    """Return the rows of all subjects."""
    query = select(table.c.subject_type, table.c.subject_id).distinct()
    found = connection.execute(query.where(table.c.subject_type.in_(_TYPES)))
    return ledger.load_of(connection, [Subject(SubjectType(of), number) for of, number in found])
