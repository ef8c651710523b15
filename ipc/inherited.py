"""What every child inherits: our import path, no word with systemd, a folder for its sockets."""

from __future__ import annotations

import os
import sys
from pathlib import Path

from multiprocess import process as _mp_process
from multiprocess import resource_tracker as _mp_tracker

# The forkserver's socket is called listener- and some letters.
_MAX_FOLDER_BYTES = 80


def leave_lost_folder() -> None:
    """Go to the root if our current folder was removed: multiprocess tells children its name."""
    try:
        Path.cwd()
    except FileNotFoundError:
        os.chdir("/")


def prepare_environment() -> None:
    """Set what every child inherits: our import path, no current folder, no word with systemd.

    A child imports multiprocess before it is told the parent's sys.path, and a forkserver
    preloads before that.
    """
    leave_lost_folder()
    _make_held_folder()
    for variable in ("NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"):
        os.environ.pop(variable, None)
    paths = (str(Path(path).absolute()) for path in sys.path if path and Path(path).exists())
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys(paths))
    os.environ["PYTHONSAFEPATH"] = "1"


def _make_held_folder() -> None:
    """Make the folder for sockets again if somebody has removed it."""
    folder = _mp_process.current_process()._config.get("tempdir")  # noqa: SLF001
    if folder is not None:
        Path(folder).mkdir(0o700, exist_ok=True)


def hold_temporary_files(folder: Path) -> None:
    """Have this process and all below it keep their sockets there, not in a new folder in /tmp.

    A killed process cannot remove its own. Does nothing where the path leaves no room for a
    socket's name.
    """
    if len(os.fsencode(folder)) <= _MAX_FOLDER_BYTES:
        _mp_process.current_process()._config["tempdir"] = str(folder)  # noqa: SLF001


def do_without_tracker() -> int:
    """Make multiprocess believe that its resource tracker was started by a parent of ours.

    It removes named semaphores and shared memory that were left behind, and nothing here makes
    any. It would be a process of 11 MB, whose start opens INT and TERM for a moment. Returns the
    descriptor that stands for it.
    """
    tracker = _mp_tracker._resource_tracker  # noqa: SLF001 - one a process
    if tracker._fd is None:  # noqa: SLF001
        # What is written to it, a sign of life before each start, may get lost.
        tracker._fd = os.open(os.devnull, os.O_WRONLY)  # noqa: SLF001
    descriptor: int = tracker._fd  # noqa: SLF001
    return descriptor
