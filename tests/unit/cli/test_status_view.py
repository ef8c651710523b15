from __future__ import annotations

import json
from datetime import UTC, datetime, timedelta

import msgspec
import pytest

from cli.commands.status import clipped
from cli.health import assess
from cli.job_table import MANY_JOBS, job_lines, login_lines
from cli.paint import Painter
from cli.status_json import status_json
from cli.status_summary import summary_lines
from ipc.outcome import Outcome, Token
from ipc.scheduler_messages import JobState, WorkerState
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from tests.unit.cli.fake_supervisor import WELL

NOW = datetime(2026, 6, 9, 12, tzinfo=UTC)
PILOT = Subject(SubjectType.CHARACTER, 90000001)
PLAIN = Painter(colours=False)
LONG = (
    "missing scope esi-assets.read_assets.v1 of character 90000001, and what else there is to say"
)
JOBS = (
    JobState(
        JobKey("character.wallet", PILOT),
        outcome=Outcome(Token.SYNCED, 1204, rows_skipped=2, to_fetch=5, words_unknown=3),
        last_attempt_at=NOW - timedelta(seconds=42),
        fresh_until=NOW + timedelta(seconds=78),
        next_run_at=NOW + timedelta(minutes=59),
    ),
    JobState(
        JobKey("character.assets", PILOT),
        outcome=Outcome(Token.BLOCKED, 0, LONG),
        last_attempt_at=NOW - timedelta(hours=3),
        fresh_until=NOW - timedelta(hours=2),
        next_run_at=NOW - timedelta(seconds=1),
    ),
    JobState(JobKey("global.market_prices", GLOBAL), in_flight=True),
    JobState(
        JobKey("global.server_status", GLOBAL),
        outcome=Outcome(Token.FAILED, 0, "connection reset"),
        last_attempt_at=NOW,
        failures=3,
        parked_reason="killed its worker three times",
    ),
)


def test_a_job_that_esi_asked_to_wait_has_not_failed() -> None:
    spent = JobState(
        JobKey("character.wallet", PILOT),
        outcome=Outcome(Token.FAILED, 0, "journal, divisions: the rate limit char is spent"),
        last_attempt_at=NOW,
        next_run_at=NOW + timedelta(seconds=60),
    )
    failed = msgspec.structs.replace(spent, key=JobKey("character.mail", PILOT), failures=1)
    lines = job_lines([spent, failed], NOW, width=200, paint=PLAIN, all_jobs=True)
    row = next(line for line in lines if "character.wallet" in line)
    assert row.split()[1] == "waiting"
    assert row.endswith("the rate limit char is spent")
    assert next(line for line in lines if "character.mail" in line).split()[1] == "failed"
    many = [
        msgspec.structs.replace(spent, key=JobKey(f"character.k{n}", PILOT))
        for n in range(MANY_JOBS + 1)
    ]
    line = job_lines(many, NOW, width=200, paint=PLAIN, all_jobs=False)[2]
    # Kinds, well, blocked, waiting, failed, parked.
    assert line.split()[1:7] == ["81", "0", "0", "81", "0", "0"]


@pytest.mark.parametrize("width", [80, 100, 120])
def test_the_view_fits_its_width(width: int) -> None:
    lines = summary_lines(WELL, assess(WELL), NOW, width=width, paint=PLAIN)
    lines += job_lines(JOBS, NOW, width=width, paint=PLAIN, all_jobs=False)
    assert max(map(len, lines)) <= width


def test_the_head_names_every_process_and_figure() -> None:
    assert WELL.summary is not None
    state = msgspec.structs.replace(
        WELL,
        restarts=2,
        pending_commands=1,
        waits_for_restart=("sso.client_id",),
        summary=msgspec.structs.replace(
            WELL.summary,
            parked=1,
            rows_skipped=2,
            words_unknown=3,
            outbox={"pending": 2, "uncertain": 1},
            paused_until=NOW + timedelta(seconds=30),
            pause_reason="the error limit is spent",
        ),
    )
    text = "\n".join(summary_lines(state, assess(state), NOW, width=100, paint=PLAIN))
    assert text.splitlines()[0] == "esisyncd 0.1.0: degraded, up 1h02m"
    assert "  ! 1 job is parked until somebody acts" in text
    for pid in range(100, 106):
        assert f" {pid} " in text
    assert "heartbeat 0.4s ago, 2 restarts" in text
    assert "3 scheduled, 0 due, 1 running, 1 parked; 12 done and 0 failed since boot" in text
    assert "in 30s (12:00:30 UTC): the error limit is spent" in text
    assert "2 pending, 1 uncertain" in text
    assert "skipped   2 rows that could not be read" in text
    assert "words     3 words that ESI does not list; all kept" in text
    assert "1 command for the next scheduler" in text
    assert "restart   sso.client_id changes with `esisyncd restart`" in text


@pytest.mark.parametrize(("lag_s", "told"), [(0.4, False), (1.26, True)])
def test_a_worker_that_comes_late_says_so(lag_s: float, *, told: bool) -> None:
    assert WELL.summary is not None
    late = WorkerState(1, 102, "ready", 8, deaths=1, lag_s=lag_s)
    summary = msgspec.structs.replace(WELL.summary, workers=(late,))
    state = msgspec.structs.replace(WELL, summary=summary)
    text = "\n".join(summary_lines(state, assess(state), NOW, width=100, paint=PLAIN))
    assert ("8 jobs, 1 death, 1.3 s late" in text) == told


def test_each_job_says_how_it_stands() -> None:
    lines = job_lines(JOBS, NOW, width=100, paint=PLAIN, all_jobs=False)
    assert lines == [
        "",
        "character:90000001",
        "  KIND              LAST     CHANGED    RAN  FRESH    NEXT  WHY",
        "  character.assets  blocked        -  3h00m  stale     due",
        f"      {LONG}",
        "  character.wallet  synced     1,204    42s  1m18s  59m00s",
        "",
        "global",
        "  KIND                  LAST    CHANGED  RAN  FRESH     NEXT  WHY",
        "  global.market_prices  never         -    -      -  running",
        "  global.server_status  failed        -   0s      -   parked",
        "      3 times running: killed its worker three times",
    ]


def test_what_needs_a_look_is_above_what_a_screen_cuts_off() -> None:
    wallet, assets, prices, server = JOBS
    jobs = [
        msgspec.structs.replace(job, key=JobKey(f"character.{name}", PILOT))
        for job, name in ((wallet, "a"), (assets, "b"), (prices, "c"), (server, "d"))
    ]
    lines = job_lines(jobs, NOW, width=80, paint=PLAIN, all_jobs=True, urgent_first=True)
    shown = [line.split()[0] for line in lines if line.startswith("  character.")]
    assert shown == ["character.d", "character.c", "character.a", "character.b"]
    assert clipped(lines, len(lines) + 1) == lines
    assert clipped(lines, len(lines)) == [*lines[:-2], "… and 2 lines that do not fit"]


def test_a_daemon_without_anybody_says_how_to_log_in() -> None:
    alone = [job for job in JOBS if job.key.subject == GLOBAL]
    assert login_lines(alone)[-1] == "Nobody is mirrored yet: `esisyncd login` brings a character."
    assert login_lines(JOBS) == []


def test_many_jobs_are_told_by_subject() -> None:
    many = [
        JobState(
            JobKey(f"character.kind{kind}", Subject(SubjectType.CHARACTER, number)),
            outcome=Outcome(Token.FAILED if kind == number == 1 else Token.SYNCED, 1, "why not"),
            next_run_at=NOW + timedelta(minutes=kind),
            failures=int(kind == number == 1),
        )
        for number in range(1, 3)
        for kind in range(1, MANY_JOBS)
    ]
    text = "\n".join(job_lines(many, NOW, width=100, paint=PLAIN, all_jobs=False))
    assert "character.kind1" not in text
    rows = [line.split() for line in text.splitlines() if line.startswith("character:")]
    assert rows[0] == ["character:1", "79", "78", "0", "0", "1", "0", "1m00s", "why", "not"]
    assert rows[1] == ["character:2", "79", "79", "0", "0", "0", "0", "1m00s"]
    narrow = job_lines(many, NOW, width=60, paint=PLAIN, all_jobs=False)
    assert narrow[narrow.index(next(line for line in narrow if "character:1" in line)) + 1] == (
        "    why not"
    )
    full = "\n".join(job_lines(many, NOW, width=100, paint=PLAIN, all_jobs=True))
    assert "character.kind78" in full


def test_json_says_everything_with_its_schema() -> None:
    document = json.loads(json.dumps(status_json(WELL, assess(WELL), JOBS)))
    assert document["schema"] == 1
    assert (document["health"], document["exit_code"], document["findings"]) == ("well", 0, [])
    assert document["daemon"]["scheduler_pid"] == 101
    assert document["daemon"]["restarts"] == 0
    assert document["daemon"]["trouble"] == ""
    assert "request_id" not in document["daemon"]
    assert document["daemon"]["summary"]["workers"][3]["pid"] == 105
    assert document["jobs"][0] == {
        "subject": "character:90000001",
        "name": None,
        "kind": "character.wallet",
        "outcome": "synced",
        "rows": 1204,
        "rows_skipped": 2,
        "words_unknown": 3,
        "to_fetch": 5,
        "reason": "",
        "last_attempt_at": "2026-06-09T11:59:18Z",
        "last_success_at": None,
        "last_changed_at": None,
        "fresh_until": "2026-06-09T12:01:18Z",
        "next_run_at": "2026-06-09T12:59:00Z",
        "in_flight": False,
        "failures": 0,
        "waits_for_esi": False,
        "parked_reason": "",
        "waits_for": "",
    }
    assert status_json(WELL, assess(WELL), None)["jobs"] is None
