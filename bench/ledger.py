"""A database for a benchmark: the schema, subjects that are mirrored, and what the ledger says."""

from __future__ import annotations

from collections.abc import Iterable
from datetime import datetime

from sqlalchemy import func, insert, select

from ipc.subject import Subject
from jobs.store import upgrade
from jobs.store.database import Database
from jobs.store.schema.core import ledger, subject


def prepare(url: str, subjects: Iterable[Subject], now: datetime) -> None:
    """Make the schema and the subjects in an empty database."""
    upgrade.prepare(url)
    rows = [
        {"type": s.type, "id": s.id, "state": "active", "created_at": now, "updated_at": now}
        for s in subjects
    ]
    database = Database(url)
    try:
        database.write_now(lambda connection: connection.execute(insert(subject), rows).rowcount)
    finally:
        database.close_now()


def count_successes(url: str) -> int:
    """Return how many jobs succeeded according to the ledger."""
    query = select(func.count()).select_from(ledger).where(ledger.c.last_success_at.is_not(None))
    database = Database(url)
    try:
        return database.read_now(lambda connection: connection.execute(query).scalar_one())
    finally:
        database.close_now()
