"""Both databases: every store test runs on SQLite and on PostgreSQL, each on an empty one."""

from __future__ import annotations

import os
import shutil
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from ipc.subject import Subject, SubjectType
from jobs.store import fence, upgrade
from jobs.store.database import Database
from tests.store.items import metadata as items

SERVER = os.environ.get(
    "TEST_POSTGRES_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"
)


@pytest.fixture(scope="session")
def postgres_server() -> str:
    """Return the URL of a server that answers; in CI it has to."""
    engine = create_engine(SERVER, poolclass=NullPool, connect_args={"connect_timeout": 60})
    try:
        with engine.connect():
            pass
    except (OperationalError, ModuleNotFoundError) as error:
        if os.environ.get("CI"):
            pytest.fail(f"PostgreSQL does not answer: {error}")
        pytest.skip("no PostgreSQL answers at TEST_POSTGRES_URL")
    finally:
        engine.dispose()
    return SERVER


@pytest.fixture
def sqlite_url(tmp_path: Path) -> str:
    """Return the URL of a SQLite database that is not there yet."""
    return f"sqlite:///{tmp_path / 'data' / 'mirror.db'}"


@pytest.fixture
def postgres_url(postgres_server: str) -> Iterator[str]:
    """Return the URL of an empty schema, which is dropped after the test."""
    schema = f"test_{uuid.uuid4().hex}"
    engine = create_engine(postgres_server, poolclass=NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql(f"CREATE SCHEMA {schema}")
    url = make_url(postgres_server).update_query_dict({"options": f"-csearch_path={schema}"})
    yield url.render_as_string(hide_password=False)
    with engine.begin() as connection:
        connection.exec_driver_sql("SET lock_timeout = '60s'")
        connection.exec_driver_sql(f"DROP SCHEMA {schema} CASCADE")
    engine.dispose()


@pytest.fixture(scope="session")
def sqlite_template(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Return a SQLite file with all tables, to be copied."""
    path = tmp_path_factory.mktemp("template") / "template.db"
    upgrade.prepare(f"sqlite:///{path}")
    return path


@pytest.fixture(scope="session")
def postgres_template(postgres_server: str) -> Iterator[str]:
    """Return the name of a PostgreSQL database with all tables, to be copied."""
    with scratch_database(postgres_server, "") as url:
        upgrade.prepare(url)
        name = make_url(url).database or ""
        engine = create_engine(postgres_server, poolclass=NullPool, isolation_level="AUTOCOMMIT")
        with engine.connect() as connection:
            # One that somebody is connected to cannot be copied, and the server may be slow to
            # notice that a connection is closed.
            connection.exec_driver_sql(f"ALTER DATABASE {name} ALLOW_CONNECTIONS false")
            connection.exec_driver_sql(
                f"SELECT pg_terminate_backend(pid, 60000) FROM pg_stat_activity "
                f"WHERE datname = '{name}' AND usename = current_user"
            )
        engine.dispose()
        yield name


@pytest.fixture
def sqlite_prepared_url(sqlite_url: str, sqlite_template: Path) -> str:
    """Return the URL of a SQLite database with all tables."""
    path = Path(sqlite_url.removeprefix("sqlite:///"))
    path.parent.mkdir(mode=0o700)
    shutil.copy(sqlite_template, path)
    return sqlite_url


@pytest.fixture
def postgres_prepared_url(postgres_server: str, postgres_template: str) -> Iterator[str]:
    """Return the URL of a PostgreSQL database with all tables."""
    with scratch_database(postgres_server, f"TEMPLATE {postgres_template}") as url:
        yield url


@contextmanager
def scratch_database(server: str, options: str) -> Iterator[str]:
    """Make a database, and drop it afterwards."""
    name = f"test_{uuid.uuid4().hex}"
    engine = create_engine(server, poolclass=NullPool, isolation_level="AUTOCOMMIT")
    with engine.connect() as connection:
        connection.exec_driver_sql(f"CREATE DATABASE {name} {options}")
    try:
        yield make_url(server).set(database=name).render_as_string(hide_password=False)
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        engine.dispose()


@pytest.fixture(
    scope="module", params=["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]
)
def shared_url(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Return the URL of a database with all tables that a module's tests only read."""
    if request.param == "sqlite":
        path = tmp_path_factory.mktemp("shared") / "mirror.db"
        shutil.copy(request.getfixturevalue("sqlite_template"), path)
        yield f"sqlite:///{path}"
        return
    server = request.getfixturevalue("postgres_server")
    template = request.getfixturevalue("postgres_template")
    with scratch_database(server, f"TEMPLATE {template}") as url:
        yield url


BOTH = ["sqlite", pytest.param("postgresql", marks=pytest.mark.postgres)]


@pytest.fixture(params=BOTH)
def database_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of an empty database, once of each kind."""
    name = "sqlite_url" if request.param == "sqlite" else "postgres_url"
    url: str = request.getfixturevalue(name)
    return url


@pytest.fixture(params=BOTH)
def prepared_url(request: pytest.FixtureRequest) -> str:
    """Return the URL of a database with all tables, once of each kind."""
    kind = "sqlite" if request.param == "sqlite" else "postgres"
    url: str = request.getfixturevalue(f"{kind}_prepared_url")
    return url


@pytest.fixture
def database(prepared_url: str) -> Iterator[Database]:
    """Return a database with all tables."""
    made = Database(prepared_url)
    yield made
    made.close_now()


@pytest.fixture
def epoch(database: Database, now: datetime) -> int:
    """Make the database ours."""
    return database.write_now(lambda conn: fence.take_ownership(conn, "here", 1, now))


@pytest.fixture
def now() -> datetime:
    """Return a time with milliseconds, which is what SQLite keeps."""
    return datetime(2026, 11, 30, 12, 0, 0, 123000, tzinfo=UTC)


@pytest.fixture
def character() -> Subject:
    """Return a character."""
    return Subject(SubjectType.CHARACTER, 90000001)


@pytest.fixture
def corporation() -> Subject:
    """Return a corporation."""
    return Subject(SubjectType.CORPORATION, 98000001)


@pytest.fixture(scope="module", params=BOTH)
def server(
    request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[str]:
    """Give one database of each kind."""
    if request.param == "sqlite":
        url = f"sqlite:///{tmp_path_factory.mktemp('writer') / 'mirror.db'}"
        upgrade.prepare(url)
        yield url
        return
    with scratch_database(request.getfixturevalue("postgres_server"), "") as url:
        yield url


@pytest.fixture
def store(server: str) -> Iterator[Database]:
    """Give a database in which the tables of tests.store.items are empty."""
    database = Database(server)
    database.write_now(items.create_all)
    yield database
    database.write_now(items.drop_all)
    database.close_now()
