"""Tokens of a job, and what may be written for whom."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

from sqlalchemy import text

from ipc import outcome as reactions
from ipc.outcome import Token
from jobs.errors import (
    TokenRejected,
)
from jobs.pipeline import run_kind
from jobs.spec import Context, Part, PartResult
from jobs.store import credentials, fence, subjects
from tests.unit.jobs.item_parts import GROUPED, ITEMS, states_of
from tests.unit.jobs.job_house import (
    CHARACTER,
    START,
    TOKEN_LIFE,
    House,
    items,
    kind_of,
)

# --- tokens ---


async def test_the_token_is_that_of_the_granted_credential(house: House) -> None:
    kind = kind_of(ITEMS, replace(GROUPED, fan_out=({"group_id": 1},)))
    house.esi.say(house.esi.good([]), house.esi.good([]))

    await run_kind(house.tools, kind, house.order(kind))

    own, public = house.esi.asked[0][2], house.esi.asked[1][2]
    assert own is not None
    assert (own.access_token, own.character_id) == ("A0", 9)
    assert public is None


async def test_a_flagged_credential_is_skipped_without_a_request(house: House) -> None:
    kind = kind_of(ITEMS)
    await house.write(lambda c: c.execute(text("UPDATE credential SET needs_reauth = true")))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SKIPPED
    assert house.esi.asked == []


async def test_a_credential_that_is_gone_needs_a_login(house: House) -> None:
    kind = kind_of(ITEMS)
    await house.write(lambda c: credentials.remove(c, 9))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert isinstance(ending.reaction, reactions.NeedsLogin)
    assert house.esi.asked == []


async def test_a_token_that_has_run_out_is_refreshed_first(house: House) -> None:
    kind = kind_of(ITEMS)
    house.clock.advance(TOKEN_LIFE.total_seconds())

    ending = await run_kind(house.tools, kind, house.order(kind))

    generation = (await house.tools.read(credentials.list_all))[0].generation
    assert ending.reaction == reactions.TokenRejected(house.credential_id, generation)
    assert house.esi.asked == []


async def test_a_refused_token_is_tried_once_more_when_there_is_a_newer_one(
    house: House,
) -> None:
    kind = kind_of(ITEMS)
    generation = (await house.tools.read(credentials.list_all))[0].generation

    def refuse(_params: Any) -> Any:
        house.tools.database.write_now(
            lambda c: credentials.store_refreshed(
                c, house.credential_id, generation, "A1", "R1", START + TOKEN_LIFE,
                None, START,
            )
        )  # fmt: skip
        return TokenRejected(house.credential_id, generation)

    house.esi.say(refuse, house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SYNCED
    assert [token.access_token for _, _, token, _ in house.esi.asked if token] == ["A0", "A1"]


async def test_a_refused_token_is_not_tried_again_when_there_is_none(house: House) -> None:
    kind = kind_of(ITEMS)
    generation = (await house.tools.read(credentials.list_all))[0].generation
    house.esi.say(TokenRejected(house.credential_id, generation))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.reaction == reactions.TokenRejected(house.credential_id, generation)
    assert len(house.esi.asked) == 1


# --- writes ---


async def test_nothing_is_written_for_a_subject_withdrawn_meanwhile(house: House) -> None:
    kind = kind_of(ITEMS)

    def withdraw(_params: Any) -> Any:
        house.tools.database.write_now(lambda c: subjects.withdraw(c, CHARACTER, START))
        return house.esi.good([{"id": 1}])

    house.esi.say(withdraw)

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.SKIPPED
    assert await house.rows(items) == []
    assert await states_of(house) == []


async def test_nothing_is_written_behind_a_newer_daemon(house: House) -> None:
    kind = kind_of(ITEMS)
    await house.write(lambda c: fence.take_ownership(c, "newer", 2, START))
    house.esi.say(house.esi.good([{"id": 1}]))

    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.reaction == reactions.Cancelled(stopping=True)
    assert await house.rows(items) == []


async def test_a_missing_parent_row_is_not_ready(house: House) -> None:
    await house.write(
        lambda c: c.execute(
            text(
                "CREATE TABLE child (character_id INTEGER PRIMARY KEY,"
                " FOREIGN KEY (character_id) REFERENCES character (character_id))"
            )
        )
    )

    async def run(context: Context) -> PartResult:
        statement = text("INSERT INTO child VALUES (9)")
        await context.write(lambda c: c.execute(text("PRAGMA foreign_keys")).scalar())
        return PartResult(await context.write(lambda c: c.execute(statement).rowcount))

    kind = kind_of(Part(name="child", run=run))
    ending = await run_kind(house.tools, kind, house.order(kind))

    assert ending.outcome.token is Token.NOT_READY
    assert isinstance(ending.reaction, reactions.NotReadyYet)
