"""Reading by queries that people write: nothing changes, no token comes out, on both databases."""

from __future__ import annotations

import os
import shutil
import sqlite3
import tempfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from sqlalchemy import insert

from jobs.store import connect
from jobs.store.database import Database
from jobs.store.errors import StoreForeign, StoreMissing, StoreUnavailable
from jobs.store.reader import BATCH, QueryRefused, Reader, _Guard, open_reader
from jobs.store.schema.core import credential
from jobs.store.schema.universe import name

SECRET = "very-secret"


NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)

on_sqlite = pytest.mark.parametrize("shared_url", ["sqlite"], indirect=True, scope="module")
on_postgresql = pytest.mark.parametrize(
    "shared_url",
    [pytest.param("postgresql", marks=pytest.mark.postgres)],
    indirect=True,
    scope="module",
)


@pytest.fixture(scope="module")
def filled_url(shared_url: str) -> str:
    database = Database(shared_url)
    now = NOW
    values = {
        "id": 1,
        "character_id": 90000001,
        "client_id": "c",
        "scopes": "",
        "access_token": SECRET,
        "refresh_token": SECRET,
        "generation": 1,
        "created_at": now,
        "updated_at": now,
    }
    database.write_now(lambda conn: conn.execute(insert(credential).values(values)))
    names = [{"id": n, "category": "type", "name": f"n{n}", "checked_at": now} for n in range(2500)]
    database.write_now(lambda conn: conn.execute(insert(name), names))
    database.close_now()
    return shared_url


@pytest.fixture
def reader(filled_url: str) -> Iterator[Reader]:
    with open_reader(filled_url) as opened:
        yield opened


def all_rows(reader: Reader, sql: str) -> list[tuple[object, ...]]:
    return [row for batch in reader.ask(sql).batches for row in batch]


def test_a_large_answer_comes_in_batches(reader: Reader) -> None:
    answer = reader.ask("SELECT id, name AS called FROM name ORDER BY id")
    assert answer.columns == ("id", "called")
    batches = list(answer.batches)
    assert [len(batch) for batch in batches] == [BATCH, BATCH, 500]
    assert batches[2][-1] == (2499, "n2499")


def test_one_question_after_another(reader: Reader) -> None:
    assert all_rows(reader, "SELECT 1 WHERE false") == []
    assert reader.ask("SELECT 1 AS one, 2 AS two WHERE false").columns == ("one", "two")
    with pytest.raises(QueryRefused):
        reader.ask("SELECT nothing FROM nowhere")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT access_token FROM credential",
        "SELECT refresh_token FROM credential",
        "SELECT * FROM credential",
        "SELECT c.* FROM credential AS c",
        "SELECT upper(c.Access_Token) FROM CREDENTIAL AS c",
        "SELECT count(*) FROM credential WHERE refresh_token LIKE 'v%'",
        "SELECT id FROM credential ORDER BY refresh_token",
        "WITH c AS (SELECT * FROM credential) SELECT refresh_token FROM c",
        "SELECT n.name, (SELECT max(access_token) FROM credential) FROM name AS n",
        "SELECT 'x' UNION ALL SELECT access_token FROM credential",
        "SELECT n.name FROM name AS n JOIN credential AS c ON c.access_token = n.name",
        "SELECT c.access_token FROM name AS n JOIN credential AS c ON c.id = n.id",
        "SELECT access_token, count(*) FROM credential GROUP BY 1",
        "SELECT DISTINCT access_token FROM credential",
        "SELECT rank() OVER (ORDER BY access_token) FROM credential",
        "SELECT s FROM (SELECT access_token AS s FROM credential LIMIT 1) AS t",
        "SELECT x FROM (SELECT 1 AS x UNION SELECT length(refresh_token) FROM credential) AS t",
    ],
)
def test_no_token_comes_out(reader: Reader, sql: str) -> None:
    with pytest.raises(QueryRefused, match="v_credentials"):
        all_rows(reader, sql)


@on_sqlite
def test_sqlite_knows_no_whole_row(reader: Reader) -> None:
    with pytest.raises(QueryRefused):
        all_rows(reader, "SELECT c FROM credential c")


@on_sqlite
def test_all_else_of_a_credential_is_shown(reader: Reader) -> None:
    found = all_rows(reader, "SELECT id, character_id, needs_reauth FROM credential")
    assert found == [(1, 90000001, False)]
    for sql in (
        "SELECT count(*) FROM credential",
        "SELECT count(*) FROM credential AS c JOIN name AS n ON n.id = c.id",
        "SELECT rank() OVER (ORDER BY id) FROM credential",
    ):
        assert all_rows(reader, sql) == [(1,)]


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT * FROM v_credentials",
        "SELECT v.* FROM v_credentials AS v JOIN name AS n ON n.id = v.credential_id",
        "SELECT max(character) FROM v_credentials GROUP BY credential_id ORDER BY 1",
    ],
)
def test_the_view_shows_all_but_tokens(reader: Reader, sql: str) -> None:
    shown = all_rows(reader, sql)
    assert len(shown) == 1
    assert SECRET not in map(str, shown[0])


ALIASES = ", ".join(f"c{number}" for number in range(len(credential.columns)))


@on_postgresql
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT c FROM credential c",
        "SELECT row_to_json(credential) FROM credential",
        "SELECT id FROM credential",
        *(f"SELECT c{at} FROM credential AS t({ALIASES})" for at in range(len(credential.columns))),
        f'SELECT t FROM "credential" AS t({ALIASES})',
        f"WITH t({ALIASES}) AS (TABLE credential) SELECT c5 FROM t",
        "SELECT v.scopes FROM v_credentials AS v, LATERAL (TABLE public.credential) AS t",
    ],
)
def test_no_other_name_of_a_column_helps(reader: Reader, sql: str) -> None:
    with pytest.raises(QueryRefused, match="v_credentials"):
        all_rows(reader, sql)


@on_postgresql
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT query_to_xml('select refresh_token from credential', true, false, '')",
        "SELECT query_to_xml/**/ ('select ' || 'creden' || 'tial', true, false, '')",
        "SELECT ('select to_tsvector(refresh_token) from credential'::text).ts_stat",
        "SELECT ('PG_VERSION'::text)./* */\"pg_read_file\"",
        "SELECT pg_catalog.\"query_to_xml\" ('select 1', true, false, '')",
        "SELECT Query_To_Xml -- why not\n ('select 1', true, false, '')",
        "SELECT query_to_xml_and_xmlschema('select 1', true, false, '')",
        "SELECT table_to_xml(('creden' || 'tial')::regclass, true, false, '')",
        "SELECT schema_to_xml('public', true, false, '')",
        "SELECT database_to_xml(true, false, '')",
        "SELECT cursor_to_xml('answer', 1, true, false, '')",
        "SELECT * FROM ts_stat('select to_tsvector(refresh_token) from credential')",
        "SELECT ts_rewrite('a'::tsquery, 'select 1')",
        "SELECT pg_read_file('PG_VERSION')",
        "SELECT pg_read_binary_file('PG_VERSION')",
        "SELECT * FROM pg_ls_dir('.')",
        "SELECT lo_get(1)",
        "SELECT 1 WHERE (query_to_xml('select 1', true, false, '')::text)::int = 1",
        "SELECT set_config('standard_conforming_strings', 'off', false)",
        "SELECT * FROM pg_stats",
        "SELECT s.stavalues1 FROM pg_statistic AS s",
        "SELECT stxdmcv FROM pg_statistic_ext_data",
        'SELECT * FROM U&"\\0063redential"',
    ],
)
def test_no_way_round_shows_a_token(reader: Reader, sql: str) -> None:
    with pytest.raises(QueryRefused, match=r"cannot be used here|shown to nobody|as they are"):
        all_rows(reader, sql)


@on_postgresql
def test_the_parts_of_long_tokens_are_not_shown(reader: Reader) -> None:
    find = "SELECT reltoastrelid::regclass::text FROM pg_class WHERE relname = 'credential'"
    [(toast,)] = all_rows(reader, find)
    with pytest.raises(QueryRefused, match="shown to nobody"):
        all_rows(reader, f"SELECT chunk_data FROM {toast}")


@on_postgresql
@pytest.mark.parametrize(
    "sql",
    [
        "SELECT count(*) FROM name WHERE name <> 'credential'",
        "SELECT lower(max(name)), coalesce(sum(id), 0)::bigint FROM name",
        "SELECT random() < 2, clock_timestamp() IS NULL, gen_random_uuid() IS NULL",
        "SELECT count(*) FROM name TABLESAMPLE SYSTEM (100)",
        "SELECT pg_total_relation_size('name') > 0",
    ],
)
def test_what_only_reads_and_reckons_is_answered(reader: Reader, sql: str) -> None:
    assert len(all_rows(reader, sql)) == 1


def test_views_and_functions_of_others_are_no_way_round(postgres_prepared_url: str) -> None:
    database = Database(postgres_prepared_url)
    for statement in (
        "CREATE VIEW mine AS SELECT access_token AS a FROM credential",
        'CREATE VIEW "of mine" AS SELECT * FROM mine',
        "CREATE MATERIALIZED VIEW kept AS SELECT * FROM mine",
        "CREATE VIEW granted AS SELECT scopes FROM v_credentials",
        "CREATE FUNCTION told() RETURNS text STABLE RETURN (SELECT max(a) FROM mine)",
    ):
        database.write_now(lambda conn, text=statement: conn.exec_driver_sql(text))  # type: ignore[misc]
    database.close_now()
    with open_reader(postgres_prepared_url) as reader:
        for sql in (
            "SELECT * FROM mine",
            'SELECT a FROM "of mine", v_credentials',
            "SELECT * FROM kept",
            "SELECT told()",
        ):
            with pytest.raises(QueryRefused, match=r"v_credentials|cannot be used here"):
                all_rows(reader, sql)
        assert all_rows(reader, "SELECT * FROM granted") == []


def test_sqlite_shows_no_raw_pages() -> None:
    # Few builds of SQLite have the table.
    told = _Guard()(sqlite3.SQLITE_READ, "sqlite_dbpage", "data", "main", None)
    assert told == sqlite3.SQLITE_DENY


@pytest.mark.parametrize(
    "sql",
    [
        "DELETE FROM name",
        "UPDATE name SET name = 'x'",
        "INSERT INTO name SELECT * FROM name",
        "DROP TABLE name",
        "CREATE TABLE more (x INTEGER)",
        "CREATE TEMPORARY TABLE more AS SELECT * FROM name",
        "WITH gone AS (SELECT 1) DELETE FROM name",
        "COMMIT",
        "ROLLBACK",
        "BEGIN",
        "SELECT 1; DELETE FROM name",
        "SELECT 1; COMMIT; DELETE FROM name",
        "VACUUM",
        "no SQL at all",
        "",
        "SELECT 1/* and so on",
    ],
)
def test_nothing_can_be_changed(filled_url: str, sql: str) -> None:
    with open_reader(filled_url) as reader:
        if reader.dialect == "sqlite" and sql == "SELECT 1/* and so on":
            # It takes an open comment for one that ends with the text.
            all_rows(reader, sql)
        else:
            with pytest.raises(QueryRefused, match=r"\A[^\n]+\Z"):
                all_rows(reader, sql)
    with open_reader(filled_url) as reader:
        assert all_rows(reader, "SELECT count(*) FROM name") == [(2500,)]
        with pytest.raises(QueryRefused):
            reader.ask("SELECT * FROM more")


@pytest.mark.parametrize(
    "sql",
    [
        "PRAGMA query_only=OFF",
        "PRAGMA writable_schema=ON",
        "PRAGMA journal_mode=DELETE",
        "ATTACH 'more.db' AS more",
        "SELECT load_extension('x')",
        "UPDATE sqlite_master SET sql = 'x'",
    ],
)
def test_sqlite_stays_as_it_is(sqlite_prepared_url: str, sql: str) -> None:
    before = Path(sqlite_prepared_url.removeprefix("sqlite:///")).read_bytes()
    with open_reader(sqlite_prepared_url) as reader, pytest.raises(QueryRefused):
        all_rows(reader, sql)
    assert Path(sqlite_prepared_url.removeprefix("sqlite:///")).read_bytes() == before


def test_what_sqlite_has_beside_tables_can_be_read(sqlite_prepared_url: str) -> None:
    with open_reader(sqlite_prepared_url) as reader:
        assert all_rows(reader, "SELECT value FROM json_each('[7]')") == [(7,)]
        assert ("checked_at",) in all_rows(reader, "SELECT name FROM pragma_table_info('name')")
        assert all_rows(reader, "EXPLAIN QUERY PLAN SELECT * FROM name")


@on_postgresql
@pytest.mark.parametrize(
    "sql",
    [
        "SET TRANSACTION READ WRITE",
        "SELECT set_config('transaction_read_only', 'off', true), lo_create(0)",
        "SELECT nextval('credential_id_seq')",
        "COPY credential TO STDOUT",
        "DO $$ BEGIN DELETE FROM name; END $$",
        "WITH gone AS (DELETE FROM name RETURNING *) SELECT * FROM gone",
        "SELECT id FROM name FOR UPDATE",
    ],
)
def test_postgresql_stays_as_it_is(reader: Reader, sql: str) -> None:
    with pytest.raises(QueryRefused):
        all_rows(reader, sql)


def test_a_percent_sign_is_no_parameter(reader: Reader) -> None:
    found = all_rows(reader, "SELECT count(*) FROM name WHERE name LIKE '%99' AND id % 2 = 1")
    assert found == [(25,)]


def test_there_is_nothing_to_read_where_there_is_no_database(sqlite_url: str) -> None:
    with pytest.raises(StoreMissing), open_reader(sqlite_url):
        pass
    assert not Path(sqlite_url.removeprefix("sqlite:///")).exists()


def test_a_server_that_is_not_there_is_told(postgres_server: str) -> None:
    url = "postgresql://nobody@127.0.0.1:1/nothing"
    with pytest.raises(StoreUnavailable), open_reader(url):
        pass


def test_a_database_that_is_written_meanwhile_can_be_read(prepared_url: str, now: object) -> None:
    database = Database(prepared_url)
    row = {"id": 1, "category": "type", "name": "n", "checked_at": now}
    with open_reader(prepared_url) as reader:
        assert all_rows(reader, "SELECT count(*) FROM name") == [(0,)]
        database.write_now(lambda conn: conn.execute(insert(name).values(row)))
    with open_reader(prepared_url) as reader:
        assert all_rows(reader, "SELECT count(*) FROM name") == [(1,)]
    database.close_now()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can become another user")
@pytest.mark.parametrize("is_open", [False, True])
def test_a_copy_where_nothing_can_be_written_can_be_read(
    sqlite_prepared_url: str, is_open: bool
) -> None:
    original = connect.sqlite_path(connect.parse(sqlite_prepared_url))
    with tempfile.TemporaryDirectory(dir="/tmp") as folder:
        path = Path(folder) / "copy.db"
        shutil.copy(original, path)
        path.chmod(0o444)
        if is_open:
            # Somebody writes it, and is not done.
            path.with_name("copy.db-wal").touch()
        Path(folder).chmod(0o555)
        before = sorted(Path(folder).iterdir())
        os.seteuid(65534)
        try:
            if is_open:
                with pytest.raises(StoreForeign), open_reader(f"sqlite:///{path}"):
                    pass
            else:
                with open_reader(f"sqlite:///{path}") as reader:
                    assert all_rows(reader, "SELECT count(*) FROM name") == [(0,)]
        finally:
            os.seteuid(0)
        assert sorted(Path(folder).iterdir()) == before


def test_a_file_of_others_is_made_private(sqlite_prepared_url: str) -> None:
    path = Path(sqlite_prepared_url.removeprefix("sqlite:///"))
    os.chmod(path, 0o644)  # noqa: PTH101
    with open_reader(sqlite_prepared_url):
        pass
    assert path.stat().st_mode & 0o777 == 0o600
