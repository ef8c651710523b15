"""Subjects by name and by bare id, and their names in what is shown."""

from __future__ import annotations

import json
import sqlite3
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli import known
from ipc.outcome import Outcome, Token
from ipc.scheduler_messages import JobState
from ipc.settings import Settings, Store
from ipc.subject import JobKey, Subject, SubjectType
from tests.unit.cli.fake_supervisor import FakeSupervisor

Esisyncd = Callable[..., Any]
IVO = Subject(SubjectType.CHARACTER, 90000001)
NADJA = Subject(SubjectType.CHARACTER, 7)
HOUSE = Subject(SubjectType.CORPORATION, 7)
NAMES = {IVO: "Ivo Näkki", NADJA: "Twin", HOUSE: "twin"}


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("90000001", {IVO}),
        ("ivo näkki", {IVO}),
        ("IVO NÄKKI", {IVO}),
        ("7", {NADJA, HOUSE}),
        ("Twin", {NADJA, HOUSE}),
        ("Ivo", set()),
        ("8", set()),
        ("", set()),
        ("\u0667", set()),
    ],
)
def test_whom_a_text_means(text: str, found: set[Subject]) -> None:
    assert known.meant(text, NAMES, NAMES) == found


def test_without_a_name_nobody_is_meant_by_an_empty_one() -> None:
    assert not known.meant("", [IVO], {})


@pytest.fixture
def filled(data_dir: Path, esisyncd: Esisyncd) -> Path:
    """A database that knows Ivo, and both whose id is 7."""
    for subject in NAMES:
        assert esisyncd("enroll", str(subject)).code == 0
    connection = sqlite3.connect(data_dir / "esisyncd.db")
    for subject, name in NAMES.items():
        table = str(subject.type)
        columns = connection.execute(f"PRAGMA table_info({table})").fetchall()
        values: dict[str, object] = {column[1]: 0 for column in columns if column[3]}
        values |= {f"{table}_id": subject.id, "name": name}
        marks = ", ".join("?" * len(values))
        connection.execute(
            f"INSERT INTO {table} ({', '.join(values)}) VALUES ({marks})", tuple(values.values())
        )
    connection.commit()
    connection.close()
    return data_dir


def test_the_database_is_asked(filled: Path) -> None:
    settings = Settings(data_dir=str(filled))
    assert known.subjects(settings) == NAMES.keys()
    assert known.names(settings) == NAMES


def test_a_type_that_this_version_does_not_know_is_left_out(filled: Path) -> None:
    connection = sqlite3.connect(filled / "esisyncd.db", isolation_level=None)
    connection.execute("UPDATE subject SET type = 'fleet' WHERE type = 'corporation'")
    connection.close()
    settings = Settings(data_dir=str(filled))
    assert known.subjects(settings) == {IVO, NADJA}


def test_a_database_that_cannot_be_asked_knows_nobody(tmp_path: Path) -> None:
    assert known.names(Settings(data_dir=str(tmp_path))) == {}
    assert not list(tmp_path.iterdir())
    (tmp_path / "esisyncd.db").write_bytes(b"no database at all" * 100)
    assert known.names(Settings(data_dir=str(tmp_path))) == {}
    nobody = Store("postgresql+psycopg://nobody@127.0.0.1:9/none")
    assert known.names(Settings(data_dir=str(tmp_path), store=nobody)) == {}


@pytest.mark.usefixtures("filled")
def test_commands_take_a_name_or_a_bare_id(data_dir: Path, esisyncd: Esisyncd) -> None:
    assert esisyncd("withdraw", "ivo NÄKKI").out.startswith(f"{IVO} is withdrawn")
    # The shared options count, wherever they stand.
    elsewhere = esisyncd("withdraw", "90000001", "--set", f"data_dir={data_dir}/none")
    assert (elsewhere.code, "is no subject" in elsewhere.err) == (2, True)
    assert esisyncd("enroll", "90000001").out.startswith(f"{IVO} is enrolled")
    for text in ("7", "TWIN"):
        ran = esisyncd("withdraw", text)
        assert ran.code == 2
        assert f"'{text}' can be {NADJA} or {HOUSE}; write that" in ran.err
    for text in ("Nobody", "corp:7"):
        ran = esisyncd("withdraw", text)
        assert ran.code == 2
        assert f"'{text}' is no subject" in ran.err


@pytest.mark.usefixtures("filled")
def test_status_and_credentials_show_names(data_dir: Path, esisyncd: Esisyncd) -> None:
    job = JobState(JobKey("character.wallet", IVO), outcome=Outcome(Token.SYNCED, 1))
    with FakeSupervisor(data_dir / "control.sock") as daemon:
        daemon.jobs = (job,)
        assert f"\n{IVO}  Ivo Näkki\n" in esisyncd("status").out
        assert "character.wallet" in esisyncd("status", "Ivo Näkki").out
        (told,) = json.loads(esisyncd("status", "--json").out)["jobs"]
        assert (told["subject"], told["name"]) == (str(IVO), "Ivo Näkki")
        daemon.jobs = tuple(JobState(JobKey(f"character.k{number}", IVO)) for number in range(100))
        assert f"\n{IVO}  Ivo Näkki  " in esisyncd("status").out


@pytest.mark.usefixtures("filled")
def test_credentials_are_listed_with_names_and_removed_by_them(
    esisyncd: Esisyncd, data_dir: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    line = {"character_id": IVO.id, "refresh_token": "very-secret", "scopes": ["publicData"]}
    (data_dir / "line").write_text(json.dumps(line))
    with (data_dir / "line").open() as piped:
        monkeypatch.setattr("sys.stdin", piped)
        assert esisyncd("--set", "sso.client_id=mine", "credential", "import").code == 0
    assert f"{IVO.id}  Ivo Näkki  good" in esisyncd("credential", "list").out
    (told,) = json.loads(esisyncd("credential", "list", "--json").out)["credentials"]
    assert told["name"] == "Ivo Näkki"
    ran = esisyncd("credential", "remove", f"character:{IVO.id}", "--yes")
    assert ran.out.startswith("1 credential removed"), ran.err
