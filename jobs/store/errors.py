"""Errors of the store, one type for each reaction of the caller; str() is a line for people."""

from __future__ import annotations


class StoreError(Exception):
    """Root of what the store raises on purpose."""


class StoreUnavailable(StoreError):
    """The database cannot be used now (not reachable, disk full, I/O error): try again later."""


class StoreBusy(StoreUnavailable):
    """Somebody else held the lock for longer than the store waits: try again later."""


class StoreDenied(StoreUnavailable):
    """The operating system does not let this user at the database."""


class StoreMissing(StoreUnavailable):
    """There is no database file; only an upgrade makes one."""


class CommitInDoubt(StoreUnavailable):
    """The connection broke while committing: read back by key whether it was committed."""


class StoreCorrupt(StoreError):
    """The database is damaged: it is kept as it is, and only a person can help."""


class StoreRefused(StoreError):
    """The database is not one that this daemon may use: only a person can help."""


class StoreForeign(StoreRefused):
    """The database is another user's, or its server does not let this one do what is needed."""


class SchemaNewer(StoreRefused):
    """The database was written by a newer version of the daemon."""


class BadRow(StoreError):
    """A row cannot be stored: a column is unknown, or its value is of the wrong type or size."""

    def __init__(self, table: str, column: str, reason: str) -> None:
        super().__init__(f"{table}.{column}: {reason}")
        self.table = table
        self.column = column
        self.reason = reason


class UnfitValue(BadRow):
    """A value does not fit its column: it costs its own row, and no other."""
