"""`run --once`: the daemon as a command that ends."""

from __future__ import annotations

import os
import signal
import sqlite3
from contextlib import closing

import pytest

from jobs.catalog import load
from simulator.process import SimulatedEve
from tests.process.cli_runs import Place, place
from tests.processes import WITHIN_S, descendants_of, eventually, name_of, none_alive

pytestmark = pytest.mark.process


def outcomes(here: Place) -> dict[str, str]:
    with closing(sqlite3.connect(here.database)) as connection:
        return dict(connection.execute("SELECT kind, outcome FROM ledger"))


def is_worker(pid: int) -> bool:
    return name_of(pid).startswith("worker")


def test_it_runs_everything_that_is_due_and_ends_well() -> None:
    with SimulatedEve("--characters", "1") as eve, place(eve) as here:
        assert here.import_all(eve).code == 0
        ran = here.run("run", "--once")
        assert (ran.code, ran.out) == (0, ""), ran.err
        assert "0 jobs failed" in ran.err
        found = outcomes(here)
        kinds = load(["jobs.kinds"])
        on = kinds.features()
        wanted = {k.name for k in kinds.values() if not k.features or any(map(on.get, k.features))}
        assert set(found) == wanted
        assert set(found.values()) <= {"synced", "empty"}, found
        assert here.run("status").code == 69


def test_a_failure_makes_it_end_with_1() -> None:
    with SimulatedEve("--characters", "1") as eve, place(eve) as here:
        assert here.import_all(eve).code == 0
        eve.fault(path="/characters/90000001/wallet", status=500)
        ran = here.run("run", "--once")
        assert ran.code == 1, ran.err
        assert "failed: character.wallet(character:90000001)" in ran.err
        found = outcomes(here)
        assert found.pop("character.wallet") == "failed"
        assert "failed" not in found.values()


def test_a_configuration_fault_is_told_before_anything_starts() -> None:
    with place(None) as here:
        ran = here.run("run", "--once")
        assert ran.code == 78
        assert "esi.contact is empty" in ran.err
        assert "Traceback" not in ran.err


@pytest.mark.parametrize("arguments", [("run", "--once"), ("config", "check")])
@pytest.mark.parametrize(
    ("given", "told"),
    [("features.mial=false", "did you mean mail?"), ("intervals.character.walet=60", "walet")],
)
def test_a_name_that_nobody_knows_switches_nothing_and_is_refused(
    arguments: tuple[str, ...], given: str, told: str
) -> None:
    with place(None) as here:
        ran = here.run("--set", "esi.contact=me", "--set", given, *arguments)
        assert ran.code == 78
        assert "unknown name" in ran.err
        assert told in ran.err


@pytest.mark.parametrize("sig", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_nothing_outlives_it(sig: signal.Signals) -> None:
    with SimulatedEve("--characters", "1") as eve, place(eve) as here:
        assert here.import_all(eve).code == 0
        eve.order("/latency", seconds=3.0)
        with here.start("run", "--once") as process:
            # It is over soon, so a look must not be a command of its own.
            eventually(
                "two workers",
                lambda: len([one for one in descendants_of(process.pid) if is_worker(one)]) == 2,
            )
            family = descendants_of(process.pid)
            assert len(family) >= 3
            os.kill(process.pid, sig)
            process.wait(WITHIN_S)
            eventually("every process is gone", lambda: none_alive(family))
        # The next start is not in the way of anything that was left.
        eve.order("/latency", seconds=0.0)
        assert here.run("run", "--once").code == 0
