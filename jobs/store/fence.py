"""The fence: only the newest scheduler, and the workers it started, may write."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select, update

from jobs.errors import Fenced
from jobs.store import statements
from jobs.store.schema.core import owner

_CHECK = {
    "sqlite": "SELECT epoch FROM owner WHERE id = 1",
    # A plain SELECT lets a stale writer commit after a newer owner has; the row lock does not.
    "postgresql": "SELECT epoch FROM owner WHERE id = 1 FOR SHARE",
}


def take_ownership(connection: Connection, host: str, pid: int, now: datetime) -> int:
    """Make this daemon the only one that may write, and return its epoch."""
    values = {"host": host, "pid": pid, "started_at": now}
    epoch = connection.scalar(
        update(owner)
        .where(owner.c.id == 1)
        .values(epoch=owner.c.epoch + 1, **values)
        .returning(owner.c.epoch)
    )
    if epoch is None:
        # Two first boots at once: the loser fails on the primary key, and nothing is written.
        connection.execute(owner.insert().values(id=1, epoch=1, **values))
        return 1
    return int(epoch)


def check(connection: Connection, epoch: int) -> None:
    """Raise Fenced unless the database belongs to this epoch, until the transaction ends.

    A lower epoch than ours means that an older copy of the database was put in its place: it is
    as little ours to write as a newer one.
    """
    found = statements.scalar(connection, _CHECK[connection.dialect.name])
    if found != epoch:
        raise Fenced(int(found or 0))


def life(connection: Connection) -> tuple[int, str] | None:
    """Return the owner's epoch, and a word that is no other owner's; None when there never was one.

    Of two copies of a database both may come to the same epoch.
    """
    row = connection.execute(select(owner)).first()
    if row is None:
        return None
    return row.epoch, f"{row.epoch} {row.host} {row.pid} {row.started_at.isoformat()}"


def current(connection: Connection) -> tuple[int, str, int] | None:
    """Return epoch, host and pid of the owner; None when there never was one."""
    row = connection.execute(select(owner.c.epoch, owner.c.host, owner.c.pid)).first()
    return None if row is None else (row.epoch, row.host, row.pid)
