"""`login` against the simulated single sign-on, with a browser that is three lines of code."""

from __future__ import annotations

import contextlib
import os
import pty
import random
import select
import socket
import sqlite3
import subprocess
import time
from collections.abc import Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from urllib.error import HTTPError
from urllib.parse import parse_qs, urlsplit
from urllib.request import HTTPRedirectHandler, ProxyHandler, build_opener

import pytest

from simulator.process import SimulatedEve
from tests.process.cli_runs import Place, place
from tests.processes import WITHIN_S

pytestmark = pytest.mark.process


class _Stay(HTTPRedirectHandler):
    def redirect_request(self, *_: object) -> None:
        return None


def consent(address: str) -> str:
    """Return the address that SSO sends the browser to."""
    try:
        build_opener(ProxyHandler({}), _Stay()).open(address, timeout=WITHIN_S)
    except HTTPError as answer:
        with answer:
            return answer.headers["Location"]
    raise AssertionError("SSO did not send the browser back")


def free_port() -> int:
    """Return a free port from below those that the kernel gives to who asks for any."""
    lowest = int(Path("/proc/sys/net/ipv4/ip_local_port_range").read_text().split()[0])
    while True:
        port = random.randrange(lowest // 2, lowest)
        with socket.socket() as sock, contextlib.suppress(OSError):
            sock.bind(("127.0.0.1", port))
            return port


def read_until(descriptor: int, text: bytes, within_s: float = WITHIN_S) -> bytes:
    seen = b""
    deadline = time.monotonic() + within_s
    while text not in seen:
        readable, _, _ = select.select([descriptor], [], [], max(0.0, deadline - time.monotonic()))
        assert readable, seen
        data = os.read(descriptor, 4096)
        assert data, seen
        seen += data
    return seen


@contextmanager
def login(here: Place, *arguments: str, stdin: int) -> Iterator[subprocess.Popen[bytes]]:
    with subprocess.Popen(
        here.command("login", "--no-browser", *arguments),
        env=here.env,
        cwd=here.folder,
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def address_of(process: subprocess.Popen[bytes]) -> str:
    """Return the address that the user is to open."""
    assert process.stderr is not None
    seen = read_until(process.stderr.fileno(), b"S256")
    return next(word for word in seen.decode().split() if word.startswith("http"))


def credential(database: Path) -> tuple[int, set[str]]:
    with closing(sqlite3.connect(database)) as connection:
        [(character_id, scopes)] = connection.execute("SELECT character_id, scopes FROM credential")
    return character_id, set(scopes.split())


def corporations(database: Path) -> list[int]:
    with closing(sqlite3.connect(database)) as connection:
        rows = connection.execute("SELECT id FROM subject WHERE type = 'corporation'").fetchall()
    return [row[0] for row in rows]


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The user's end and the program's end of a terminal."""
    ours, theirs = pty.openpty()
    yield ours, theirs
    os.close(ours)
    os.close(theirs)


def test_the_browser_answers_on_loopback(terminal: tuple[int, int]) -> None:
    with SimulatedEve("--characters", "3") as eve, place(eve) as here:
        callback = f"http://localhost:{free_port()}/callback"
        here.config.write_text(
            here.config.read_text().replace("[sso]", f'[sso]\ncallback_url = "{callback}"')
        )
        eve.order("/login", character_id=90000002)
        options = ("--features", "wallet", "--corporation")
        # A terminal at which nobody types is still being read when the command ends.
        with login(here, *options, stdin=terminal[1]) as process:
            address = address_of(process)
            asked = parse_qs(urlsplit(address).query)
            assert asked["code_challenge_method"] == ["S256"]
            assert "esi-wallet.read_character_wallet.v1" in asked["scope"][0]
            assert "esi-wallet.read_corporation_wallets.v1" in asked["scope"][0]
            assert "esi-mail.read_mail.v1" not in asked["scope"][0]
            answer = consent(address)
            assert answer.startswith(callback)
            with build_opener(ProxyHandler({})).open(answer, timeout=WITHIN_S) as page:
                assert b"Logged in" in page.read()
            out, err = process.communicate(timeout=WITHIN_S)
            assert process.returncode == 0, err
        assert b"character:90000002" in out
        assert b"corporation:" in out
        character_id, scopes = credential(here.database)
        assert character_id == 90000002
        assert scopes == set(asked["scope"][0].split())
        assert len(corporations(here.database)) == 1


def test_an_answer_can_be_pasted(terminal: tuple[int, int]) -> None:
    with SimulatedEve("--characters", "1") as eve, place(eve) as here:
        # Nobody listens there: the browser is on another machine.
        here.config.write_text(
            here.config.read_text().replace(
                "[sso]", '[sso]\ncallback_url = "https://example.invalid/callback"'
            )
        )
        with login(here, stdin=terminal[1]) as process:
            os.write(terminal[0], consent(address_of(process)).encode() + b"\n")
            out, err = process.communicate(timeout=WITHIN_S)
            assert process.returncode == 0, err
        assert b"is logged in" in out
        assert b"no longer granted" not in err
        assert credential(here.database)[0] == 90000001
        with login(here, "--features", "skills", stdin=terminal[1]) as process:
            os.write(terminal[0], consent(address_of(process)).encode() + b"\n")
            _, err = process.communicate(timeout=WITHIN_S)
            assert process.returncode == 0, err
        [told] = [line for line in err.decode().splitlines() if "no longer granted: " in line]
        assert "esi-wallet.read_character_wallet.v1" in told
        assert "esi-skills.read_skills.v1" not in told
        assert b"To have it again: `esisyncd login`." in err


def test_a_wrong_answer_is_told_and_the_next_one_taken(terminal: tuple[int, int]) -> None:
    with SimulatedEve("--characters", "1") as eve, place(eve) as here:
        with login(here, stdin=terminal[1]) as process:
            address = address_of(process)
            os.write(terminal[0], b"http://localhost:8642/callback?code=x&state=other\n")
            assert process.stderr is not None
            read_until(process.stderr.fileno(), b"belongs to another login")
            os.write(terminal[0], consent(address).encode() + b"\n")
            _, err = process.communicate(timeout=WITHIN_S)
            assert process.returncode == 0, err
        assert credential(here.database)[0] == 90000001


def test_an_answer_can_come_through_a_pipe() -> None:
    with SimulatedEve("--characters", "1") as eve, place(eve) as here:
        with login(here, stdin=subprocess.PIPE) as process:
            answer = consent(address_of(process)).encode()
            out, err = process.communicate(answer + b"\n", timeout=WITHIN_S)
            assert process.returncode == 0, err
        assert b"is logged in" in out
        with login(here, stdin=subprocess.PIPE) as process:
            address_of(process)
            _, err = process.communicate(answer + b"\n", timeout=WITHIN_S)
            assert process.returncode == 2
        assert b"belongs to another login" in err


def test_a_login_without_an_application_says_where_to_get_one() -> None:
    with place() as here:
        ran = here.run("login", "--no-browser")
        assert ran.code == 78
        assert "developers.eveonline.com" in ran.err
        assert here.run("login", "--features", "walet", "--set", "sso.client_id=x").code == 2
