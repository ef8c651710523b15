"""The simulated EVE behind real sockets: services by prefix, faults, latency, counters."""

from __future__ import annotations

import asyncio
import struct
from collections.abc import AsyncIterator, Callable
from typing import Any

import aiohttp
import msgspec
import pytest

from simulator.config import SimulatorConfig
from simulator.serve import RunningEve, start
from tests.simulator._bench import DATE, FIRST

HEADERS = {"User-Agent": "tests", "X-Compatibility-Date": DATE}
PROMPT_S = 5.0


@pytest.fixture
async def eve() -> AsyncIterator[RunningEve]:
    async with await start(SimulatorConfig(characters=3)) as running:
        yield running


@pytest.fixture
async def client(eve: RunningEve) -> AsyncIterator[aiohttp.ClientSession]:
    timeout = aiohttp.ClientTimeout(total=PROMPT_S)
    async with aiohttp.ClientSession(headers=HEADERS, timeout=timeout) as session:
        yield session


async def order(
    client: aiohttp.ClientSession, eve: RunningEve, path: str, /, **body: object
) -> dict[str, object]:
    async with client.post(eve.urls.control + path, json=body) as answer:
        assert answer.status == 200, await answer.text()
        told: dict[str, object] = await answer.json()
        return told


async def test_services_have_their_prefixes(client: aiohttp.ClientSession, eve: RunningEve) -> None:
    async with client.get(f"{eve.urls.esi}/status") as answer:
        assert answer.status == 200
        assert (await answer.json())["players"] > 0
    async with client.get(f"{eve.urls.sso}/.well-known/oauth-authorization-server") as answer:
        assert (await answer.json())["issuer"] == eve.urls.sso
    async with client.get(f"{eve.urls.control}/no-such") as answer:
        assert answer.status == 404
    async with client.get(eve.urls.esi.replace("/esi", "/other")) as answer:
        assert answer.status == 404


async def test_zkillboard_knows_most_killmails(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    world = eve.services.esi.world
    lost = [row["killmail_id"] for row in world.killmails.recent(FIRST, world.start_s)]
    known = 0
    for killmail_id in (*lost, 5):
        async with client.get(f"{eve.urls.zkillboard}/api/killID/{killmail_id}/") as answer:
            assert answer.status == 200
            rows = await answer.json()
        told = eve.services.control.model.tell("global.killmail_value", (int(str(killmail_id)),))
        assert [row["zkb"] for row in rows] == (told if told != [{}] else [])
        known += len(rows)
    assert 0 < known < len(lost)
    async with client.get(f"{eve.urls.zkillboard}/api/other/") as answer:
        assert answer.status == 404


@pytest.mark.parametrize("size", [64, 512])
async def test_portraits_are_pictures(
    client: aiohttp.ClientSession, eve: RunningEve, size: int
) -> None:
    url = f"{eve.urls.images}/characters/{FIRST}/portrait?size={size}"
    async with client.get(url) as answer:
        assert answer.content_type == "image/png"
        body, etag = await answer.read(), answer.headers["ETag"]
    assert body[:8] == b"\x89PNG\r\n\x1a\n"
    assert struct.unpack(">II", body[16:24]) == (size, size)
    async with client.get(url, headers={"If-None-Match": etag}) as answer:
        assert answer.status == 304
    async with client.get(url.replace(f"size={size}", "size=7")) as answer:
        assert answer.status == 400
    async with client.get(url.replace(str(FIRST), "17")) as answer:
        assert answer.status == 404


async def test_portrait_links_lead_to_the_image_server(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    async with client.get(f"{eve.urls.esi}/characters/{FIRST}/portrait") as answer:
        links = await answer.json()
    async with client.get(links["px64x64"]) as answer:
        assert answer.status == 200


async def test_fault_with_status_header_and_body(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    await order(
        client,
        eve,
        "/faults",
        path="/status",
        status=502,
        body="<html>",
        headers={"Content-Type": "text/html", "X-Ratelimit-Group": "", "Retry-After": "7"},
        after=1,
        times=2,
    )
    seen = []
    for _ in range(4):
        async with client.get(f"{eve.urls.esi}/status") as answer:
            seen.append(answer.status)
            if answer.status == 502:
                assert await answer.text() == "<html>"
                assert answer.content_type == "text/html"
                assert answer.headers["Retry-After"] == "7"
                assert "X-Ratelimit-Group" not in answer.headers
    assert seen == [200, 502, 502, 200]


async def test_fault_that_only_changes_the_answer(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    await order(client, eve, "/faults", path="/markets/prices", body='[{"type_id":')
    async with client.get(f"{eve.urls.esi}/markets/prices") as answer:
        assert answer.status == 200
        assert await answer.text() == '[{"type_id":'


async def test_fault_before_headers(client: aiohttp.ClientSession, eve: RunningEve) -> None:
    rule = {"path": "/universe/names", "method": "POST", "cut": "before_headers"}
    await order(client, eve, "/faults", **rule)
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.post(f"{eve.urls.esi}/universe/names", json=[34])
    async with client.get(f"{eve.urls.control}/requests?last=1") as answer:
        told = await answer.json()
    assert told["counts"]["esi"] == {"POST /universe/names": {"0": 1}}


async def test_fault_in_the_middle_of_a_body(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    await order(client, eve, "/faults", path="/markets/.*", cut="mid_body")
    async with client.get(f"{eve.urls.esi}/markets/prices") as answer:
        assert answer.status == 200
        with pytest.raises(aiohttp.ClientPayloadError):
            await answer.read()


async def test_fault_without_an_end(client: aiohttp.ClientSession, eve: RunningEve) -> None:
    await order(client, eve, "/faults", path="/status", cut="after_body_no_close")
    async with client.get(f"{eve.urls.esi}/status") as answer:
        assert (await answer.content.readany()).startswith(b"{")
        reading = asyncio.create_task(answer.content.readany())
        done, _ = await asyncio.wait([reading], timeout=0.1)
        assert not done
        reading.cancel()


async def test_a_mail_can_be_sent_and_its_answer_lost(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    async with client.get(f"{eve.urls.control}/tokens?access=1&character_id={FIRST}") as answer:
        token = (await answer.json())["access_token"]
    url = f"{eve.urls.esi}/characters/{FIRST}/mail"
    mail = {
        "subject": "s",
        "body": "b",
        "recipients": [{"recipient_id": FIRST + 1, "recipient_type": "character"}],
    }
    own = {"Authorization": f"Bearer {token}"}
    rule = {"path": "/characters/.*/mail", "method": "POST", "apply": True, "times": 1}
    await order(client, eve, "/faults", **rule, status=504, body="<html>")
    async with client.post(url, json=mail, headers=own) as answer:
        assert answer.status == 504
    await order(client, eve, "/faults", **rule, cut="before_headers")
    with pytest.raises(aiohttp.ClientConnectionError):
        await client.post(url, json=mail, headers=own)
    await order(client, eve, "/faults", path="/characters/.*/mail", status=504, times=1)
    async with client.post(url, json=mail, headers=own) as answer:
        assert answer.status == 504
    async with client.get(f"{eve.urls.control}/writes") as answer:
        assert len(await answer.json()) == 2
    async with client.get(url, headers=own) as answer:
        # A told 504 costs nothing, took it effect or not; the lost 201 and this 200 cost two each.
        assert answer.headers["X-Ratelimit-Used"] == "4"


async def test_fault_at_the_sso(client: aiohttp.ClientSession, eve: RunningEve) -> None:
    rule = {"service": "sso", "path": ".*/token", "status": 503, "body": "<html>"}
    number = (await order(client, eve, "/faults", **rule))["id"]
    async with client.post(f"{eve.urls.sso}/v2/oauth/token", data={}) as answer:
        assert answer.status == 503
    async with client.delete(f"{eve.urls.control}/faults?id={number}") as answer:
        assert await answer.json() == []
    async with client.post(f"{eve.urls.sso}/v2/oauth/token", data={}) as answer:
        assert answer.status == 400


@pytest.mark.parametrize(
    ("path", "body"),
    [
        ("/faults", {"stauts": 500}),
        ("/faults", {"path": "("}),
        ("/clock", {"advance_s": -5}),
        ("/clock", {"speed": 0}),
        ("/downtime", {}),
    ],
)
async def test_wrong_orders_are_refused(
    client: aiohttp.ClientSession, eve: RunningEve, path: str, body: dict[str, object]
) -> None:
    async with client.post(eve.urls.control + path, json=body) as answer:
        assert answer.status == 400
        assert (await answer.json())["error"]


async def test_latency_and_delay(client: aiohttp.ClientSession, eve: RunningEve) -> None:
    loop = asyncio.get_running_loop()

    async def timed() -> float:
        begun_s = loop.time()
        async with client.get(f"{eve.urls.esi}/status") as answer:
            await answer.read()
        return loop.time() - begun_s

    await order(client, eve, "/latency", seconds=0.06)
    assert await timed() >= 0.05
    await order(client, eve, "/latency", seconds=0)
    await order(client, eve, "/faults", path="/status", delay_s=0.06)
    assert await timed() >= 0.05


async def test_requests_are_counted_without_secrets(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    secret = {"Authorization": "Bearer very-secret"}
    for _ in range(3):
        async with client.get(f"{eve.urls.esi}/universe/types/34", headers=secret) as answer:
            await answer.read()
    async with client.get(f"{eve.urls.control}/requests?last=2") as answer:
        text = await answer.text()
        told = await answer.json()
    assert "very-secret" not in text
    assert told["total"] == 3
    assert told["counts"]["esi"] == {"GET /universe/types/{type_id}": {"200": 3}}
    assert [one["path"] for one in told["last"]] == ["/universe/types/34"] * 2
    assert told["last"][0]["headers"]["X-Compatibility-Date"] == DATE
    await order(client, eve, "/reset")
    async with client.get(f"{eve.urls.control}/requests") as answer:
        assert (await answer.json())["total"] == 0


async def test_what_was_asked_before_a_reset_is_not_counted_after_it(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    await order(client, eve, "/faults", path="/status", delay_s=0.1)

    async def ask() -> None:
        async with client.get(f"{eve.urls.esi}/status") as answer:
            await answer.read()

    async def told() -> dict[str, Any]:
        async with client.get(f"{eve.urls.control}/requests") as answer:
            return dict(await answer.json())

    async with asyncio.TaskGroup() as group:
        group.create_task(ask())
        async with asyncio.timeout(5):
            while (await told())["most_in_flight"] == 0:
                await asyncio.sleep(0.005)
        await order(client, eve, "/reset")
    assert (await told())["total"] == 0


async def test_most_in_flight_is_seen(client: aiohttp.ClientSession, eve: RunningEve) -> None:
    await order(client, eve, "/latency", seconds=0.05)

    async def ask() -> None:
        async with client.get(f"{eve.urls.esi}/status") as answer:
            await answer.read()

    async with asyncio.TaskGroup() as group:
        for _ in range(4):
            group.create_task(ask())
    async with client.get(f"{eve.urls.control}/requests") as answer:
        assert (await answer.json())["most_in_flight"] == 4


@pytest.mark.parametrize(
    ("path", "check"),
    [
        ("/model", lambda told: "character.assets" in told),
        (f"/model/character.wallet_balance?subject=character:{FIRST}", lambda t: t["rows"] > 0),
        ("/model/corporation.wallet_journal?subject=98000001&division=2", lambda t: t["rows"]),
        ("/model/global.prices?subject=global", lambda told: len(told["rows"]) > 30),
        (f"/model/character.location?subject={FIRST}&at=now", lambda t: t["rows"]),
        ("/tokens", lambda told: [one["is_director"] for one in told].count(True) == 1),
        ("/", lambda told: told["characters"] == 3 and not told["frozen"]),
    ],
)
async def test_control_tells(
    client: aiohttp.ClientSession,
    eve: RunningEve,
    path: str,
    check: Callable[[object], bool],
) -> None:
    async with client.get(eve.urls.control + path) as answer:
        assert answer.status == 200
        assert check(await answer.json())


async def test_credentials_are_lines_for_an_import(
    client: aiohttp.ClientSession, eve: RunningEve
) -> None:
    async with client.get(f"{eve.urls.control}/credentials") as answer:
        lines = [msgspec.json.decode(line) for line in (await answer.read()).splitlines()]
    assert [line["character_id"] for line in lines] == [FIRST, FIRST + 1, FIRST + 2]
    assert set(lines[0]) == {"character_id", "refresh_token", "scopes", "corporations"}
    assert [line["corporations"] for line in lines] == [[98_000_001], [], []]


@pytest.mark.parametrize(
    "path", ["/model/nothing", "/model/character.assets", "/model/character.assets?subject=x"]
)
async def test_control_refuses_unknown_sections_and_subjects(
    client: aiohttp.ClientSession, eve: RunningEve, path: str
) -> None:
    async with client.get(eve.urls.control + path) as answer:
        assert answer.status in (400, 404)
