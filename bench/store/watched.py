"""The scheduler and its workers, with a watch on the ledger's commits and all transactions.

What runs is the shipped code; only how long it takes is noted, and written to a file at the end.
"""

from __future__ import annotations

import os
import socket
import sqlite3
import threading
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import msgspec

FOLDER_VARIABLE = "BENCH_STORE_FOLDER"
_NAP_S = 0.005


class Watched(msgspec.Struct):
    """What one process noted."""

    # Seconds from the wish to commit rows of the ledger until they were.
    ledger_s: list[float] = []
    # Seconds that each write transaction took, its commit included, and of these of CPU.
    writes_s: list[float] = []
    writes_cpu_s: list[float] = []
    # Seconds by which a thread that sleeps a moment was woken late: how busy the machine is.
    late_s: list[float] = []
    # Errors of SQLite, in its words.
    errors: list[str] = []


def scheduler_main(sock: socket.socket) -> int:
    """Be the scheduler, watched; its workers are so too."""
    from engine import ledger_writer, worker_pool  # noqa: PLC0415 - of the child alone
    from engine.main import main  # noqa: PLC0415

    module = worker_pool.worker_module()
    worker_pool.ENTRY = f"{__name__}:worker_main"
    # Which code they run is still checked against the real one.
    worker_pool.worker_module = lambda: module
    found = _watch_transactions()
    commit = ledger_writer.LedgerWriter._commit  # noqa: SLF001

    async def watched_commit(self: ledger_writer.LedgerWriter) -> None:
        rows = self.waiting
        began_s = time.monotonic()
        await commit(self)
        if rows:
            found.ledger_s.append(time.monotonic() - began_s)

    threading.Thread(target=_watch_machine, args=(found,), daemon=True).start()
    ledger_writer.LedgerWriter._commit = watched_commit  # type: ignore[method-assign]  # noqa: SLF001
    return _kept("scheduler", found, main, sock)


def worker_main(sock: socket.socket) -> int:
    """Be a worker, watched."""
    from jobs import worker  # noqa: PLC0415 - of the child alone

    return _kept(f"worker-{os.getpid()}", _watch_transactions(), worker.main, sock)


def _watch_transactions() -> Watched:
    from jobs.store import database, link  # noqa: PLC0415 - of the child alone

    found = Watched()
    attempt = database.Database._attempt  # noqa: SLF001

    def watched_attempt(self: Any, unit: Any) -> Any:
        began_s, cpu_s = time.monotonic(), time.thread_time()
        try:
            return attempt(self, unit)
        except Exception as error:
            cause = getattr(error, "orig", error)
            if isinstance(cause, sqlite3.Error):
                found.errors.append(str(cause))
            raise
        finally:
            if unit.mode is link.Mode.WRITE:
                found.writes_s.append(time.monotonic() - began_s)
                found.writes_cpu_s.append(time.thread_time() - cpu_s)

    database.Database._attempt = watched_attempt  # type: ignore[method-assign]  # noqa: SLF001
    return found


def _watch_machine(found: Watched) -> None:
    while True:
        began_s = time.monotonic()
        time.sleep(_NAP_S)
        found.late_s.append(time.monotonic() - began_s - _NAP_S)


def _kept(
    name: str, found: Watched, main: Callable[[socket.socket], int], sock: socket.socket
) -> int:
    try:
        return main(sock)
    finally:
        Path(os.environ[FOLDER_VARIABLE], name).write_bytes(msgspec.json.encode(found))


def read(folder: Path) -> dict[str, Watched]:
    """Return what the processes wrote, by their names."""
    return {
        file.name: msgspec.json.decode(file.read_bytes(), type=Watched) for file in folder.iterdir()
    }
