"""One daemon a database: on PostgreSQL by an advisory lock, held as long as its connection.

SQLite's file is guarded by the supervisor, with a lock beside it.
"""

from __future__ import annotations

from sqlalchemy import Connection, Engine
from sqlalchemy.exc import DBAPIError

from jobs.store import connect, fence
from jobs.store.errors import StoreError
from jobs.store.trouble import explained

_KEY = "hashtext('esisyncd daemon'), hashtext(current_schema())"
_HOLDERS = """
SELECT activity.pid, activity.client_addr::text, activity.backend_start::text
FROM pg_locks AS held
JOIN pg_stat_activity AS activity ON activity.pid = held.pid
WHERE held.locktype = 'advisory' AND held.granted
AND held.database = (SELECT oid FROM pg_database WHERE datname = current_database())
AND held.classid::bigint = (hashtext('esisyncd daemon')::bigint & 4294967295)
AND held.objid::bigint = (hashtext(current_schema())::bigint & 4294967295)
"""


class HeldElsewhere(StoreError):
    """Another daemon works on this database; str() says which."""


class Hold:
    """A database held for this daemon alone; use it from one thread at a time."""

    def __init__(self, engine: Engine | None, connection: Connection | None) -> None:
        """Take the connection that has the lock; none for a database that needs no lock."""
        self._engine = engine
        self._connection = connection

    def is_held(self) -> bool:
        """Ask the server whether the lock's connection lives; False: stop dispatching at once.

        Never connects anew: another daemon may have got the lock in between.
        """
        if self._connection is None:
            return self._engine is None
        try:
            with self._connection.begin():
                self._connection.exec_driver_sql("SELECT 1")
        except DBAPIError:
            self.release()
            return False
        return True

    def release(self) -> None:
        """Let go; the lock ends with the connection."""
        connection, self._connection = self._connection, None
        if connection is not None:
            connection.invalidate()
            connection.close()
        if self._engine is not None:
            self._engine.dispose()


def hold_database(url: str) -> Hold:
    """Hold a database for this daemon until release(); HeldElsewhere says who has it."""
    parsed = connect.parse(url)
    if parsed.drivername == "sqlite":
        return Hold(None, None)
    engine = connect.open_engine(parsed)
    with explained(connect.shown(parsed), engine.dialect.loaded_dbapi.Error):
        connection = engine.connect()
        hold = Hold(engine, connection)
        try:
            with connection.begin():
                got = connection.exec_driver_sql(f"SELECT pg_try_advisory_lock({_KEY})").scalar()
                who = "" if got else _who(connection)
        except BaseException:
            hold.release()
            raise
    if not got:
        hold.release()
        raise HeldElsewhere(f"{connect.shown(parsed)} is held by another esisyncd: {who}")
    return hold


def _who(connection: Connection) -> str:
    parts: list[str] = []
    if connection.exec_driver_sql("SELECT to_regclass('owner')").scalar() is not None:
        owner = fence.current(connection)
        if owner is not None:
            parts.append(f"process {owner[2]} on {owner[1]}")
    for pid, address, since in connection.exec_driver_sql(_HOLDERS):
        parts.append(f"server process {pid} for {address or 'a local client'}, since {since}")
    return ", ".join(parts) or "it left a moment ago"
