"""Whether a database is sound, beyond answering a query."""

from __future__ import annotations

from sqlalchemy import Connection

from jobs.store.errors import StoreCorrupt

# Some 0.6 s when the file is in the page cache; no start waits longer for it.
CHECKED_BYTES = 256 << 20


def quick_check(connection: Connection) -> bool:
    """Raise StoreCorrupt when SQLite finds damage, and leave the file as it is; tell if it looked.

    A damaged file can answer queries for a long time. The check reads all of it, so a large one
    is left to a person. PostgreSQL looks after itself.
    """
    if connection.dialect.name != "sqlite":
        return False
    pages = connection.exec_driver_sql("PRAGMA page_count").scalar_one()
    page_bytes = connection.exec_driver_sql("PRAGMA page_size").scalar_one()
    if pages * page_bytes > CHECKED_BYTES:
        return False
    # The first fault is enough: looking for all of them takes longer the more there are.
    found = str(connection.exec_driver_sql("PRAGMA quick_check(1)").scalar_one())
    if found != "ok":
        raise StoreCorrupt(
            f"the database is damaged ({' '.join(found.split())}); it was left as it is:"
            " restore a backup, and keep the damaged file"
        )
    return True
