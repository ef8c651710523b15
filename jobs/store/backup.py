"""Copies of a SQLite database, made by SQLite itself while others go on using it."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Callable
from pathlib import Path
from urllib.parse import quote

from jobs.store.connect import BUSY_TIMEOUT_S
from jobs.store.errors import StoreCorrupt, StoreUnavailable
from jobs.store.trouble import first_line

# Some 16 MB a step: a writer waits no longer than one.
PAGES_A_STEP = 4096


def back_up(source: Path, target: Path, report: Callable[[str], None]) -> None:
    """Copy a database into a new file of its owner alone, and check the copy.

    FileExistsError when the target is there; a copy that failed is removed.
    """
    os.close(os.open(target, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
    try:
        _copy(source, target, report)
    except sqlite3.Error as error:
        remove(target)
        raise StoreUnavailable(f"no backup of {source} could be made: {first_line(error)}") from (
            error
        )
    except BaseException:
        remove(target)
        raise


def _copy(source: Path, target: Path, report: Callable[[str], None]) -> None:
    told = -1

    def progress(_status: int, remaining: int, total: int) -> None:
        nonlocal told
        tenth = 10 * (total - remaining) // max(1, total)
        if tenth != told:
            told = tenth
            report(f"backup: {tenth * 10} %")

    origin = _open(source)
    try:
        copy = _open(target)
        try:
            origin.backup(copy, pages=PAGES_A_STEP, progress=progress)
            # One file, complete by itself: no -wal is left beside it.
            copy.execute("PRAGMA journal_mode=DELETE")
            answer = copy.execute("PRAGMA quick_check(1)").fetchone()[0]
            if answer != "ok":
                raise StoreCorrupt(f"the backup of {source} is damaged as well: {answer}")
        finally:
            copy.close()
    finally:
        origin.close()


def _open(path: Path) -> sqlite3.Connection:
    connection = sqlite3.connect(
        f"file:{quote(str(path))}?mode=rw", uri=True, timeout=BUSY_TIMEOUT_S, isolation_level=None
    )
    connection.execute("PRAGMA synchronous=FULL")
    return connection


def remove(target: Path) -> None:
    """Remove a copy, with what SQLite may have left beside it."""
    for suffix in ("", "-journal", "-wal", "-shm"):
        target.with_name(target.name + suffix).unlink(missing_ok=True)
