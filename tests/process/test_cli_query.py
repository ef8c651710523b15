"""Reading the mirror by the real command line: schema, query, export, db size."""

from __future__ import annotations

import csv
import io
import json
import signal
import sqlite3
import stat
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from tests.process.cli_runs import Place, place
from tests.processes import WITHIN_S

pytestmark = pytest.mark.process

SECRET = "very-secret"
LINE = {"character_id": 90000001, "refresh_token": SECRET, "scopes": ["publicData"]}


@pytest.fixture(scope="module")
def here() -> Iterator[Place]:
    """Return a place with a database that holds a character, a balance and a login."""
    with place() as made:
        made.config.write_text(made.config.read_text() + '[sso]\nclient_id = "mine"\n')
        assert made.run("credential", "import", stdin=json.dumps(LINE)).code == 0
        with closing(sqlite3.connect(made.database)) as connection, connection:
            connection.execute(
                "INSERT INTO name VALUES"
                " (90000001, 'character', 'Ada, Vex', '2026-11-30T12:00:00.000Z')"
            )
            connection.execute("INSERT INTO character_wallet VALUES (90000001, 731442734431)")
        yield made


def test_a_query_is_a_table_csv_or_json(here: Place) -> None:
    sql = "SELECT owner, balance, division FROM v_wallets"
    ran = here.run("query", sql)
    assert (ran.code, ran.err) == (0, "")
    assert [line.split() for line in ran.out.splitlines()] == [
        ["owner", "balance", "division"],
        ["Ada,", "Vex", "7314427344.31"],
    ]
    assert here.run("query", "--csv", sql).out == (
        'owner,balance,division\n"Ada, Vex",7314427344.31,\n'
    )
    assert here.run("query", sql, "--json").json() == {
        "schema": 1,
        "columns": ["owner", "balance", "division"],
        "rows": [{"owner": "Ada, Vex", "balance": 7314427344.31, "division": None}],
    }
    assert here.run("query", "-", "--csv", stdin="SELECT 1 AS one").out == "one\n1\n"


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM character_wallet",
        "SELECT refresh_token FROM credential",
        "SELECT nothing",
        "SELECT 1; SELECT 2",
    ],
)
def test_what_cannot_be_asked_is_told_in_two_lines(here: Place, sql: str) -> None:
    ran = here.run("query", sql)
    assert (ran.code, ran.out) == (2, "")
    assert len(ran.err.splitlines()) <= 2
    assert ran.err.startswith("esisyncd: ")
    assert SECRET not in ran.err
    assert here.run("query", "SELECT count(*) AS n FROM character_wallet", "--csv").out == "n\n1\n"


def test_a_column_that_json_would_lose_is_told(here: Place) -> None:
    ran = here.run("query", "SELECT 1 AS one, 2 AS one", "--json")
    assert (ran.code, ran.out) == (2, "")
    assert "two columns are called one" in ran.err


def test_a_query_can_be_interrupted(here: Place) -> None:
    endless = (
        "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n)"
        " SELECT x FROM n WHERE x <= 1500 OR x < 0"
    )
    with here.start("query", endless, "--csv") as process:
        assert process.stdout is not None
        # The first thousand rows are there: from now on it only looks for more.
        lines = [process.stdout.readline() for _ in range(1001)]
        assert lines[-1] == "1000\n"
        process.send_signal(signal.SIGINT)
        assert process.wait(WITHIN_S) == 130
    assert (here.folder / "query.log").read_text().strip() == "interrupted"


def test_a_reader_that_leaves_ends_the_query(here: Place) -> None:
    endless = "WITH RECURSIVE n(x) AS (SELECT 1 UNION ALL SELECT x + 1 FROM n) SELECT x FROM n"
    with here.start("query", endless, "--json") as process:
        assert process.stdout is not None
        process.stdout.readline()
        process.stdout.close()
        assert process.wait(WITHIN_S) == 1
    assert "Traceback" not in (here.folder / "query.log").read_text()


def test_without_a_database_nothing_is_made() -> None:
    with place() as empty:
        for arguments in (("query", "SELECT 1"), ("export", "name"), ("db", "size")):
            ran = empty.run(*arguments)
            assert (ran.code, ran.out) == (78, "")
            assert "there is no database" in ran.err
        assert not empty.database.exists()


def test_the_schema_is_shown(here: Place) -> None:
    listed = here.run("schema")
    assert listed.code == 0
    names = [line.split()[0] for line in listed.out.splitlines()]
    assert {"character_wallet", "v_assets", "ledger"} <= set(names)
    shown = here.run("schema", "character_wallet").out
    assert "by character.wallet" in shown
    assert "0.01 ISK" in shown
    (relation,) = here.run("schema", "character_wallet", "--json").json()["relations"]
    assert relation["columns"][0] == {
        "name": "character_id", "type": "integer", "key": True, "nullable": False, "about": "",
    }  # fmt: skip
    assert relation["sources"][0]["routes"] == ["GET /characters/{character_id}/wallet"]
    wrong = here.run("schema", "v_asset")
    assert (wrong.code, "Did you mean v_assets?" in wrong.err) == (2, True)


def test_a_section_is_exported(here: Place) -> None:
    ran = here.run("export", "character_wallet")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out == "character_id,balance\n90000001,7314427344.31\n"
    document = here.run("export", "v_wallets", "--format", "json").json()
    assert document["rows"][0]["balance"] == "7314427344.31"
    out = here.folder / "out"
    ran = here.run("export", "character.wallet", "--format", "parquet", "--output", str(out))
    assert ran.code == 0, ran.err
    assert sorted(path.name for path in out.iterdir()) == [
        "character_wallet.parquet",
        "character_wallet_journal.parquet",
        "character_wallet_transaction.parquet",
    ]
    modes = {stat.S_IMODE(path.stat().st_mode) for path in (*out.iterdir(), out)}
    assert modes == {0o600, 0o700}


def test_a_file_takes_the_place_of_the_one_before(here: Place) -> None:
    path = here.folder / "wallet.csv"
    path.write_text("before")
    ran = here.run("export", "character_wallet", "--output", str(path))
    assert (ran.code, ran.out) == (0, "")
    assert ran.err == f"{path}: 1 row\n"
    (row,) = csv.DictReader(io.StringIO(path.read_text()))
    assert row["balance"] == "7314427344.31"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600


def test_tokens_are_in_no_export(here: Place) -> None:
    ran = here.run("export", "credential")
    assert ran.code == 0
    assert "90000001" in ran.out
    assert SECRET not in ran.out


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("character.walet",), "Did you mean character.wallet?"),
        (("character.wallet",), "--output"),
        (("name", "--output", "/nowhere/at/all.csv"), "cannot be written"),
        (("name", "--format", "xml"), "xml"),
    ],
)
def test_what_cannot_be_exported_is_told(
    here: Place, arguments: tuple[str, ...], says: str
) -> None:
    ran = here.run("export", *arguments)
    assert (ran.code, ran.out) == (2, "")
    assert says in ran.err
    assert "Traceback" not in ran.err


def test_the_size_of_the_database(here: Place) -> None:
    ran = here.run("db", "size")
    assert ran.code == 0, ran.err
    assert ran.out.splitlines()[0].split()[:3] == ["TABLE", "ROWS", "SIZE"]
    document = here.run("db", "size", "--json").json()
    assert document["schema"] == 1
    assert document["total_bytes"] >= sum(table["bytes"] for table in document["tables"])
    rows = {table["table"]: table["rows"] for table in document["tables"]}
    assert rows["character_wallet"] == rows["credential"] == 1
    assert Path(here.database).stat().st_size >= document["total_bytes"]
