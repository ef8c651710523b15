"""420, 429 and a downtime, met by one worker of four."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from ipc.clock import SystemClock
from tests.daemon.house import House

pytestmark = pytest.mark.process

FIRST, SECOND = 90_000_001, 90_000_002
# So long after the answer a request may still be on its way, on however busy a machine.
UNDER_WAY_S = 6.0


def test_429_holds_one_job_only(running: House) -> None:
    house, wait_s = running, 6
    pauses = house.rows("SELECT * FROM pause")
    house.eve.fault(
        path=f"/characters/{FIRST}/skills",
        status=429,
        headers={"Retry-After": str(wait_s)},
        times=1,
    )
    row = house.until(
        "the job waits",
        lambda: (found := house.job("character.skills", FIRST))["outcome"] == "failed" and found,
    )
    waits_s = (row["next_eligible_at"] - row["last_attempt_at"]).total_seconds()
    # It is told by the server's answer, and the job ended a little later.
    assert 0 < waits_s <= wait_s
    assert (row["consecutive_failures"], row["parked_reason"]) == (0, None)
    house.synced("character.skills", SECOND, after=row["last_attempt_at"])
    house.synced("character.telemetry", FIRST, after=row["last_attempt_at"])
    house.synced("global.server_status", after=row["last_attempt_at"])
    assert house.rows("SELECT * FROM pause") == pauses
    assert house.summary().paused_until is None
    again = house.synced("character.skills", FIRST, after=row["last_attempt_at"])
    assert again >= row["next_eligible_at"]


def test_420_holds_every_worker_and_a_new_scheduler_too(running: House) -> None:
    house, reset_s = running, 15
    house.eve.fault(
        path=f"/characters/{FIRST}/wallet",
        status=420,
        headers={"X-ESI-Error-Limit-Reset": str(reset_s), "X-ESI-Error-Limit-Remain": "0"},
        times=1,
    )
    house.until("the pause is stored", lambda: house.rows("SELECT * FROM pause"))
    paused = house.until("it is told", lambda: house.summary().paused_until)
    before = house.status()
    house.kill(before.scheduler_pid)
    state = house.ready(generation=before.generation + 1)
    assert state.summary is not None
    if SystemClock().now() < paused:
        assert state.summary.paused_until is not None
    house.goes_on()

    asked = _asked(house)
    (refused,) = [one for one in asked if one["status"] == 420]
    since = float(refused["at_s"])
    between = [
        one for one in asked if since + UNDER_WAY_S < float(one["at_s"]) < since + reset_s - 0.2
    ]
    assert between == []
    after = [one for one in asked if float(one["at_s"]) >= since + reset_s - 0.2]
    assert after
    row = house.job("character.wallet", FIRST)
    assert row["outcome"] == "synced"


def test_a_downtime_leaves_no_mark(running: House) -> None:
    house = running
    before = _mirror(house)
    house.eve.downtime(on=True)
    began_at = SystemClock().now()
    house.until(
        "a job met the downtime",
        lambda: house.rows("SELECT kind FROM ledger WHERE outcome = 'failed'"),
    )
    # As seen in its course: refusals, and lists with nothing in them.
    house.eve.downtime(on=False)
    house.eve.fault(path=".*/skills.*", status=403, body='{"error":"Forbidden"}', times=2)
    house.eve.fault(path=".*/skillqueue", body="[]", times=2)
    house.until(
        "they were met",
        lambda: all(one["met"] == one["rule"]["times"] for one in house.eve.ask("/faults")),  # type: ignore[attr-defined]
    )
    house.eve.clear_faults()
    house.goes_on()

    assert house.rows("SELECT kind FROM ledger WHERE parked_reason IS NOT NULL") == []
    assert house.rows("SELECT id FROM credential WHERE needs_reauth") == []
    assert {house.state_of(number) for number in (FIRST, SECOND)} == {"active"}
    assert house.job("character.telemetry", FIRST)["last_success_at"] > began_at
    house.until(
        "nothing is lost",
        lambda: all(now >= then for now, then in zip(_mirror(house), before, strict=True)),
    )
    house.check_ledger()


def test_a_downtime_holds_all_jobs_and_ends_by_itself(running: House) -> None:
    house = running
    failing = house.summary().failing
    house.eve.downtime(on=True)
    since = house.until("the downtime is noticed", lambda: house.summary().down_since)
    house.until("nothing runs", lambda: house.summary().in_flight == 0)
    # Two routes in trouble are not enough, and each is asked for both characters.
    assert house.summary().failing <= failing + 4
    quiet_s = max(float(one["at_s"]) for one in _asked(house))
    house.until("it was asked for", lambda: float(_asked(house)[-1]["at_s"]) > quiet_s)
    refused = [one for one in _asked(house) if float(one["at_s"]) > quiet_s]
    assert {one["route"] for one in refused} <= {"GET /status", "GET /meta/status"}
    house.eve.downtime(on=False)
    house.until("it is over", lambda: house.summary().down_since is None)
    house.goes_on()
    # Nobody was sent away for long: what waited runs at once.
    assert house.job("character.wallet", FIRST)["consecutive_failures"] == 0
    assert house.job("character.skills", SECOND)["last_success_at"] > since
    house.check_ledger()


def _mirror(house: House) -> list[int]:
    """Count rows of sets that hardly change within a minute."""
    return [
        int(house.value(f"SELECT count(*) FROM {table}"))
        for table in ("character", "character_skill", "character_skillqueue")
    ]


def _asked(house: House) -> list[Mapping[str, Any]]:
    """Return the latest requests to ESI."""
    last = house.eve.requests(last=5000)["last"]
    assert isinstance(last, list)
    return [one for one in last if one["service"] == "esi"]
