"""The fence: only the newest scheduler, and the workers it started, may write."""

from __future__ import annotations

from datetime import datetime

from sqlalchemy import Connection, select, update

from jobs.errors import Fenced
from jobs.store import statements
from jobs.store.schema.core import owner
from jobs.store.schema.types import raw_text

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
        # Another program may have put in what is no number.
        raise Fenced(found if isinstance(found, int) else 0)


def life(connection: Connection) -> tuple[int, str] | None:
    """Return the owner's epoch, and a word that is no other owner's; None when there never was one.

    Of two copies of a database both may come to the same epoch.
    """
    # As text: another program may have put in what is no time.
    started_at = raw_text(connection.dialect, owner.c.started_at)
    row = connection.execute(select(owner.c.epoch, owner.c.host, owner.c.pid, started_at)).first()
    return None if row is None else (row[0], " ".join(map(str, row)))


def current(connection: Connection) -> tuple[int, str, int] | None:
    """Return epoch, host and pid of the owner; None when there never was one."""
    row = connection.execute(select(owner.c.epoch, owner.c.host, owner.c.pid)).first()
    return None if row is None else (row.epoch, row.host, row.pid)
