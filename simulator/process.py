"""A simulated EVE in a process of its own, driven through its control route."""

from __future__ import annotations

import os
import selectors
import subprocess
import sys
import time
from pathlib import Path
from types import TracebackType
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import ProxyHandler, Request, build_opener

import msgspec

from simulator.serve import BaseUrls

BOOT_S = 60.0
ANSWER_S = 60.0
STOP_S = 10.0


class SimulatorFailed(RuntimeError):
    """The simulated EVE did not start, or refused an order."""


class SimulatedEve:
    """Starts `python -m simulator`, waits for its ready line, and ends it with the block."""

    def __init__(self, *arguments: str, boot_s: float = BOOT_S, own_group: bool = False) -> None:
        self._arguments = arguments
        self._boot_s = boot_s
        # In a group of its own it does not get the terminal's Ctrl-C.
        self._process_group = 0 if own_group else None
        self._process: subprocess.Popen[bytes] | None = None
        self._urls: BaseUrls | None = None
        self._opener = build_opener(ProxyHandler({}))

    @property
    def urls(self) -> BaseUrls:
        """Where the services are; only while the process runs."""
        if self._urls is None:
            raise SimulatorFailed("the simulated EVE is not running")
        return self._urls

    @property
    def pid(self) -> int:
        """The process id of the simulated EVE."""
        if self._process is None:
            raise SimulatorFailed("the simulated EVE is not running")
        return self._process.pid

    def start(self) -> SimulatedEve:
        """Start the process and wait until it answers."""
        root = str(Path(__file__).resolve().parent.parent)
        path = os.pathsep.join(filter(None, (root, os.environ.get("PYTHONPATH"))))
        command = [sys.executable, "-P", "-m", "simulator", "--until-stdin-closes"]
        # The arguments come from the caller's own code; no shell is involved.
        self._process = subprocess.Popen(  # noqa: S603
            [*command, *self._arguments],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": path},
            process_group=self._process_group,
        )
        try:
            self._urls = msgspec.json.decode(self._ready_line(), type=BaseUrls)
        except BaseException:
            self.stop()
            raise
        return self

    def stop(self) -> None:
        """End the process; kill it when it does not go."""
        process, self._process, self._urls = self._process, None, None
        if process is None:
            return
        process.terminate()
        try:
            process.wait(STOP_S)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
        for pipe in (process.stdin, process.stdout):
            if pipe is not None:
                pipe.close()

    def ask(self, path: str, /, **query: object) -> object:
        """Ask the control route and return what it says."""
        words = {name: str(value) for name, value in query.items() if value is not None}
        suffix = f"?{urlencode(words)}" if words else ""
        return self._control("GET", path + suffix, None)

    def order(self, path: str, /, **body: object) -> object:
        """Give the control route an order and return its answer."""
        return self._control("POST", path, body)

    def now(self) -> str:
        """Return where universe time stands, as ESI writes times."""
        return str(msgspec.convert(self.ask("/clock"), dict[str, object])["now"])

    def freeze(self) -> None:
        """Stop universe time."""
        self.order("/clock", freeze=True)

    def thaw(self) -> None:
        """Let universe time run."""
        self.order("/clock", freeze=False)

    def advance(self, seconds: float) -> None:
        """Let universe time jump ahead, limits and token lifetimes with it."""
        self.order("/clock", advance_s=seconds)

    def fault(self, **rule: object) -> int:
        """Put a fault into force and return its number."""
        answer = self.order("/faults", **rule)
        return msgspec.convert(answer, dict[str, int])["id"]

    def clear_faults(self) -> None:
        """Take every fault out of force."""
        self._control("DELETE", "/faults", None)

    def downtime(self, *, on: bool) -> None:
        """Begin or end a downtime."""
        self.order("/downtime", on=on)

    def revoke(self, character_id: int) -> None:
        """Revoke every token of a character."""
        self.order("/revoke", character_id=character_id)

    def tokens(self, *, access: bool = False) -> list[dict[str, object]]:
        """Return the tokens of every character."""
        answer = self.ask("/tokens", access=1 if access else None)
        return msgspec.convert(answer, list[dict[str, object]])

    def model(
        self,
        section: str,
        subject: int | None = None,
        *,
        division: int | None = None,
        now: bool = False,
    ) -> object:
        """Return what the universe holds in a section, as the routes show it."""
        answer = self.ask(
            f"/model/{section}", subject=subject, division=division, at="now" if now else None
        )
        return msgspec.convert(answer, dict[str, object])["rows"]

    def requests(self, last: int = 0) -> dict[str, object]:
        """Return what was asked: counts by service, route and status, and the latest."""
        return msgspec.convert(self.ask("/requests", last=last), dict[str, object])

    def writes(self) -> list[dict[str, object]]:
        """Return every write that took effect."""
        return msgspec.convert(self.ask("/writes"), list[dict[str, object]])

    def reset(self) -> None:
        """Forget counters, effects, faults and limits, and end a downtime."""
        self.order("/reset")

    def _control(self, method: str, path: str, body: dict[str, object] | None) -> object:
        data = None if body is None else msgspec.json.encode(body)
        request = Request(self.urls.control + path, data=data, method=method)  # noqa: S310
        try:
            with self._opener.open(request, timeout=ANSWER_S) as answer:
                return msgspec.json.decode(answer.read())
        except HTTPError as refused:
            with refused:
                text = refused.read().decode(errors="replace")
            raise SimulatorFailed(f"{method} {path}: {refused.code} {text}") from refused

    def _ready_line(self) -> bytes:
        process = self._process
        if process is None or process.stdout is None:
            raise SimulatorFailed("the simulated EVE is not running")
        deadline = time.monotonic() + self._boot_s
        line = b""
        descriptor = process.stdout.fileno()
        with selectors.DefaultSelector() as selector:
            selector.register(descriptor, selectors.EVENT_READ)
            while not line.endswith(b"\n"):
                if not selector.select(max(0.0, deadline - time.monotonic())):
                    raise SimulatorFailed(f"no ready line within {self._boot_s:g} s")
                part = os.read(descriptor, 4096)
                if not part:
                    raise SimulatorFailed(f"it ended at start with {process.wait()}")
                line += part
        return line

    def __enter__(self) -> SimulatedEve:
        return self.start()

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self.stop()
