"""How a connection to either database is opened: its URL, its file, its settings."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from functools import lru_cache
from pathlib import Path
from typing import Any
from urllib.parse import quote

from sqlalchemy import URL, Connection, Engine, create_engine, event
from sqlalchemy.engine import make_url
from sqlalchemy.exc import ArgumentError, NoSuchModuleError
from sqlalchemy.pool import NullPool

from ipc.users import user_name
from jobs.store import statements
from jobs.store.errors import (
    StoreDenied,
    StoreForeign,
    StoreMissing,
    StoreRefused,
    StoreUnavailable,
)

BUSY_TIMEOUT_S = 30.0
CONNECT_TIMEOUT_S = 10
WAL_AUTOCHECKPOINT_PAGES = 1000
# PostgreSQL 14.
CLIENT_CHECK_SINCE = 140_000
# RETURNING, and UPDATE ... FROM, which the statements here rely on.
OLDEST_SQLITE = (3, 35, 0)
# Key in Connection.info: the statement that opens the next transaction on SQLite.
BEGIN = "begin"


def parse(url: str) -> URL:
    """Return the URL in the form used here; StoreRefused when it names no supported database."""
    try:
        parsed = make_url(url)
    # A port that is no number is a ValueError.
    except (ArgumentError, ValueError) as error:
        raise StoreRefused("the database URL cannot be read") from error
    if parsed.drivername in ("postgres", "postgresql", "postgresql+psycopg"):
        return parsed.set(drivername="postgresql+psycopg")
    if parsed.drivername in ("sqlite", "sqlite+pysqlite"):
        if not parsed.database or parsed.database == ":memory:":
            raise StoreRefused("a SQLite database needs a file: write sqlite:////path/to/file.db")
        return parsed.set(drivername="sqlite")
    raise StoreRefused(f"{parsed.drivername} is not supported: use sqlite or postgresql")


def shown(url: URL) -> str:
    """Return how a database is named to people: the path, or the URL without its password."""
    if url.drivername == "sqlite":
        return str(url.database)
    return url.set(query={}).render_as_string(hide_password=True)


def sqlite_path(url: URL) -> Path:
    """Return the path of a SQLite database."""
    return Path(url.database or "").absolute()


def open_engine(
    url: URL, *, create: bool = False, busy_timeout_s: float = BUSY_TIMEOUT_S
) -> Engine:
    """Return an engine without a pool; create: make a SQLite file that is not there."""
    if url.drivername == "sqlite":
        return _sqlite_engine(sqlite_path(url), create=create, busy_timeout_s=busy_timeout_s)
    return _postgres_engine(url, busy_timeout_s=busy_timeout_s)


@lru_cache(maxsize=4)
def kept_engine(url: URL, *, create: bool, busy_timeout_s: float) -> Engine:
    """Return the process's engine for a database: it keeps no connection, but compiled statements.

    Made before a fork, its 1.5 MB are shared by all that come of the fork.
    """
    return open_engine(url, create=create, busy_timeout_s=busy_timeout_s)


def _sqlite_engine(path: Path, *, create: bool, busy_timeout_s: float) -> Engine:
    if sqlite3.sqlite_version_info < OLDEST_SQLITE:
        raise StoreRefused(f"SQLite {sqlite3.sqlite_version} is too old: 3.35 or newer is needed")

    def connect() -> sqlite3.Connection:
        make_private(path, create=create)
        # mode=rw: a file that vanished is not replaced by an empty one.
        connection = sqlite3.connect(
            f"file:{quote(str(path))}?mode=rw",
            uri=True,
            timeout=busy_timeout_s,
            # The driver opens no transaction of its own: every BEGIN is ours.
            isolation_level=None,
            check_same_thread=False,
            cached_statements=256,
        )
        try:
            _set_pragmas(connection, path)
        except BaseException:
            connection.close()
            raise
        return connection

    engine = create_engine("sqlite://", creator=connect, poolclass=NullPool, hide_parameters=True)

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        statements.run_one(connection, connection.info.get(BEGIN, "BEGIN"))

    return engine


def _set_pragmas(connection: sqlite3.Connection, path: Path) -> None:
    mode = connection.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if mode != "wal":
        raise StoreRefused(f"{path} cannot be used in WAL mode; is it on a network file system?")
    connection.execute(f"PRAGMA wal_autocheckpoint={WAL_AUTOCHECKPOINT_PAGES}")
    connection.execute("PRAGMA foreign_keys=ON")
    connection.execute("PRAGMA synchronous=NORMAL")


def make_private(path: Path, *, create: bool) -> None:
    """See to it that a SQLite file is there and is its owner's alone, without opening it.

    Opening and closing it would drop the locks that this process holds through SQLite. SQLite
    gives -wal and -shm the mode of the database itself.
    """
    with naming(path):
        try:
            status = path.stat()
        except FileNotFoundError:
            if not create:
                raise StoreMissing(f"there is no database at {path}") from None
            path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            # O_EXCL: nobody, this process included, can have a lock on what was not there.
            os.close(os.open(path, os.O_CREAT | os.O_EXCL | os.O_RDWR, 0o600))
            return
        if status.st_uid != os.geteuid():
            raise StoreForeign(
                f"{path} belongs to {user_name(status.st_uid)}, and this is "
                f"{user_name(os.geteuid())}: run as that user, or chown it"
            )
        for file in (path, path.with_name(path.name + "-wal"), path.with_name(path.name + "-shm")):
            try:
                if file.stat().st_mode & 0o077:
                    file.chmod(0o600)
            except FileNotFoundError:
                continue


@contextmanager
def naming(path: Path) -> Iterator[None]:
    """Turn what the operating system says of a database's file into the store's errors."""
    try:
        yield
    except PermissionError as error:
        raise StoreDenied(f"{path} cannot be used: {error.strerror}") from error
    except OSError as error:
        raise StoreUnavailable(f"{path} cannot be used: {error.strerror}") from error


def _postgres_engine(url: URL, *, busy_timeout_s: float) -> Engine:
    try:
        engine = create_engine(
            url,
            poolclass=NullPool,
            # The text of an error reaches logs and ledger; values can be tokens.
            hide_parameters=True,
            # The writer's statements take tuples.
            paramstyle="format",
            connect_args={
                "connect_timeout": CONNECT_TIMEOUT_S,
                "application_name": "esisyncd",
                "keepalives_idle": 30,
                "keepalives_interval": 10,
                "keepalives_count": 3,
            },
        )
    # psycopg without a libpq raises an ImportError of its own.
    except (ImportError, NoSuchModuleError) as error:
        raise StoreRefused(
            "PostgreSQL needs psycopg: `pip install '.[postgres]'` in the checkout installs it"
        ) from error

    @event.listens_for(engine, "connect")
    def connect(connection: Any, _record: Any) -> None:
        connection.autocommit = True
        with connection.cursor() as cursor:
            cursor.execute(f"SET lock_timeout = {int(busy_timeout_s * 1000)}")
            cursor.execute("SET TIME ZONE 'UTC'")
            if connection.info.server_version >= CLIENT_CHECK_SINCE:
                # Else what a killed process was running goes on, with its locks.
                cursor.execute("SET client_connection_check_interval = '5s'")
            # Rows of the mirror can be had again; a transaction that cannot says so itself.
            cursor.execute("SET synchronous_commit = off")
        connection.autocommit = False

    return engine
