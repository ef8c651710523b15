"""The daemon as a user runs it, against a simulated EVE of its own."""

from __future__ import annotations

import contextlib
import subprocess
import sys
import tempfile
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import TypeVar

from bench.scheduler import ROOT, RunVoid
from cli.client import ControlClient
from cli.errors import CliError
from ipc.control_messages import DaemonState, Missed
from ipc.events import Event
from simulator.process import SimulatedEve

T = TypeVar("T")

_START_S = 60.0
_STOP_S = 40.0
# Often enough that a job is due whenever a scheduler starts.
_INTERVAL_S = 1


@dataclass(frozen=True, slots=True)
class Daemon:
    """A running daemon."""

    pid: int
    socket: Path

    def client(self) -> ControlClient:
        """Connect to it."""
        return ControlClient(self.socket)

    def state(self) -> DaemonState:
        """Ask for its state."""
        with self.client() as client:
            return client.status()[0]


@contextlib.contextmanager
def running_daemon(*, busy: bool) -> Iterator[Daemon]:
    """Start a daemon, give it once it dispatches, stop it; busy: something is due at any time."""
    with (
        SimulatedEve("--characters", "1", "--cache-scale", "0" if busy else "1") as eve,
        tempfile.TemporaryDirectory(prefix="bench-", dir="/tmp") as folder,
    ):
        config = Path(folder) / "esisyncd.toml"
        config.write_text(_config(folder, eve, busy=busy))
        command = [sys.executable, "-P", "-m", "supervisor", "--config", str(config)]
        with (Path(folder) / "log").open("wb") as log:
            process = subprocess.Popen(
                command, stdout=log, stderr=log, env={"PYTHONPATH": str(ROOT), "PATH": "/usr/bin"}
            )
        daemon = Daemon(process.pid, Path(folder) / "control.sock")
        try:
            wait_for("the daemon", lambda: _is_running(process, daemon))
            yield daemon
        except RunVoid:
            sys.stderr.write((Path(folder) / "log").read_text(errors="replace")[-4000:])
            raise
        finally:
            process.terminate()
            try:
                process.wait(_STOP_S)
            except subprocess.TimeoutExpired:
                process.kill()
                process.wait()


def wait_for(what: str, check: Callable[[], T], within_s: float = _START_S) -> T:
    """Return the first true value of check; RunVoid if there is none in time."""
    deadline = time.monotonic() + within_s
    while not (value := check()):
        if time.monotonic() > deadline:
            raise RunVoid(f"{what}: not within {within_s:.0f} s")
        time.sleep(0.02)
    return value


def next_event(client: ControlClient, kind: type[T], within_s: float = _START_S) -> T:
    """Return the next event of a type that an observing client is told."""
    deadline = time.monotonic() + within_s
    while time.monotonic() < deadline:
        told: list[Event | Missed] = list(client.events(deadline - time.monotonic()))
        for event in told:
            if isinstance(event, kind):
                return event
    raise RunVoid(f"no {kind.__name__} within {within_s:.0f} s")


def _is_running(process: subprocess.Popen[bytes], daemon: Daemon) -> bool:
    if process.poll() is not None:
        raise RunVoid(f"the daemon ended with {process.returncode}")
    try:
        state = daemon.state()
    except CliError:
        return False
    summary = state.summary
    return summary is not None and sum(w.state == "ready" for w in summary.workers) >= 4


def _config(folder: str, eve: SimulatedEve, *, busy: bool) -> str:
    lines = [
        f'data_dir = "{folder}"',
        "[esi]",
        f'base_url = "{eve.urls.esi}"',
        'contact = "bench@example.org"',
        "[sso]",
        f'base_url = "{eve.urls.sso}"',
        'client_id = "simulated-client"',
        "[images]",
        f'base_url = "{eve.urls.images}"',
    ]
    if busy:
        lines += ["[intervals]", f'"global.server_status" = {_INTERVAL_S}']
    return "\n".join(lines) + "\n"
