"""The control client: speaks to the daemon over its Unix socket, blocking, one thread.

Standard library and msgspec only, so that `status` starts fast.
"""

from __future__ import annotations

import errno
import select
import socket
import time
import uuid
from collections import deque
from collections.abc import Iterator
from pathlib import Path
from types import TracebackType

from cli.errors import CliError, DaemonRefused, DaemonSilent, NoDaemon, NotYet
from ipc.codec import FrameDecoder, ProtocolError, encode
from ipc.commands import Command
from ipc.control_messages import (
    DaemonState,
    FromClient,
    GetStatus,
    Hello,
    HelloBack,
    Missed,
    Observe,
    Refused,
    Reply,
    Request,
    ToClient,
)
from ipc.events import Event
from ipc.messages import PROTOCOL_VERSION
from ipc.scheduler_messages import Events, JobState, StatusPage
from ipc.settings import MAX_SOCKET_PATH_BYTES
from ipc.subject import Subject

ANSWER_WAIT_S = 10.0
# A supervisor that lives tells its state at once, whatever its scheduler does.
_ALIVE_WAIT_S = 2.0
_CHUNK_BYTES = 1 << 16


class ConnectionLost(CliError):
    """The daemon ended the connection: it stopped, or was restarted."""

    exit_code = NoDaemon.exit_code


class CommandRefused(DaemonRefused):
    """The daemon took the command, and would not or could not do it."""


class ControlClient:
    """One connection to the daemon; use it in a `with` block."""

    def __init__(self, path: Path, *, wait_s: float = ANSWER_WAIT_S) -> None:
        """Connect and shake hands; NoDaemon if nobody answers there."""
        self._path = path
        self._wait_s = wait_s
        self._decoder: FrameDecoder[ToClient] = FrameDecoder(ToClient)
        self._received: deque[ToClient] = deque()
        self._events: deque[Event | Missed] = deque()
        self._next_id = 0
        self._sock = _connect(path, wait_s)
        try:
            self._send(Hello(protocol=PROTOCOL_VERSION))
            self.daemon = self._hello()
        except BaseException:
            self._sock.close()
            raise

    def __enter__(self) -> ControlClient:
        """Return the client itself."""
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        """Close the connection."""
        self._sock.close()

    def close(self) -> None:
        """Close the connection."""
        self._sock.close()

    def status(
        self, *, jobs: bool = False, subject: Subject | None = None
    ) -> tuple[DaemonState, list[JobState] | None]:
        """Return the daemon's state, and its jobs if asked for; None if no scheduler told them."""
        self._next_id += 1
        request_id = self._next_id
        self._send(GetStatus(request_id=request_id, jobs=jobs, subject=subject))
        deadline = time.monotonic() + self._wait_s
        state: DaemonState | None = None
        pages: list[JobState] = []
        while True:
            try:
                message = self._next(deadline)
            except DaemonSilent:
                if state is None:
                    raise
                return state, None
            match message:
                case DaemonState(request_id=answered) if answered == request_id:
                    state = message
                    if not jobs or state.scheduler_state != "running":
                        return state, None
                case StatusPage(request_id=answered) if answered == request_id:
                    pages.extend(message.jobs)
                    if message.last and state is not None:
                        return state, pages
                case _:
                    # An answer to an earlier question that was given up.
                    continue

    def request(
        self, command: Command, *, command_id: str | None = None, wait_s: float | None = None
    ) -> Reply:
        """Send a command and return what became of it; CommandRefused if it was refused.

        NotYet if the daemon has taken it, and is not done with it in time.
        """
        wanted = command_id or uuid.uuid4().hex
        self._send(Request(command_id=wanted, command=command))
        message = self._reply(wanted, self._wait_s if wait_s is None else wait_s)
        if message.status == "refused":
            raise CommandRefused(f"the daemon refused: {message.text or 'no reason given'}")
        if message.status == "full":
            raise DaemonRefused(
                "the daemon holds as many commands as it can while its scheduler is away",
                "See `esisyncd status` for what is wrong, then ask again.",
            )
        return message

    def _reply(self, command_id: str, wait_s: float) -> Reply:
        """Return the answer to a command; NotYet if the daemon lives and has none by then."""
        deadline = time.monotonic() + wait_s
        asked = 0
        while True:
            try:
                message = self._next(deadline)
            except DaemonSilent:
                if asked:
                    raise
                # It reads in order: whoever answers this has taken the command.
                self._next_id += 1
                asked = self._next_id
                self._send(GetStatus(request_id=asked))
                deadline = time.monotonic() + _ALIVE_WAIT_S
                continue
            match message:
                case Reply(command_id=answered) if answered == command_id:
                    return message
                case DaemonState(request_id=answered) if answered == asked:
                    raise NotYet(
                        f"the daemon took the command and did not carry it out within {wait_s:g} s",
                        "It goes on by itself; `esisyncd status` shows what is in the way.",
                    )
                case _:
                    continue

    def observe(self) -> None:
        """Ask for events from now on; events() returns them."""
        self._send(Observe())

    def events(self, timeout_s: float | None = None) -> Iterator[Event | Missed]:
        """Yield what arrived, and at most one batch more within timeout_s (None: wait for one)."""
        if not self._events:
            self._pump(None if timeout_s is None else time.monotonic() + timeout_s)
        while self._events:
            yield self._events.popleft()

    def wait_closed(self, timeout_s: float) -> bool:
        """Tell whether the daemon closed the connection within timeout_s, as it does at its end."""
        deadline = time.monotonic() + timeout_s
        try:
            while time.monotonic() < deadline:
                self._pump(deadline)
                self._received.clear()
                self._events.clear()
        except ConnectionLost:
            return True
        return False

    def _hello(self) -> HelloBack:
        message = self._next(time.monotonic() + self._wait_s)
        if not isinstance(message, HelloBack):
            raise DaemonRefused("what answers on the control socket is no esisyncd daemon")
        if message.protocol != PROTOCOL_VERSION:
            raise DaemonRefused(
                f"the daemon is of version {message.version} and speaks another protocol",
                "Restart the daemon, so that it is of the same version as this command.",
            )
        return message

    def _send(self, message: FromClient) -> None:
        try:
            self._sock.settimeout(self._wait_s)
            self._sock.sendall(encode(message))
        except TimeoutError:
            raise DaemonSilent(f"the daemon on {self._path} does not read") from None
        except OSError as error:
            # A refusal may be there to be read already, and says more than a torn pipe.
            self._raise_if_refused()
            raise ConnectionLost("the daemon ended the connection") from error

    def _raise_if_refused(self) -> None:
        try:
            while self._pump(time.monotonic()):
                continue
        except ConnectionLost:
            return

    def _next(self, deadline: float) -> ToClient:
        while not self._received:
            if not self._pump(deadline) and time.monotonic() >= deadline:
                raise DaemonSilent(
                    f"the daemon on {self._path} did not answer within {self._wait_s:g} s",
                    "Look at its log; `esisyncd restart` replaces a scheduler that hangs.",
                )
        return self._received.popleft()

    def _pump(self, deadline: float | None) -> bool:
        """Read once, until the deadline; sort what arrived; tell whether anything did."""
        wait_s = None if deadline is None else max(0.0, deadline - time.monotonic())
        readable, _, _ = select.select([self._sock], [], [], wait_s)
        if not readable:
            return False
        try:
            data = self._sock.recv(_CHUNK_BYTES)
        except OSError as error:
            raise ConnectionLost("the daemon ended the connection") from error
        if not data:
            raise ConnectionLost("the daemon ended the connection")
        try:
            messages = self._decoder.feed(data)
        except ProtocolError as error:
            raise DaemonRefused(f"the daemon's answer makes no sense here: {error}") from None
        for message in messages:
            match message:
                case Refused(reason=reason):
                    raise DaemonRefused(f"the daemon refused the connection: {reason}")
                case Events(events=events):
                    self._events.extend(events)
                case Missed():
                    self._events.append(message)
                case _:
                    self._received.append(message)
        return True


def _connect(path: Path, wait_s: float) -> socket.socket:
    if len(bytes(path)) > MAX_SOCKET_PATH_BYTES:
        raise NoDaemon(
            f"the path of the control socket is too long for a Unix socket: {path}",
            "Set control.socket to a shorter path.",
        )
    sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    sock.settimeout(wait_s)
    try:
        sock.connect(str(path))
    except (FileNotFoundError, ConnectionRefusedError, NotADirectoryError):
        sock.close()
        raise NoDaemon(
            f"no daemon answers on {path}", "Start one with `esisyncd run`, or check --config."
        ) from None
    except PermissionError:
        sock.close()
        raise DaemonRefused(
            f"you may not use the control socket {path}",
            "Run this as the user who runs the daemon.",
        ) from None
    except OSError as error:
        sock.close()
        if error.errno == errno.EAGAIN or isinstance(error, TimeoutError):
            raise DaemonSilent(f"the daemon on {path} takes no connection") from None
        raise NoDaemon(f"{path} cannot be reached: {error.strerror}") from error
    return sock


def daemon_answers(path: Path) -> bool:
    """Tell whether a daemon lives on this socket."""
    try:
        with ControlClient(path, wait_s=2.0):
            return True
    except NoDaemon:
        return False
