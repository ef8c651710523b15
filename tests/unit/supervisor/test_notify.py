"""Words to systemd, over a real datagram socket."""

from __future__ import annotations

import itertools
import os
import socket
import tempfile
from collections.abc import Iterator
from pathlib import Path

import pytest

from supervisor.notify import Notifier


@pytest.fixture
def systemd() -> Iterator[socket.socket]:
    with (
        tempfile.TemporaryDirectory(prefix="x", dir="/tmp") as folder,
        socket.socket(socket.AF_UNIX, socket.SOCK_DGRAM) as heard,
    ):
        heard.bind(str(Path(folder) / "n"))
        heard.setblocking(False)
        yield heard


def listen(heard: socket.socket) -> list[str]:
    texts = []
    while True:
        try:
            texts.append(heard.recv(4096).decode())
        except BlockingIOError:
            return texts


def test_without_systemd_nothing_happens() -> None:
    notifier = Notifier.from_environ({})
    notifier.ready()
    notifier.sign_of_life(0.0)
    assert notifier.sign_every_s is None
    notifier.close()


def test_environment_is_taken(systemd: socket.socket) -> None:
    environ = {
        "NOTIFY_SOCKET": systemd.getsockname(),
        "WATCHDOG_USEC": "30000000",
        "WATCHDOG_PID": str(os.getpid()),
        "OTHER": "1",
    }
    notifier = Notifier.from_environ(environ)
    assert environ == {"OTHER": "1"}
    assert notifier.sign_every_s == 10.0
    notifier.close()


def test_watchdog_of_another_process_is_not_ours(systemd: socket.socket) -> None:
    environ = {"NOTIFY_SOCKET": systemd.getsockname(), "WATCHDOG_USEC": "3", "WATCHDOG_PID": "1"}
    notifier = Notifier.from_environ(environ)
    assert notifier.sign_every_s is None
    notifier.close()


def test_signs_of_life_come_often_enough_and_no_more(systemd: socket.socket) -> None:
    notifier = Notifier(systemd.getsockname(), 3.0)
    signs = []
    for tenth in range(101):
        notifier.sign_of_life(tenth / 10)
        if listen(systemd) == ["WATCHDOG=1"]:
            signs.append(tenth)
    gaps = {later - earlier for earlier, later in itertools.pairwise(signs)}
    assert signs[0] == 0
    assert gaps <= {8, 9}
    notifier.close()


def test_status_is_told_when_it_changes(systemd: socket.socket) -> None:
    notifier = Notifier(systemd.getsockname(), None)
    for text in ("a", "a", "b\nREADY=1"):
        notifier.status(text)
    assert listen(systemd) == ["STATUS=a", "STATUS=b READY=1"]
    notifier.close()


def test_ready_is_not_lost_to_a_busy_systemd(systemd: socket.socket) -> None:
    notifier = Notifier(systemd.getsockname(), None)
    for number in range(40):
        notifier.status(str(number))
    notifier.ready()
    heard = listen(systemd)
    assert "READY=1" not in heard
    for _ in range(10):
        notifier.sign_of_life(0.0)
        heard += listen(systemd)
    assert heard[-1] == "READY=1"
    assert len(heard) == 41
    notifier.close()


def test_systemd_that_is_gone_stops_nothing(systemd: socket.socket) -> None:
    path = systemd.getsockname()
    notifier = Notifier(path, None)
    Path(path).unlink()
    notifier.ready()
    notifier.close()


def test_extension_is_asked_for_before_it_ends(systemd: socket.socket) -> None:
    notifier = Notifier(systemd.getsockname(), None)
    for second in range(31):
        notifier.extend(float(second))
    assert listen(systemd) == ["EXTEND_TIMEOUT_USEC=60000000"] * 3
    notifier.close()
