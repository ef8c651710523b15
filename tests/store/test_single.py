from __future__ import annotations

import subprocess
import sys
from datetime import datetime
from pathlib import Path

import pytest
from sqlalchemy import create_engine, text
from sqlalchemy.pool import NullPool

from jobs.store import connect, fence
from jobs.store.database import Database
from jobs.store.single import HeldElsewhere, hold_database

ROOT = Path(__file__).parents[2]
pytestmark = pytest.mark.postgres


def test_a_second_daemon_is_refused_and_told_who_has_it(
    postgres_prepared_url: str, now: datetime
) -> None:
    database = Database(postgres_prepared_url)
    database.write_now(lambda conn: fence.take_ownership(conn, "castle", 4242, now))
    database.close_now()
    hold = hold_database(postgres_prepared_url)
    assert hold.is_held()
    with pytest.raises(HeldElsewhere, match="process 4242 on castle, server process"):
        hold_database(postgres_prepared_url)
    hold.release()
    assert not hold.is_held()
    wait_until_free(postgres_prepared_url)
    again = hold_database(postgres_prepared_url)
    assert again.is_held()
    again.release()


def test_an_empty_database_is_held_as_well(postgres_url: str) -> None:
    hold = hold_database(postgres_url)
    with pytest.raises(HeldElsewhere):
        hold_database(postgres_url)
    hold.release()


def test_other_schemas_are_other_databases(postgres_url: str, postgres_prepared_url: str) -> None:
    one, two = hold_database(postgres_url), hold_database(postgres_prepared_url)
    one.release()
    two.release()


@pytest.mark.process
def test_the_lock_goes_with_its_process(postgres_prepared_url: str) -> None:
    program = (
        "import sys; from jobs.store.single import hold_database;"
        "hold = hold_database(sys.argv[1]); print('held', flush=True); sys.stdin.read()"
    )
    with subprocess.Popen(
        [sys.executable, "-c", program, postgres_prepared_url],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        cwd=ROOT,
    ) as holder:
        assert holder.stdout is not None
        assert holder.stdout.readline() == b"held\n"
        with pytest.raises(HeldElsewhere):
            hold_database(postgres_prepared_url)
        holder.kill()
    wait_until_free(postgres_prepared_url)
    hold_database(postgres_prepared_url).release()


def test_a_lost_connection_is_noticed_and_not_made_anew(
    postgres_prepared_url: str, postgres_server: str
) -> None:
    hold = hold_database(postgres_prepared_url)
    engine = create_engine(connect.parse(postgres_prepared_url), poolclass=NullPool)
    with engine.begin() as connection:
        connection.execute(
            text(
                "SELECT pg_terminate_backend(pid, 60000) FROM pg_locks"
                " WHERE locktype = 'advisory' AND database ="
                " (SELECT oid FROM pg_database WHERE datname = current_database())"
            )
        )
    assert not hold.is_held()
    assert not hold.is_held()
    hold_database(postgres_prepared_url).release()


def test_sqlite_needs_no_lock_here(sqlite_url: str) -> None:
    one, two = hold_database(sqlite_url), hold_database(sqlite_url)
    assert one.is_held()
    assert two.is_held()
    one.release()
    two.release()


def wait_until_free(url: str) -> None:
    """Wait until the server has noticed that the client is gone."""
    engine = create_engine(connect.parse(url), poolclass=NullPool)
    with engine.begin() as connection:
        connection.exec_driver_sql("SET lock_timeout = '60s'")
        connection.exec_driver_sql(
            "SELECT pg_advisory_xact_lock(hashtext('esisyncd daemon'), hashtext(current_schema()))"
        )
