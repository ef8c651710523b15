"""What Linux lets a process say about its parent and its orphans, through prctl and /proc."""

from __future__ import annotations

import ctypes
import os
import signal
from collections.abc import Collection
from pathlib import Path

from ipc.exits import Exit

_PR_SET_PDEATHSIG = 1
_PR_SET_NAME = 15
_PR_SET_CHILD_SUBREAPER = 36
_NAME_BYTES = 15


def _prctl(option: int, argument: int | bytes) -> None:
    libc = ctypes.CDLL(None, use_errno=True)
    value = argument if isinstance(argument, bytes) else ctypes.c_ulong(argument)
    if libc.prctl(option, value, 0, 0, 0) != 0:
        code = ctypes.get_errno()
        raise OSError(code, os.strerror(code))


def die_with_parent(parent_pid: int, death_signal: int = signal.SIGKILL) -> None:
    """Have the kernel signal this process when its parent dies; leave now if that has happened.

    The signal is tied to the parent's thread that started this process, so that must be one
    which lives as long as the parent: its main thread.
    """
    _prctl(_PR_SET_PDEATHSIG, death_signal)
    if os.getppid() != parent_pid:
        os._exit(Exit.ORPHANED)


def become_subreaper() -> None:
    """Adopt the orphans among our descendants, so that they can be ended and reaped."""
    _prctl(_PR_SET_CHILD_SUBREAPER, 1)


def set_process_name(name: str) -> None:
    """Set the name that `ps` and `top` show."""
    _prctl(_PR_SET_NAME, name.encode()[:_NAME_BYTES])


def child_pids() -> list[int]:
    """Return the direct children of this process, started or adopted, zombies included."""
    pids: list[int] = []
    for task in Path("/proc/self/task").iterdir():
        try:
            pids += map(int, (task / "children").read_text("ascii").split())
        except (FileNotFoundError, ProcessLookupError):
            # The thread ended, or this kernel keeps no such list; then orphans are init's to reap.
            continue
    return pids


def reap_adopted(own: Collection[int], *, kill: bool) -> int:
    """Reap the dead among the children that are not `own`; return how many of them still live.

    kill: also end those that live. No status of an own child is taken: each is waited for by
    its number.
    """
    alive = 0
    for pid in child_pids():
        if pid in own:
            continue
        try:
            if kill:
                os.kill(pid, signal.SIGKILL)
            reaped, _ = os.waitpid(pid, os.WNOHANG)
        except (ProcessLookupError, ChildProcessError):
            continue
        alive += reaped == 0
    return alive
