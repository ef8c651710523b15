"""Commands that write to the database, beside a daemon that does not do as it should, or none."""

from __future__ import annotations

import errno
import io
import json
import os
import sqlite3
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from cli.client import ControlClient
from ipc.commands import Discover, Enroll
from ipc.control_messages import FromClient, Request
from ipc.subject import Subject, SubjectType
from jobs.store.database import Database
from tests.unit.cli.fake_supervisor import FakeSupervisor

Esisyncd = Callable[..., Any]
CLIENT = ("--set", "sso.client_id=mine")
LINE = {"character_id": 90000001, "refresh_token": "very-secret", "scopes": ["publicData"]}


@pytest.fixture
def credentials(monkeypatch: pytest.MonkeyPatch) -> None:
    """One credential on standard input."""
    piped = SimpleNamespace(buffer=io.BytesIO(json.dumps(LINE).encode()), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", piped)


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize(
    "arguments", [("login", "--no-browser"), ("credential", "import"), ("db", "upgrade")]
)
def test_a_folder_that_cannot_be_made_is_refused_before_anything_is_asked(
    data_dir: Path, esisyncd: Esisyncd, arguments: tuple[str, ...]
) -> None:
    (data_dir / "file").write_text("")
    ran = esisyncd(*CLIENT, "--set", f"data_dir={data_dir / 'file' / 'data'}", *arguments)
    assert ran.code == 77
    assert ran.err.startswith("esisyncd: the data folder")
    assert "Log in at" not in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("query", "SELECT 1"),
        ("export", "name"),
        ("credential", "list"),
        ("outbox", "list"),
        ("db", "size"),
        ("forget", "character:90000001", "--yes"),
    ],
)
def test_a_database_that_may_not_be_reached_is_refused_by_all_alike(
    data_dir: Path,
    esisyncd: Esisyncd,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
) -> None:
    assert esisyncd("db", "upgrade").code == 0
    stat, database = Path.stat, data_dir / "esisyncd.db"

    def forbidden(path: Path, **options: bool) -> os.stat_result:
        if path == database:
            raise PermissionError(errno.EACCES, "Permission denied", str(path))
        return stat(path, **options)

    monkeypatch.setattr(Path, "stat", forbidden)
    ran = esisyncd(*CLIENT, *arguments)
    assert ran.code == 77
    assert ran.err.splitlines() == [
        f"esisyncd: {database} cannot be used: Permission denied",
        "Run this as the user who runs the daemon.",
    ]


def test_a_login_is_refused_before_it_where_its_grant_cannot_be_kept(
    data_dir: Path, esisyncd: Esisyncd
) -> None:
    (data_dir / "esisyncd.db").write_bytes(b"no database at all" * 100)
    ran = esisyncd(*CLIENT, "login", "--no-browser")
    assert ran.code == 78
    assert "damaged" in ran.err
    assert "Log in at" not in ran.err


def test_a_login_is_refused_before_it_where_no_database_can_be_made(
    data_dir: Path, esisyncd: Esisyncd
) -> None:
    (data_dir / "file").write_text("")
    url = f"sqlite:///{data_dir}/file/folder/esisyncd.db"
    ran = esisyncd(*CLIENT, "--set", f"store.url={url}", "login", "--no-browser")
    assert ran.code == 77
    assert f"the database {data_dir.resolve()}/file/folder/esisyncd.db cannot be made" in ran.err
    assert "Log in at" not in ran.err


def test_a_login_is_refused_before_it_where_the_database_takes_no_write(
    data_dir: Path, esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert Database.__init__.__kwdefaults__ is not None
    monkeypatch.setitem(Database.__init__.__kwdefaults__, "busy_timeout_s", 0.1)
    assert esisyncd("enroll", "alliance:5").code == 0
    holder = sqlite3.connect(data_dir / "esisyncd.db", isolation_level=None)
    holder.execute("BEGIN IMMEDIATE")
    try:
        ran = esisyncd(*CLIENT, "login", "--no-browser")
    finally:
        holder.close()
    assert ran.code == 1
    assert "locked" in ran.err
    assert "Log in at" not in ran.err


@pytest.mark.usefixtures("credentials")
def test_what_is_stored_is_no_failure_though_the_daemon_cannot_be_told(
    daemon: FakeSupervisor, esisyncd: Esisyncd
) -> None:
    daemon.reply_status, daemon.reply_text = "refused", "the database is locked"
    ran = esisyncd(*CLIENT, "credential", "import")
    assert ran.code == 0
    assert "1 credential imported" in ran.out
    assert "the database is locked; what was stored is found with the next look" in ran.err


@pytest.mark.usefixtures("credentials")
@pytest.mark.parametrize("status", ["done", "kept"])
def test_a_login_is_the_last_word_on_whom_it_enrolls(
    daemon: FakeSupervisor, esisyncd: Esisyncd, status: str
) -> None:
    # Kept before it: that the same subject be forgotten, for one.
    daemon.reply_status = status
    assert esisyncd(*CLIENT, "credential", "import").code == 0
    commands = [each.command for each in daemon.received if isinstance(each, Request)]
    enrolled = [Enroll(Subject(SubjectType.CHARACTER, 90000001))] if status == "kept" else []
    assert commands == [Discover(), *enrolled]


class Silent(FakeSupervisor):
    """Tells its state, and answers no command."""

    def answer(self, message: FromClient) -> list[msgspec.Struct] | None:
        return [] if isinstance(message, Request) else super().answer(message)


@pytest.mark.usefixtures("credentials")
def test_forget_goes_on_where_the_daemon_is_slow_to_do_its_part(
    data_dir: Path, esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("cli.subjects.ControlClient", partial(ControlClient, wait_s=0.1))
    assert esisyncd("enroll", "alliance:5").code == 0
    with Silent(data_dir / "control.sock"):
        ran = esisyncd("forget", "alliance:5", "--yes")
    assert ran.code == 0, ran.err
    assert "alliance:5: 0 rows and 0 images deleted" in ran.out
    shown = esisyncd("query", "--csv", "SELECT type, id, state FROM subject")
    assert shown.out == "type,id,state\nalliance,5,deleted\n"


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("query", ""), "there is no query"),
        (("query", " \n\t"), "there is no query"),
        (("query", "-"), "there is no query"),
        (("query", ";"), "there is no query in that"),
        (("query", "/* a */ -- b"), "there is no query in that"),
        (("query", "--json", "--csv", "SELECT 1"), "--json and --csv exclude each other"),
        (("mail", "send", "1", "--to", "2", "--subject", "s"), "standard input gave no text"),
        (
            ("mail", "send", "1", "--to", "2", "--subject", " ", "--body", ""),
            "this mail says nothing",
        ),
        (("export", "global.token_audit"), "global.token_audit has no tables of its own"),
    ],
)
def test_what_asks_for_nothing_is_refused(
    data_dir: Path,
    esisyncd: Esisyncd,
    monkeypatch: pytest.MonkeyPatch,
    arguments: tuple[str, ...],
    told: str,
) -> None:
    assert esisyncd("enroll", "alliance:5").code == 0
    monkeypatch.setattr(sys, "stdin", io.StringIO())
    ran = esisyncd(*arguments)
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith(f"esisyncd: {told}\n")


@pytest.mark.usefixtures("credentials")
def test_times_are_told_to_programs_as_a_query_tells_them(esisyncd: Esisyncd) -> None:
    assert esisyncd(*CLIENT, "credential", "import").code == 0
    (listed,) = json.loads(esisyncd("credential", "list", "--json").out)["credentials"]
    queried = esisyncd("query", "--json", "SELECT expires_at FROM credential")
    assert listed["expires_at"] == json.loads(queried.out)["rows"][0]["expires_at"]
    assert listed["expires_at"].endswith("Z")


@pytest.mark.parametrize("errors", ["strict", "surrogateescape"])
def test_what_is_piped_in_and_is_no_text_is_told(
    esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch, errors: str
) -> None:
    piped = io.TextIOWrapper(io.BytesIO(b"SELECT '\xff'"), encoding="utf-8", errors=errors)
    monkeypatch.setattr(sys, "stdin", piped)
    ran = esisyncd("query", "-")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err == "esisyncd: what was piped in is no text in UTF-8\n"
