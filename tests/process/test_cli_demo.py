"""The demo: it agrees with the universe, and it would say so if it did not."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import sqlite3
import subprocess
from collections.abc import Iterator
from contextlib import closing
from pathlib import Path

import pytest

from cli.demo.report import judge, report_lines
from cli.demo.session import SPEED, play
from cli.demo.stage import make_folder, prepare
from cli.demo.views import PlainView
from cli.paint import Painter
from simulator.process import SimulatedEve
from tests.process.cli_runs import Place, place
from tests.processes import WITHIN_S, descendants_of, eventually, none_alive

pytestmark = [pytest.mark.process, pytest.mark.timeout(1200)]

# The demo gives its last passes five minutes, and this is longer.
END_S = 400.0


@pytest.fixture
def here(monkeypatch: pytest.MonkeyPatch) -> Iterator[Place]:
    """A place whose temporary folder the demo's folder goes into."""
    with place() as where:
        where.env["TMPDIR"] = str(where.folder)
        yield where


def demo_folder(here: Place) -> Path:
    [folder] = here.folder.glob("esisyncd-demo-*")
    return folder


def test_the_demo_agrees_and_leaves_its_database_and_no_process(here: Place) -> None:
    with here.start("demo", "--characters", "2", "--seconds", "4", "--json") as process:
        eventually("the daemon runs", lambda: len(descendants_of(process.pid)) >= 6, END_S)
        family = descendants_of(process.pid)
        out, _ = process.communicate(timeout=END_S)
        assert process.returncode == 0, out
        eventually("every process is gone", lambda: none_alive(family))
    report = json.loads(out)
    assert (report["schema"], report["agrees"]) == (1, True)
    assert report["differences"] == report["faults"] == report["not_compared"] == []
    assert report["compared"]["character"] == 2
    assert report["compared"]["character_wallet_journal"] > 100
    assert sum(report["compared"].values()) > 2000
    database = Path(report["database"])
    assert database.parent == demo_folder(here)
    with closing(sqlite3.connect(database)) as connection:
        assert len(connection.execute(report["query"]).fetchall()) == 2
    assert not (database.parent / "settings.msgpack").exists()


def test_one_altered_cell_is_found(tmp_path: Path) -> None:
    folder = make_folder()
    lines: list[str] = []
    try:
        # The next day begins in the universe while it is mirrored.
        late = ("--start", "2026-11-30T23:59:00")
        options = ("--characters", "1", "--speed", str(SPEED), *late)
        with SimulatedEve(*options, own_group=True) as eve:
            stage = prepare(eve, folder, 1.0)
            with PlainView(lines.append) as view:
                ran = play(stage, 1.0, view)
            assert judge(ran, stage.universe()).agrees
            with closing(sqlite3.connect(ran.database)) as connection, connection:
                connection.execute(
                    "UPDATE character_wallet_journal SET amount = amount + 1 WHERE entry_id ="
                    " (SELECT max(entry_id) FROM character_wallet_journal)"
                )
            verdict = judge(ran, stage.universe())
    finally:
        shutil.rmtree(folder)
    assert not verdict.agrees
    [difference] = verdict.comparison.differences
    assert difference.table == "character_wallet_journal"
    assert difference.what.startswith("amount is ")
    report = report_lines(verdict, width=100, paint=Painter(colours=False))
    assert any(line.startswith("FAILED") for line in report)
    assert any("processes: supervisor" in line for line in lines)


def read_until_all_well(process: subprocess.Popen[str]) -> None:
    """Read what the demo prints until every job that there is has gone well."""
    assert process.stdout is not None
    for line in process.stdout:
        found = re.match(r"(\d+) of (\d+) jobs well", line)
        if found and found[1] == found[2] != "0":
            return
    raise AssertionError("the demo ended before all was well")


def test_a_cell_altered_behind_its_back_makes_the_demo_end_with_1(here: Place) -> None:
    with here.start("demo", "--characters", "1", "--seconds", "600") as process:
        read_until_all_well(process)
        database = demo_folder(here) / "esisyncd.db"
        with closing(sqlite3.connect(database, timeout=WITHIN_S)) as connection, connection:
            # Races are asked for once a day: no later pass sets it right.
            cursor = connection.execute("UPDATE race SET name = 'Nobody' WHERE race_id = 1")
            assert cursor.rowcount == 1
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout is not None
        rest = process.stdout.read()
        assert process.wait(END_S) == 1, rest
    assert "differs: race race_id 1: name is 'Nobody'" in rest


def test_ctrl_c_ends_the_demo_early_with_its_check(here: Place) -> None:
    with here.start("demo", "--characters", "1", "--seconds", "600") as process:
        read_until_all_well(process)
        family = descendants_of(process.pid)
        # As a terminal does it: to the whole foreground group.
        os.killpg(process.pid, signal.SIGINT)
        assert process.stdout is not None
        rest = process.stdout.read()
        assert process.wait(END_S) == 0, rest
        eventually("every process is gone", lambda: none_alive(family))
    assert "agree with the universe" in rest


def test_it_goes_on_when_its_processes_are_killed(here: Place) -> None:
    with here.start("demo", "--characters", "1", "--seconds", "600") as process:
        read_until_all_well(process)
        status = here.run("status", "--json", "--set", f"data_dir={demo_folder(here)}").json()
        victims = [status["daemon"]["summary"]["workers"][0]["pid"]]
        victims.append(status["daemon"]["scheduler_pid"])
        assert process.stdout is not None
        for victim, sign in zip(victims, ("cut off", "scheduler  (pid"), strict=True):
            os.kill(victim, signal.SIGKILL)
            assert any(sign in line for line in process.stdout)
        read_until_all_well(process)
        os.killpg(process.pid, signal.SIGINT)
        rest = process.stdout.read()
        assert process.wait(END_S) == 0, rest
    assert "agree with the universe" in rest


def test_a_killed_demo_leaves_no_process(here: Place) -> None:
    with here.start("demo", "--characters", "1", "--seconds", "600") as process:
        eventually("the daemon runs", lambda: len(descendants_of(process.pid)) >= 6, END_S)
        family = descendants_of(process.pid)
        process.kill()
        process.wait()
        eventually("every process is gone", lambda: none_alive(family))


def test_on_a_terminal_it_draws_a_screen(here: Place) -> None:
    command = here.command("demo", "--characters", "1", "--seconds", "2")
    done = subprocess.run(
        ["script", "-qec", " ".join(command), "/dev/null"],
        env={**here.env, "TERM": "xterm"},
        capture_output=True,
        text=True,
        timeout=END_S,
        check=False,
        stdin=subprocess.DEVNULL,
        cwd=here.folder,
    )
    assert done.returncode == 0, done.stdout[-2000:]
    assert "\x1b[" in done.stdout
    for word in ("supervisor", "scheduler", "worker 3", "character.wallet", "agree with"):
        assert word in done.stdout, word


def test_an_interrupted_demo_names_the_folder_that_it_leaves(here: Place) -> None:
    with here.start("demo", "--characters", "1", "--seconds", "600") as process:
        read_until_all_well(process)
        assert process.stdout is not None
        os.killpg(process.pid, signal.SIGINT)
        assert any("mirroring all once more" in line for line in process.stdout)
        os.killpg(process.pid, signal.SIGINT)
        process.stdout.read()
        assert process.wait(END_S) == 130
    folder = demo_folder(here)
    assert folder.is_dir()
    told = (here.folder / "demo.log").read_text()
    assert f"What there is lies in {folder}, and is yours to delete." in told
