"""What a mock cannot show: time-outs, cut bodies, kept connections, redirects, swelling bodies."""

from __future__ import annotations

import asyncio
import contextlib
import gzip
import socket
from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
from aiohttp import web
from aiohttp.test_utils import TestServer
from yarl import URL

from jobs.errors import BadAnswer, Transient
from jobs.esi import transport as transport_module
from jobs.esi.room import Room, Share
from jobs.esi.transport import AnswerLost, NotSent, Timeouts, Transport, _environment_proxy

# Only for servers that never answer: on a busy machine any other may take so long.
QUICK = Timeouts(connect_s=60.0, read_s=0.3, total_s=1.0)
Handler = Callable[[web.Request], Awaitable[web.StreamResponse]]
Speak = Callable[[asyncio.StreamReader, asyncio.StreamWriter], Awaitable[None]]


@pytest.fixture
async def transport() -> AsyncIterator[Transport]:
    found = Transport("me@example.com", max_body_bytes=1 << 20)
    yield found
    await found.close()


@pytest.fixture
async def impatient() -> AsyncIterator[Transport]:
    found = Transport("me@example.com", QUICK)
    yield found
    await found.close()


@asynccontextmanager
async def serving(handler: Handler) -> AsyncIterator[URL]:
    app = web.Application()
    app.router.add_route("*", "/{path:.*}", handler)
    async with TestServer(app) as server:
        yield server.make_url("/")


@asynccontextmanager
async def speaking(speak: Speak) -> AsyncIterator[tuple[URL, list[bytes]]]:
    """A server of raw bytes; the list holds the first line of each request that arrived."""
    seen: list[bytes] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                seen.append(head.split(b"\r\n")[0])
                await speak(reader, writer)
                if writer.is_closing():
                    return
        except (asyncio.IncompleteReadError, ConnectionError):
            pass
        finally:
            writer.close()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    async with server:
        yield URL(f"http://127.0.0.1:{port}/"), seen


def says(text: bytes, *, close: bool = False) -> Speak:
    async def speak(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(text)
        await writer.drain()
        if close:
            writer.close()

    return speak


async def drops(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
    writer.transport.abort()


async def test_an_answer_is_returned_whatever_its_status(transport: Transport) -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(status=418, text="teapot", headers={"X-Pages": "3"})

    async with serving(handler) as url:
        answer = await transport.ask("GET", url, {}, reads=True)

    assert (answer.status, answer.body, answer.headers["x-pages"]) == (418, b"teapot", "3")


async def test_the_server_is_told_who_asks(transport: Transport) -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.json_response(dict(request.headers))

    async with serving(handler) as url:
        answer = await transport.ask("GET", url, {"X-Mine": "1"}, reads=True)

    assert b"esisyncd/" in answer.body
    assert b"(me@example.com)" in answer.body
    assert b"gzip" in answer.body
    assert b"Cookie" not in answer.body


@asynccontextmanager
async def forgetful(*, kept: int) -> AsyncIterator[tuple[URL, list[int]]]:
    """A server that ends each connection at its (kept + 1)th request, as one that idled.

    The list holds for each connection how many requests it answered.
    """
    answered: list[int] = []

    async def serve(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        number = len(answered)
        answered.append(0)
        with contextlib.suppress(asyncio.IncompleteReadError, ConnectionError):
            while await reader.readuntil(b"\r\n\r\n"):
                if answered[number] == kept:
                    break
                answered[number] += 1
                writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
                await writer.drain()
        writer.transport.abort()

    server = await asyncio.start_server(serve, "127.0.0.1", 0)
    async with server:
        yield URL(f"http://127.0.0.1:{server.sockets[0].getsockname()[1]}/"), answered


async def test_a_write_goes_over_no_connection_that_was_kept_for_long(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The server may be closing it: then nobody could tell whether the write arrived."""
    monkeypatch.setattr(transport_module, "KEPT_FOR_WRITES_S", 0.0)
    async with forgetful(kept=1) as (url, answered):
        for _ in range(3):
            assert (await transport.ask("POST", url, {}, reads=False)).body == b"ok"
    assert answered == [1, 1, 1]


async def test_writes_in_a_row_share_a_connection(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport_module, "KEPT_FOR_WRITES_S", 3600.0)
    async with forgetful(kept=3) as (url, answered):
        for _ in range(3):
            await transport.ask("POST", url, {}, reads=False)
    assert answered == [3]


async def test_a_read_that_a_kept_connection_lost_is_repeated_over_a_new_one(
    transport: Transport, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(transport_module, "KEPT_FOR_READS_S", 3600.0)
    monkeypatch.setattr(transport_module, "KEPT_FOR_WRITES_S", 0.0)
    async with forgetful(kept=1) as (url, _):
        await asyncio.gather(*(transport.ask("GET", url, {}, reads=True) for _ in range(4)))
        # Four connections are kept, and each of them is as good as closed.
        for _ in range(4):
            answer = await transport.ask("GET", url, {}, reads=True)
            assert (answer.body, answer.earlier) == (b"ok", 1)


async def test_cookies_do_not_go_from_one_request_to_another(transport: Transport) -> None:
    seen: list[str | None] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(request.headers.get("Cookie"))
        return web.Response(text="x", headers={"Set-Cookie": "a=b"})

    async with serving(handler) as url:
        await transport.ask("GET", url, {}, reads=True)
        await transport.ask("GET", url, {}, reads=True)

    assert seen == [None, None]


@pytest.mark.parametrize("method", ["PUT", "DELETE", "POST"])
async def test_a_write_whose_connection_breaks_reaches_the_server_once(
    transport: Transport, method: str
) -> None:
    async with speaking(drops) as (url, seen):
        with pytest.raises(AnswerLost):
            await transport.ask(method, url, {}, b"{}", reads=False)

    assert len(seen) == 1


@pytest.mark.parametrize("method", ["PUT", "DELETE"])
async def test_a_write_on_a_kept_connection_that_breaks_is_not_sent_again(
    transport: Transport, method: str
) -> None:
    turns = iter([says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"), drops, drops])

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next(turns)(reader, writer)

    async with speaking(speak) as (url, seen):
        await transport.ask("GET", url, {}, reads=True)
        with pytest.raises(AnswerLost):
            await transport.ask(method, url, {}, reads=False)

    assert len(seen) == 2


async def test_a_read_whose_connection_breaks_is_sent_twice_and_no_more(
    transport: Transport,
) -> None:
    async with speaking(drops) as (url, seen):
        with pytest.raises(AnswerLost):
            await transport.ask("GET", url, {}, reads=True)

    assert len(seen) == 2
    assert transport.sent == 2


async def test_a_read_is_answered_by_its_second_try(transport: Transport) -> None:
    turns = iter([drops, says(b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n[]")])

    async def speak(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await next(turns)(reader, writer)

    async with speaking(speak) as (url, seen):
        answer = await transport.ask("GET", url, {}, reads=True)

    assert answer.body == b"[]"
    assert len(seen) == 2


async def test_a_closed_port_means_that_nothing_was_sent(transport: Transport) -> None:
    # Ours, so that nobody else listens there meanwhile.
    with socket.socket() as closed:
        closed.bind(("127.0.0.1", 0))
        port = closed.getsockname()[1]
        with pytest.raises(NotSent):
            await transport.ask("POST", URL(f"http://127.0.0.1:{port}/"), {}, b"{}", reads=False)


async def test_a_name_that_does_not_exist_means_that_nothing_was_sent(
    transport: Transport,
) -> None:
    with pytest.raises(NotSent):
        await transport.ask("GET", URL("http://no-such-host.invalid/"), {}, reads=True)


async def test_a_silent_server_costs_the_read_timeout_once(impatient: Transport) -> None:
    async def silent(_reader: asyncio.StreamReader, _writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(30)

    async with speaking(silent) as (url, seen):
        with pytest.raises(AnswerLost):
            async with asyncio.timeout(60):
                await impatient.ask("GET", url, {}, reads=True)

    assert len(seen) == 1


async def test_a_body_that_trickles_costs_the_total_timeout(impatient: Transport) -> None:
    async def trickle(_reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        writer.write(b"HTTP/1.1 200 OK\r\nContent-Length: 1000\r\n\r\n")
        while True:
            writer.write(b" ")
            await writer.drain()
            await asyncio.sleep(0.05)

    async with speaking(trickle) as (url, _seen):
        with pytest.raises(AnswerLost):
            async with asyncio.timeout(60):
                await impatient.ask("GET", url, {}, reads=True)


@pytest.mark.parametrize(
    "text",
    [
        b"HTTP/1.1 200 OK\r\nContent-Length: 100\r\n\r\n[1, 2]",
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n6\r\n[1, 2]\r\n",
        # Whole by luck: nothing says so.
        b"HTTP/1.1 200 OK\r\nContent-Type: application/json\r\n\r\n[1, 2]",
        b"HTTP/1.1 200 OK\r\nContent-Encoding: gzip\r\nContent-Length: 6\r\n\r\n[1, 2]",
    ],
)
async def test_a_body_that_may_be_cut_is_no_answer(transport: Transport, text: bytes) -> None:
    async with speaking(says(text, close=True)) as (url, _seen):
        with pytest.raises(Transient):
            await transport.ask("GET", url, {}, reads=True)


async def test_garbage_in_the_place_of_http_is_no_answer(transport: Transport) -> None:
    async with speaking(says(b"\x00\x01 what\r\n\r\n", close=True)) as (url, _seen):
        with pytest.raises(Transient):
            await transport.ask("GET", url, {}, reads=True)


async def test_a_small_body_that_swells_when_decoded_is_stopped(transport: Transport) -> None:
    bomb = gzip.compress(b"0" * (32 << 20))

    async def handler(request: web.Request) -> web.Response:
        return web.Response(body=bomb, headers={"Content-Encoding": "gzip"})

    async with serving(handler) as url:
        with pytest.raises(BadAnswer, match="larger"):
            await transport.ask("GET", url, {}, reads=True)


async def test_many_bodies_that_swell_at_once_are_not_in_memory_at_once(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Each is within the limit of a body, and they come whole all the same."""
    size, many = 4 << 20, 8
    half = gzip.compress(b" " * (size // 2))
    all_have_some = asyncio.Event()
    began = set[int]()

    async def handler(request: web.Request) -> web.StreamResponse:
        response = web.StreamResponse(headers={"Content-Encoding": "gzip"})
        response.enable_chunked_encoding()
        await response.prepare(request)
        await response.write(half)
        await all_have_some.wait()
        await response.write(half)
        return response

    most = 0

    class Watched(Share):
        async def take(self, more_bytes: int) -> None:
            nonlocal most
            began.add(id(self))
            if len(began) == many:
                all_have_some.set()
            await super().take(more_bytes)
            most = max(most, room.taken_bytes)

    monkeypatch.setattr("jobs.esi.transport.Share", Watched)
    room = Room(1 << 20)
    transport = Transport("me@example.com", room=room)
    async with serving(handler) as url:
        answers = await asyncio.gather(
            *(transport.ask("GET", url, {}, reads=True) for _ in range(many))
        )
    await transport.close()
    assert [len(answer.body) for answer in answers] == [size] * many
    # What was read when the room was full, and the one that went on.
    assert size <= most < 3 * size
    assert room.taken_bytes == 0


async def test_a_compressed_body_is_decoded(transport: Transport) -> None:
    async def handler(request: web.Request) -> web.Response:
        body = gzip.compress(b"[1]" + b" " * 500_000)
        return web.Response(body=body, headers={"Content-Encoding": "gzip"})

    async with serving(handler) as url:
        answer = await transport.ask("GET", url, {}, reads=True)

    assert answer.body.strip() == b"[1]"


@pytest.mark.parametrize("status", [301, 302, 303, 307, 308])
async def test_a_write_is_not_redirected(transport: Transport, status: int) -> None:
    seen: list[str] = []

    async def handler(request: web.Request) -> web.Response:
        seen.append(f"{request.method} {request.path}")
        return web.Response(status=status, headers={"Location": "/elsewhere"})

    async with serving(handler) as url:
        with pytest.raises(BadAnswer, match="redirected"):
            await transport.ask("POST", url / "here", {}, b"{}", reads=False)

    assert seen == ["POST /here"]


async def test_a_read_is_redirected_within_its_origin(transport: Transport) -> None:
    async def handler(request: web.Request) -> web.Response:
        if request.path == "/here":
            return web.Response(status=302, headers={"Location": "/there"})
        return web.Response(text=request.headers["Authorization"])

    async with serving(handler) as url:
        answer = await transport.ask("GET", url / "here", {"Authorization": "x"}, reads=True)

    assert answer.body == b"x"


async def test_nothing_is_told_to_another_origin(transport: Transport) -> None:
    seen: list[Any] = []

    async def other(request: web.Request) -> web.Response:
        seen.append(request.headers)
        return web.Response(text="thanks")

    async with serving(other) as elsewhere:

        async def handler(request: web.Request) -> web.Response:
            return web.Response(status=302, headers={"Location": str(elsewhere)})

        async with serving(handler) as url:
            with pytest.raises(BadAnswer, match="another server"):
                await transport.ask("GET", url, {"Authorization": "x"}, reads=True)

    assert not seen


@pytest.mark.parametrize("target", ["mailto:a@b", "", "http://[::1/x", "data:,x", "//", "http:"])
async def test_a_redirect_to_what_is_no_server_is_a_bad_answer(
    transport: Transport, target: str
) -> None:
    raw = f"HTTP/1.1 302 Found\r\nLocation: {target}\r\nContent-Length: 0\r\n\r\n".encode()
    async with speaking(says(raw)) as (url, _):
        with pytest.raises(BadAnswer, match="redirected"):
            await transport.ask("GET", url / "x", {}, reads=True)


async def test_redirects_in_a_circle_end(transport: Transport) -> None:
    async def handler(request: web.Request) -> web.Response:
        return web.Response(status=302, headers={"Location": "/again"})

    async with serving(handler) as url:
        with pytest.raises(BadAnswer, match="more than"):
            await transport.ask("GET", url, {}, reads=True)


@pytest.mark.parametrize(
    ("variables", "proxy"),
    [
        ({}, None),
        ({"http_proxy": "http://proxy.example:3128"}, "http://proxy.example:3128"),
        ({"http_proxy": "http://me:secret@proxy.example:3128"}, "http://proxy.example:3128"),
        ({"http_proxy": "http://proxy.example:3128", "no_proxy": "esi.example"}, None),
    ],
)
def test_proxies_come_from_the_environment(
    variables: dict[str, str], proxy: str | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("http_proxy", "no_proxy", "HTTP_PROXY", "NO_PROXY", "all_proxy"):
        monkeypatch.delenv(name, raising=False)
    for name, value in variables.items():
        monkeypatch.setenv(name, value)

    found, auth = _environment_proxy(URL("http://esi.example"))

    assert (str(found) if found else None) == proxy
    assert (auth is not None) == ("secret" in str(variables))


@pytest.mark.parametrize(
    "text",
    [
        "127.0.0.1:99999", "http://127.0.0.1:notaport", "http://me:secret@[bad", "http://",
        "///", "socks5://me:secret@127.0.0.1:1", "ftp://127.0.0.1:1",
    ],
)  # fmt: skip
async def test_a_proxy_that_cannot_be_used_means_that_nothing_was_sent(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, text: str
) -> None:
    monkeypatch.setenv("http_proxy", text)
    monkeypatch.setenv("no_proxy", "")
    async with speaking(says(b"HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")) as (url, seen):
        with pytest.raises(NotSent, match="http_proxy") as refused:
            await transport.ask("PUT", url / "x", {}, b"{}", reads=False)
    assert "secret" not in str(refused.value)
    assert seen == []
    assert transport.sent == 0


async def test_an_entry_in_netrc_does_not_meddle(
    transport: Transport, monkeypatch: pytest.MonkeyPatch, tmp_path: Any
) -> None:
    netrc = tmp_path / "netrc"
    netrc.write_text("default login me password secret\n")
    monkeypatch.setenv("NETRC", str(netrc))

    async def handler(request: web.Request) -> web.Response:
        return web.Response(text=request.headers["Authorization"])

    async with serving(handler) as url:
        answer = await transport.ask("GET", url, {"Authorization": "Bearer x"}, reads=True)

    assert answer.body == b"Bearer x"
