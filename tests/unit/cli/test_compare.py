"""The demo's check finds what differs, and nothing else."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
from sqlalchemy.dialects import sqlite
from sqlalchemy.schema import CreateTable

from cli.demo.compare import compare_all, compare_table, open_plain
from cli.demo.difference import plain, rows_of, same
from cli.demo.mirrored import Mirrored
from cli.demo.report import SAMPLES, judge, report_lines
from cli.demo.session import Ran
from cli.demo.tables import CHECKS, OWN, TABLES
from cli.demo.universe import NotThere, Universe
from cli.paint import Painter
from jobs.store.schema import metadata

PILOT = 90000001
JOURNAL = [
    {"id": 11, "date": "2026-06-09T12:00:00Z", "ref_type": "bounty", "amount": 0.1, "balance": 5.3},
    {"id": 12, "date": "2026-06-09T13:00:00Z", "ref_type": "tax", "amount": -1.0},
]
MODEL: dict[tuple[str, int | None], Any] = {
    ("character.wallet_journal", PILOT): JOURNAL,
    ("character.wallet_balance", PILOT): 4.3,
    ("character.location", PILOT): {"solar_system_id": 30000142},
    ("alliance.profile", 99): {"name": "A", "ticker": "T"},
    ("character.industry_jobs", PILOT): [{"job_id": 1, "runs": 5}],
    ("character.contract_items", PILOT): [{"contract_id": 1, "record_id": 1, "type_id": 34}],
    ("global.killmail", 5): [
        {"attackers": [{"damage_done": 1}, {"damage_done": 2}], "victim": {"items": []}}
    ],
    ("character.orders", PILOT): [
        {"order_id": 1, "price": 2.5, "is_corporation": False, "issued": "2026-06-09T12:00:00Z"}
    ],
    ("character.orders_history", PILOT): [
        {"order_id": 2, "price": 1.0, "is_corporation": False, "issued": "2026-06-01T12:00:00Z",
         "state": "expired"}
    ],
}  # fmt: skip


class Model:
    def model(
        self, section: str, subject: int | None = None, *, division: int | None = None
    ) -> Any:
        try:
            return MODEL[section, subject]
        except KeyError:
            raise NotThere(section) from None


@pytest.fixture
def universe() -> Universe:
    return Universe(Model(), (PILOT,), ())


@pytest.fixture
def database() -> Iterator[sqlite3.Connection]:
    connection = sqlite3.connect(":memory:")
    connection.row_factory = sqlite3.Row
    connection.executescript(
        """
        CREATE TABLE character_wallet_journal (character_id, entry_id, posted_at, ref_type,
            amount, balance);
        INSERT INTO character_wallet_journal VALUES
            (90000001, 11, '2026-06-09T12:00:00.000Z', 'bounty', 10, 530),
            (90000001, 12, '2026-06-09T13:00:00.000Z', 'tax', -100, NULL);
        CREATE TABLE character_location_history (character_id, observed_at, solar_system_id);
        INSERT INTO character_location_history VALUES
            (90000001, '2026-06-09T12:00:00.000Z', 1),
            (90000001, '2026-06-09T13:00:00.000Z', 30000142);
        CREATE TABLE alliance (alliance_id, name, ticker);
        INSERT INTO alliance VALUES (99, 'A', 'T');
        CREATE TABLE character_industry_job (character_id, job_id, runs, closed_at);
        INSERT INTO character_industry_job VALUES
            (90000001, 1, 5, NULL), (90000001, 2, 5, '2026-06-09T12:00:00.000Z');
        CREATE TABLE character_contract_item (character_id, contract_id, record_id, type_id);
        INSERT INTO character_contract_item VALUES (90000001, 1, 1, 34), (90000001, 7, 1, 35);
        CREATE TABLE killmail_attacker (killmail_id, position, damage_done);
        INSERT INTO killmail_attacker VALUES (5, 0, 1), (5, 1, 2);
        CREATE TABLE character_market_order (character_id, order_id, price, is_corporation,
            issued, state, closed_at);
        INSERT INTO character_market_order VALUES
            (90000001, 1, 250, 0, '2026-06-09T12:00:00.000Z', NULL, NULL),
            (90000001, 2, 100, 0, '2026-06-01T12:00:00.000Z', 'expired', NULL),
            (90000001, 3, 100, 0, '2026-06-01T12:00:00.000Z', NULL, '2026-06-09T12:00:00.000Z');
        """
    )
    yield connection
    connection.close()


def check(database: sqlite3.Connection, universe: Universe) -> list[str]:
    found = compare_all(database, universe)
    assert {"alliance", "character_market_order"} <= found.rows.keys()
    return [str(one) for one in found.differences]


def test_what_agrees_agrees(database: sqlite3.Connection, universe: Universe) -> None:
    assert check(database, universe) == []
    assert compare_all(database, universe).agrees


@pytest.mark.parametrize(
    ("change", "difference"),
    [
        (
            "UPDATE character_wallet_journal SET amount = 11 WHERE entry_id = 11",
            ("character_wallet_journal character_id 90000001, entry_id 11: "
            "amount is 11, and 10 in the universe"),
        ),
        (
            ("UPDATE character_wallet_journal SET posted_at = '2026-06-09T12:00:01.000Z'"
            " WHERE entry_id = 11"),
            ("character_wallet_journal character_id 90000001, entry_id 11: posted_at is "
            "'2026-06-09T12:00:01.000Z', and '2026-06-09T12:00:00.000Z' in the universe"),
        ),
        (
            "UPDATE character_wallet_journal SET balance = 0 WHERE entry_id = 12",
            ("character_wallet_journal character_id 90000001, entry_id 12: "
            "balance is 0, and None in the universe"),
        ),
        (
            "DELETE FROM character_wallet_journal WHERE entry_id = 12",
            "character_wallet_journal character_id 90000001, entry_id 12: is not in the database",
        ),
        (
            ("INSERT INTO character_wallet_journal VALUES"
            " (90000001, 13, '2026-06-09T14:00:00.000Z', 'x', 1, 1)"),
            "character_wallet_journal character_id 90000001, entry_id 13: is not in the universe",
        ),
        (
            ("INSERT INTO character_wallet_journal VALUES"
            " (90000002, 13, '2026-06-09T14:00:00.000Z', 'x', 1, 1)"),
            "character_wallet_journal character_id 90000002, entry_id 13: is not in the universe",
        ),
        (
            ("UPDATE character_location_history SET solar_system_id = 2"
            " WHERE observed_at > '2026-06-09T12:30'"),
            ("character_location_history character_id 90000001: "
            "solar_system_id is 2, and 30000142 in the universe"),
        ),
        ("UPDATE alliance SET name = 'B'",
         "alliance alliance_id 99: name is 'B', and 'A' in the universe"),
        ("UPDATE alliance SET alliance_id = 98", "alliance alliance_id 98: is not in the universe"),
        (
            "UPDATE character_market_order SET closed_at = 'now' WHERE order_id = 1",
            "character_market_order order_id 1: is closed",
        ),
        (
            "UPDATE character_market_order SET state = NULL WHERE order_id = 2",
            ("character_market_order character_id 90000001, order_id 2: "
            "state is None, and 'expired' in the universe"),
        ),
        (
            "UPDATE character_market_order SET closed_at = NULL WHERE order_id = 3",
            "character_market_order character_id 90000001, order_id 3: is not in the universe",
        ),
        (
            "UPDATE character_industry_job SET closed_at = NULL WHERE job_id = 2",
            "character_industry_job character_id 90000001, job_id 2: is not in the universe",
        ),
        (
            "UPDATE character_industry_job SET closed_at = 'now' WHERE job_id = 1",
            ("character_industry_job character_id 90000001, job_id 1: "
            "closed_at is 'now', and None in the universe"),
        ),
        (
            "INSERT INTO character_contract_item VALUES (90000001, 1, 2, 34)",
            ("character_contract_item character_id 90000001, contract_id 1, record_id 2: "
            "is not in the universe"),
        ),
        (
            "DELETE FROM killmail_attacker WHERE position = 1",
            "killmail_attacker killmail_id 5, position 1: is not in the database",
        ),
        (
            "INSERT INTO killmail_attacker VALUES (5, 2, 3)",
            "killmail_attacker killmail_id 5, position 2: is not in the universe",
        ),
        (
            "UPDATE killmail_attacker SET damage_done = 7 WHERE position = 1",
            ("killmail_attacker killmail_id 5, position 1: "
            "damage_done is 7, and 2 in the universe"),
        ),
    ],
)  # fmt: skip
def test_each_change_is_found(
    database: sqlite3.Connection, universe: Universe, change: str, difference: str
) -> None:
    database.execute(change)
    assert check(database, universe) == [difference]


def test_what_esi_has_forgotten_may_be_in_the_mirror(
    database: sqlite3.Connection, universe: Universe
) -> None:
    database.execute(
        "INSERT INTO character_wallet_journal VALUES"
        " (90000001, 10, '2026-05-09T12:00:00.000Z', 'x', 1, 1)"
    )
    assert check(database, universe) == []


def test_what_is_forgotten_is_told_for_each_answer_by_itself() -> None:
    def mined(observer_id: int, day: str) -> dict[str, Any]:
        return {"observer_id": observer_id, "last_updated": day, "character_id": 7,
                "type_id": 8, "recorded_corporation_id": 9, "quantity": 1}  # fmt: skip

    class Ledgers:
        def model(self, *_: Any, **__: Any) -> Any:
            # Beside the first it is quiet: its oldest day is long ago.
            return [mined(1, "2026-11-03"), mined(2, "2026-11-29")]

    [ledger] = [one for one in TABLES if one.table == "corporation_mining_ledger"]
    words = {name: column for column, name in ledger.words.items()}

    def differences(*rows: dict[str, Any]) -> list[str]:
        found = [
            {"corporation_id": 98, **{words.get(name, name): row[name] for name in row}}
            for row in rows
        ]
        universe = Universe(Ledgers(), (), (98,))
        return [one.what for one in compare_table(ledger, found, universe)]

    shown = (mined(1, "2026-11-03"), mined(2, "2026-11-29"))
    assert differences(*shown, mined(2, "2026-11-24")) == []
    assert differences(*shown, mined(2, "2026-11-30")) == ["is not in the universe"]
    assert differences(*shown, mined(1, "2026-11-24")) == ["is not in the universe"]


def test_an_empty_table_lacks_every_row(universe: Universe) -> None:
    [journal] = [one for one in TABLES if one.table == "character_wallet_journal"]
    assert len(compare_table(journal, [], universe)) == len(JOURNAL)


def test_a_table_that_no_topic_knows_is_told_and_fails_nothing(
    tmp_path: Path, universe: Universe
) -> None:
    path = tmp_path / "x.db"
    with sqlite3.connect(path) as connection:
        connection.execute("CREATE TABLE alliance (alliance_id, name, ticker)")
        connection.execute("INSERT INTO alliance VALUES (99, 'A', 'T')")
        connection.execute("CREATE TABLE news (id)")
        for table in ("character", "character_wallet", "character_skillqueue", "name", "mail"):
            statement = str(CreateTable(metadata.tables[table]).compile(dialect=sqlite.dialect()))
            connection.execute(statement)
    connection.close()
    nobody = Universe(universe.source, (), ())
    verdict = judge(Ran(tmp_path, path, (), "2026-11-30T12:00:00Z"), nobody)
    assert verdict.not_compared == ("news",)
    assert verdict.agrees
    lines = report_lines(verdict, width=80, paint=Painter(colours=False))
    assert "not compared: news" in lines
    assert lines[-1].endswith(f"rm -r {tmp_path}")
    assert any(line.startswith("Checked: all") for line in lines)


def test_the_first_in_the_skill_queue_is_not_trained_yet() -> None:
    with sqlite3.connect(":memory:") as connection:
        connection.execute("CREATE TABLE name (id, name)")
        connection.execute("CREATE TABLE character (character_id, name)")
        connection.executemany(
            "INSERT INTO character VALUES (?, ?)", [(1, "Busy"), (2, "Done"), (3, "Stopped")]
        )
        connection.execute(
            "CREATE TABLE character_skillqueue"
            " (character_id, queue_position, skill_id, finished_level, finish_at)"
        )
        connection.executemany(
            "INSERT INTO character_skillqueue VALUES (?, ?, 3300, ?, ?)",
            [
                (1, 0, 1, "2026-11-30T11:59:59.000Z"),
                (1, 1, 2, "2026-11-30T12:00:00.000Z"),
                (1, 2, 3, "2026-11-30T12:00:01.000Z"),
                (1, 3, 4, "2026-11-30T13:00:00.000Z"),
                (2, 0, 5, "2026-11-30T11:00:00.000Z"),
                (3, 0, 5, None),
            ],
        )
        found = connection.execute(
            SAMPLES["First in the skill queue"], {"now": "2026-11-30T12:00:00Z"}
        ).fetchall()
    connection.close()
    assert found == [("Busy", None, 3, "2026-11-30T12:00:01.000Z")]


def test_nothing_compared_is_no_agreement(universe: Universe) -> None:
    with sqlite3.connect(":memory:") as empty:
        empty.row_factory = sqlite3.Row
        assert not compare_all(empty, universe).agrees
    empty.close()


def test_values_are_those_that_sqlite_holds() -> None:
    assert plain(4009516015.13, is_money=True) == 400951601513
    assert plain("2026-06-09T14:00:00+02:00", is_time=True) == "2026-06-09T12:00:00.000Z"
    assert plain(True) == 1
    assert plain(None, is_money=True) is None
    with pytest.raises(TypeError):
        plain([1])
    assert same(1, 1.0)
    assert not same(1, "1")
    assert not same(0, None)
    assert not same(2**53, 2**53 + 1)
    assert Decimal(repr(0.1)) == Decimal("0.1")


@pytest.mark.parametrize("mirrored", TABLES, ids=lambda m: m.table)
def test_each_line_names_a_table_and_its_columns(mirrored: Mirrored) -> None:
    table = metadata.tables[mirrored.table]
    named = {*mirrored.key, *mirrored.words, *mirrored.times, *mirrored.money, *mirrored.own}
    if mirrored.words and "px64" in mirrored.words:
        named -= {"px512"}
    assert named - {"division"} <= set(table.c.keys())
    money = {column.name for column in table.c if type(column.type).__name__ == "Isk"}
    assert money == mirrored.money
    times = {column.name for column in table.c if type(column.type).__name__ == "UtcTime"}
    assert times - mirrored.own - {"deleted_at", "closed_at"} == mirrored.times


def test_every_table_of_our_kinds_is_compared() -> None:
    compared = {one.table for one in TABLES} | CHECKS.keys()
    assert len(compared) == len(TABLES) + len(CHECKS)
    assert not compared & OWN
    lacking = set(metadata.tables) - compared - OWN
    assert not lacking, "say in cli/demo/tables what they show (docs/adding-a-kind.md)"
    assert compared <= set(metadata.tables)


def test_rows_are_read_by_name(database: sqlite3.Connection) -> None:
    assert rows_of(database, "alliance") == [{"alliance_id": 99, "name": "A", "ticker": "T"}]


def test_the_check_changes_nothing_and_leaves_no_file_behind(tmp_path: Path) -> None:
    path = tmp_path / "x.db"
    connection = sqlite3.connect(path)
    connection.execute("PRAGMA journal_mode=WAL")
    connection.execute("CREATE TABLE t (n INTEGER)")
    connection.close()
    with open_plain(path) as opened:
        assert opened.execute("SELECT count(*) AS n FROM t").fetchone()["n"] == 0
        with pytest.raises(sqlite3.OperationalError, match="readonly"):
            opened.execute("INSERT INTO t VALUES (1)")
    assert list(tmp_path.iterdir()) == [path]
