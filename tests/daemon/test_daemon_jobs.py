"""Jobs that kill their worker, that never end, and what a stop or a respawn makes of jobs."""

from __future__ import annotations

import signal
from collections.abc import Callable

import pytest

from ipc.clock import SystemClock
from ipc.commands import Restart, RunNow, Withdraw
from tests.daemon.house import BUSY, TESTS, House, character, workers_of
from tests.processes import is_alive

pytestmark = pytest.mark.process

FIRST, SECOND = 90_000_001, 90_000_002


def test_a_job_that_kills_its_worker_is_parked_and_stays_so(
    make_house: Callable[..., House],
) -> None:
    house = make_house(kind_packages=("jobs.kinds", "daemon_kinds.deadly"), extra_path=str(TESTS))
    house.run()
    failed = house.until(
        "the first death while alone is a failure",
        lambda: (row := house.job("character.deadly", FIRST)) and row["strikes"] >= 1 and row,
    )
    assert failed["outcome"] == "failed"
    assert failed["last_reason"].startswith(("its worker died", "ended its worker"))
    parked = house.until(
        "three deaths park it",
        lambda: (row := house.job("character.deadly", FIRST)) and row["parked_reason"] and row,
    )
    assert parked["parked_reason"] == "ended its worker 3 times while it ran alone"
    assert parked["strikes"] == parked["consecutive_failures"] == 3
    # Those that were in the same worker keep their good name.
    house.goes_on()
    house.synced("character.deadly", SECOND)
    assert house.rows("SELECT kind FROM ledger WHERE strikes > 0") == [{"kind": "character.deadly"}]

    house.ask(Restart())
    house.ready(generation=2)
    house.goes_on()
    assert house.job("character.deadly", FIRST) == parked
    assert sum(one.deaths for one in workers_of(house.status())) == 0


def test_a_job_without_end_is_cut_off_and_costs_at_most_its_worker(
    make_house: Callable[..., House],
) -> None:
    house = make_house(kind_packages=("jobs.kinds", "daemon_kinds.endless"), extra_path=str(TESTS))
    house.run()
    # Beside the spinner it cannot end by itself; after that it runs alone.
    slept = house.until(
        "the sleeper is cut off",
        lambda: (
            (row := house.job("character.sleeper", SECOND))
            and row["last_reason"] == "deadline exceeded"
            and row
        ),
    )
    assert slept["outcome"] == "failed"
    spun = house.until("the spinner's end", lambda: house.job("character.spinner", FIRST))
    assert spun["outcome"] == "failed"
    assert spun["last_reason"] == "ran over its deadline and did not end"
    # It may have been in the same worker, and comes again then.
    house.synced("character.spinner", SECOND)
    house.goes_on()
    assert house.status().generation == 1


def test_a_restart_of_a_live_engine_is_now_and_nothing_is_banked(house: House) -> None:
    first = house.run()
    house.mirrored()
    assert house.ask(Restart()).status == "done"
    house.until("the end of the first scheduler", lambda: not is_alive(first.scheduler_pid))
    second = house.ready(generation=2)
    assert "next start in" not in house.log()
    house.goes_on()

    house.kill(second.scheduler_pid)
    house.until("the log tells of it", lambda: "next start in 1 s" in house.log())
    # What is asked for meanwhile reaches the next one, which a slow test may find there already.
    assert house.ask(Withdraw(character(SECOND))).status in ("kept", "done")
    house.ready(generation=3)
    house.until("it is withdrawn", lambda: house.state_of(SECOND) == "withdrawn")
    house.synced("character.skills", FIRST, after=SystemClock().now())


def test_a_stop_is_seen_during_a_backoff_and_while_parked(house: House) -> None:
    first = house.run()
    house.kill(first.scheduler_pid)
    house.until("the pause before the next start", lambda: "next start in" in house.log())
    _leaves(house)

    running = house.run()
    house.write(
        lambda connection, _: (
            connection.exec_driver_sql("UPDATE alembic_version SET version_num = '9999'").rowcount
        )
    )
    house.kill(running.scheduler_pid)
    house.until("it is parked", lambda: house.status().scheduler_state == "parked")
    assert "newer" in house.status().trouble
    _leaves(house)


def test_what_a_stop_cuts_off_is_due_again_and_not_failed(
    make_house: Callable[..., House],
) -> None:
    # None of them is due again within the test by its interval.
    house = make_house(intervals=dict.fromkeys(BUSY, 3600))
    house.run()
    before = house.synced("character.telemetry", FIRST)
    house.eve.fault(path=f"/characters/{FIRST}/(location|online|ship).*", delay_s=300.0)
    house.until("its freshness is over", lambda: _is_stale(house, "character.telemetry"))
    # After a start jobs begin slowly: what is under way then is to be this one.
    house.until("all others have ended", lambda: _is_quiet(house))
    house.ask(RunNow(character(FIRST), "character.telemetry"))
    house.until("it waits for its answer", lambda: house.summary().in_flight)
    house.end()

    row = house.job("character.telemetry", FIRST)
    assert (row["outcome"], row["consecutive_failures"]) == ("synced", 0)
    assert row["last_success_at"] == before
    house.check_ledger()

    house.eve.clear_faults()
    house.run()
    house.synced("character.telemetry", FIRST, after=before)


def test_features_withdrawals_and_parks_outlive_every_respawn(house: House) -> None:
    house.run()
    house.mirrored()
    house.configure(features={**house.settings.features, "location": False})
    house.signal(signal.SIGHUP)
    assert house.ask(Withdraw(character(SECOND))).status == "done"
    house.until(
        "telemetry is off",
        lambda: "character.telemetry" not in {job.key.kind for job in house.jobs(FIRST)},
    )
    house.until("the other character is out", lambda: not house.jobs(SECOND))
    # What had ended before is stored by then.
    house.synced("global.server_status", after=SystemClock().now())
    telemetry = house.job("character.telemetry", FIRST)
    skills = house.job("character.skills", SECOND)

    def nothing_came_back() -> None:
        asked_at = SystemClock().now()
        house.synced("character.skills", FIRST, after=asked_at)
        house.synced("global.server_status", after=asked_at)
        assert house.job("character.telemetry", FIRST) == telemetry
        assert house.job("character.skills", SECOND) == skills
        assert house.state_of(SECOND) == "withdrawn"

    nothing_came_back()
    house.kill(house.status().scheduler_pid)
    house.ready(generation=2)
    nothing_came_back()
    house.kill(house.pid)
    house.nothing_left()
    house.run()
    nothing_came_back()


def _leaves(house: House) -> None:
    house.end()
    assert "is up (generation" not in house.log().rpartition("stop: ")[2]


def _is_stale(house: House, kind: str) -> bool:
    fresh_until = house.job(kind, FIRST)["fresh_until"]
    return fresh_until is None or bool(fresh_until < SystemClock().now())


def _is_quiet(house: House) -> bool:
    """Tell whether nothing runs, and nothing is about to."""
    summary = house.summary()
    return summary.in_flight == summary.due == 0
