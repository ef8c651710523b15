from __future__ import annotations

import re
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Callable, Iterator
from datetime import datetime, timedelta
from pathlib import Path

import pytest
from sqlalchemy import Connection, delete, insert, update

from jobs.store import connect, pauses, revise, revisions, stamp, upgrade
from jobs.store.backup import back_up
from jobs.store.database import Database
from jobs.store.errors import SchemaNewer, StoreError, StoreRefused
from jobs.store.schema import metadata
from jobs.store.schema.core import view_made
from jobs.store.upgrade import Schema
from jobs.store.views import making

ROOT = Path(__file__).parents[2]
Report = Callable[[str], None]


def silent(_line: str) -> None:
    """Report to nobody."""


@pytest.fixture
def empty(database_url: str) -> Iterator[Connection]:
    """Give a connection to a database that was just made."""
    engine = connect.open_engine(connect.parse(database_url), create=True)
    with engine.connect() as connection:
        yield connection
    engine.dispose()


def set_revision(url: str, revision: str) -> None:
    database = Database(url)
    query = f"UPDATE {revisions.VERSION_TABLE} SET version_num = '{revision}'"
    database.write_now(lambda conn: conn.exec_driver_sql(query))
    database.close_now()


def test_the_revisions_make_what_the_tables_say(database_url: str) -> None:
    assert upgrade.status_of(database_url) is Schema.EMPTY
    lines: list[str] = []
    upgrade.upgrade_now(database_url, lines.append)
    assert upgrade.status_of(database_url) is Schema.CURRENT
    assert len(lines) == len(revisions.known()) + 1
    database = Database(database_url)
    assert database.read_now(revise.differences) == []
    database.close_now()
    upgrade.upgrade_now(database_url, lines.append)
    assert "up to date" in lines[-1]


def test_a_column_too_many_is_a_difference(prepared_url: str) -> None:
    """The comparison above can fail."""
    database = Database(prepared_url)
    assert database.read_now(revise.differences) == []
    database.write_now(lambda conn: conn.exec_driver_sql("ALTER TABLE ledger ADD COLUMN x TEXT"))
    assert len(database.read_now(revise.differences)) == 1
    database.close_now()


def test_the_developers_check_agrees(capsys: pytest.CaptureFixture[str]) -> None:
    assert revise.main(["check"]) == 0
    assert "the revisions make what the tables say" in capsys.readouterr().out


def test_revisions_are_an_unbroken_line() -> None:
    known = revisions.known()
    assert known == tuple(f"{number:04d}" for number in range(1, len(known) + 1))
    assert revisions.head() == known[-1]


def test_prepared_tables_are_current_and_stay(prepared_url: str) -> None:
    upgrade.prepare(prepared_url)
    assert upgrade.status_of(prepared_url) is Schema.CURRENT


def test_a_newer_schema_is_refused_and_left_alone(prepared_url: str) -> None:
    set_revision(prepared_url, "9999")
    assert upgrade.status_of(prepared_url) is Schema.NEWER
    database = Database(prepared_url)
    with pytest.raises(SchemaNewer, match="newer esisyncd"):
        database.read_now(upgrade.require_current)
    database.close_now()
    with pytest.raises(SchemaNewer):
        upgrade.upgrade_now(prepared_url, silent)
    with pytest.raises(SchemaNewer):
        upgrade.prepare(prepared_url)
    assert upgrade.status_of(prepared_url) is Schema.NEWER


def test_an_older_schema_has_to_be_upgraded_first(
    prepared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "known", lambda: ("0001", "0002"))
    assert upgrade.status_of(prepared_url) is Schema.OLDER
    database = Database(prepared_url)
    with pytest.raises(StoreRefused, match="db upgrade"):
        database.read_now(upgrade.require_current)
    database.close_now()


def test_tables_without_a_revision_are_refused(empty: Connection, database_url: str) -> None:
    with empty.begin():
        empty.exec_driver_sql("CREATE TABLE ledger (x INTEGER)")
    with pytest.raises(StoreRefused, match="no revision"):
        upgrade.status_of(database_url)


def spoil_views(url: str, *names: str) -> None:
    """Have views look as if another version had made them."""
    database = Database(url)

    def spoil(connection: Connection) -> None:
        made = update(view_made).where(view_made.c.name.in_([stamp.ALL, *names]))
        connection.execute(made.values(digest="of another version"))

    database.write_now(spoil)
    database.close_now()


def test_views_are_made_anew_when_they_changed(prepared_url: str) -> None:
    spoil_views(prepared_url, "v_assets", "v_orders")
    database = Database(prepared_url)
    # One that there is no more.
    database.write_now(lambda conn: conn.exec_driver_sql("CREATE VIEW v_gone AS SELECT 1 AS one"))
    gone = insert(view_made).values(name="v_gone", digest="x")
    database.write_now(lambda conn: conn.execute(gone))
    assert upgrade.status_of(prepared_url) is Schema.VIEWS
    # Commands can go on meanwhile.
    database.read_now(upgrade.require_current)
    lines: list[str] = []
    upgrade.upgrade_now(prepared_url, lines.append)
    assert upgrade.status_of(prepared_url) is Schema.CURRENT
    (line,) = lines
    assert line.endswith(", 2 views made")
    database.read_now(lambda conn: conn.exec_driver_sql("SELECT * FROM v_assets, v_orders"))
    with pytest.raises(Exception, match="v_gone"):
        database.read_now(lambda conn: conn.exec_driver_sql("SELECT * FROM v_gone"))
    database.close_now()


def test_a_view_of_the_users_is_not_taken_over(prepared_url: str) -> None:
    spoil_views(prepared_url)
    database = Database(prepared_url)

    def take_its_place(connection: Connection) -> None:
        connection.exec_driver_sql("DROP VIEW v_assets")
        connection.exec_driver_sql("CREATE VIEW v_assets AS SELECT 1 AS mine")
        connection.execute(delete(view_made).where(view_made.c.name == "v_assets"))

    database.write_now(take_its_place)
    with pytest.raises(StoreRefused, match="v_assets that is not esisyncd's: rename it"):
        upgrade.upgrade_now(prepared_url, silent)
    query = "SELECT mine FROM v_assets"
    assert database.read_now(lambda conn: conn.exec_driver_sql(query).scalar()) == 1
    database.close_now()


@pytest.mark.postgres
def test_what_is_built_on_a_view_is_named(postgres_prepared_url: str) -> None:
    spoil_views(postgres_prepared_url, "v_assets")
    database = Database(postgres_prepared_url)
    query = "CREATE VIEW mine AS SELECT item_id FROM v_assets"
    database.write_now(lambda conn: conn.exec_driver_sql(query))
    with pytest.raises(StoreRefused, match="built on the view v_assets: drop it"):
        upgrade.upgrade_now(postgres_prepared_url, silent)
    database.write_now(lambda conn: conn.exec_driver_sql("DROP VIEW mine"))
    upgrade.upgrade_now(postgres_prepared_url, silent)
    database.close_now()


def test_tables_can_change_under_views(prepared_url: str) -> None:
    """SQLite renames no table, and PostgreSQL changes no column, that a view is built on."""
    database = Database(prepared_url)
    database.write_now(making.drop_all)
    query = "ALTER TABLE character_asset DROP COLUMN quantity"
    database.write_now(lambda conn: conn.exec_driver_sql(query))
    assert upgrade.status_of(prepared_url) is Schema.VIEWS
    database.close_now()


@pytest.mark.process
def test_the_check_at_boot_imports_no_alembic(sqlite_prepared_url: str) -> None:
    program = (
        "import sys\n"
        "from jobs.store import upgrade\n"
        "from jobs.store.database import Database\n"
        "Database(sys.argv[1]).read_now(upgrade.require_current)\n"
        "assert upgrade.status_of(sys.argv[1]) is upgrade.Schema.CURRENT\n"
        "assert 'alembic' not in sys.modules\n"
        "assert 'jobs.store.views.view' not in sys.modules\n"
    )
    subprocess.run([sys.executable, "-c", program, sqlite_prepared_url], cwd=ROOT, check=True)


KNOWN = revisions.known()


def failing_upgrade(url: str, monkeypatch: pytest.MonkeyPatch, report: Report) -> None:
    """Fail to upgrade after the backup: there is no revision 9000 to apply."""
    monkeypatch.setattr(revisions, "known", lambda: (*KNOWN, "9000"))
    with pytest.raises(StoreRefused):
        upgrade.upgrade_now(url, report)


def backups(database: Database) -> list[Path]:
    return sorted(Path(str(database)).parent.glob("mirror.db.backup-*"))


def test_a_backup_is_made_before_an_upgrade_and_is_complete(
    sqlite_prepared_url: str, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(sqlite_prepared_url)
    database.write_now(lambda conn: pauses.extend(conn, "all", now, "r"))
    seen: list[Path] = []

    def look(line: str) -> None:
        if not line.startswith("backup made"):
            return
        (copy,) = backups(database)
        assert line == f"backup made: {copy}"
        assert copy.stat().st_mode & 0o777 == 0o600
        kept = Database(f"sqlite:///{copy}")
        earlier = now - timedelta(days=1)
        assert set(kept.read_now(lambda conn: pauses.load(conn, earlier))) == {"all"}
        kept.close_now()
        seen.append(copy)

    failing_upgrade(sqlite_prepared_url, monkeypatch, look)
    assert len(seen) == 1
    database.close_now()


def test_an_upgrade_that_fails_again_and_again_does_not_fill_the_disk(
    sqlite_prepared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(sqlite_prepared_url)
    lines: list[str] = []
    failing_upgrade(sqlite_prepared_url, monkeypatch, lines.append)
    assert lines[-1] == "the backup is removed: the upgrade has changed nothing"
    assert backups(database) == []
    assert upgrade.status_of(sqlite_prepared_url) is Schema.OLDER
    database.close_now()


def test_a_backup_stays_where_the_database_may_have_changed(
    sqlite_prepared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    database = Database(sqlite_prepared_url)

    def damage(line: str) -> None:
        if line.startswith("backup made"):
            Path(str(database)).write_bytes(b"no database any more" * 100)

    monkeypatch.setattr(revisions, "known", lambda: (*KNOWN, "9000"))
    with pytest.raises(StoreError):
        upgrade.upgrade_now(sqlite_prepared_url, damage)
    assert len(backups(database)) == 1
    database.close_now()


@pytest.mark.postgres
def test_nobody_is_left_to_believe_that_postgresql_was_backed_up(
    postgres_prepared_url: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(revisions, "known", lambda: (*KNOWN, "9000"))
    lines: list[str] = []
    with pytest.raises(StoreRefused):
        upgrade.upgrade_now(postgres_prepared_url, lines.append)
    assert any("pg_dump" in line for line in lines)


def test_a_backup_takes_nobodys_place(sqlite_prepared_url: str, tmp_path: Path) -> None:
    target = tmp_path / "there.db"
    target.write_text("mine")
    with pytest.raises(FileExistsError):
        back_up(connect.sqlite_path(connect.parse(sqlite_prepared_url)), target, silent)
    assert target.read_text() == "mine"


def test_a_backup_is_made_while_others_write(
    sqlite_prepared_url: str, tmp_path: Path, now: datetime
) -> None:
    database = Database(sqlite_prepared_url)
    path, target = Path(str(database)), tmp_path / "copy.db"
    written: list[str] = []

    def write(_line: str) -> None:
        scope = f"{len(written)}"
        database.write_now(lambda conn: pauses.extend(conn, scope, now, "r"))
        written.append(scope)

    write("before")
    back_up(path, target, write)
    copy = sqlite3.connect(target)
    assert copy.execute("SELECT count(*) FROM pause").fetchone()[0] >= 1
    copy.close()
    assert len(written) > 1
    database.close_now()


@pytest.mark.process
def test_an_upgrade_that_is_killed_leaves_all_or_nothing(database_url: str) -> None:
    program = """
import os, signal, sys
from jobs.store import upgrade
from sqlalchemy import event, Engine
made = []
@event.listens_for(Engine, "before_cursor_execute")
def count(conn, cursor, statement, *rest):
    if "CREATE TABLE" in statement:
        made.append(statement)
        if len(made) == 10:
            os.kill(os.getpid(), signal.SIGKILL)
upgrade.upgrade_now(sys.argv[1], print)
"""
    killed = subprocess.run(
        [sys.executable, "-c", program, database_url], cwd=ROOT, check=False, capture_output=True
    )
    assert killed.returncode == -signal.SIGKILL
    assert upgrade.status_of(database_url) is Schema.EMPTY
    upgrade.upgrade_now(database_url, silent)
    assert upgrade.status_of(database_url) is Schema.CURRENT


@pytest.mark.process
def test_of_two_upgrades_at_once_both_end_well(database_url: str) -> None:
    program = "import sys; from jobs.store import upgrade; upgrade.upgrade_now(sys.argv[1], print)"
    upgrades = [
        subprocess.Popen(
            [sys.executable, "-c", program, database_url], cwd=ROOT, stdout=subprocess.PIPE
        )
        for _ in range(2)
    ]
    outputs = [each.communicate(timeout=150)[0].decode() for each in upgrades]
    assert [each.returncode for each in upgrades] == [0, 0]
    assert sum("applied 0001" in output for output in outputs) == 1


def test_generated_revisions_name_every_table() -> None:
    (initial,) = (ROOT / "jobs/store/migrations/versions").glob("0001_*.py")
    made = set(re.findall(r'op\.create_table\(\s*"(\w+)"', initial.read_text("utf-8")))
    assert made <= set(metadata.tables)
    assert {"owner", "ledger", "outbox"} <= made
