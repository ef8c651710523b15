"""Which schema a database has, and bringing it up to this version's.

Nothing here imports Alembic until there is something to upgrade: a boot pays one SELECT.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import AbstractContextManager, contextmanager
from datetime import datetime
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING

from sqlalchemy import URL, Connection, Engine

from ipc.clock import SystemClock
from jobs.store import connect, revisions
from jobs.store.backup import back_up, remove
from jobs.store.connect import open_engine
from jobs.store.errors import SchemaNewer, StoreError, StoreMissing, StoreRefused
from jobs.store.schema import metadata
from jobs.store.schema.core import view_made
from jobs.store.stamp import has_our_views
from jobs.store.trouble import explained

if TYPE_CHECKING:
    from alembic.config import Config

_HAS_TABLE = {
    "sqlite": "SELECT name FROM sqlite_master WHERE type = 'table' AND name = ?",
    # As the search path finds it.
    "postgresql": "SELECT to_regclass(%s)::text",
}


class Schema(StrEnum):
    """A database's schema beside this version's."""

    EMPTY = "empty"
    CURRENT = "current"
    # The tables are this version's, the views are not.
    VIEWS = "views"
    OLDER = "older"
    NEWER = "newer"


def status(connection: Connection) -> Schema:
    """Compare the schema with this version's, by SELECT alone.

    Views are not looked at. StoreRefused when there are tables of ours without a revision:
    nobody knows what they are.
    """
    if not _has_table(connection, revisions.VERSION_TABLE):
        if _has_table(connection, "ledger"):
            raise StoreRefused("the database has tables but no revision: it is not esisyncd's")
        return Schema.EMPTY
    query = f"SELECT version_num FROM {revisions.VERSION_TABLE}"  # noqa: S608 - a constant
    found = [str(row[0]) for row in connection.exec_driver_sql(query)]
    if not found:
        return Schema.EMPTY
    if found == [revisions.head()]:
        return Schema.CURRENT
    return Schema.OLDER if set(found) <= set(revisions.known()) else Schema.NEWER


def status_of(url: str) -> Schema:
    """Return the status of the database at a URL; a SQLite file that is not there is empty."""
    parsed = connect.parse(url)
    engine = open_engine(parsed)
    try:
        with _explained(parsed, engine), engine.connect() as connection:
            found = status(connection)
            if found is Schema.CURRENT and not has_our_views(connection):
                return Schema.VIEWS
            return found
    except StoreMissing:
        return Schema.EMPTY
    finally:
        engine.dispose()


def require_current(connection: Connection) -> None:
    """Raise SchemaNewer or StoreRefused unless the schema is this version's."""
    match status(connection):
        case Schema.CURRENT | Schema.VIEWS:
            return
        case Schema.NEWER:
            raise SchemaNewer(
                "the database was written by a newer esisyncd: install that version again"
            )
        case Schema.EMPTY | Schema.OLDER:
            raise StoreRefused(
                "the database has not been upgraded to this version: run `esisyncd db upgrade`"
            )


def upgrade_now(url: str, report: Callable[[str], None]) -> None:
    """Bring a database to this version's schema, all of it or nothing; make one if there is none.

    A SQLite database that holds something is backed up beside itself first; the copy goes if the
    upgrade fails and changes nothing. SchemaNewer when it is ahead of this version.
    """
    parsed = connect.parse(url)
    engine = open_engine(parsed, create=True)
    try:
        with _explained(parsed, engine), engine.connect() as connection:
            before = status(connection)
            connection.rollback()
            if before is Schema.NEWER:
                require_current(connection)
            if before is Schema.CURRENT and has_our_views(connection):
                report("the schema is up to date")
                return
            connection.rollback()
            with _backed_up(parsed, before, report):
                _migrate(connection, report)
    finally:
        engine.dispose()


def prepare(url: str) -> None:
    """Make this version's tables in an empty database without Alembic; for throw-away ones."""
    parsed = connect.parse(url)
    engine = open_engine(parsed, create=True)
    try:
        with _explained(parsed, engine), engine.begin() as connection:
            if status(connection) is Schema.EMPTY:
                metadata.create_all(connection)
                _make_views(connection)
                connection.exec_driver_sql(
                    f"CREATE TABLE {revisions.VERSION_TABLE} (version_num VARCHAR(32) NOT NULL,"
                    f" CONSTRAINT {revisions.VERSION_TABLE}_pkc PRIMARY KEY (version_num))"
                )
                connection.exec_driver_sql(
                    f"INSERT INTO {revisions.VERSION_TABLE} VALUES ('{revisions.head()}')"  # noqa: S608 - constants
                )
            require_current(connection)
    finally:
        engine.dispose()


def _explained(url: URL, engine: Engine) -> AbstractContextManager[None]:
    return explained(connect.shown(url), engine.dialect.loaded_dbapi.Error)


@contextmanager
def _backed_up(url: URL, before: Schema, report: Callable[[str], None]) -> Iterator[None]:
    """Have a copy of an older database while it is upgraded, and of an upgraded one.

    What fails is tried again and again: a copy of each time would fill the disk.
    """
    if before is not Schema.OLDER:
        yield
        return
    if url.drivername != "sqlite":
        report("PostgreSQL is not backed up from here: keep a pg_dump of your own")
        yield
        return
    source = connect.sqlite_path(url)
    target = source.with_name(f"{source.name}.backup-{_stamp(SystemClock().now())}")
    back_up(source, target, report)
    report(f"backup made: {target}")
    try:
        yield
    except BaseException:
        _drop_unneeded(url, target, report)
        raise


def _drop_unneeded(url: URL, copy: Path, report: Callable[[str], None]) -> None:
    """Remove the copy of a database that is still what it was; where that is not sure, it stays."""
    try:
        unchanged = status_of(url.render_as_string(hide_password=False)) is Schema.OLDER
    except StoreError as error:
        report(f"the backup stays, the database cannot be looked at: {error}")
        return
    if unchanged:
        remove(copy)
        report("the backup is removed: the upgrade has changed nothing")


def _stamp(now: datetime) -> str:
    return now.strftime("%Y%m%dT%H%M%S%fZ")


def _migrate(connection: Connection, report: Callable[[str], None]) -> None:
    # 160 ms and 12 MB, which a boot without an upgrade does not pay.
    from alembic import command  # noqa: PLC0415

    if connection.dialect.name == "sqlite":
        driver = connection.connection.dbapi_connection
        assert driver is not None  # noqa: S101 - the connection is open
        # Between transactions; a table that is copied must not take along what refers to it.
        for pragma in ("foreign_keys=OFF", "synchronous=FULL"):
            driver.cursor().execute(f"PRAGMA {pragma}")
    connection.info[connect.BEGIN] = "BEGIN IMMEDIATE"
    with connection.begin():
        if connection.dialect.name == "postgresql":
            # One upgrade at a time; the lock goes with the transaction.
            connection.exec_driver_sql(
                "SELECT pg_advisory_xact_lock("
                "hashtext('esisyncd upgrade'), hashtext(current_schema()))"
            )
            connection.exec_driver_sql("SET LOCAL synchronous_commit = on")
            connection.exec_driver_sql("SET LOCAL lock_timeout = 0")
        if status(connection) is not Schema.CURRENT:
            _drop_views(connection)
            command.upgrade(config(connection, report), "head")
        made = _make_views(connection)
        require_current(connection)
    report(
        f"the schema is at revision {revisions.head()}" + (f", {made} views made" if made else "")
    )


def config(connection: Connection, report: Callable[[str], None]) -> Config:
    """Return what Alembic needs to know, with the connection it is to use."""
    from alembic.config import Config  # noqa: PLC0415

    made = Config()
    made.set_main_option("script_location", "jobs.store:migrations")
    made.set_main_option("path_separator", "os")
    made.set_main_option("file_template", "%%(rev)s_%%(slug)s")
    made.attributes.update(connection=connection, report=report)
    return made


def _make_views(connection: Connection) -> int:
    from jobs.store.views import making  # noqa: PLC0415 - no worker needs it

    return making.make(connection)


def _drop_views(connection: Connection) -> None:
    """Drop the views: a table that changes must have none on it."""
    from jobs.store.views import making  # noqa: PLC0415 - no worker needs it

    if _has_table(connection, view_made.name):
        making.drop_all(connection)


def _has_table(connection: Connection, name: str) -> bool:
    query = _HAS_TABLE[connection.dialect.name]
    return connection.exec_driver_sql(query, (name,)).scalar() is not None
