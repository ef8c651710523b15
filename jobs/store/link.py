"""The one connection to a database: opened when it is needed, dropped when it is of no more use."""

from __future__ import annotations

import logging
import time
from enum import Enum, auto
from typing import Literal, cast

from sqlalchemy import Connection
from sqlalchemy.exc import DBAPIError

from jobs.store import connect, statements
from jobs.store.errors import StoreError, StoreUnavailable

_log = logging.getLogger(__name__)

# Reads look so often whether their file still has its name.
FILE_LOOK_S = 1.0
# At the end, so long is waited for who still reads the write-ahead log.
FOLD_WAIT_MS = 500


class Mode(Enum):
    """What a transaction may do."""

    READ = auto()
    # Fills temporary tables; holds no lock on anything that others see.
    STAGE = auto()
    WRITE = auto()


class Link:
    """Used by one thread; what opening raises is the driver's, or the store's own."""

    def __init__(self, url: str, *, create: bool, busy_timeout_s: float) -> None:
        """Take where the database is; StoreRefused when that names none that is supported."""
        self._url = connect.parse(url)
        self.engine = connect.kept_engine(self._url, create=create, busy_timeout_s=busy_timeout_s)
        self.driver_errors: tuple[type[Exception], ...] = (
            DBAPIError,
            cast("type[Exception]", self.engine.dialect.loaded_dbapi.Error),
        )
        # The database was reached for the last transaction; False: the connecting failed.
        self.is_reached = False
        self._connection: Connection | None = None
        self._synchronous = ""
        # Rows that the connection had changed before the transaction at hand; SQLite only.
        self._changed_before = 0
        self._path = None if self.dialect == "postgresql" else connect.sqlite_path(self._url)
        self._file: tuple[int, int] | None = None
        self._look_s = float("-inf")

    @property
    def dialect(self) -> Literal["sqlite", "postgresql"]:
        """Return which database this is."""
        return "sqlite" if self.engine.dialect.name == "sqlite" else "postgresql"

    def __str__(self) -> str:
        """Return how the database is named to people."""
        return connect.shown(self._url)

    def ready(self, mode: Mode, *, durable: bool) -> Connection:
        """Return the connection, ready for one transaction of a mode."""
        self.is_reached = False
        connection = self._open()
        if mode is Mode.WRITE:
            self._check_file()
        elif mode is Mode.READ and self._is_another_file():
            _log.warning("%s was replaced while it was open: it is opened anew", self)
            self.drop()
            connection = self._open()
        self.is_reached = True
        if self.dialect == "sqlite":
            self._prepare_sqlite(connection, mode, durable=durable)
        connection.info[connect.BEGIN] = "BEGIN IMMEDIATE" if mode is Mode.WRITE else "BEGIN"
        return connection

    def require_unchanged(self, connection: Connection) -> None:
        """Raise RuntimeError if the transaction at hand, which only reads, has changed rows.

        PostgreSQL refuses that by itself. SQLite's query_only would too, but each time that it is
        set, every statement that was prepared is prepared again.
        """
        if self.dialect != "sqlite":
            return
        if statements.driver_of(connection).total_changes != self._changed_before:
            raise RuntimeError("a unit of work that only reads has written: it is rolled back")

    def drop(self) -> None:
        """Close the connection; the next transaction opens another one."""
        connection, self._connection = self._connection, None
        if connection is None:
            return
        try:
            connection.invalidate()
            connection.close()
        except self.driver_errors as error:
            _log.debug("closing a broken connection failed: %s", error)

    def fold_log(self) -> None:
        """Empty the write-ahead log, if nobody is in the way; the last one to leave removes it."""
        if self.dialect != "sqlite":
            return
        errors: tuple[type[Exception], ...] = (*self.driver_errors, StoreError)
        try:
            connection = self._open()
            # SQLite would write the log into a file that nobody finds.
            if self._identity() != self._file:
                return
            driver = statements.driver_of(connection)
            driver.execute(f"PRAGMA busy_timeout={FOLD_WAIT_MS}")
            busy = driver.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
        except errors as error:
            _log.warning("%s: its write-ahead log stays: %s", self, error)
            return
        if busy:
            _log.info("%s: others use it, so its write-ahead log stays", self)

    def _open(self) -> Connection:
        if self._connection is None:
            self._connection = self.engine.connect()
            self._synchronous = "NORMAL"
            self._file = self._identity()
        return self._connection

    def _identity(self) -> tuple[int, int] | None:
        if self._path is None:
            return None
        # Its folder may not be looked into, or a disk is gone.
        with connect.naming(self._path):
            try:
                status = self._path.stat()
            except FileNotFoundError:
                return None
        return status.st_dev, status.st_ino

    def _check_file(self) -> None:
        """Refuse to write into a file that no longer has the name: nobody would ever see it."""
        if self._identity() != self._file:
            self.drop()
            raise StoreUnavailable(f"{self} was removed or replaced while it was open")

    def _is_another_file(self) -> bool:
        """Tell now and then whether the file that is read no longer has the name."""
        now_s = time.monotonic()
        if self.dialect != "sqlite" or now_s < self._look_s:
            return False
        self._look_s = now_s + FILE_LOOK_S
        return self._identity() != self._file

    def _prepare_sqlite(self, connection: Connection, mode: Mode, *, durable: bool) -> None:
        driver = statements.driver_of(connection)
        self._changed_before = driver.total_changes
        wanted = "FULL" if durable else "NORMAL"
        if mode is Mode.WRITE and wanted != self._synchronous:
            # Between transactions only; SQLAlchemy would open one, the driver does not.
            driver.execute(f"PRAGMA synchronous={wanted}")
            self._synchronous = wanted
