"""What commands do where no daemon runs."""

from __future__ import annotations

import json
import sqlite3
import stat
from contextlib import closing

import pytest

from simulator.process import SimulatedEve
from tests.process.cli_runs import Place, place

pytestmark = pytest.mark.process

LINE = {"character_id": 90000001, "refresh_token": "very-secret", "scopes": ["publicData"]}


def rows(here: Place, sql: str) -> list[tuple[object, ...]]:
    with closing(sqlite3.connect(here.database)) as connection:
        return connection.execute(sql).fetchall()


@pytest.mark.parametrize(
    "arguments",
    [
        ("status",), ("events",), ("restart",), ("reload",), ("stop",), ("sync", "global"),
    ],
)  # fmt: skip
def test_what_needs_a_daemon_says_that_none_runs(arguments: tuple[str, ...]) -> None:
    with place() as here:
        ran = here.run(*arguments)
        assert (ran.code, ran.out) == (69, "")
        assert ran.err.splitlines() == [
            f"esisyncd: no daemon answers on {here.folder}/data/control.sock",
            "Start one with `esisyncd run`, or check --config.",
        ]


def test_credentials_come_and_go_without_a_daemon() -> None:
    with place() as here:
        here.config.write_text(here.config.read_text() + '[sso]\nclient_id = "mine"\n')
        ran = here.run("credential", "import", stdin=json.dumps({**LINE, "corporations": [98]}))
        assert (ran.code, ran.out) == (0, "1 credential imported\n")
        assert stat.S_IMODE(here.database.stat().st_mode) == 0o600
        assert stat.S_IMODE(here.database.parent.stat().st_mode) == 0o700
        listed = here.run("credential", "list")
        assert "90000001" in listed.out
        assert "none yet" in listed.out
        assert "very-secret" not in listed.out + listed.err
        assert rows(here, "SELECT type, id, state FROM subject ORDER BY type") == [
            ("character", 90000001, "active"), ("corporation", 98, "active"),
        ]  # fmt: skip
        assert rows(here, "SELECT subject_id FROM access") == [(98,)]
        assert here.run("credential", "remove", "90000001").code == 2
        assert here.run("credential", "remove", "90000001", "--yes").code == 0
        assert here.run("credential", "remove", "90000001", "--yes").code == 2
        assert rows(here, "SELECT * FROM credential") == []


def test_a_bad_line_lets_none_in() -> None:
    with place() as here:
        here.config.write_text(here.config.read_text() + '[sso]\nclient_id = "mine"\n')
        lines = [json.dumps(LINE), json.dumps({**LINE, "character_id": -1})]
        ran = here.run("credential", "import", stdin="\n".join(lines))
        assert ran.code == 2
        assert "line 2: character_id must be above 0" in ran.err
        assert "very-secret" not in ran.err
        assert not here.database.exists()


def test_an_import_without_an_application_says_where_to_get_one() -> None:
    with place() as here:
        ran = here.run("credential", "import", stdin=json.dumps(LINE))
        assert ran.code == 78
        assert "developers.eveonline.com" in ran.err


def test_enroll_and_withdraw_work_without_a_daemon() -> None:
    with place() as here:
        assert here.run("withdraw", "character:7").code == 78
        assert here.run("enroll", "character:7").code == 0
        assert here.run("withdraw", "character:7").code == 0
        assert rows(here, "SELECT state FROM subject") == [("withdrawn",)]
        assert here.run("enroll", "global").code == 2


def test_forget_works_without_a_daemon() -> None:
    with SimulatedEve("--characters", "1") as eve, place(eve) as here:
        assert here.import_all(eve).code == 0
        ran = here.run("forget", "character:90000001", "--yes")
        assert ran.code == 0, ran.err
        assert [token["alive"] for token in eve.tokens()] == [False]
        assert rows(here, "SELECT * FROM credential") == []
        assert rows(here, "SELECT state FROM subject WHERE type = 'character'") == [("deleted",)]


def test_forget_tells_what_to_do_where_sso_cannot_be_reached() -> None:
    with place() as here:
        here.config.write_text(
            here.config.read_text() + '[sso]\nclient_id = "mine"\nbase_url = "http://127.0.0.1:9"\n'
        )
        assert here.run("credential", "import", stdin=json.dumps(LINE)).code == 0
        ran = here.run("forget", "character:90000001", "--yes")
        assert ran.code == 1
        assert "could not be revoked" in ran.err
        assert "yourself" in ran.err
        assert rows(here, "SELECT * FROM credential") == []


def test_db_upgrade_sets_a_database_up_and_refuses_a_newer_one() -> None:
    with place() as here:
        assert here.run("db", "upgrade").code == 0
        assert here.run("db", "upgrade").code == 0
        assert here.run("credential", "list").code == 0
        with closing(sqlite3.connect(here.database)) as connection, connection:
            connection.execute("UPDATE alembic_version SET version_num = '9999'")
        for arguments in (("credential", "list"), ("db", "upgrade")):
            ran = here.run(*arguments)
            assert ran.code == 78
            assert "newer esisyncd" in ran.err
            assert "Traceback" not in ran.err


def test_a_database_that_is_none_is_told_without_a_traceback() -> None:
    with place() as here:
        here.database.parent.mkdir(mode=0o700)
        here.database.write_text("this is no database, and it is long enough to be looked at" * 9)
        ran = here.run("credential", "list")
        assert ran.code == 78
        assert "Traceback" not in ran.err


def test_a_write_that_cannot_be_read_is_told_beside_the_others() -> None:
    with place() as here:
        # The database is made.
        here.config.write_text(here.config.read_text() + '[sso]\nclient_id = "mine"\n')
        assert here.run("credential", "import", stdin=json.dumps(LINE)).code == 0
        good = "2026-11-30 12:00:00"
        # A number is no time; the last payload is deeper than any reader goes.
        writes = ((1, "1764526339", "{}"), (2, good, "{}"), (3, good, "[" * 100_000))
        with closing(sqlite3.connect(here.database)) as connection, connection:
            for number, created, payload in writes:
                connection.execute(
                    "INSERT INTO outbox (id, subject_type, subject_id, kind, payload, dedupe_key,"
                    " next_attempt_at, created_at, updated_at)"
                    " VALUES (?, 'character', 90000001, 'ui.waypoint', ?, ?, ?, ?, ?)",
                    (number, payload, str(number), created, created, created),
                )
        listed = here.run("outbox", "list", "--json")
        assert listed.code == 0
        assert [write["id"] for write in listed.json()["writes"]] == [2, 3]
        assert listed.json()["writes"][0]["created_at"] == "2026-11-30T12:00:00.000Z"
        assert "write 1: its next_attempt_at cannot be read" in listed.err
        for command in ("show", "retry"):
            ran = here.run("outbox", command, "1")
            assert ran.code not in (0, 2)
            assert "write 1: its next_attempt_at cannot be read" in ran.err
            assert "Traceback" not in ran.err
        cancelled = here.run("outbox", "cancel", "1")
        assert cancelled.code == 0
        assert here.run("outbox", "list", "--status", "cancelled").code == 0
        assert "there is no write" not in cancelled.err
        listed = here.run("outbox", "list", "--status", "cancelled", "--json")
        assert [write["id"] for write in listed.json()["writes"]] == [1]
