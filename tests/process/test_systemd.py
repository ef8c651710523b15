"""What a real daemon says to systemd, heard on a datagram socket."""

from __future__ import annotations

import os
import signal
import socket
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pytest

from ipc.commands import Stop
from ipc.exits import Exit
from tests.process.daemon import Daemon, fresh_daemon
from tests.processes import environ_of, eventually, is_stopped

WATCHDOG_S = 0.3

pytestmark = pytest.mark.process


class Systemd:
    """The other end of NOTIFY_SOCKET."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self.heard: list[str] = []
        self._socket = socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM)
        self._socket.bind(str(path))
        # It always listens: what finds a full queue is never heard.
        self._listener = threading.Thread(target=self._listen)
        self._listener.start()

    def _listen(self) -> None:
        while text := self._socket.recv(4096).decode():
            self.heard.append(text)

    def _say(self, text: str) -> None:
        with socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as sock:
            sock.sendto(text.encode(), str(self.path))

    def catch_up(self) -> None:
        """Wait until all is heard that was said so far."""
        before = self.count("caught up")
        self._say("caught up")
        self.wait("caught up", before + 1)

    def close(self) -> None:
        self._say("")
        self._listener.join()
        self._socket.close()

    def wait(self, start: str, count: int = 1) -> str:
        def check() -> list[str]:
            found = [text for text in self.heard if text.startswith(start)]
            return found if len(found) >= count else []

        return eventually(f"{count} x {start}", check)[-1]

    def count(self, text: str) -> int:
        return self.heard.count(text)


@pytest.fixture
def daemon() -> Iterator[Daemon]:
    with fresh_daemon() as daemon:
        yield daemon


@pytest.fixture
def systemd(daemon: Daemon) -> Iterator[Systemd]:
    systemd = Systemd(daemon.folder / "n")
    yield systemd
    systemd.close()


def start(daemon: Daemon, systemd: Systemd) -> None:
    usec = str(int(WATCHDOG_S * 1e6))
    daemon.start(NOTIFY_SOCKET=str(systemd.path), WATCHDOG_USEC=usec)


def test_ready_reload_and_stop(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    systemd.wait("READY=1")
    assert "EXTEND_TIMEOUT_USEC=60000000" in systemd.heard[1]
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
    assert len([text for text in systemd.heard if text.startswith("RELOADING=1")]) == 2
    daemon.signal(signal.SIGTERM)
    assert daemon.wait() == 0
    systemd.catch_up()
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
        reloading = sum(text.startswith("RELOADING=1") for text in systemd.heard)
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
    daemon.hurry(hung_after_s=3.0)
    start(daemon, systemd)
    systemd.wait("READY=1")
    systemd.wait("WATCHDOG=1", 5)
    state = daemon.state("running")
    os.kill(state.scheduler_pid, signal.SIGSTOP)
    systemd.wait("STATUS=backoff")
    # Without an engine, the daemon itself is well.
    already = systemd.count("WATCHDOG=1")
    systemd.wait("WATCHDOG=1", already + 2)


def test_stopped_daemon_feeds_nothing(daemon: Daemon, systemd: Systemd) -> None:
    start(daemon, systemd)
    systemd.wait("WATCHDOG=1", 2)
    daemon.signal(signal.SIGSTOP)
    eventually("it stands still", lambda: is_stopped(daemon.pid))
    systemd.catch_up()
    before = systemd.count("WATCHDOG=1")
    # There is nothing to wait for: long enough for more than one.
    time.sleep(2 * WATCHDOG_S + 0.1)
    systemd.catch_up()
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
