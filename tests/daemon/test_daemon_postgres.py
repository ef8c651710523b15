"""The whole daemon on PostgreSQL, and a second one that finds the database held."""

from __future__ import annotations

import os
import uuid
from collections.abc import Callable, Iterator

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.engine import make_url
from sqlalchemy.exc import OperationalError
from sqlalchemy.pool import NullPool

from ipc.exits import Exit
from ipc.settings import Store
from tests.daemon.house import FAST, House

pytestmark = [pytest.mark.process, pytest.mark.postgres]

FIRST = 90_000_001
SERVER = os.environ.get(
    "TEST_POSTGRES_URL", "postgresql+psycopg://postgres@127.0.0.1:5432/postgres"
)


@pytest.fixture(scope="module")
def url() -> Iterator[str]:
    """The URL of a database of this module's own, with the tables in it."""
    from jobs.store import upgrade

    engine = create_engine(
        SERVER,
        poolclass=NullPool,
        isolation_level="AUTOCOMMIT",
        connect_args={"connect_timeout": 60},
    )
    name = f"daemon_{uuid.uuid4().hex}"
    try:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"CREATE DATABASE {name}")
    except (OperationalError, ModuleNotFoundError) as error:
        if os.environ.get("CI"):
            pytest.fail(f"PostgreSQL does not answer: {error}")
        pytest.skip("no PostgreSQL answers at TEST_POSTGRES_URL")
    made = make_url(SERVER).set(drivername="postgresql", database=name)
    shown = made.render_as_string(hide_password=False)
    try:
        upgrade.prepare(shown)
        yield shown
    finally:
        with engine.connect() as connection:
            connection.exec_driver_sql(f"DROP DATABASE {name} WITH (FORCE)")
        engine.dispose()


def lose_connections(url: str) -> None:
    """Have the server end all connections to a database."""
    engine = create_engine(SERVER, poolclass=NullPool)
    with engine.connect() as connection:
        connection.execute(
            text("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = :name"),
            {"name": make_url(url).database},
        )


def test_postgresql_is_mirrored_into_and_held_by_one_daemon(
    make_house: Callable[..., House], url: str
) -> None:
    house = make_house(store=Store(url=url))
    first = house.run()
    house.mirrored()

    other = make_house(store=Store(url=url), logged_in=False)
    other.start()
    assert other.wait(within_s=90.0) == Exit.HELD
    told = other.log()
    assert "held by another esisyncd" in told
    assert f"process {first.scheduler_pid} on " in told
    other.nothing_left()

    # Neither the refused one nor a death of the holder breaks the mirror.
    house.goes_on()
    house.kill(first.scheduler_pid)
    house.ready(generation=2, epoch=first.epoch + 1)
    house.goes_on()
    worker = house.workers()[0]
    house.kill(worker)
    house.goes_on()
    house.check_ledger()

    # As when the server is restarted: the lock goes with its connection, and nobody is to blame.
    lose_connections(url)
    house.ready(generation=3)
    house.goes_on()
    assert "the connection that held the database is gone; next start in 1 s" in house.log()
    house.end()

    # Released with the daemon: the next one may have it.
    other.start()
    other.ready()
    assert other.settings.timings == FAST
    other.end()
