"""Commands against a supervisor that answers from a script."""

from __future__ import annotations

import contextlib
import io
import json
import re
import sqlite3
import sys
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import msgspec
import pytest

from cli.commands import sync as sync_module
from cli.writes import asking
from ipc.commands import Drain, Enroll, Reload, Restart, RunNow, Withdraw
from ipc.control_messages import FromClient, GetStatus, Request
from ipc.events import BackingOff, Failed, Finished, Heartbeat, Scheduled, Started
from ipc.outcome import Outcome, Token
from ipc.scheduler_messages import Events, JobState
from ipc.subject import JobKey, Subject, SubjectType
from simulator.__main__ import parse
from tests.unit.cli.fake_supervisor import WELL, FakeSupervisor

PILOT = Subject(SubjectType.CHARACTER, 90000001)
WALLET = JobKey("character.wallet", PILOT)
ASSETS = JobKey("character.assets", PILOT)
NOW = datetime.now(UTC)  # noqa: TID251 - the view is relative to the present
JOBS = (
    JobState(WALLET, Outcome(Token.SYNCED, 3), last_attempt_at=NOW - timedelta(seconds=5)),
    JobState(ASSETS, Outcome(Token.EMPTY), last_attempt_at=NOW - timedelta(seconds=5)),
)
Esisyncd = Callable[..., Any]
_NO_DAEMON = ("--set", "control.socket=/tmp/esisyncd-none.sock")


@pytest.fixture(autouse=True)
def _jobs(daemon: FakeSupervisor) -> None:
    daemon.jobs = JOBS


def commands(daemon: FakeSupervisor) -> list[object]:
    return [message.command for message in daemon.received if isinstance(message, Request)]


def test_status_shows_and_tells_by_its_code(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    ran = esisyncd("status")
    assert (ran.code, ran.err) == (0, "")
    assert "character.wallet" in ran.out
    daemon.state = msgspec.structs.replace(WELL, scheduler_state="parked", trouble="no luck")
    ran = esisyncd("status")
    assert ran.code == 75
    assert "no luck" in ran.out


def test_status_of_an_unknown_subject_says_what_begins_it(
    daemon: FakeSupervisor, esisyncd: Esisyncd
) -> None:
    ran = esisyncd("status", "character:5")
    assert "esisyncd enroll character:5" in ran.err
    ran = esisyncd("status", "alliance:5")
    assert ran.err == "Nothing is scheduled for alliance:5; `esisyncd enroll alliance:5` begins.\n"


def test_watch_tells_a_pipe_once_that_nobody_answers(
    esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    rounds = 0

    def sleep(_seconds: float) -> None:
        nonlocal rounds
        rounds += 1
        if rounds == 3:
            raise KeyboardInterrupt

    monkeypatch.setattr("cli.commands.status.time.sleep", sleep)
    ran = esisyncd("--set", "control.socket=/tmp/nobody/s", "status", "--watch")
    assert ran.out.count("still looking") == 1


def test_an_alliance_is_a_subject_like_the_others(esisyncd: Esisyncd) -> None:
    def run(*words: str) -> str:
        ran = esisyncd("--set", "control.socket=/tmp/nobody/s", *words)
        assert ran.code == 0, ran.err
        return str(ran.out)

    assert "alliance:5 is enrolled" in run("enroll", "alliance:5")
    assert "alliance:5 is withdrawn" in run("withdraw", "alliance:5")
    assert "alliance:5 was not mirrored" in run("withdraw", "alliance:5")
    assert "alliance:5: 0 rows and 0 images deleted" in run("forget", "alliance:5", "--yes")


@pytest.mark.parametrize("command", [("withdraw",), ("forget", "--yes")])
def test_a_subject_that_was_never_mirrored_is_a_mistake(
    daemon: FakeSupervisor, esisyncd: Esisyncd, command: tuple[str, ...]
) -> None:
    assert esisyncd(*_NO_DAEMON, "enroll", "alliance:5").code == 0
    ran = esisyncd(*command, "alliance:6")
    assert (ran.code, ran.out) == (2, "")
    assert ran.err.startswith("esisyncd: alliance:6 is not known here\n")
    assert commands(daemon) == []


def test_what_a_program_reads_is_cut_nowhere(
    esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    from jobs.catalog import load

    monkeypatch.delenv("COLUMNS")
    out = esisyncd("kinds").out
    assert "…" not in out
    assert all(kind.summary in out for kind in load(("jobs.kinds",)).values())


def test_status_as_json_says_null_where_nobody_could_tell(
    daemon: FakeSupervisor, esisyncd: Esisyncd
) -> None:
    assert len(json.loads(esisyncd("status", "--json").out)["jobs"]) == 2
    daemon.state = msgspec.structs.replace(WELL, scheduler_state="backoff", next_start_s=2.0)
    ran = esisyncd("status", "--json")
    assert ran.code == 1
    assert json.loads(ran.out)["jobs"] is None


def test_status_cannot_watch_as_json(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    assert esisyncd("status", "--watch", "--json").code == 2


@pytest.mark.parametrize(
    ("arguments", "command"),
    [
        (("restart",), Restart()),
        (("reload",), Reload()),
        (("enroll", "character:90000001"), Enroll(PILOT)),
        (("withdraw", "character:90000001"), Withdraw(PILOT)),
        (("sync", "character:90000001"), RunNow(PILOT)),
        (("sync", "character:90000001", "--kind", "character.wallet"),
         RunNow(PILOT, "character.wallet")),
    ],
)  # fmt: skip
def test_each_command_asks_for_what_it_says(
    daemon: FakeSupervisor, esisyncd: Esisyncd, arguments: tuple[str, ...], command: object
) -> None:
    ran = esisyncd(*arguments)
    assert (ran.code, ran.err) == (0, "")
    assert commands(daemon) == [command]


def test_a_command_that_is_kept_says_so(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    daemon.reply_status = "kept"
    assert "next scheduler" in esisyncd("sync", "character:90000001").out
    assert "as soon as a scheduler runs" in esisyncd("withdraw", "character:90000001").out


def test_what_the_daemon_refuses_is_77(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    daemon.reply_status, daemon.reply_text = "refused", "not now"
    ran = esisyncd("restart")
    assert ran.code == 77
    assert "not now" in ran.err


def test_sync_waits_until_all_have_ended(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    daemon.on_request = lambda _: [
        Events((Started(NOW, WALLET, 1, 1), Finished(NOW, WALLET, Outcome(Token.SYNCED, 3), 0.1))),
        Events((Failed(NOW, ASSETS, "no answer", 1),)),
    ]
    ran = esisyncd("sync", "character:90000001", "--wait")
    assert ran.code == 1
    assert ran.err == "character.assets: no answer\n"
    assert ran.out.endswith("2 jobs ended, 1 of them badly\n")


def test_sync_tells_of_a_wait_that_esi_asks_for(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    daemon.on_request = lambda _: [
        Events((BackingOff(NOW, WALLET, 60), Finished(NOW, ASSETS, Outcome(Token.EMPTY), 0.1)))
    ]
    ran = esisyncd("sync", "character:90000001", "--wait")
    assert ran.code == 75
    until = NOW + timedelta(seconds=60)
    assert ran.err == f"character.wallet: waits until {until:%H:%M:%S} UTC as ESI asks\n"
    assert ran.out.endswith("1 job ended; 1 job waits as ESI asks\n")


def test_sync_gives_up_waiting(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    ran = esisyncd("sync", "character:90000001", "--timeout", "0.05")
    assert ran.code == 75
    assert "not ended within 0.05 s: character.assets, character.wallet" in ran.err


def test_sync_waits_on_while_the_scheduler_starts_again_and_asks_it_anew(
    daemon: FakeSupervisor, esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_module, "_ASK_INTERVAL_S", 0.02)
    known = daemon.jobs
    states = iter(
        [
            (WELL, known),
            (msgspec.structs.replace(WELL, scheduler_state="backoff", generation=1), ()),
            (msgspec.structs.replace(WELL, scheduler_state="starting", generation=2), ()),
            # It knows the second one a moment later, and refuses it until then.
            (msgspec.structs.replace(WELL, generation=2), known[:1]),
            (msgspec.structs.replace(WELL, generation=2), known),
        ]
    )
    plain = daemon.answer

    def answer(message: FromClient) -> list[msgspec.Struct] | None:
        if isinstance(message, GetStatus):
            daemon.state, daemon.jobs = next(states, (daemon.state, known))
        elif isinstance(message, Request) and isinstance(message.command, RunNow):
            is_known = message.command.kind in {"", *(job.key.kind for job in daemon.jobs)}
            daemon.reply_status = "done" if is_known else "refused"
        return plain(message)

    def on_request(request: Request) -> list[msgspec.Struct]:
        command = request.command
        if daemon.state.generation < 2 or not isinstance(command, RunNow):
            return []
        key = JobKey(command.kind, command.subject)
        return [Events((Finished(NOW, key, Outcome(Token.SYNCED), 0.1),))]

    monkeypatch.setattr(daemon, "answer", answer)
    daemon.on_request = on_request
    ran = esisyncd("sync", "character:90000001", "--wait")
    assert (ran.code, ran.err) == (0, "")
    assert ran.out.endswith("2 jobs ended\n")


def test_sync_does_not_wait_for_a_daemon_that_gave_up(
    daemon: FakeSupervisor, esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sync_module, "_ASK_INTERVAL_S", 0.02)

    def on_request(_: Request) -> list[msgspec.Struct]:
        daemon.state = msgspec.structs.replace(WELL, scheduler_state="parked")
        return []

    daemon.on_request = on_request
    ran = esisyncd("sync", "character:90000001", "--wait")
    assert ran.code == 75
    assert "gave up restarting; not ended: character.assets, character.wallet" in ran.err
    assert "`esisyncd restart`" in ran.err


@pytest.mark.parametrize(
    ("then", "code", "told"),
    [("parked", 75, "gave up restarting"), ("gone", 69, "is gone"), ("ends", 69, "is gone")],
)
def test_who_waits_for_a_write_is_told_that_nobody_sends_it(
    daemon: FakeSupervisor,
    esisyncd: Esisyncd,
    monkeypatch: pytest.MonkeyPatch,
    then: str,
    code: int,
    told: str,
) -> None:
    line = {"character_id": 90000001, "refresh_token": "x", "scopes": ["esi-ui.write_waypoint.v1"]}
    piped = SimpleNamespace(buffer=io.BytesIO(json.dumps(line).encode()), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", piped)
    assert esisyncd(*_NO_DAEMON, "--set", "sso.client_id=mine", "credential", "import").code == 0
    monkeypatch.setattr(asking, "_ASK_S", 0.02)

    def on_request(request: Request) -> list[msgspec.Struct]:
        if isinstance(request.command, Drain):
            daemon.state = msgspec.structs.replace(WELL, scheduler_state="parked")
            if then == "gone":
                daemon.path.unlink()
            if then == "ends":
                monkeypatch.setattr(daemon, "answer", hangs_up)
        return []

    plain = daemon.answer

    def hangs_up(message: FromClient) -> list[msgspec.Struct] | None:
        return None if isinstance(message, GetStatus) else plain(message)

    daemon.on_request = on_request
    ran = esisyncd("waypoint", "90000001", "30000142", "--wait")
    assert ran.code == code
    assert "stored as write 1" in ran.err
    assert told in ran.err


def test_reload_that_is_refused_is_a_matter_of_the_configuration(
    daemon: FakeSupervisor, esisyncd: Esisyncd
) -> None:
    daemon.reply_status, daemon.reply_text = "refused", "reload: unknown key nonsense"
    ran = esisyncd("reload")
    assert ran.code == 78
    assert ran.err.splitlines() == [
        "esisyncd: the daemon refused: reload: unknown key nonsense",
        "Nothing has changed.",
    ]


def test_names_that_the_daemon_cannot_ask_for_are_no_refusal(
    daemon: FakeSupervisor, esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch
) -> None:
    scopes = ["esi-characters.write_contacts.v1"]
    line = {"character_id": 90000001, "refresh_token": "secret", "scopes": scopes}
    piped = SimpleNamespace(buffer=io.BytesIO(json.dumps(line).encode()), isatty=lambda: False)
    monkeypatch.setattr(sys, "stdin", piped)
    imported = esisyncd(*_NO_DAEMON, "--set", "sso.client_id=mine", "credential", "import")
    assert imported.code == 0
    daemon.reply_status, daemon.reply_text = "refused", "ESI cannot be reached"
    ran = esisyncd("contact", "add", "90000001", "Unknown", "--standing", "5")
    assert ran.code == 1
    assert ran.err.splitlines() == [
        "esisyncd: the daemon refused: ESI cannot be reached",
        "Give ids, or try again.",
    ]


@pytest.mark.parametrize("command", ["show", "retry", "cancel"])
def test_a_write_that_is_not_there_is_a_wrong_number(esisyncd: Esisyncd, command: str) -> None:
    assert esisyncd(*_NO_DAEMON, "db", "upgrade").code == 0
    ran = esisyncd("outbox", command, "99")
    assert (ran.code, ran.err.splitlines()[0]) == (2, "esisyncd: there is no write 99")


def test_a_write_tells_its_times_once(data_dir: Path, esisyncd: Esisyncd) -> None:
    assert esisyncd(*_NO_DAEMON, "db", "upgrade").code == 0
    created = "2026-11-30T12:00:00.000Z"
    with contextlib.closing(sqlite3.connect(data_dir / "esisyncd.db")) as connection:
        connection.execute(
            "INSERT INTO outbox (id, subject_type, subject_id, kind, payload, dedupe_key,"
            " status, next_attempt_at, created_at, updated_at, expires_at)"
            " VALUES (1, 'character', 90000001, 'ui.waypoint', '{}', 'k', 'pending', ?, ?, ?, ?)",
            (created,) * 4,
        )
        connection.commit()
    lines = esisyncd("outbox", "show", "1").out.splitlines()
    assert re.fullmatch(r"  asked     \w+ ago", lines[1])
    assert lines[2] == "  next      now"


def test_sync_does_not_wait_for_a_scheduler_that_is_not_there(
    daemon: FakeSupervisor, esisyncd: Esisyncd
) -> None:
    daemon.state = msgspec.structs.replace(WELL, scheduler_state="backoff")
    assert esisyncd("sync", "character:90000001", "--wait").code == 1
    daemon.reply_status = "kept"
    assert esisyncd("sync", "character:90000001").code == 0


def test_events_end_with_the_daemon(daemon: FakeSupervisor, esisyncd: Esisyncd) -> None:
    stream = (
        Heartbeat(NOW, 0, 0, 2),
        Scheduled(NOW, WALLET, 60.0),
        Started(NOW, WALLET, 1, 1),
    )
    answer = daemon.answer

    def observed(message: Any) -> list[msgspec.Struct] | None:
        given = answer(message)
        return [Events(stream)] if given == [] else given

    daemon.answer = observed  # type: ignore[method-assign]
    daemon.close_after = 1
    ran = esisyncd("events")
    assert ran.code == 69
    assert ran.out.splitlines() == [
        f"{NOW:%H:%M:%S} started    character:90000001 character.wallet on worker 1"
    ]
    ran = esisyncd("events", "--json")
    assert [json.loads(line)["event"] for line in ran.out.splitlines()] == [
        "heartbeat", "scheduled", "started",
    ]  # fmt: skip


def test_config_show_tells_features_and_intervals_with_what_holds(esisyncd: Esisyncd) -> None:
    ran = esisyncd("--set", "intervals.character.wallet=77", "config", "show", "--json")
    shown = {row["key"]: row for row in json.loads(ran.out)["settings"]}
    assert shown["features.mail"] == {"key": "features.mail", "value": True, "from": "default"}
    assert shown["intervals.character.wallet"]["value"] == 77
    assert shown["intervals.character.wallet"]["from"] == "flag"
    assert shown["intervals.character.skills"]["value"] > 0


@pytest.mark.parametrize(
    ("given", "code", "told"),
    [
        ("control.socket=/tmp/" + "s" * 110, 78, "longer than 107 bytes"),
        ("data_dir=/dev/null/x", 77, "cannot be used: Not a directory"),
        ("store.url=postgresql://u@h/d", 78, "PostgreSQL needs psycopg"),
    ],
)
def test_config_check_refuses_what_run_refuses(
    esisyncd: Esisyncd, monkeypatch: pytest.MonkeyPatch, given: str, code: int, told: str
) -> None:
    for name in [name for name in sys.modules if name.partition(".")[0] == "psycopg"]:
        monkeypatch.delitem(sys.modules, name)
    monkeypatch.setitem(sys.modules, "psycopg", None)
    ran = esisyncd("--set", "esi.contact=me", "--set", given, "config", "check")
    assert (ran.code, ran.out) == (code, "")
    assert told in ran.err


@pytest.mark.parametrize("name", ["demo", "simulate"])
@pytest.mark.parametrize("option", ["--config=x", "--set=engine.workers=1", "--log-level=debug"])
def test_a_configuration_that_would_not_be_used_is_refused(
    esisyncd: Esisyncd, name: str, option: str, capsys: pytest.CaptureFixture[str]
) -> None:
    before = esisyncd(option, name)
    assert before.code == 2
    assert before.err.startswith(f"esisyncd: {name} takes no configuration, and was given --")
    assert f"`esisyncd {name} --help`" in before.err
    if name == "demo":
        after = esisyncd(name, option)
        assert (after.code, "No such option" in after.err) == (2, True)
        return
    with pytest.raises(SystemExit) as ended:
        esisyncd(name, option)
    assert ended.value.code == 2
    assert "unrecognized arguments: --" in capsys.readouterr().err


def test_simulate_tells_each_of_its_options(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        parse(["--help"], "esisyncd simulate")
    out = " ".join(capsys.readouterr().out.split())
    assert "usage: esisyncd simulate" in out
    for option in ("--seed", "--no-rate-limits", "--client-id", "--start"):
        assert out.count(option) >= 2
    assert "the one application that the SSO knows (default: simulated-client)" in out


def test_db_upgrade_says_it_once(esisyncd: Esisyncd) -> None:
    upgrade = ("--set", "control.socket=/tmp/nobody/s", "db", "upgrade")
    assert esisyncd(*upgrade).code == 0
    ran = esisyncd(*upgrade)
    assert (ran.code, ran.out, ran.err) == (0, "the schema is up to date\n", "")
