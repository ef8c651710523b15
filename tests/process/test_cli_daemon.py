"""The commands that speak to a running daemon, with everything real but EVE."""

from __future__ import annotations

import json
import os
import select
import signal
import sqlite3
import subprocess
import sys
from collections.abc import Iterator
from contextlib import closing
from typing import Any

import pytest

from ipc.subject import SubjectType
from jobs.catalog import load
from simulator.process import SimulatedEve
from tests.process.cli_runs import Place, place
from tests.processes import (
    WITHIN_S,
    children_of,
    descendants_of,
    eventually,
    is_alive,
    none_alive,
)

pytestmark = pytest.mark.process

PILOT = "character:90000001"
# All jobs of two characters, and each look is a process of its own.
LONG_S = 240.0


@pytest.fixture(scope="module")
def eve() -> Iterator[SimulatedEve]:
    with SimulatedEve("--characters", "2") as running:
        yield running


@pytest.fixture(scope="module")
def world(eve: SimulatedEve) -> Iterator[Place]:
    """A place whose daemon has mirrored two characters."""
    with place(eve) as here:
        assert here.import_all(eve).code == 0
        with here.daemon():
            wanted = jobs_that_are_on()
            eventually(
                "every job ran", lambda: len(jobs_of(here)) == wanted and all_ran(here), LONG_S
            )
            yield here


def jobs_that_are_on() -> int:
    """Return how many jobs two characters of one corporation make, which is in an alliance."""
    kinds = load(["jobs.kinds"])
    on = kinds.features()
    subjects = {
        SubjectType.CHARACTER: 2,
        SubjectType.CORPORATION: 1,
        SubjectType.ALLIANCE: 1,
        SubjectType.GLOBAL: 1,
    }
    return sum(subjects[kind.subject] for kind in kinds.values() if kind.is_on(on))


def all_ran(here: Place) -> bool:
    return all(job["outcome"] and not job["in_flight"] for job in jobs_of(here).values())


def jobs_of(here: Place, subject: str = "") -> dict[str, Any]:
    status = here.status(*filter(None, [subject]))
    return {f"{job['subject']} {job['kind']}": job for job in status["jobs"]}


def scheduler_pid(here: Place) -> int:
    return int(here.status()["daemon"]["scheduler_pid"])


def test_status_tells_all_processes_and_jobs(world: Place) -> None:
    eventually("all is well", lambda: world.status()["health"] == "well")
    status = world.status()
    assert (status["schema"], status["health"], status["exit_code"]) == (1, "well", 0)
    workers = status["daemon"]["summary"]["workers"]
    assert [worker["state"] for worker in workers] == ["ready", "ready"]
    pids = {status["daemon"]["scheduler_pid"], *(worker["pid"] for worker in workers)}
    assert all(map(is_alive, pids))
    wallet = jobs_of(world)[f"{PILOT} character.wallet"]
    assert wallet["outcome"] == "synced"
    assert wallet["rows"] > 0
    text = world.run("status").out
    assert "supervisor" in text
    assert PILOT in text
    assert max(map(len, text.splitlines())) <= 120


def test_status_imports_neither_database_nor_http(world: Place) -> None:
    code = (
        "import sys; from cli.main import main; code = main(['status']); "
        "heavy = {'sqlalchemy', 'aiohttp', 'alembic', 'rich', 'multiprocess', 'asyncio'}; "
        "print(sorted(heavy & set(sys.modules)), file=sys.stderr); sys.exit(code)"
    )
    done = subprocess.run(
        [sys.executable, "-c", code], env=world.env, capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr.splitlines()[-1]) == (0, "[]")


def test_sync_waits_for_the_jobs_and_tells_how_they_ended(world: Place) -> None:
    before = jobs_of(world, PILOT)[f"{PILOT} character.wallet"]["last_attempt_at"]
    ran = world.run("sync", PILOT, "--kind", "character.wallet", "--wait")
    assert (ran.code, ran.err) == (0, "")
    assert "finished" in ran.out
    assert jobs_of(world, PILOT)[f"{PILOT} character.wallet"]["last_attempt_at"] > before


def test_sync_of_what_is_not_mirrored_says_what_is(world: Place) -> None:
    ran = world.run("sync", PILOT, "--kind", "character.walet")
    assert ran.code == 2
    assert "character.wallet" in ran.err
    ran = world.run("sync", "character:5", "--wait")
    assert ran.code == 2
    assert "esisyncd enroll character:5" in ran.err


def test_sync_that_takes_too_long_says_so(world: Place, eve: SimulatedEve) -> None:
    eve.fault(path="/status", delay_s=15.0)
    try:
        # Nothing is known of the last answer, so that it cannot be fresh still.
        with closing(sqlite3.connect(world.database, timeout=30.0)) as connection:
            connection.execute("DELETE FROM route_state WHERE route = 'GET /status'")
            connection.commit()
        ran = world.run("sync", "global", "--kind", "global.server_status", "--timeout", "0.3")
    finally:
        eve.clear_faults()
    assert ran.code == 75, ran.err
    assert "not ended within 0.3 s: global.server_status" in ran.err


def test_events_are_told_as_they_happen(world: Place) -> None:
    with world.start("events", "--json") as process:
        told = process.stdout
        assert told is not None
        sync = ("sync", "global", "--wait")
        eventually(
            "events are told",
            lambda: world.run(*sync).code == 0 and bool(select.select([told], [], [], 0)[0]),
        )
        # It listens now, so of the next run it sees the start too.
        assert world.run(*sync).code == 0
        seen = [json.loads(told.readline())]
        while (seen[-1]["event"], seen[-1].get("subject")) != ("started", "global"):
            seen.append(json.loads(told.readline()))
        process.send_signal(signal.SIGINT)
        assert process.wait(WITHIN_S) == 130
    assert all(event["schema"] == 1 for event in seen)


def test_withdraw_ends_a_subject_and_enroll_brings_it_back(world: Place) -> None:
    other = "character:90000002"
    assert world.run("withdraw", other).code == 0
    eventually("its jobs are gone", lambda: not jobs_of(world, other))
    assert world.run("enroll", other).code == 0
    eventually("its jobs are back", lambda: bool(jobs_of(world, other)))


def test_reload_takes_a_feature_away(world: Place) -> None:
    text = world.config.read_text()
    try:
        world.config.write_text(f"{text}[features]\nskills = false\n")
        ran = world.run("reload")
        assert (ran.code, ran.out) == (0, "reloaded; feature skills is off\n")
        eventually(
            "skills are off", lambda: f"{PILOT} character.skills" not in jobs_of(world, PILOT)
        )
        world.config.write_text(f"{text}[features]\nskils = false\n")
        ran = world.run("config", "check")
        assert ran.code == 78
        assert "did you mean skills?" in ran.err
        world.config.write_text(f"{text}[feature]\nskills = false\n")
        assert world.run("reload").code == 78
    finally:
        world.config.write_text(text)
    assert world.run("reload").out == "reloaded; feature skills is as by default\n"
    assert world.run("reload").out == "reloaded; nothing has changed\n"
    eventually("skills are on", lambda: f"{PILOT} character.skills" in jobs_of(world, PILOT))


def test_restart_brings_a_new_scheduler(world: Place) -> None:
    before = scheduler_pid(world)
    assert world.run("restart").code == 0
    eventually("another scheduler", lambda: scheduler_pid(world) not in (0, before))
    eventually(
        "all is well again", lambda: world.run("status").code == 0 and all_ran(world), LONG_S
    )


def test_a_killed_scheduler_is_seen_and_comes_back(world: Place) -> None:
    daemon = world.status()["daemon"]
    before, supervisor = daemon["scheduler_pid"], daemon["supervisor_pid"]

    def is_seen() -> bool:
        """Ask in the pause that follows a death; where that was missed, the next one is longer."""
        for pid in children_of(supervisor):
            os.kill(pid, signal.SIGKILL)
        return world.run("status").code != 0

    eventually("status says that something is wrong", is_seen)
    # After five deaths in a row it would not come back by itself.
    if world.status()["daemon"]["scheduler_state"] == "parked":
        assert world.run("restart").code == 0
    eventually("another scheduler", lambda: scheduler_pid(world) not in (0, before))
    eventually(
        "all is well again", lambda: world.run("status").code == 0 and all_ran(world), LONG_S
    )


def test_a_second_daemon_is_refused_and_told_who_holds_the_place(world: Place) -> None:
    ran = world.run("run")
    assert ran.code == 73
    assert str(world.status()["daemon"]["supervisor_pid"]) in ran.err
    assert "Traceback" not in ran.err


def test_an_import_is_taken_up_at_once(world: Place, eve: SimulatedEve) -> None:
    assert world.run("credential", "remove", "90000002", "--yes").code == 0
    assert [
        one["character_id"]
        for one in world.run("credential", "list", "--json").json()["credentials"]
    ] == [90000001]
    ran = world.import_all(eve)
    assert (ran.code, ran.out) == (0, "2 credentials imported; the daemon takes them up\n")
    eventually("it is mirrored", lambda: "character:90000002 character.wallet" in jobs_of(world))


def test_forget_leaves_nothing_behind(world: Place, eve: SimulatedEve) -> None:
    images = world.folder / "data" / "images"
    eventually("its portrait is mirrored", lambda: any(images.glob("character_90000001.*")))
    assert world.run("forget", PILOT).code == 2
    ran = world.run("forget", PILOT, "--yes")
    assert ran.code == 0, ran.err
    assert "the grant of character 90000001 is revoked" in ran.out
    assert not any(images.glob("character_90000001.*"))
    assert not jobs_of(world, PILOT)
    with closing(sqlite3.connect(world.database)) as connection:
        for table in ("character", "character_wallet_journal", "credential", "ledger", "mail"):
            column = "subject_id" if table == "ledger" else "character_id"
            [(rows,)] = connection.execute(
                f"SELECT count(*) FROM {table} WHERE {column} = 90000001"
            )
            assert rows == 0, table
        [(state,)] = connection.execute("SELECT state FROM subject WHERE id = 90000001")
        assert state == "deleted"
    alive = {token["character_id"]: token["alive"] for token in eve.tokens()}
    assert alive == {90000001: False, 90000002: True}


def test_run_keeps_its_pid_and_stop_ends_every_process(eve: SimulatedEve) -> None:
    with place(eve) as here:
        with here.daemon() as process:
            assert here.status()["daemon"]["supervisor_pid"] == process.pid
            family = descendants_of(process.pid)
            assert len(family) >= 3
            ran = here.run("stop")
            assert (ran.code, ran.out) == (0, "stopped\n")
            assert process.wait(WITHIN_S) == 0
            eventually("every process is gone", lambda: none_alive(family))
        assert here.run("status").code == 69
        assert not (here.folder / "data" / "control.sock").exists()
