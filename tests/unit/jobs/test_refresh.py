"""One refresh: what SSO says, what the database has afterwards, and what is never lost."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass, field, replace
from datetime import timedelta
from typing import Any

import pytest

from jobs import refresh as refreshing
from jobs.errors import BadAnswer, Transient
from jobs.esi.sso import Grant, Misconfigured, RefreshRefused, Unverified
from jobs.refresh import Refreshed
from jobs.store import credentials
from jobs.store.errors import CommitInDoubt, StoreBusy, StoreUnavailable
from jobs.tools import Tools
from tests.unit.jobs.job_house import START, House

SOON = START + timedelta(minutes=20)


@dataclass
class ScriptedSso:
    """Answers what the test says, and keeps what it was asked."""

    answers: list[Any]
    asked: list[tuple[str, str]] = field(default_factory=list)
    unprepared: BaseException | None = None

    async def prepare(self) -> None:
        if self.unprepared is not None:
            raise self.unprepared

    async def refresh(self, refresh_token: str, client_id: str) -> Grant:
        self.asked.append((refresh_token, client_id))
        answer = self.answers.pop(0)
        if callable(answer):
            answer = answer()
        if isinstance(answer, BaseException):
            raise answer
        assert isinstance(answer, Grant)
        return answer


def grant(**more: Any) -> Grant:
    fields: dict[str, Any] = {
        "access_token": "A1",
        "refresh_token": "R1",
        "expires_at": SOON,
        "character_id": 9,
        "character_name": "Nine",
        "scopes": frozenset({"esi-a.read.v1"}),
    }
    return Grant(**(fields | more))


def answering(house: House, *answers: Any) -> ScriptedSso:
    sso = ScriptedSso(list(answers))
    house.tools = replace(house.tools, sso=sso)  # type: ignore[arg-type]
    return sso


async def refresh(tools: Tools, credential_id: int, generation: int) -> Refreshed:
    """Refresh, where nobody asks whether it may be cut off."""
    return await refreshing.refresh(tools, credential_id, generation, lambda: None)


def failing(
    house: House, monkeypatch: pytest.MonkeyPatch, *errors: Exception, after_commit: bool = False
) -> list[Exception]:
    """Have the next writes fail, before or after they are committed; return what is left of it."""
    left = list(errors)
    database = house.tools.database
    write = database.write

    async def troubled(work: Any, **how: Any) -> Any:
        if not left:
            return await write(work, **how)
        if after_commit:
            await write(work, **how)
        raise left.pop(0)

    monkeypatch.setattr(database, "write", troubled)
    monkeypatch.setattr(refreshing, "STORE_AGAIN_S", 0.001)
    return left


async def stored(house: House) -> credentials.Tokens:
    found = await house.tools.read(lambda c: credentials.tokens(c, house.credential_id))
    assert found is not None
    return found


async def test_new_tokens_are_stored_before_anybody_is_told(house: House) -> None:
    before = await stored(house)
    sso = answering(house, grant())

    result = await refresh(house.tools, house.credential_id, before.generation)

    after = await stored(house)
    assert sso.asked == [("R0", "client")]
    assert (after.access_token, after.refresh_token) == ("A1", "R1")
    assert (result.status, result.generation, result.expires_at) == (
        "fresh", before.generation + 1, SOON
    )  # fmt: skip
    assert after.generation == result.generation


async def test_the_commit_is_durable(house: House, monkeypatch: pytest.MonkeyPatch) -> None:
    seen: list[Any] = []
    database = house.tools.database
    write = database.write

    async def spy(work: Any, **how: Any) -> Any:
        seen.append(how)
        return await write(work, **how)

    monkeypatch.setattr(database, "write", spy)
    answering(house, grant())
    await refresh(house.tools, house.credential_id, (await stored(house)).generation)

    assert [each["durable"] for each in seen] == [True]


async def test_another_generation_is_left_alone(house: House) -> None:
    sso = answering(house)

    result = await refresh(house.tools, house.credential_id, 1)

    assert result.status == "unchanged"
    assert result.generation == (await stored(house)).generation
    assert sso.asked == []


async def test_a_credential_that_is_gone_is_left_alone(house: House) -> None:
    answering(house)

    assert (await refresh(house.tools, 12345, 1)).status == "unchanged"


async def test_without_a_new_refresh_token_the_old_one_stays(house: House) -> None:
    answering(house, grant(refresh_token=""))

    await refresh(house.tools, house.credential_id, (await stored(house)).generation)

    assert (await stored(house)).refresh_token == "R0"


async def test_a_login_meanwhile_is_not_overwritten(house: House) -> None:
    before = await stored(house)

    def login() -> Grant:
        house.tools.database.write_now(
            lambda c: credentials.save_login(
                c, 9, "client", ["esi-a.read.v1"], "A9", "R9", SOON, START
            )
        )
        return grant()

    answering(house, login)

    result = await refresh(house.tools, house.credential_id, before.generation)

    assert result.status == "unchanged"
    assert (await stored(house)).refresh_token == "R9"


async def test_one_refusal_is_no_verdict_and_two_a_minute_apart_are(house: House) -> None:
    before = await stored(house)
    refused = RefreshRefused("Invalid refresh token")
    answering(house, refused, refused, refused)

    first = await refresh(house.tools, house.credential_id, before.generation)
    house.clock.advance(30)
    second = await refresh(house.tools, house.credential_id, before.generation)
    house.clock.advance(31)
    third = await refresh(house.tools, house.credential_id, before.generation)

    assert [each.status for each in (first, second, third)] == [
        "refused", "refused", "needs_reauth"
    ]  # fmt: skip
    after = await stored(house)
    assert after.needs_reauth
    assert after.refresh_token == "R0"
    assert third.generation == after.generation


async def test_a_success_clears_the_first_refusal(house: House) -> None:
    before = await stored(house)
    answering(house, RefreshRefused("x"), grant(), RefreshRefused("x"))

    await refresh(house.tools, house.credential_id, before.generation)
    house.clock.advance(120)
    well = await refresh(house.tools, house.credential_id, before.generation)
    house.clock.advance(120)
    again = await refresh(house.tools, house.credential_id, well.generation)

    assert again.status == "refused"
    assert not (await stored(house)).needs_reauth


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Transient("SSO answered 503"), "trouble"),
        (Misconfigured("invalid_client"), "misconfigured"),
        (Unverified("bad signature", ""), "trouble"),
    ],
)
async def test_what_is_not_the_tokens_fault_flags_nothing(
    house: House, error: Exception, status: str
) -> None:
    before = await stored(house)
    answering(house, error, error)

    for _ in range(2):
        result = await refresh(house.tools, house.credential_id, before.generation)
        assert result.status == status
        house.clock.advance(120)

    assert await stored(house) == before


async def test_another_characters_tokens_are_not_taken(house: House) -> None:
    before = await stored(house)
    answering(house, grant(character_id=10))

    result = await refresh(house.tools, house.credential_id, before.generation)

    assert result.status == "trouble"
    assert await stored(house) == before


async def test_a_refresh_token_beside_a_bad_access_token_is_kept(house: House) -> None:
    before = await stored(house)
    answering(house, Unverified("bad signature", "R1"))

    result = await refresh(house.tools, house.credential_id, before.generation)

    after = await stored(house)
    assert result.status == "trouble"
    assert (after.refresh_token, after.access_token) == ("R1", "")


@pytest.mark.parametrize("trouble", [StoreUnavailable("disk full"), StoreBusy("locked")])
@pytest.mark.parametrize("answer", [grant(), Unverified("bad signature", "R1")])
async def test_new_tokens_wait_for_a_database_that_is_away(
    house: House, monkeypatch: pytest.MonkeyPatch, trouble: Exception, answer: Any
) -> None:
    """The old refresh token may be dead already."""
    before = await stored(house)
    left = failing(house, monkeypatch, trouble, trouble, trouble)
    sso = answering(house, answer)

    result = await refresh(house.tools, house.credential_id, before.generation)

    after = await stored(house)
    assert left == []
    assert (after.refresh_token, after.generation) == ("R1", before.generation + 1)
    assert result.status == ("fresh" if isinstance(answer, Grant) else "trouble")
    assert len(sso.asked) == 1


async def test_a_commit_in_doubt_that_was_made_is_no_change_of_somebody_else(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    before = await stored(house)
    failing(house, monkeypatch, CommitInDoubt("connection lost"), after_commit=True)
    answering(house, grant())

    result = await refresh(house.tools, house.credential_id, before.generation)

    after = await stored(house)
    assert (result.status, result.generation, result.expires_at) == (
        "fresh", before.generation + 1, SOON
    )  # fmt: skip
    assert (after.refresh_token, after.generation) == ("R1", before.generation + 1)


def count_on(house: House) -> None:
    """Have another program count the generation on, and leave the tokens as they are."""
    house.tools.database.write_now(
        lambda c: c.exec_driver_sql("UPDATE credential SET generation = generation + 5")
    )


async def test_what_was_given_for_the_token_that_is_there_takes_its_place(house: House) -> None:
    before = await stored(house)

    def answer() -> Grant:
        count_on(house)
        return grant()

    answering(house, answer)

    result = await refresh(house.tools, house.credential_id, before.generation)

    after = await stored(house)
    assert (after.refresh_token, after.generation) == ("R1", before.generation + 6)
    assert (result.status, result.generation) == ("fresh", after.generation)


async def test_where_the_refresh_token_stays_another_generation_is_left_alone(
    house: House,
) -> None:
    before = await stored(house)

    def answer() -> Grant:
        count_on(house)
        return grant(refresh_token="R0")

    answering(house, answer)

    assert (
        await refresh(house.tools, house.credential_id, before.generation)
    ).status == "unchanged"
    assert (await stored(house)).access_token == "A0"


async def test_who_is_cancelled_once_sso_is_asked_has_the_tokens_stored(
    house: House, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The old refresh token may be dead already."""
    before = await stored(house)
    left = failing(house, monkeypatch, *[StoreUnavailable("away")] * 20)
    held: list[bool] = []
    task: asyncio.Task[Refreshed]

    def answer_and_cancel() -> Grant:
        assert held == [True]
        task.cancel()
        return grant()

    answering(house, answer_and_cancel)
    task = asyncio.create_task(
        refreshing.refresh(
            house.tools, house.credential_id, before.generation, lambda: held.append(True)
        )
    )
    while left:
        if held:
            # The scheduler repeats itself.
            task.cancel()
        await asyncio.sleep(0.001)
    result = await task

    assert result.status == "fresh"
    assert (await stored(house)).refresh_token == "R1"


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (Transient("SSO answered 503"), "trouble"),
        (BadAnswer("redirected"), "trouble"),
        (Misconfigured("another server"), "misconfigured"),
    ],
)
async def test_what_fails_before_sso_is_asked_spends_no_token(
    house: House, error: Exception, status: str
) -> None:
    before = await stored(house)
    sso = answering(house)
    sso.unprepared = error

    result = await refreshing.refresh(
        house.tools, house.credential_id, before.generation, pytest.fail
    )

    assert result.status == status
    assert sso.asked == []
    assert await stored(house) == before
