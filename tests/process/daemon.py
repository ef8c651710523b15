"""Starts the real daemon in a folder of its own, waits for facts, and leaves nothing behind."""

from __future__ import annotations

import contextlib
import os
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
import uuid
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ipc.codec import FrameDecoder, encode
from ipc.commands import Command
from ipc.control_messages import DaemonState, GetStatus, Hello, HelloBack, Reply, Request, ToClient
from ipc.messages import PROTOCOL_VERSION
from ipc.settings import Esi, Settings, Timings
from tests.processes import WITHIN_S, all_pids, environ_of, eventually, is_alive

HERE = Path(__file__).parent
ROOT = HERE.parent.parent

T = TypeVar("T")

# Signs often, and deadlines that a busy machine does not miss; what is about one shortens it.
FAST = Timings(
    heartbeat_s=0.1,
    hung_after_s=60.0,
    boot_deadline_s=120.0,
    scheduler_grace_s=120.0,
    supervisor_grace_s=121.0,
    parked_retry_s=900.0,
)


class Client:
    """A blocking control client."""

    def __init__(self, path: Path, *, hello: bool = True) -> None:
        self.sock = socket.socket(socket.AF_UNIX)
        self.sock.settimeout(WITHIN_S)
        try:
            self.sock.connect(str(path))
        except OSError:
            self.sock.close()
            raise
        self._decoder: FrameDecoder[Any] = FrameDecoder(ToClient)
        self._inbox: list[Any] = []
        self._next = 0
        if hello:
            self.send(Hello(PROTOCOL_VERSION))
            assert isinstance(self.receive(), HelloBack)

    def send(self, message: msgspec.Struct) -> None:
        self.sock.sendall(encode(message))

    def receive(self) -> Any:
        """Return the next message; EOFError at the end."""
        while not self._inbox:
            data = self.sock.recv(1 << 16)
            if not data:
                raise EOFError
            self._inbox += self._decoder.feed(data)
        return self._inbox.pop(0)

    def until(self, wanted: type[T]) -> T:
        """Return the next message of a type; others before it are passed over."""
        while True:
            message = self.receive()
            if isinstance(message, wanted):
                return message

    def status(self) -> DaemonState:
        self._next += 1
        self.send(GetStatus(self._next))
        return self.until(DaemonState)

    def ask(self, command: Command, command_id: str = "") -> Reply:
        self.send(Request(command_id or uuid.uuid4().hex, command))
        return self.until(Reply)

    def close(self) -> None:
        self.sock.close()


def client_of(path: Path) -> Client:
    """Return a client as soon as somebody listens."""

    def connected() -> Client | None:
        try:
            return Client(path)
        except (FileNotFoundError, ConnectionRefusedError):
            # Not yet bound, or not yet listened on.
            return None

    return eventually("a client", connected)


class Daemon:
    """A running daemon."""

    def __init__(self, folder: Path, settings: Settings, entry: Path) -> None:
        self.folder = folder
        self.settings = settings
        self.entry = entry
        self.log_path = folder / "log"
        self.clients: list[Client] = []
        self.process: subprocess.Popen[bytes]
        self._started: list[subprocess.Popen[bytes]] = []

    @property
    def pid(self) -> int:
        return self.process.pid

    def configure(self, **changes: Any) -> None:
        """Write the settings that the next start or reload reads."""
        self.settings = msgspec.structs.replace(self.settings, **changes)
        (self.folder / "settings.json").write_bytes(msgspec.json.encode(self.settings))

    def hurry(self, **timings: float) -> None:
        """Shorten deadlines that the test is about."""
        self.configure(timings=msgspec.structs.replace(self.settings.timings, **timings))

    def behave(self, text: str) -> None:
        """Tell the next fake scheduler what to do."""
        (self.folder / "behaviour").write_text(text)

    def start(self, *arguments: str, stderr_fd: int | None = None, **environ: str) -> None:
        with self.log_path.open("ab") as log:
            self.process = subprocess.Popen(
                [
                    sys.executable,
                    "-P",
                    str(self.entry),
                    str(self.folder / "settings.json"),
                    *arguments,
                ],
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log if stderr_fd is None else stderr_fd,
                start_new_session=True,
                cwd="/",
                env={
                    "PATH": os.environ["PATH"],
                    "PYTHONPATH": f"{ROOT}:{HERE}",
                    "HOME": str(self.folder),
                    "X_TEST_DAEMON": str(self.folder),
                    **{k: v for k, v in os.environ.items() if k.startswith("COV")},
                    **environ,
                },
            )
        self._started.append(self.process)

    def client(self, *, hello: bool = True) -> Client:
        """Return a client, as soon as the daemon answers."""

        def connect() -> Client | None:
            assert self.process.poll() is None, f"daemon ended: {self.log()}"
            with contextlib.suppress(FileNotFoundError, ConnectionRefusedError):
                return Client(self.settings.socket_path, hello=hello)
            return None

        client = eventually("control socket", connect)
        self.clients.append(client)
        return client

    def state(self, wanted: str, generation: int = 0) -> DaemonState:
        """Wait for a state of the scheduler, and return the daemon's state then.

        A state that does not last can be missed; the log tells of it for ever.
        """
        return self._state((wanted,), generation)

    def down(self) -> DaemonState:
        """Wait until a scheduler that never works has died, and return the daemon's state then.

        Of its five lives the last one ends parked, so this cannot be missed.
        """
        return self._state(("backoff", "parked"), 0)

    def _state(self, wanted: tuple[str, ...], generation: int) -> DaemonState:
        client = self.client()

        def check() -> DaemonState | None:
            state = client.status()
            fits = state.scheduler_state in wanted and state.generation >= generation
            return state if fits else None

        try:
            return eventually(f"state {wanted}", check)
        except AssertionError as error:
            raise AssertionError(f"{error}; {client.status()}\n{self.log()}") from None
        finally:
            client.close()
            self.clients.remove(client)

    def signal(self, number: int) -> None:
        os.kill(self.pid, number)

    def wait(self, within_s: float = WITHIN_S) -> int:
        try:
            return self.process.wait(within_s)
        except subprocess.TimeoutExpired:
            raise AssertionError(f"the daemon does not end: {self.log()}") from None

    def log(self) -> str:
        return self.log_path.read_text("utf-8", "replace")

    def logs(self, *texts: str) -> None:
        """Wait until the log has all of these."""
        try:
            eventually(f"{texts} in the log", lambda: all(text in self.log() for text in texts))
        except AssertionError as error:
            raise AssertionError(f"{error}\n{self.log()}") from None

    def seen(self, word: str = "") -> list[str]:
        """Return what the fake schedulers noted."""
        path = self.folder / "seen"
        lines = path.read_text().splitlines() if path.exists() else []
        return [line for line in lines if line.startswith(word)]

    def processes(self) -> list[int]:
        """Return every living process that was started by this daemon, in whatever session."""
        mark = f"X_TEST_DAEMON={self.folder}".encode()
        return [pid for pid in all_pids() if mark in environ_of(pid).split(b"\0") and is_alive(pid)]

    def nothing_left(self, within_s: float = WITHIN_S) -> None:
        """Check that no process of this daemon remains."""
        eventually("no process left", lambda: not self.processes(), within_s)

    def cleanup(self) -> None:
        for client in self.clients:
            client.close()
        for process in self._started:
            process.kill()
            process.wait()
        # What is below a supervisor dies with it, but not in the same moment.
        for pid in self.processes():
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        self.nothing_left()


@contextmanager
def fresh_daemon(
    timings: Timings = FAST, entry: Path = HERE / "daemon_main.py"
) -> Iterator[Daemon]:
    """Give a daemon that is not started yet; whatever remains of it is killed at the end."""
    # Unix socket paths end at 108 bytes.
    folder = Path(tempfile.mkdtemp(prefix="x", dir="/tmp"))
    settings = Settings(
        data_dir=str(folder), timings=timings, esi=Esi(base_url="http://127.0.0.1:1")
    )
    daemon = Daemon(folder, settings, entry)
    daemon.configure()
    try:
        yield daemon
    finally:
        daemon.cleanup()
        shutil.rmtree(folder, ignore_errors=True)
