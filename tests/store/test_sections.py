"""Sections taken out of the mirror: exact, alike on both databases, whole files or none."""

from __future__ import annotations

import csv
import io
import json
import os
import stat
import sys
from collections.abc import Iterator
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path
from typing import IO, Any

import pyarrow.parquet as pq
import pytest
from sqlalchemy import insert

from cli import exporting
from cli.errors import BadInput
from jobs import catalog
from jobs.spec import Write
from jobs.store.database import Database
from jobs.store.history import histories
from jobs.store.reader import Reader, open_reader
from jobs.store.schema import metadata
from jobs.store.sections import Section, known_names, sections
from jobs.store.size import sizes
from jobs.store.views.catalog import all_views

CATALOG = catalog.load(["jobs.kinds"])
# Beyond what a double tells apart.
MUCH = Decimal("92233720368547758.07")
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


@pytest.fixture(scope="module")
def filled_url(shared_url: str) -> str:
    database = Database(shared_url)
    entry = {
        "character_id": 90000001,
        "posted_at": datetime(2026, 11, 30, 11, 59, 58, 123000, tzinfo=UTC),
        "ref_type": "player_donation",
        "description": 'a "quoted", text\nof two lines',
    }
    rows = [
        {**entry, "entry_id": 2, "amount": None, "balance": Decimal("0.10"), "reason": ""},
        {**entry, "entry_id": 1, "amount": -MUCH, "balance": MUCH, "reason": None},
    ]
    table = metadata.tables["character_wallet_journal"]
    for row in rows:
        database.write_now(lambda conn, row=row: conn.execute(insert(table).values(row)))  # type: ignore[misc]
    worth = {"character_id": 90000001, "day": date(2026, 11, 29), "liquid": Decimal("1.5")}
    database.write_now(
        lambda conn: conn.execute(insert(metadata.tables["net_worth"]).values(worth))
    )
    asset = {
        "character_id": 90000001, "item_id": 1, "type_id": 34, "quantity": 1, "location_id": 5,
        "location_type": "other", "location_flag": "Hangar", "is_singleton": True,
    }  # fmt: skip
    assets = metadata.tables["character_asset"]
    database.write_now(lambda conn: conn.execute(insert(assets).values(asset)))
    database.close_now()
    return shared_url


@pytest.fixture
def reader(filled_url: str) -> Iterator[Reader]:
    with open_reader(filled_url) as opened:
        yield opened


def section(name: str) -> Section:
    (found,) = sections(name, CATALOG)
    return found


def exported(reader: Reader, name: str, form: str) -> bytes:
    found, file = section(name), io.BytesIO()
    exporting.write(found, found.ask(reader), form, file)
    return file.getvalue()


def test_csv_is_exact_and_in_order(reader: Reader) -> None:
    text = exported(reader, "character_wallet_journal", "csv").decode()
    first, second = list(csv.DictReader(io.StringIO(text)))
    assert (first["entry_id"], first["amount"], first["balance"]) == ("1", f"-{MUCH}", str(MUCH))
    assert second["balance"] == "0.10"
    assert first["posted_at"] == "2026-11-30T11:59:58.123Z"
    assert first["description"] == 'a "quoted", text\nof two lines'
    # NULL is nothing, and an empty text is a text.
    assert text.splitlines()[-1].endswith(',""')


def test_json_is_exact(reader: Reader) -> None:
    document = json.loads(exported(reader, "character_wallet_journal", "json"))
    assert (document["schema"], document["section"]) == (1, "character_wallet_journal")
    first, second = document["rows"]
    assert list(first) == document["columns"]
    assert (first["amount"], second["amount"], second["reason"]) == (f"-{MUCH}", None, "")
    (asset,) = json.loads(exported(reader, "character_asset", "json"))["rows"]
    assert (asset["is_singleton"], asset["is_blueprint_copy"]) == (True, None)


def test_parquet_is_exact(reader: Reader) -> None:
    table = pq.read_table(io.BytesIO(exported(reader, "character_wallet_journal", "parquet")))
    first, second = table.to_pylist()
    assert (first["amount"], second["amount"], first["balance"]) == (-MUCH, None, MUCH)
    assert first["posted_at"] == datetime(2026, 11, 30, 11, 59, 58, 123000, tzinfo=UTC)
    (worth,) = pq.read_table(io.BytesIO(exported(reader, "net_worth", "parquet"))).to_pylist()
    assert (worth["day"], worth["liquid"]) == (date(2026, 11, 29), Decimal("1.50"))


def test_parquet_is_written_in_groups(reader: Reader, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "GROUP", 1)
    monkeypatch.setattr("jobs.store.reader.BATCH", 1)
    file = pq.ParquetFile(io.BytesIO(exported(reader, "character_wallet_journal", "parquet")))
    assert (file.num_row_groups, file.metadata.num_rows) == (2, 2)


def test_views_are_exact_where_the_view_itself_is_not(reader: Reader) -> None:
    text = exported(reader, "v_wallet_journal", "csv").decode()
    assert [row["amount"] for row in csv.DictReader(io.StringIO(text))] in (
        [f"-{MUCH}", ""],
        ["", f"-{MUCH}"],
    )


def test_every_table_and_view_can_be_written(reader: Reader) -> None:
    """As Parquet, which takes no value of another type than was said."""
    assert set(known_names(CATALOG)) > set(metadata.tables) | set(all_views())
    for name in (*metadata.tables, *all_views()):
        assert exported(reader, name, "parquet"), name


def test_tokens_are_left_out() -> None:
    names = [field.name for field in section("credential").fields]
    assert "scopes" in names
    assert not {"access_token", "refresh_token"} & set(names)


def test_a_kind_has_its_tables_once() -> None:
    assert [found.name for found in sections("character.wallet", CATALOG)] == [
        "character_wallet",
        "character_wallet_journal",
        "character_wallet_transaction",
    ]
    assert sections("character_walet", CATALOG) == []


def half_and_fail(file: IO[bytes]) -> None:
    file.write(b"half")
    raise ZeroDivisionError


def test_a_file_is_whole_or_not_there(tmp_path: Path) -> None:
    path = tmp_path / "out.csv"
    path.write_text("before")
    with pytest.raises(ZeroDivisionError), exporting.open_output(path) as file:
        half_and_fail(file)
    assert path.read_text() == "before"
    assert list(tmp_path.iterdir()) == [path]
    with exporting.open_output(path) as file:
        file.write(b"whole")
    assert path.read_text() == "whole"
    assert path.stat().st_mode & 0o777 == 0o600


def test_what_is_no_file_is_written_to_and_stays(tmp_path: Path) -> None:
    fifo = tmp_path / "fifo"
    os.mkfifo(fifo)
    # Opened for both, a FIFO waits for nobody.
    reader = os.open(fifo, os.O_RDWR)
    try:
        with exporting.open_output(fifo) as file:
            file.write(b"through")
        assert os.read(reader, 100) == b"through"
    finally:
        os.close(reader)
    assert stat.S_ISFIFO(fifo.lstat().st_mode)
    assert list(tmp_path.iterdir()) == [fifo]


def test_a_link_stays_and_what_it_leads_to_is_replaced(tmp_path: Path) -> None:
    real = tmp_path / "real.csv"
    link = tmp_path / "link.csv"
    link.symlink_to("real.csv")
    for text in (b"new", b"replaced"):
        with exporting.open_output(link) as file:
            file.write(text)
        assert link.is_symlink()
        assert real.read_bytes() == text
    fifo_link = tmp_path / "to_null"
    fifo_link.symlink_to("/dev/null")
    with exporting.open_output(fifo_link) as file:
        file.write(b"gone")
    assert fifo_link.readlink() == Path("/dev/null")


def test_a_descriptor_of_ours_is_written_to_though_it_is_a_file(tmp_path: Path) -> None:
    path = tmp_path / "redirected"
    with path.open("wb") as redirected:
        inode = path.stat().st_ino
        with exporting.open_output(Path(f"/proc/self/fd/{redirected.fileno()}")) as file:
            file.write(b"here")
    assert (path.stat().st_ino, path.read_bytes()) == (inode, b"here")


def test_a_folder_that_is_not_there_is_told(tmp_path: Path) -> None:
    with (
        pytest.raises(BadInput, match="No such file"),
        exporting.open_output(tmp_path / "none" / "out.csv"),
    ):
        pass


def test_without_pyarrow_it_is_said_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    exporting.require("parquet")
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    exporting.require("csv")
    with pytest.raises(exporting.NoParquet) as caught:
        exporting.require("parquet")
    assert "pip install '.[parquet]'" in caught.value.hint


# --- what takes room ------------------------------------------------------------------------------


def test_sizes_and_what_grows(reader: Reader) -> None:
    found = sizes(reader, NOW)
    tables: dict[str, Any] = {one.name: one for one in found.tables}
    assert set(tables) == set(metadata.tables)
    journal = tables["character_wallet_journal"]
    assert (journal.rows, journal.recent_rows) == (2, 2)
    assert journal.recent_bytes == journal.size_bytes > 0
    assert tables["character_asset"].recent_rows is None
    assert tables["net_worth"].recent_rows == 1
    assert found.total_bytes >= sum(one.size_bytes or 0 for one in found.tables)
    assert [one.size_bytes or 0 for one in found.tables] == sorted(
        (one.size_bytes or 0 for one in found.tables), reverse=True
    )
    later = {one.name: one for one in sizes(reader, NOW.replace(year=2027)).tables}
    assert later["character_wallet_journal"].recent_rows == 0
    # A part grows as what it is of.
    assert later["mail_body"].recent_rows == 0


# Tables to which rows are only added, and whose rows last.
LASTING = frozenset(
    {
        # They say what something is.
        "abyssal_attribute",
        "abyssal_effect",
        "abyssal_item",
        # ESI shows more than a year of it: what goes would come back.
        "market_history",
    }
)


def test_every_table_that_only_grows_says_how_its_rows_age() -> None:
    told = {table.name for one in histories() for table in (one.table, *one.parts)}
    growing = {
        target.table.name
        for kind in CATALOG.values()
        for part in kind.parts
        for target in part.targets
        if target.write in (Write.APPEND, Write.CLOSE)
    }
    assert growing - told - LASTING == set(), "say so in jobs/store/history.py, or above"
    assert growing >= LASTING
