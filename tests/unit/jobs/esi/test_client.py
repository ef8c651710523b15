"""What a request to ESI looks like, and what its answer becomes."""

from __future__ import annotations

import contextlib
from collections.abc import AsyncIterator
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest
from aioresponses import aioresponses
from yarl import URL

from ipc.messages import Allowance, Spent
from jobs.errors import (
    BadAnswer,
    Gone,
    JobError,
    PauseAll,
    PauseBucket,
    TokenRejected,
    Transient,
)
from jobs.esi.client import EsiClient, Token, Validators
from jobs.esi.limits import RequestGate
from jobs.esi.transport import Transport
from jobs.leases import Leases
from jobs.purse import Purse
from jobs.spec import Route
from tests.clocks import ManualClock

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)
BASE = "https://esi.example"
SKILLS = Route("GET", "/characters/{character_id}/skills", cache_age_s=60, rate_group="char-detail")
NAMES = Route("POST", "/universe/names")
TOKEN = Token(credential_id=7, generation=3, character_id=9, access_token="secret")


class Asker:
    """A client, and what it sent."""

    def __init__(self, mock: aioresponses) -> None:
        self.mock = mock
        self.clock = ManualClock(NOW)
        self.gate = RequestGate(self.clock)
        self.transport = Transport("me@example.com")
        self.client = EsiClient(BASE + "/", "2026-06-09", self.transport, self.gate, self.clock)

    def answer(
        self,
        status: int = 200,
        body: bytes = b"[]",
        *,
        url: str = f"{BASE}/characters/9/skills",
        method: str = "GET",
        **headers: str,
    ) -> None:
        fields = {name.replace("_", "-"): value for name, value in headers.items()}
        fields.setdefault("Content-Length", str(len(body)))
        self.mock.add(url, method, status=status, body=body, headers=fields)

    async def skills(self, **how: Any) -> Any:
        how.setdefault("token", TOKEN)
        return await self.client.ask(SKILLS, {"character_id": 9}, **how)

    def sent(self) -> list[tuple[str, URL, dict[str, str]]]:
        return [
            (method, url, call.kwargs["headers"])
            for (method, url), calls in self.mock.requests.items()
            for call in calls
        ]


@pytest.fixture
async def asker(mocked: aioresponses) -> AsyncIterator[Asker]:
    found = Asker(mocked)
    yield found
    await found.transport.close()


async def test_headers_of_a_request(asker: Asker) -> None:
    asker.answer()

    await asker.skills()

    ((_, _, headers),) = asker.sent()
    assert headers["Authorization"] == "Bearer secret"
    assert headers["X-Compatibility-Date"] == "2026-06-09"
    assert headers["User-Agent"].startswith("esisyncd/")
    assert "If-None-Match" not in headers


async def test_headers_do_not_pile_up(asker: Asker) -> None:
    for tag in ("one", "two"):
        asker.answer(304)
        await asker.skills(validators=Validators(f'"{tag}"', "noon"))

    assert [headers["If-None-Match"] for _, _, headers in asker.sent()] == ['"one"', '"two"']
    assert all("If-Modified-Since" not in headers for _, _, headers in asker.sent())


async def test_without_an_etag_the_time_is_compared(asker: Asker) -> None:
    asker.answer(304)

    await asker.skills(validators=Validators(None, "noon"))

    ((_, _, headers),) = asker.sent()
    assert headers["If-Modified-Since"] == "noon"


async def test_a_public_request_carries_no_token(asker: Asker) -> None:
    asker.answer()

    await asker.skills(token=None)

    ((_, _, headers),) = asker.sent()
    assert "Authorization" not in headers


def test_a_token_does_not_show() -> None:
    assert "secret" not in repr(TOKEN)
    assert "secret" not in str(TOKEN)


@pytest.mark.parametrize(
    ("route", "params", "url"),
    [
        (SKILLS, {"character_id": 9, "page": 2}, "/characters/9/skills?page=2"),
        (Route("GET", "/x/{name}"), {"name": "a/b c?"}, "/x/a%2Fb%20c%3F"),
        (Route("GET", "/x", query=(("all", "true"),)), {"page": 1}, "/x?all=true&page=1"),
        (Route("GET", "/x"), {"q": "a&b=c"}, "/x?q=a%26b%3Dc"),
    ],
)
def test_params_go_into_the_path_or_the_query(
    asker: Asker, route: Route, params: dict[str, Any], url: str
) -> None:
    assert str(asker.client._url(route, params)) == BASE + url


def test_a_missing_param_is_a_mistake_of_ours(asker: Asker) -> None:
    with pytest.raises(ValueError, match="needs more"):
        asker.client._url(SKILLS, {})


async def test_validators_that_are_no_text_are_left_out(asker: Asker) -> None:
    asker.answer(body=b"[1]", ETag='"é"', Last_Modified="é")

    answer = await asker.skills()

    assert (answer.body, answer.etag, answer.last_modified) == (b"[1]", None, None)


async def test_a_part_of_an_answer_is_none(asker: Asker) -> None:
    asker.answer(206, body=b"[1]", Content_Range="bytes 0-2/100")

    with pytest.raises(Transient, match="a part of the whole"):
        await asker.skills()


async def test_a_tag_for_anything_is_not_kept(asker: Asker) -> None:
    asker.answer(body=b"[1]", ETag="*")

    assert (await asker.skills()).etag is None


async def test_a_write_that_was_made_is_so_whatever_its_headers_say(asker: Asker) -> None:
    last_day = "Fri, 31 Dec 9999 23:59:59 -0100"
    asker.answer(201, b"7", url=f"{BASE}/x", method="PUT", Expires=last_day, Date=last_day)

    answer = await asker.client.ask(Route("PUT", "/x"), {}, token=TOKEN, body={"a": 1})

    assert answer.body == b"7"
    assert answer.fresh_until > NOW


async def test_an_answer_tells_its_validators_pages_and_freshness(asker: Asker) -> None:
    asker.answer(
        body=b"[1]",
        ETag='W/"a"',
        Last_Modified="noon",
        X_Pages="4",
        Date="Mon, 30 Nov 2026 12:00:00 GMT",
        Expires="Mon, 30 Nov 2026 12:10:00 GMT",
    )

    answer = await asker.skills()

    assert (answer.etag, answer.last_modified, answer.pages) == ('W/"a"', "noon", 4)
    assert answer.fresh_until == NOW + timedelta(minutes=10)
    assert (answer.body, answer.unchanged) == (b"[1]", False)


async def test_unchanged_renews_the_freshness(asker: Asker) -> None:
    asker.answer(304, Cache_Control="max-age=300")

    answer = await asker.skills(validators=Validators('"a"'))

    assert answer.unchanged
    assert answer.fresh_until == NOW + timedelta(minutes=5)


async def test_unchanged_without_having_asked_so_is_bad(asker: Asker) -> None:
    asker.answer(304)

    with pytest.raises(BadAnswer):
        await asker.skills()


async def test_no_content_is_something_that_is_gone(asker: Asker) -> None:
    asker.answer(204, b"")
    with pytest.raises(Gone, match="answered 204"):
        await asker.skills()


async def test_an_empty_answer_is_trouble(asker: Asker) -> None:
    asker.answer(200, b"")

    with pytest.raises(Transient):
        await asker.skills()


@pytest.mark.parametrize(
    ("status", "kind"), [(401, TokenRejected), (404, Gone), (502, Transient), (400, BadAnswer)]
)
async def test_the_status_is_looked_at_before_the_body(
    asker: Asker, status: int, kind: type[Exception]
) -> None:
    asker.answer(status, b"<html>sorry</html>")

    with pytest.raises(kind):
        await asker.skills()


async def test_a_spent_error_limit_stops_the_next_request_of_anybody(asker: Asker) -> None:
    asker.answer(420, b"{}", X_ESI_Error_Limit_Reset="30")

    with pytest.raises(PauseAll):
        await asker.skills()
    with pytest.raises(PauseAll) as stopped:
        await asker.client.ask(NAMES, {}, body=[1])

    assert stopped.value.until == NOW + timedelta(seconds=30)
    assert len(asker.sent()) == 1


async def test_a_spent_bucket_stops_its_own_requests(asker: Asker) -> None:
    asker.answer(429, b"", Retry_After="30")
    asker.answer(body=b"[]", url=f"{BASE}/universe/names", method="POST")

    for _ in range(2):
        with pytest.raises(PauseBucket):
            await asker.skills()
    await asker.client.ask(NAMES, {}, body=[1])

    assert len(asker.sent()) == 2


async def test_a_pause_that_the_scheduler_tells_stops_the_next_request(asker: Asker) -> None:
    asker.gate.pause(NOW + timedelta(seconds=5))

    with pytest.raises(PauseAll):
        await asker.skills()

    assert asker.sent() == []


@pytest.mark.parametrize(("remain", "stops"), [("11", False), ("10", True), ("0", True)])
async def test_the_last_errors_of_the_limit_are_left_alone(
    asker: Asker, remain: str, stops: bool
) -> None:
    asker.answer(404, b"{}", X_ESI_Error_Limit_Remain=remain, X_ESI_Error_Limit_Reset="20")
    asker.answer(200, b"[]")
    with pytest.raises(Gone):
        await asker.skills()

    if stops:
        with pytest.raises(PauseAll) as stopped:
            await asker.skills()
        assert stopped.value.reset_s == 20
        asker.clock.advance(20)
    await asker.skills()


async def test_the_last_twenty_errors_hold_only_what_shares_the_limit(asker: Asker) -> None:
    told: list[tuple[int, int]] = []
    asker.gate.on_errors = lambda left, reset_s: told.append((left, reset_s))
    for left in ("58", "55", "20"):
        asker.answer(
            404, b"{}", url=f"{BASE}/universe/names", method="POST",
            X_ESI_Error_Limit_Remain=left, X_ESI_Error_Limit_Reset="20",
        )  # fmt: skip
    asker.answer()

    for _ in range(3):
        with pytest.raises(Gone):
            await asker.client.ask(NAMES, {}, body=[1])
    with pytest.raises(PauseBucket) as held:
        await asker.client.ask(NAMES, {}, body=[1])
    await asker.skills()

    assert told == [(58, 20), (20, 20)]
    assert (held.value.bucket, held.value.refused) == ("errors", False)
    assert len(asker.sent()) == 4


async def test_a_420_is_told_at_once(asker: Asker) -> None:
    told: list[tuple[int, int]] = []
    asker.gate.on_errors = lambda left, reset_s: told.append((left, reset_s))
    asker.answer(420, b"{}", X_ESI_Error_Limit_Reset="30")

    with pytest.raises(PauseAll):
        await asker.skills()

    assert told == [(0, 30)]


RATED = {"X_Ratelimit_Group": "char-detail", "X_Ratelimit_Limit": "600/15m"}


@pytest.mark.parametrize(
    ("status", "cost"), [(200, 2), (304, 1), (404, 5), (403, 5), (503, 0), (429, 0)]
)
async def test_an_answer_is_paid_for_by_its_status(asker: Asker, status: int, cost: int) -> None:
    purse = Purse(Leases(lambda _message: None), asker.clock, [Allowance("char-detail:9", 8)])
    asker.answer(status, b"{}", X_Ratelimit_Remaining="590", **RATED)

    with contextlib.suppress(JobError):
        await asker.skills(purse=purse, validators=Validators('"x"'))

    assert purse.close() == (Spent("char-detail:9", cost, 590, 600, 900),)


async def test_what_is_held_back_costs_nothing(asker: Asker) -> None:
    purse = Purse(Leases(lambda _message: None), asker.clock, [Allowance("char-detail:9", 8)])
    asker.gate.pause(NOW + timedelta(seconds=5))
    with pytest.raises(PauseAll):
        await asker.skills(purse=purse)
    assert purse.close() == ()


async def test_routes_without_a_group_are_not_paid_for(asker: Asker) -> None:
    purse = Purse(Leases(lambda _message: None), asker.clock)
    asker.answer(body=b"[]", url=f"{BASE}/universe/names", method="POST")
    await asker.client.ask(NAMES, {}, body=[1], purse=purse)
    assert purse.close() == ()


async def test_a_long_body_arrives_whole(asker: Asker) -> None:
    body = b"[" + b"1," * 1_500_000 + b"1]"
    asker.answer(body=body)

    assert (await asker.skills()).body == body


@pytest.mark.parametrize("status", [403, 404, 410])
async def test_what_is_refused_in_the_downtime_is_no_verdict(asker: Asker, status: int) -> None:
    asker.clock.advance(timedelta(hours=23, minutes=2).total_seconds())
    asker.answer(status, b'{"error": "not found"}')
    with pytest.raises(Transient):
        await asker.skills()

    asker.clock.advance(timedelta(minutes=18).total_seconds())
    asker.answer(404, b'{"error": "not found"}')
    with pytest.raises(Gone):
        await asker.skills()
