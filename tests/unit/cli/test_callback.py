from __future__ import annotations

import asyncio
import socket
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

import pytest

from cli.callback import Callback, Listener, WrongAnswer
from cli.errors import CliError, DaemonRefused

HERE = Callback("http://localhost:8642/callback")
ANSWER = "http://localhost:8642/callback?code=abc&state=mine"


@pytest.mark.parametrize(
    ("url", "port"),
    [
        ("http://localhost:8642/callback", 8642),
        ("http://127.0.0.1/callback", 80),
        ("https://localhost:8642/callback", None),
        ("https://example.org/callback", None),
    ],
)
def test_only_loopback_is_listened_on(url: str, port: int | None) -> None:
    assert Callback(url).port == port


@pytest.mark.parametrize("answer", [ANSWER, f" {ANSWER}\n", "/callback?state=mine&code=abc"])
def test_the_code_of_an_answer(answer: str) -> None:
    assert HERE.code_of(answer, "mine") == "abc"


@pytest.mark.parametrize(
    "answer",
    [
        "",
        "abc",
        "/favicon.ico",
        "/callback",
        "/callback?code=abc",
        "/callback?code=abc&state=other",
        "/callback?code=abc&state=mine&state=other",
        "/callback?state=mine",
        "/callback?code=a&code=b&state=mine",
        "http://[x",
        "http://localhost:8642/callback?code=a\udcff&state=mine",
    ],
)
def test_what_is_no_answer_to_this_login(answer: str) -> None:
    with pytest.raises(WrongAnswer):
        HERE.code_of(answer, "mine")


def test_a_refusal_carries_its_reason() -> None:
    with pytest.raises(DaemonRefused, match="not today"):
        HERE.code_of("/callback?error=access_denied&error_description=not+today&state=mine", "mine")


@asynccontextmanager
async def listening() -> AsyncIterator[tuple[Listener, int]]:
    """Listen on a free port; another one where somebody was faster."""
    while True:
        with socket.socket() as sock:
            sock.bind(("127.0.0.1", 0))
            port = int(sock.getsockname()[1])
        async with Listener(Callback(f"http://localhost:{port}/callback"), "mine") as listener:
            if any(server.sockets[0].family is socket.AF_INET for server in listener._servers):
                yield listener, port
                return


async def get(port: int, target: str) -> bytes:
    reader, writer = await asyncio.open_connection("127.0.0.1", port)
    writer.write(f"GET {target} HTTP/1.1\r\nHost: localhost\r\n\r\n".encode())
    answer = await reader.read()
    writer.close()
    await writer.wait_closed()
    return answer


async def test_the_browser_may_ask_for_other_things_first() -> None:
    async with listening() as (listener, port):
        assert b"404" in await get(port, "/favicon.ico")
        assert b"404" in await get(port, "/callback?code=abc&state=other")
        assert b"Logged in" in await get(port, "/callback?code=abc&state=mine")
        assert await listener.wait(timeout_s=60.0, paste=lines()) == "abc"


async def test_a_refused_login_ends_the_wait() -> None:
    async with listening() as (listener, port):
        assert b"refused" in await get(port, "/callback?error=access_denied&state=mine")
        with pytest.raises(DaemonRefused):
            await listener.wait(timeout_s=60.0, paste=lines())


def lines(*texts: str) -> Callable[[], str]:
    left = list(texts)
    return lambda: left.pop(0) if left else ""


async def test_a_pasted_answer_is_as_good() -> None:
    listener = Listener(Callback("https://example.org/callback"), "mine")
    paste = lines("\n", "https://example.org/callback?code=abc&state=mine\n")
    assert await listener.wait(timeout_s=60.0, paste=paste) == "abc"


async def test_after_a_wrong_paste_the_next_one_counts(
    capsys: pytest.CaptureFixture[str],
) -> None:
    listener = Listener(Callback("https://example.org/callback"), "mine")
    other = "https://example.org/callback?code=abc&state=other\n"
    paste = lines("what?\n", other, "https://example.org/callback?code=abc&state=mine\n")
    assert await listener.wait(timeout_s=60.0, paste=paste) == "abc"
    err = capsys.readouterr().err
    assert "that is no answer of the login" in err
    assert "belongs to another login" in err


async def test_wrong_pastes_and_no_more_end_the_wait() -> None:
    async with listening() as (listener, _):
        with pytest.raises(WrongAnswer, match="no answer of the login"):
            await listener.wait(timeout_s=60.0, paste=lines("what?\n"))


async def test_a_pasted_refusal_ends_the_wait() -> None:
    listener = Listener(Callback("https://example.org/callback"), "mine")
    paste = lines("https://example.org/callback?error=access_denied&state=mine\n")
    with pytest.raises(DaemonRefused, match="access_denied"):
        await listener.wait(timeout_s=60.0, paste=paste)


async def test_nobody_comes() -> None:
    async with listening() as (listener, _):
        with pytest.raises(CliError, match="nobody logged in"):
            await listener.wait(timeout_s=0.01, paste=lines())


async def test_where_nothing_can_answer_it_says_so_at_once() -> None:
    listener = Listener(Callback("https://example.org/callback"), "mine")
    with pytest.raises(CliError, match="nothing can answer"):
        await listener.wait(timeout_s=60.0, paste=lines())
