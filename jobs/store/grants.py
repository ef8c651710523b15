"""Whether a transaction changed who may read what: subjects, credentials, and ways to read.

Whoever plans by these looks again after such a commit, whichever kind of job made it.
"""

from __future__ import annotations

from sqlalchemy import Connection, Executable

_CHANGED = "grants_changed"


def execute(connection: Connection, change: Executable) -> int:
    """Change one of these tables, note it if any row was, and return how many were."""
    rows = connection.execute(change, execution_options={"preserve_rowcount": True}).rowcount
    if rows:
        note_change(connection)
    return rows


def note_change(connection: Connection) -> None:
    """Note that something was changed."""
    connection.info[_CHANGED] = True


def were_changed(connection: Connection) -> bool:
    """Tell whether this transaction changed any."""
    return bool(connection.info.get(_CHANGED, False))


def begin(connection: Connection) -> None:
    """Start a transaction, which has changed nothing yet."""
    connection.info[_CHANGED] = False
