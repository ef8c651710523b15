"""The one forkserver that multiprocess keeps for a process: how it starts, and is forgotten."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Sequence
from pathlib import Path

from multiprocess import forkserver as _mp_forkserver
from multiprocess import process as _mp_process
from multiprocess import util as _mp_util

from ipc import deathwatch
from ipc.branch import branch
from ipc.dispositions import operator_signals_blocked
from ipc.inherited import do_without_tracker, prepare_environment

_OWN_FOLDER = "pymp-"

_server = _mp_forkserver._forkserver  # noqa: SLF001 - one a process


def start(preload: Sequence[str], require_running: Callable[[], None]) -> int:
    """Start one with a fresh interpreter, on the main thread, and return its pid.

    require_running is what multiprocess does before it asks it for a child: left alone, a start
    from another thread would bring up a new forkserver there.
    """
    prepare_environment()
    _server.set_forkserver_preload(list(preload))
    _server.ensure_running = require_running
    os.environ[deathwatch.OWNER_VARIABLE] = str(os.getpid())
    try:
        do_without_tracker()
        with operator_signals_blocked():
            type(_server).ensure_running(_server)
    finally:
        del os.environ[deathwatch.OWNER_VARIABLE]
    return _pid()


def start_as_branch(preload: Sequence[str], require_running: Callable[[], None]) -> int:
    """Start one as a fork of this process, which has one thread, and return its pid."""
    prepare_environment()
    tracker = do_without_tracker()
    with operator_signals_blocked():
        branched = branch(preload, {tracker})
    _server._forkserver_pid = branched.pid  # noqa: SLF001
    _server._forkserver_address = branched.address  # noqa: SLF001
    _server._forkserver_alive_fd = branched.alive_fd  # noqa: SLF001
    _server.ensure_running = require_running
    return _pid()


def has_address() -> bool:
    """Tell whether its socket still has its name: without that nobody can ask it for a child."""
    return Path(_server._forkserver_address).exists()  # noqa: SLF001


def forget() -> None:
    """Clear what multiprocess remembers of one that is dead."""
    os.close(_server._forkserver_alive_fd)  # noqa: SLF001
    with contextlib.suppress(FileNotFoundError):
        Path(_server._forkserver_address).unlink()  # noqa: SLF001
    _server._forkserver_alive_fd = None  # noqa: SLF001
    _server._forkserver_address = None  # noqa: SLF001
    _server._forkserver_pid = None  # noqa: SLF001
    del _server.ensure_running
    # Left to its own clean-up at exit, the folder would stay: children leave by _exit.
    folder = Path(_mp_util.get_temp_dir())
    if folder.name.startswith(_OWN_FOLDER):
        with contextlib.suppress(OSError):
            folder.rmdir()
        _mp_process.current_process()._config.pop("tempdir")  # noqa: SLF001


def _pid() -> int:
    pid: int = _server._forkserver_pid  # noqa: SLF001
    return pid
