"""The answer of a login: from the browser to a port on loopback, or pasted by the user."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from collections.abc import Callable
from dataclasses import dataclass
from urllib.parse import parse_qs, urlsplit

from cli.context import tell
from cli.errors import BadInput, CliError, DaemonRefused

_LOOPBACK = ("localhost", "127.0.0.1", "::1")
_MAX_REQUEST_BYTES = 16_384
_PAGE = """<!doctype html><meta charset="utf-8"><title>esisyncd</title>
<p style="font: 1.2em sans-serif; margin: 3em">{text}</p>"""


class WrongAnswer(BadInput):
    """What came belongs to no login, or to another one."""


@dataclass(frozen=True, slots=True)
class Callback:
    """Where the answer of a login goes."""

    url: str

    @property
    def port(self) -> int | None:
        """Return the port to listen on; None where the address is not this machine's."""
        parts = urlsplit(self.url)
        if parts.scheme != "http" or parts.hostname not in _LOOPBACK:
            return None
        return parts.port or 80

    def code_of(self, answer: str, state: str) -> str:
        """Return the code in an answer URL; WrongAnswer unless it belongs to this login."""
        try:
            given = urlsplit(answer.strip())
        except ValueError:
            # As of a bracket that is left open.
            given = None
        if given is None or not answer.isascii() or given.path != urlsplit(self.url).path:
            raise WrongAnswer(
                "that is no answer of the login",
                f"It begins with {self.url} and holds code= and state=.",
            )
        query = parse_qs(given.query)
        if query.get("state") != [state]:
            raise WrongAnswer(
                "that answer belongs to another login", "Log in with the address shown above."
            )
        if "error" in query:
            reason = query.get("error_description", query["error"])[0]
            raise DaemonRefused(f"the login was refused: {reason}")
        if len(query.get("code", [])) != 1:
            raise WrongAnswer(
                "there is no code in that answer", "It is after code=, and there once."
            )
        return query["code"][0]


class Listener:
    """Waits on loopback for the browser's answer, and lets a pasted one be first.

    It listens inside an `async with` block, so that no browser is faster than it.
    """

    def __init__(self, callback: Callback, state: str) -> None:
        """Take where the answer goes, and the state that marks it."""
        self._callback = callback
        self._state = state
        self._code: asyncio.Future[str] = asyncio.get_running_loop().create_future()
        self._servers: list[asyncio.Server] = []
        self._wrong: WrongAnswer | None = None

    async def __aenter__(self) -> Listener:
        """Begin to listen, where the address is this machine's and its port is free."""
        port = self._callback.port
        if port is not None:
            for host in ("127.0.0.1", "::1"):
                # The port is taken, or there is no IPv6: the other one, or pasting, is left.
                with contextlib.suppress(OSError):
                    self._servers.append(await asyncio.start_server(self._serve, host, port))
        return self

    async def __aexit__(self, *_: object) -> None:
        """Listen no more."""
        for server in self._servers:
            server.close()

    async def wait(self, *, timeout_s: float, paste: Callable[[], str]) -> str:
        """Return the code of the first good answer.

        paste blocks until there is a line, and gives an empty one where there will be none. A wrong
        line is told, and the next one waited for.
        """
        self._read_pasted(paste)
        try:
            async with asyncio.timeout(timeout_s):
                return await self._code
        except TimeoutError:
            raise CliError(f"nobody logged in within {timeout_s / 60:g} minutes") from None

    async def _serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            async with asyncio.timeout(5.0):
                head = await reader.readuntil(b"\r\n\r\n")
        except (TimeoutError, asyncio.IncompleteReadError, asyncio.LimitOverrunError):
            writer.close()
            return
        line = head[:_MAX_REQUEST_BYTES].split(b" ", 2)
        target = line[1].decode("ascii", "replace") if len(line) > 1 else ""
        status, text = "200 OK", "Logged in. You can close this page."
        try:
            self._take(target)
        except DaemonRefused as error:
            text = error.message
        except WrongAnswer as error:
            status, text = "404 Not Found", error.message
        page = _PAGE.format(text=text).encode()
        head_lines = f"HTTP/1.1 {status}\r\nContent-Type: text/html; charset=utf-8\r\n"
        writer.write(
            f"{head_lines}Content-Length: {len(page)}\r\nConnection: close\r\n\r\n".encode()
        )
        writer.write(page)
        writer.close()

    def _take(self, answer: str) -> None:
        try:
            code = self._callback.code_of(answer, self._state)
        except DaemonRefused as error:
            if not self._code.done():
                self._code.set_exception(error)
            raise
        if not self._code.done():
            self._code.set_result(code)

    def _read_pasted(self, paste: Callable[[], str]) -> None:
        loop = asyncio.get_running_loop()

        def read() -> None:
            while line := paste():
                if line.strip():
                    loop.call_soon_threadsafe(self._take_pasted, line)
            loop.call_soon_threadsafe(self._note_end)

        def read_until_closed() -> None:
            # The browser was faster, and nobody waits any more.
            with contextlib.suppress(RuntimeError):
                read()

        # A read from a terminal cannot be called off: the thread is left behind at the end.
        threading.Thread(target=read_until_closed, name="paste", daemon=True).start()

    def _take_pasted(self, line: str) -> None:
        try:
            self._take(line)
        except WrongAnswer as error:
            self._wrong = error
            tell(f"{error.message}\n{error.hint}\nPaste the right one, or use the browser here.")
        except DaemonRefused:
            # It ends the wait.
            return

    def _note_end(self) -> None:
        """Nothing more is pasted: end the wait if a paste was wrong, or nothing else can come."""
        if self._code.done():
            return
        if self._wrong is not None:
            self._code.set_exception(self._wrong)
        elif not self._servers:
            self._code.set_exception(
                CliError(
                    f"nothing can answer on {self._callback.url}",
                    "Free that port, or paste the answer into this command.",
                )
            )
