"""ESI's rate limits, strictly kept by the simulated EVE: four workers never spend one at once."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from ipc.commands import RunNow
from simulator.process import SimulatedEve
from tests.daemon.house import House, character

pytestmark = pytest.mark.process

FIRST = 90_000_001
# Asked for again as soon as they can have changed.
EAGER = {
    "character.wallet": 1,
    "character.notifications": 1,
    "character.killmails": 1,
    "character.skills": 1,
    "character.telemetry": 1,
}
KIND = "character.notifications"
LIMIT = "char-notification:90000001"


@pytest.fixture(scope="module")
def eve_of_module() -> Iterator[SimulatedEve]:
    """A simulated EVE that keeps its rate limits."""
    with SimulatedEve("--characters", "1", "--cache-scale", "0.002") as eve:
        yield eve


def refusals(house: House) -> dict[str, int]:
    """Return how often each route answered 420 or 429."""
    counts = house.eve.requests()["counts"]
    assert isinstance(counts, dict)
    return {
        route: sum(statuses.get(status, 0) for status in ("420", "429"))
        for route, statuses in counts["esi"].items()
        if statuses.keys() & {"420", "429"}
    }


def waited_for(house: House) -> set[str]:
    """Return the limits that jobs of the character wait for."""
    return {job.waits_for for job in house.jobs(FIRST)}


def stored_spent(house: House) -> int:
    """Return how many tokens of the limit are stored as spent."""
    rows = house.rows("SELECT spent FROM rate_bucket WHERE name = :name", name=LIMIT)
    return sum(int(row["spent"]) for row in rows)


def test_one_budget_over_four_workers_and_two_schedulers(make_house: object) -> None:
    house: House = make_house(intervals=EAGER, rate_limits=True)  # type: ignore[operator]
    before = house.run()
    house.synced(KIND, FIRST)

    house.until("its requests are spread", lambda: LIMIT in waited_for(house))
    assert refusals(house) == {}

    # One that knows from the database alone what was spent, and a person who asks again and again.
    house.until("what was spent is stored", lambda: stored_spent(house) > 0)
    house.kill(before.scheduler_pid)
    house.ready(generation=before.generation + 1)

    def exhausted() -> bool:
        house.ask(RunNow(character(FIRST), KIND))
        return LIMIT in (house.job(KIND, FIRST)["last_reason"] or "")

    house.until("nothing is left of the limit", exhausted)
    row = house.job(KIND, FIRST)
    assert row["consecutive_failures"] == 0
    assert house.until("status names the limit", lambda: LIMIT in house.summary().limits)
    house.synced("character.telemetry", FIRST, after=row["last_attempt_at"])
    assert refusals(house) == {}
    house.end()
