"""What the writer did in the transaction at hand; begins anew with each attempt."""

from __future__ import annotations

from dataclasses import dataclass
from typing import cast

from sqlalchemy import Connection

from jobs.store.errors import UnfitValue

_KEY = "tally"


@dataclass(slots=True)
class Tally:
    """Rows of the mirror in one transaction."""

    # Inserted, updated, closed or deleted.
    changed: int = 0
    # Handed in and found fit.
    kept: int = 0
    # Left out, since a value of theirs cannot be stored.
    skipped: int = 0
    # What the last one of those lacked.
    why: UnfitValue | None = None


def begin(connection: Connection) -> None:
    """Start counting."""
    connection.info[_KEY] = Tally()


def of(connection: Connection) -> Tally:
    """Return the count of the transaction at hand."""
    return cast("Tally", connection.info.setdefault(_KEY, Tally()))
