"""The scheduler's main: a stop that comes at an awkward moment."""

from __future__ import annotations

import asyncio
import socket
from typing import Any

import pytest

from engine import life, main
from engine.main import Scheduler
from ipc.clock import SystemClock
from ipc.exits import Exit
from ipc.messages import PROTOCOL_VERSION, StopChild
from ipc.scheduler_messages import Begin
from ipc.settings import Settings, encode_settings


class NoForkServer:
    """Starts nothing."""

    def __init__(self, _preload: tuple[str, ...]) -> None: ...

    def branch(self) -> None:
        """Do nothing."""

    def close(self) -> None:
        """Do nothing."""


class NoLife:
    """Has nothing open."""

    async def close(self) -> None:
        """Do nothing."""


async def test_a_stop_in_the_turn_in_which_the_boot_is_done_is_seen(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    ours, theirs = socket.socketpair()
    scheduler = Scheduler(theirs, SystemClock())

    async def opened(*_: Any) -> NoLife:
        # Runs when this task is done, and before the one that waits for it.
        asyncio.get_running_loop().call_soon(lambda: scheduler._on_messages([StopChild(5.0)]))
        return NoLife()

    async def serve(_: Any) -> int:
        raise AssertionError("it dispatches")

    monkeypatch.setattr(main, "set_up_logging", lambda *_: None)
    monkeypatch.setattr(main, "ForkServer", NoForkServer)
    monkeypatch.setattr(life, "load_catalog", lambda *_: None)
    monkeypatch.setattr(scheduler, "_open", opened)
    monkeypatch.setattr(scheduler, "_serve", serve)
    begin = Begin(PROTOCOL_VERSION, 1, encode_settings(Settings(data_dir="/nowhere")))
    try:
        assert await scheduler._run(begin) == Exit.OK
    finally:
        ours.close()
        theirs.close()
