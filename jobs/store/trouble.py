"""What a failure of SQLAlchemy or of a driver means, and how it is told to people."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from enum import Enum, auto

from sqlalchemy.exc import DataError, DBAPIError, IntegrityError

from jobs.store.errors import StoreBusy, StoreCorrupt, StoreForeign, StoreUnavailable


class Trouble(Enum):
    """What a failure of the driver means to whoever runs the transaction."""

    # Rolled back by the database: the whole unit can run again at once.
    RERUN = auto()
    # The connection is gone.
    LOST = auto()
    BUSY = auto()
    CORRUPT = auto()
    UNAVAILABLE = auto()
    # Its user may not do what we must.
    FORBIDDEN = auto()
    # None of these: a mistake in the statement or a violated constraint.
    OTHER = auto()


_RERUN_CODES = {sqlite3.SQLITE_BUSY_SNAPSHOT, sqlite3.SQLITE_BUSY_RECOVERY}
_SQLITE = {
    sqlite3.SQLITE_BUSY: Trouble.BUSY,
    sqlite3.SQLITE_LOCKED: Trouble.BUSY,
    sqlite3.SQLITE_CORRUPT: Trouble.CORRUPT,
    sqlite3.SQLITE_NOTADB: Trouble.CORRUPT,
    sqlite3.SQLITE_FULL: Trouble.UNAVAILABLE,
    sqlite3.SQLITE_IOERR: Trouble.UNAVAILABLE,
    sqlite3.SQLITE_READONLY: Trouble.UNAVAILABLE,
    sqlite3.SQLITE_CANTOPEN: Trouble.UNAVAILABLE,
    sqlite3.SQLITE_PERM: Trouble.UNAVAILABLE,
    sqlite3.SQLITE_NOMEM: Trouble.UNAVAILABLE,
    sqlite3.SQLITE_PROTOCOL: Trouble.UNAVAILABLE,
}
_SQLSTATE = {
    "40001": Trouble.RERUN,  # serialization failure
    "40P01": Trouble.RERUN,  # deadlock
    "55P03": Trouble.BUSY,  # lock_timeout
    "57014": Trouble.BUSY,  # statement_timeout or cancelled by an operator
    "25006": Trouble.UNAVAILABLE,  # read-only server
    "3D000": Trouble.UNAVAILABLE,  # no such database
    "42501": Trouble.FORBIDDEN,
    "XX001": Trouble.CORRUPT,
    "XX002": Trouble.CORRUPT,
}
_SQLSTATE_CLASS = {
    "08": Trouble.LOST,
    "57": Trouble.LOST,
    "28": Trouble.UNAVAILABLE,  # authentication
    "53": Trouble.UNAVAILABLE,  # disk full, out of memory, too many connections
    "58": Trouble.UNAVAILABLE,  # I/O error at the server
}


def diagnose(error: Exception) -> Trouble:
    """Tell what an error of SQLAlchemy or of a driver means."""
    if isinstance(error, DBAPIError):
        if error.connection_invalidated:
            return Trouble.LOST
        return diagnose(error.orig) if isinstance(error.orig, Exception) else Trouble.OTHER
    if isinstance(error, sqlite3.Error):
        code = getattr(error, "sqlite_errorcode", None)
        if code is None:
            return Trouble.OTHER
        return Trouble.RERUN if code in _RERUN_CODES else _SQLITE.get(code & 0xFF, Trouble.OTHER)
    return _diagnose_postgres(error)


def _diagnose_postgres(error: Exception) -> Trouble:
    state = getattr(error, "sqlstate", None)
    if state is None:
        # psycopg has no state for what never reached a server, or lost it.
        return Trouble.LOST if type(error).__name__ == "OperationalError" else Trouble.OTHER
    return _SQLSTATE.get(state) or _SQLSTATE_CLASS.get(state[:2], Trouble.OTHER)


def explain(name: str, error: Exception) -> Exception:
    """Return the store's error for a driver's error about the database of that name.

    The error itself when it is a mistake of ours and not the database's state.
    """
    line = first_line(error)
    match diagnose(error):
        case Trouble.BUSY:
            return StoreBusy(f"{name} is locked by somebody else: {line}")
        case Trouble.RERUN:
            return StoreBusy(f"{name}: rolled back again and again: {line}")
        case Trouble.CORRUPT:
            return StoreCorrupt(
                f"{name} is damaged ({line}); it was left as it is: restore a backup"
            )
        case Trouble.FORBIDDEN:
            return StoreForeign(f"{name} does not let this user do what is needed: {line}")
        case Trouble.LOST | Trouble.UNAVAILABLE:
            return StoreUnavailable(f"{name} cannot be used: {line}")
        case Trouble.OTHER:
            return error


@contextmanager
def explained(name: str, driver: type[Exception]) -> Iterator[None]:
    """Turn what SQLAlchemy and the driver raise into the store's errors."""
    try:
        yield
    except (DBAPIError, driver) as error:
        raised = explain(name, error)
        if raised is error:
            raise
        raise raised from error


def is_of_values(error: Exception) -> bool:
    """Tell whether what was to be written is at fault, and neither the database nor a statement.

    Drivers raise the plain ones for texts and numbers that they cannot even hand over.
    """
    if isinstance(error, DBAPIError):
        is_fault = isinstance(error, (DataError, IntegrityError))
        return is_fault and diagnose(error) is Trouble.OTHER
    return isinstance(error, (ValueError, OverflowError))


def is_io_error(error: Exception) -> bool:
    """Tell whether SQLite could not read or write its files."""
    return _sqlite_code(error) & 0xFF == sqlite3.SQLITE_IOERR


def is_read_only(error: Exception) -> bool:
    """Tell whether a transaction or a file may not be written."""
    return _sqlstate(error) == "25006" or _sqlite_code(error) & 0xFF == sqlite3.SQLITE_READONLY


def is_interrupted(error: Exception) -> bool:
    """Tell whether SQLite ended a statement because it was asked to."""
    return _sqlite_code(error) == sqlite3.SQLITE_INTERRUPT


def is_unauthorized(error: Exception) -> bool:
    """Tell whether SQLite's authorizer, which is ours, refused a statement."""
    return _sqlite_code(error) == sqlite3.SQLITE_AUTH


def is_orphan(error: Exception) -> bool:
    """Tell whether a row names a parent row that is not there."""
    return (
        _sqlite_code(error) == sqlite3.SQLITE_CONSTRAINT_FOREIGNKEY or _sqlstate(error) == "23503"
    )


def is_name_taken(error: Exception) -> bool:
    """Tell whether PostgreSQL has that name already; SQLite has no code for it."""
    return _sqlstate(error) == "42P07"


def _sqlite_code(error: Exception) -> int:
    cause = error.orig if isinstance(error, DBAPIError) else error
    code: int = getattr(cause, "sqlite_errorcode", 0)
    return code


def _sqlstate(error: Exception) -> str | None:
    cause = error.orig if isinstance(error, DBAPIError) else error
    return getattr(cause, "sqlstate", None)


def first_line(error: Exception) -> str:
    """Return the driver's own words, without the statement and its parameters."""
    cause = error.orig if isinstance(error, DBAPIError) and error.orig is not None else error
    return (str(cause).strip() or type(cause).__name__).splitlines()[0]
