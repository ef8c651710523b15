"""A Redis server of the benchmark's own: on a free port, in memory only, stopped at the end."""

from __future__ import annotations

import contextlib
import shutil
import socket
import subprocess
import tempfile
import time
from collections.abc import Iterator
from dataclasses import dataclass

_START_S = 10.0


class PeerMissing(Exception):
    """A peer cannot run on this machine; a benchmark without it is void."""


@dataclass(frozen=True, slots=True)
class RedisServer:
    """A running server."""

    pid: int
    url: str


def _free_port() -> int:
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port: int = probe.getsockname()[1]
        return port


@contextlib.contextmanager
def running_redis() -> Iterator[RedisServer]:
    """Start a server, and give it once it takes connections."""
    program = shutil.which("redis-server")
    if program is None:
        raise PeerMissing("redis-server is not installed")
    port = _free_port()
    with tempfile.TemporaryDirectory(prefix="bench-redis-") as folder:
        command = [program, "--port", str(port), "--bind", "127.0.0.1", "--dir", folder]
        command += ["--save", "", "--appendonly", "no"]
        with subprocess.Popen(command, stdout=subprocess.DEVNULL) as server:
            try:
                _wait_until_open(server, port)
                yield RedisServer(server.pid, f"redis://127.0.0.1:{port}/0")
            finally:
                server.terminate()
                server.wait()


def _wait_until_open(server: subprocess.Popen[bytes], port: int) -> None:
    deadline = time.monotonic() + _START_S
    while time.monotonic() < deadline:
        if server.poll() is not None:
            raise PeerMissing(f"redis-server ended with {server.returncode}")
        try:
            socket.create_connection(("127.0.0.1", port), timeout=1).close()
        except ConnectionRefusedError:
            time.sleep(0.01)
        else:
            return
    raise PeerMissing("redis-server takes no connections")
