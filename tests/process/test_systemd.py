"""What a real daemon says to systemd, heard on a datagram socket."""

from __future__ import annotations

import itertools
import os
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ipc.commands import Stop
from ipc.exits import Exit
from tests.process.daemon import Daemon, fresh_daemon
from tests.processes import environ_of, eventually

pytestmark = pytest.mark.process


class Systemd:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self.socket.bind(str(path))
        self.socket.setblocking(False)
        self.heard: list[tuple[float, str]] = []

    def listen(self) -> list[str]:
        while True:
            try:
                text = self.socket.recv(4096).decode()
            except BlockingIOError:
                return [text for _, text in self.heard]
            self.heard.append((time.monotonic(), text))

    def wait(self, start: str, count: int = 1) -> str:
        def check() -> list[str]:
            found = [text for text in self.listen() if text.startswith(start)]
            return found if len(found) >= count else []

        return eventually(f"{count} x {start}", check)[-1]

    def count(self, text: str) -> int:
        return self.listen().count(text)


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with fresh_daemon() as daemon:
        yield daemon


@pytest.fixture
def systemd(daemon: Daemon) -> Iterator[Systemd]:
    systemd = Systemd(daemon.folder / "n")
    yield systemd
    systemd.socket.close()


def start(daemon: Daemon, systemd: Systemd, watchdog_s: float = 0.3) -> None:
    usec = str(int(watchdog_s * 1e6))
    daemon.start(NOTIFY_SOCKET=str(systemd.path), WATCHDOG_USEC=usec)


def test_ready_reload_and_stop(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    systemd.wait("READY=1")
    assert "EXTEND_TIMEOUT_USEC=60000000" in systemd.heard[1][1]
    systemd.wait("STATUS=running, generation 1")
    before_usec = time.clock_gettime_ns(time.CLOCK_MONOTONIC) // 1000
    daemon.signal(signal.SIGHUP)
    reloading = systemd.wait("RELOADING=1\nMONOTONIC_USEC=")
    assert int(reloading.rpartition("=")[2]) >= before_usec
    systemd.wait("READY=1", 2)
    (daemon.folder / "settings.json").write_text("{")
    daemon.signal(signal.SIGHUP)
    systemd.wait("STATUS=running, generation 1; reload:")
    systemd.wait("READY=1", 3)
    assert len([text for text in systemd.listen() if text.startswith("RELOADING=1")]) == 2
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    assert systemd.count("STOPPING=1") == 1
    assert systemd.count("READY=1") == 3


def test_a_stop_that_a_client_asked_for_is_told_from_a_stray_term(
    daemon: Daemon, systemd: Systemd
) -> None:
    start(daemon, systemd)
    daemon.state("running")
    assert daemon.client().ask(Stop()).status == "done"
    assert daemon.wait() == Exit.STOPPED


def test_many_hups_get_one_ready_for_each_reloading(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    systemd.wait("READY=1")
    for _ in range(50):
        daemon.signal(signal.SIGHUP)
    daemon.state("running")
    systemd.wait("RELOADING=1")
    systemd.wait("READY=1", 2)

    def balanced() -> bool:
        reloading = sum(text.startswith("RELOADING=1") for text in systemd.listen())
        return systemd.count("READY=1") == reloading + 1

    eventually("one READY for each RELOADING", balanced)
    assert daemon.state("running").trouble == ""


def test_nothing_below_speaks_to_systemd(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    pid = daemon.state("running").scheduler_pid
    environ = environ_of(pid)
    assert b"PYTHONPATH" in environ
    assert b"NOTIFY_SOCKET" not in environ
    assert b"WATCHDOG_USEC" not in environ


def test_watchdog_is_fed_only_while_the_engine_is_well(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    systemd.wait("READY=1")
    systemd.wait("WATCHDOG=1", 5)
    state = daemon.state("running")
    os.kill(state.scheduler_pid, signal.SIGSTOP)
    stopped_s = time.monotonic()
    daemon.state("backoff")
    # Parked or backing off, the daemon itself is well.
    already = systemd.count("WATCHDOG=1")
    systemd.wait("WATCHDOG=1", already + 2)
    signs = [at for at, text in systemd.heard if text == "WATCHDOG=1"]
    gaps = [later - earlier for earlier, later in itertools.pairwise(signs)]
    assert max(gaps) < 1.5
    assert [at for at in signs if at < stopped_s]


def test_stopped_daemon_feeds_nothing(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    systemd.wait("WATCHDOG=1", 2)
    daemon.signal(signal.SIGSTOP)
    before = systemd.count("WATCHDOG=1")
    time.sleep(0.7)
    assert systemd.count("WATCHDOG=1") == before
    daemon.signal(signal.SIGCONT)
    systemd.wait("WATCHDOG=1", before + 2)


def test_parked_daemon_is_ready_and_says_why(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    state = daemon.state("running")
    daemon.behave("refuse_boot=78")
    os.kill(state.scheduler_pid, signal.SIGKILL)
    systemd.wait("STATUS=backoff, next start in")
    systemd.wait("STATUS=parked; scheduler: the planted reason")
    already = systemd.count("WATCHDOG=1")
    systemd.wait("WATCHDOG=1", already + 3)
    assert systemd.count("READY=1") == 1
