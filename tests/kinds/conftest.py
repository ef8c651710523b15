"""Databases for the tests of kinds: SQLite in memory, and PostgreSQL where there is one."""

from __future__ import annotations

import os
import sqlite3
import uuid
from collections.abc import Iterator

import pytest
from sqlalchemy import Connection, Engine, create_engine, event, text
from sqlalchemy.exc import OperationalError

from jobs.store.schema import metadata
from jobs.store.views import making

POSTGRES_URL = os.environ.get(
    "TEST_POSTGRES_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"
)


def make_all(engine: Engine) -> None:
    """Make all tables and views."""
    metadata.create_all(engine)
    with engine.begin() as connection:
        making.make(connection)


@pytest.fixture(scope="session")
def sqlite_engine() -> Iterator[Engine]:
    """Return a SQLite database with every table."""
    engine = create_engine("sqlite://")

    # Left alone, the driver begins no transaction before a savepoint, and so keeps what it holds.
    @event.listens_for(engine, "connect")
    def leave_alone(raw: sqlite3.Connection, _record: object) -> None:
        raw.isolation_level = None

    @event.listens_for(engine, "begin")
    def begin(connection: Connection) -> None:
        connection.exec_driver_sql("BEGIN")

    make_all(engine)
    yield engine
    engine.dispose()


@pytest.fixture(scope="session")
def postgres_engine() -> Iterator[Engine]:
    """Return a PostgreSQL database of our own with every table; dropped in the end."""
    # A process id would be another run's as well, which may have left its database behind.
    name = f"esisyncd_kinds_{uuid.uuid4().hex}"
    server = create_engine(POSTGRES_URL, isolation_level="AUTOCOMMIT")
    try:
        with server.connect() as connection:
            connection.execute(text(f"CREATE DATABASE {name}"))
    except OperationalError:
        server.dispose()
        if os.environ.get("CI"):
            raise
        pytest.skip("no PostgreSQL server")
    engine = create_engine(server.url.set(database=name), paramstyle="format")
    try:
        make_all(engine)
        yield engine
    finally:
        engine.dispose()
        with server.connect() as connection:
            connection.execute(text(f"DROP DATABASE {name} WITH (FORCE)"))
        server.dispose()


@pytest.fixture(params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)])
def connection(request: pytest.FixtureRequest) -> Iterator[Connection]:
    """Return a connection to either database; what a test writes is rolled back."""
    fixture = "sqlite_engine" if request.param == "sqlite" else "postgres_engine"
    engine: Engine = request.getfixturevalue(fixture)
    with engine.connect() as connection:
        transaction = connection.begin()
        yield connection
        transaction.rollback()


@pytest.fixture
def database(sqlite_engine: Engine) -> Iterator[Connection]:
    """Return a connection to SQLite; what a test writes is rolled back."""
    with sqlite_engine.connect() as connection:
        transaction = connection.begin()
        yield connection
        transaction.rollback()
