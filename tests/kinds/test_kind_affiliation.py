"""Affiliations: who is asked about, what follows a move, who is unknown."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Connection

from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.errors import Gone
from jobs.kinds.global_ import affiliation
from jobs.store import credentials
from tests.kinds.fake_context import START, FakeContext, enroll, put, rows

ROUTE = "POST /characters/affiliation"
ME = Subject(SubjectType.CHARACTER, 90000001)
DAY_S = 86_400


class Census:
    """ESI's side: corporations by character."""

    def __init__(self, **corporations: int) -> None:
        self.corporations = {int(key[1:]): value for key, value in corporations.items()}

    def answer(self, _params: Any, body: list[int]) -> list[dict[str, Any]]:
        if any(one not in self.corporations for one in body):
            raise Gone("Invalid character ID in the request")
        return [{"character_id": one, "corporation_id": self.corporations[one]} for one in body]


def mention(database: Connection, *ids: int) -> None:
    put(
        database,
        "name",
        *({"id": one, "category": "character", "name": f"c{one}"} for one in ids),
    )


def bodies(context: FakeContext) -> list[Any]:
    found = [one.body for one in context.asked]
    context.asked.clear()
    return found


async def test_mirrored_ones_are_asked_each_time_others_daily(database: Connection) -> None:
    enroll(database, ME.id)
    mention(database, ME.id, 5, 6)
    census = Census(c90000001=1, c5=1, c6=2)
    context = FakeContext(database, affiliation.KIND, GLOBAL, {ROUTE: census.answer})
    assert (await context.run("affiliation")).rows == 3
    assert bodies(context) == [[ME.id, 5, 6]]
    context.clock.advance(3600)
    assert (await context.run("affiliation")).rows == 0
    assert bodies(context) == [[ME.id]]
    context.clock.advance(DAY_S)
    await context.run("affiliation")
    assert bodies(context) == [[ME.id, 5, 6]]


async def test_a_move_is_followed_and_makes_jobs_due(database: Connection) -> None:
    credential_id = credentials.save_login(
        database, ME.id, "app", ["esi-wallet.read_corporation_wallets.v1"], "a", "r", START, START
    )
    put(database, "character", {"character_id": ME.id, "corporation_id": 1, "alliance_id": 7})
    census = Census(c90000001=1)
    context = FakeContext(database, affiliation.KIND, GLOBAL, {ROUTE: census.answer})
    await context.run("affiliation")
    assert rows(database, "access", "subject_id") == [(1,)]
    census.corporations[ME.id] = 2
    result = await context.run("affiliation")
    assert result.due == (JobKey("character.profile", ME), JobKey("character.roles", ME))
    assert rows(database, "character", "corporation_id", "alliance_id") == [(2, None)]
    # The corporation that was left is read through this character no more.
    assert rows(database, "access", "subject_id", "credential_id") == [(2, credential_id)]
    assert ("corporation", 2) in rows(database, "subject", "type", "id")
    assert (await context.run("affiliation")).due == ()


async def test_an_unknown_character_is_singled_out_and_left_alone(database: Connection) -> None:
    mention(database, *range(1, 31))
    census = Census(**{f"c{one}": 1 for one in range(1, 31) if one != 13})
    context = FakeContext(database, affiliation.KIND, GLOBAL, {ROUTE: census.answer})
    result = await context.run("affiliation")
    assert (result.rows, result.note) == (29, "1 characters unknown to ESI")
    context.asked.clear()
    context.clock.advance(2 * DAY_S)
    await context.run("affiliation")
    assert 13 not in bodies(context)[0]
    context.clock.advance(6 * DAY_S)
    await context.run("affiliation")
    assert 13 in bodies(context)[0]


async def test_a_character_left_out_of_an_answer_is_unknown(database: Connection) -> None:
    mention(database, 5, 6)
    answer = [{"character_id": 5, "corporation_id": 1}]
    context = FakeContext(
        database, affiliation.KIND, GLOBAL, {ROUTE: lambda _params, _body: answer}
    )
    await context.run("affiliation")
    assert rows(database, "affiliation", "character_id", "corporation_id") == [(5, 1), (6, None)]


async def test_only_the_named_subjects_when_there_are_some(database: Connection) -> None:
    enroll(database, 1, 2)
    mention(database, 5)
    context = FakeContext(
        database,
        affiliation.KIND,
        GLOBAL,
        {ROUTE: Census(c1=9, c2=9, c5=9).answer},
        subjects=(Subject(SubjectType.CHARACTER, 2),),
    )
    await context.run("affiliation")
    assert bodies(context) == [[2]]
