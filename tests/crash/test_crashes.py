"""Whatever dies while a write is made: it is not lost, a mail is not sent twice, and it ends.

`python -m tests.crash` does the same with 200 kills at random, and reports on each point.
"""

from __future__ import annotations

import os
import signal
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.crash.failpoints import ANY, POINTS, Armed, folder_of
from tests.crash.house import FIRST, SECOND, Writer, crash_house
from tests.crash.scenarios import GROUPS
from tests.crash.storm import storm
from tests.crash.walk import walk
from tests.daemon.conftest import template
from tests.process.daemon import ROOT

__all__ = ["template"]

KILLS = 10
SEED = 7
# On a machine that does nothing else it is a tenth of that.
LIMIT_S = 1500

of_processes = pytest.mark.process
patient = pytest.mark.timeout(LIMIT_S)


def test_every_point_has_its_deaths() -> None:
    armed = {point for group in GROUPS for scenario in group for point, _ in scenario.steps}
    assert armed == {point for point in POINTS if not point.startswith("append.")}


@pytest.fixture(scope="module")
def writer(template: Path) -> Iterator[Writer]:
    """One daemon for all: no death leaves anything behind that the next could stumble over."""
    with crash_house(template) as writer:
        yield writer


@of_processes
@patient
def test_a_death_at_any_point_loses_no_write_and_sends_none_twice(writer: Writer) -> None:
    # Set where only the points are of interest at which a mistake shows.
    points = os.environ.get("CRASH_POINTS", "")
    told, wrong = walk(writer, lambda _: None, points.split(",") if points else ())
    print("\n".join(told))  # noqa: T201 - the report on each point
    assert not wrong, "\n".join(wrong)


@of_processes
@patient
def test_deaths_at_random_lose_no_write_and_send_none_twice(writer: Writer) -> None:
    toll = storm(writer, KILLS, SEED, lambda _: None)
    print(toll.text())  # noqa: T201 - the report
    assert not toll.faults, toll.text()
    assert toll.ends["done"] > KILLS


@of_processes
@patient
@pytest.mark.parametrize(("point", "times"), [("append.written", 0), ("append.committed", 1)])
def test_a_write_is_safe_from_its_commit_on(writer: Writer, point: str, times: int) -> None:
    house = writer.house
    armed = Armed(folder_of(house.folder), point, "program", ANY)
    subject = f"killed at {point}"
    command = [sys.executable, "-m", "tests.crash.appender"]
    done = subprocess.run(
        [*command, house.settings.database_url, str(FIRST), str(SECOND), subject],
        env={**os.environ, "PYTHONPATH": str(ROOT), "X_TEST_DAEMON": str(house.folder)},
        check=False,
    )
    assert (done.returncode, armed.is_hit) == (-signal.SIGKILL, True)
    # What is asked for later is made: so the drain has seen what there is.
    house.outbox_reaches(writer.mail()[0].row_id, "done")
    found = [row["id"] for row in house.rows(
        "SELECT id FROM outbox WHERE payload LIKE :text", text=f"%{subject}%"
    )]  # fmt: skip
    assert len(found) == times
    for row_id in found:
        # Of two that were seen together the later one may be done first.
        house.outbox_reaches(row_id, "done")
    sent = [effect for effect in house.eve.writes() if subject in str(effect["body"])]
    assert len(sent) == times
