"""Reading a database without being able to change it: for queries that people write, and exports.

The database itself sees to it: SQLite's file is opened read-only, PostgreSQL's transaction is. What
is read comes in batches, so that a large answer needs little memory.
"""

from __future__ import annotations

import contextlib
import os
import sqlite3
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Protocol
from urllib.parse import quote

from sqlalchemy import URL

from jobs.store import connect
from jobs.store.errors import StoreError
from jobs.store.guard import READ_ONLY, TOKEN_TABLE, TOKENS, tokens_stay_in, why_refused
from jobs.store.trouble import (
    Trouble,
    diagnose,
    explain,
    first_line,
    is_interrupted,
    is_read_only,
    is_unauthorized,
)

if TYPE_CHECKING:
    import psycopg

BATCH = 1000
# Instructions of SQLite between two looks for Ctrl-C: some milliseconds.
_LOOK_EVERY = 20_000
# It shows the file as it is, tokens and all.
_RAW_PAGES = "sqlite_dbpage"
_PRAGMAS = frozenset(
    {
        "table_info", "table_xinfo", "table_list", "index_list", "index_info", "index_xinfo",
        "foreign_key_list", "database_list", "compile_options", "function_list",
        "collation_list", "page_count", "page_size", "freelist_count", "user_version",
    }
)  # fmt: skip
_READING = frozenset({sqlite3.SQLITE_SELECT, sqlite3.SQLITE_RECURSIVE})


class QueryRefused(Exception):
    """The query cannot be run, or may not; the text says why in one line."""


@dataclass(frozen=True, slots=True)
class Answer:
    """What a query gives: the names of its columns, and its rows in batches."""

    columns: tuple[str, ...]
    batches: Iterator[Sequence[tuple[Any, ...]]]


class Reader(Protocol):
    """A database that can only be read."""

    dialect: str

    def ask(self, sql: str, *, ours: bool = False) -> Answer:
        """Run one query; QueryRefused when it is none, would change something or show a token.

        ours: it was written here and not by a person, and names no token.
        """

    def close(self) -> None:
        """End the connection."""


@contextmanager
def open_reader(url: str) -> Iterator[Reader]:
    """Open a database for reading; an error of jobs.store.errors when it cannot be."""
    parsed = connect.parse(url)
    reader: Reader = _Sqlite(parsed) if parsed.drivername == "sqlite" else _Postgres(parsed)
    try:
        yield reader
    finally:
        reader.close()


class _Guard:
    """Tells SQLite whether a statement may do something, while it is compiled."""

    def __init__(self) -> None:
        # The last statement was refused because it reads what shows a token.
        self.kept_tokens = False

    def __call__(
        self, action: int, first: str | None, second: str | None, *_where: str | None
    ) -> int:
        """Answer SQLite."""
        if _is_reading(action, first, second):
            return sqlite3.SQLITE_OK
        self.kept_tokens = action == sqlite3.SQLITE_READ
        return sqlite3.SQLITE_DENY


def _is_reading(action: int, first: str | None, second: str | None) -> bool:
    """Tell whether an action of a statement changes nothing, and shows no token."""
    match action:
        case sqlite3.SQLITE_UPDATE:
            # So does SQLite look when it brings in json_each or dbstat. It refuses all who mean it.
            return first == "sqlite_master"
        case sqlite3.SQLITE_READ:
            return first != _RAW_PAGES and not (first == TOKEN_TABLE and second in TOKENS)
        case sqlite3.SQLITE_PRAGMA:
            return (first or "").lower() in _PRAGMAS
        case sqlite3.SQLITE_FUNCTION:
            return second != "load_extension"
        case _:
            return action in _READING


class _Sqlite:
    """SQLite, opened read-only."""

    dialect = "sqlite"

    def __init__(self, url: URL) -> None:
        path = connect.sqlite_path(url)
        self._name = connect.shown(url)
        how = "mode=ro"
        if _is_resting_copy(path):
            # SQLite would make files beside it, which cannot be here and need not.
            how += "&immutable=1"
        else:
            connect.make_private(path, create=False)
        try:
            self._connection = sqlite3.connect(
                f"file:{quote(str(path))}?{how}",
                uri=True,
                timeout=connect.BUSY_TIMEOUT_S,
                isolation_level=None,
            )
            self._connection.execute("PRAGMA query_only=ON")
            self._connection.execute("SELECT count(*) FROM sqlite_master")
        except sqlite3.Error as error:
            raise explain(self._name, error) from error
        self._guard = _Guard()
        self._connection.set_authorizer(self._guard)
        # Python's own handler of Ctrl-C runs in here, and only in here while SQLite works.
        self._connection.set_progress_handler(lambda: 0, _LOOK_EVERY)

    def ask(self, sql: str, *, ours: bool = False) -> Answer:  # noqa: ARG002
        """Run one query; SQLite watches over each column, whoever wrote it."""
        cursor = self._connection.cursor()
        with self._explained():
            cursor.execute(sql)
        columns = tuple(each[0] for each in cursor.description or ())
        if not columns:
            # Nothing, or comments alone.
            raise QueryRefused("there is no query in that")
        return Answer(columns, _batches(cursor, self._explained))

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        try:
            yield
        except (sqlite3.Error, sqlite3.Warning) as error:
            raise self._reaction(error) from error

    def _reaction(self, error: Exception) -> BaseException:
        if is_interrupted(error):
            return KeyboardInterrupt()
        if is_unauthorized(error):
            return QueryRefused(tokens_stay_in() if self._guard.kept_tokens else READ_ONLY)
        if is_read_only(error):
            return QueryRefused(READ_ONLY)
        found = explain(self._name, error)
        return found if isinstance(found, StoreError) else QueryRefused(first_line(error))


def _batches(
    cursor: Any, explained: Callable[[], AbstractContextManager[None]]
) -> Iterator[Sequence[tuple[Any, ...]]]:
    while True:
        with explained():
            rows = cursor.fetchmany(BATCH)
        if not rows:
            return
        yield rows


def _is_resting_copy(path: Path) -> bool:
    """Tell whether a file lies where nothing can be written, and nobody has it open."""
    with connect.naming(path):
        if not path.exists() or os.access(path.parent, os.W_OK, effective_ids=True):
            return False
        return not any(path.with_name(path.name + end).exists() for end in ("-wal", "-shm"))


class _Postgres:
    """PostgreSQL, in a read-only transaction."""

    dialect = "postgresql"

    def __init__(self, url: URL) -> None:
        self._name = connect.shown(url)
        self._engine = connect.open_engine(url)
        try:
            self._pooled = self._engine.raw_connection()
        except self._engine.dialect.loaded_dbapi.Error as error:
            raise explain(self._name, error) from error
        self._connection: psycopg.Connection[tuple[Any, ...]] = self._pooled.dbapi_connection  # type: ignore[assignment]
        with self._explained():
            self._connection.rollback()
            self._connection.execute("SET default_transaction_read_only = on")
            self._connection.commit()
        self._cursor: psycopg.ServerCursor[tuple[Any, ...]] | None = None

    def ask(self, sql: str, *, ours: bool = False) -> Answer:
        """Run one query."""
        with self._explained():
            self._begin()
            if not ours and (reason := why_refused(self._connection, sql)):
                raise QueryRefused(reason)
            # As a cursor of the server, of which a statement that is not a query cannot be made.
            self._cursor = cursor = self._connection.cursor(name="answer")
            cursor.execute(sql)  # type: ignore[call-overload, arg-type, unused-ignore]
            columns = tuple(each.name for each in cursor.description or ())
        return Answer(columns, _batches(cursor, self._explained))

    def close(self) -> None:
        """End the transaction and the connection."""
        with contextlib.suppress(self._engine.dialect.loaded_dbapi.Error):
            self._end()
        self._pooled.close()
        self._engine.dispose()

    def _begin(self) -> None:
        """End what was asked before, and begin anew."""
        self._end()
        # With its first query a transaction can no longer be made one that writes.
        self._connection.execute("SELECT 1")

    def _end(self) -> None:
        cursor, self._cursor = self._cursor, None
        # The server's part of the cursor goes with the transaction.
        self._connection.rollback()
        if cursor is not None:
            cursor.close()

    @contextmanager
    def _explained(self) -> Iterator[None]:
        errors: Any = self._engine.dialect.loaded_dbapi.Error
        try:
            yield
        except errors as error:
            if is_read_only(error):
                raise QueryRefused(READ_ONLY) from error
            # What this user may not see is a matter of the query.
            found = explain(self._name, error)
            if found is error or diagnose(error) is Trouble.FORBIDDEN:
                raise QueryRefused(first_line(error)) from error
            raise found from error
