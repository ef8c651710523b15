"""Wars: newest first, followed to their ends, within what killmails leave of the rate group."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

from sqlalchemy import Connection

from ipc.subject import GLOBAL
from jobs.errors import Gone
from jobs.kinds.global_ import wars
from jobs.spec import Params
from tests.kinds.declared import take
from tests.kinds.fake_context import FRESH, START, FakeContext, Unchanged, rows

DETAIL = "GET /wars/{war_id}"
KILLMAILS = "GET /wars/{war_id}/killmails"
T = "2026-11-01T00:00:00Z"


def told(number: int, **more: Any) -> dict[str, Any]:
    side = {"isk_destroyed": 0.01, "ships_killed": 1}
    return {
        "id": number,
        "declared": T,
        "started": T,
        "mutual": False,
        "open_for_allies": True,
        "aggressor": {**side, "corporation_id": 5},
        "defender": {**side, "alliance_id": 6},
        **more,
    }


class Front:
    """Wars by number, and a context that reads them."""

    def __init__(self, connection: Connection, *numbers: int) -> None:
        take(connection, wars.KIND, "numbers", GLOBAL, list(numbers))
        self.wars: dict[int, Any] = {number: told(number) for number in numbers}
        self.killed: dict[int, list[dict[str, Any]]] = {}
        answers: dict[str, Any] = {DETAIL: self.war, KILLMAILS: self.killmails}
        self.context = FakeContext(connection, wars.KIND, GLOBAL, answers)

    def war(self, params: Params, _body: Any) -> Any:
        found = self.wars[int(params["war_id"])]
        if isinstance(found, Exception):
            raise found
        return found

    def killmails(self, params: Params, _body: Any) -> Any:
        return self.killed.get(int(params["war_id"]), [])

    def asked(self) -> list[int]:
        asked = [int(one.params["war_id"]) for one in self.context.asked]
        self.context.asked.clear()
        return asked


async def test_new_wars_come_first_and_one_run_asks_for_little(database: Connection) -> None:
    front = Front(database, *range(1, 26))
    assert (await front.context.run("wars")).left == 15
    assert front.asked() == list(range(25, 15, -1))
    assert (await front.context.run("wars")).left == 5
    await front.context.run("wars")
    assert sorted(front.asked()) == list(range(1, 16))
    assert (await front.context.run("wars")).empty


async def test_a_war_is_followed_to_its_end_and_no_further(database: Connection) -> None:
    front = Front(database, 1, 2)
    await front.context.run("wars")
    assert front.asked() == [2, 1]
    end = START + FRESH + timedelta(seconds=30)
    front.wars[1] = told(1, finished=end.isoformat())
    front.wars[2] = Unchanged()
    for expected in ([1, 2], [1, 2], [2]):
        front.context.clock.advance(FRESH.total_seconds())
        await front.context.run("wars")
        assert sorted(front.asked()) == expected
    found = rows(database, "war", "war_id", "finished_at", "aggressor_corporation_id")
    assert found == [(1, end, 5), (2, None, 5)]


async def test_allies_come_and_go(database: Connection) -> None:
    front = Front(database, 1, 2)
    ally = {"corporation_id": 7}
    front.wars[1] = told(1, allies=[ally, {"alliance_id": 8}, ally])
    front.wars[2] = told(2, allies=[ally])
    await front.context.run("wars")
    front.wars[1] = told(1)
    front.context.clock.advance(FRESH.total_seconds())
    await front.context.run("wars")
    assert rows(database, "war_ally", "war_id", "corporation_id") == [(2, 7)]


async def test_an_ally_that_cannot_be_read_keeps_those_of_its_war_alone(
    database: Connection,
) -> None:
    front = Front(database, 1, 2)
    ally = {"corporation_id": 7}
    front.wars = {one: told(one, allies=[ally, ally]) for one in (1, 2)}
    await front.context.run("wars")
    front.wars = {1: told(1, allies=[]), 2: told(2, allies=[{"corporation_id": "?"}, ally])}
    front.context.clock.advance(FRESH.total_seconds())
    await front.context.run("wars")
    assert rows(database, "war_ally", "war_id", "position") == [(2, 0), (2, 1)]


async def test_a_war_that_esi_does_not_know_waits(database: Connection) -> None:
    front = Front(database, 1, 2)
    front.wars[2] = Gone("404")
    assert (await front.context.run("wars")).note == "1 of 2 were not there"
    front.asked()
    front.context.clock.advance(FRESH.total_seconds())
    await front.context.run("wars")
    assert front.asked() == [1]


async def test_killmails_of_wars_that_have_begun_are_listed(database: Connection) -> None:
    front = Front(database, 1, 2, 3)
    front.wars[2] = told(2, started=(START + timedelta(days=1)).isoformat())
    front.wars[3] = told(3, finished=T)
    front.killed = {
        1: [{"killmail_id": 9, "killmail_hash": "a" * 40}],
        3: [{"killmail_id": 9, "killmail_hash": "a" * 40}],
    }
    await front.context.run("wars")
    front.asked()
    assert (await front.context.run("killmails")).rows == 2
    assert front.asked() == [3, 1]
    front.killed[1].append({"killmail_id": 10, "killmail_hash": "b" * 40})
    front.context.clock.advance(FRESH.total_seconds())
    assert (await front.context.run("killmails")).rows == 1
    assert front.asked() == [1]
    assert rows(database, "war_killmail", "war_id", "killmail_id") == [(1, 9), (1, 10), (3, 9)]
