"""What /proc tells of processes that may end while they are looked at, and how a test waits."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path
from typing import Literal, TypeVar

# A fact that comes is not waited for longer; one that does not is a failure, whenever it is told.
# Whoever expects a test to fail need not wait so long for it.
WITHIN_S = float(os.environ.get("REFERENCE_WITHIN_S", "60"))
_EVERY_S = 0.01
# A process is gone before its file is opened, or after.
_GONE = (FileNotFoundError, ProcessLookupError)

T = TypeVar("T")


def eventually(
    what: str, check: Callable[[], T | Literal[False] | None], within_s: float = WITHIN_S
) -> T:
    """Return the first true value of check; AssertionError when there is none in time."""
    deadline = time.monotonic() + within_s
    while not (value := check()):
        assert time.monotonic() < deadline, f"{what}: not within {within_s:g} s"
        time.sleep(_EVERY_S)
    return value


async def eventually_async(
    what: str, check: Callable[[], T | Literal[False] | None], within_s: float = WITHIN_S
) -> T:
    """Do so while the event loop goes on."""
    deadline = time.monotonic() + within_s
    while not (value := check()):
        assert time.monotonic() < deadline, f"{what}: not within {within_s:g} s"
        await asyncio.sleep(_EVERY_S)
    return value


def _read(pid: int, name: str) -> bytes:
    """Return a file of a process; empty when the process is gone."""
    try:
        return Path(f"/proc/{pid}/{name}").read_bytes()
    except _GONE:
        return b""


def _stat(pid: int) -> list[bytes]:
    """Return what follows a process's name: state, parent and more; empty when it is gone."""
    return _read(pid, "stat").rpartition(b")")[2].split()


def all_pids() -> Iterator[int]:
    """Give every process of the machine; any of them may be gone by then."""
    for path in Path("/proc").iterdir():
        if path.name.isdecimal():
            yield int(path.name)


def is_there(pid: int) -> bool:
    """Tell whether a process lives, or is dead and nobody has taken its end yet."""
    return bool(_stat(pid))


def is_alive(pid: int) -> bool:
    """Tell whether a process lives; a zombie does not."""
    return _stat(pid)[:1] not in ([], [b"Z"], [b"X"])


def is_stopped(pid: int) -> bool:
    """Tell whether a process stands still by a signal."""
    return _stat(pid)[:1] == [b"T"]


def none_alive(pids: Iterable[int]) -> bool:
    """Tell whether all of them are dead."""
    return not any(map(is_alive, pids))


def name_of(pid: int) -> str:
    """Return the name that `ps` shows; empty when the process is gone."""
    return _read(pid, "comm").decode().removesuffix("\n")


def command_of(pid: int) -> bytes:
    """Return a process's command line; empty when it is gone or dead."""
    return _read(pid, "cmdline")


def environ_of(pid: int) -> bytes:
    """Return the environment that a process was started with; empty when it is not to be read."""
    try:
        return _read(pid, "environ")
    except PermissionError:
        # A process of another user is none that a test started.
        return b""


def parent_of(pid: int) -> int:
    """Return a process's parent; 0 when it has none or is gone."""
    fields = _stat(pid)
    return int(fields[1]) if fields else 0


def children_of(pid: int) -> list[int]:
    """Return the children of all threads of a process, dead ones included."""
    # The kernel's own list of children skips some when one ends while it is read.
    return sorted(one for one in all_pids() if parent_of(one) == pid)


def descendants_of(pid: int) -> list[int]:
    """Return the processes below one, dead ones included, parents first."""
    children: dict[int, list[int]] = {}
    for one in sorted(all_pids()):
        children.setdefault(parent_of(one), []).append(one)
    found = list(children.get(pid, []))
    # It grows while it is walked.
    for one in found:
        found += children.get(one, [])
    return found


def open_files(pid: int) -> dict[int, str]:
    """Return what each descriptor of a process stands for; one closed meanwhile is left out."""
    found: dict[int, str] = {}
    try:
        entries = list(Path(f"/proc/{pid}/fd").iterdir())
    except _GONE:
        return found
    for entry in entries:
        try:
            found[int(entry.name)] = str(entry.readlink())
        except _GONE:
            continue
    return found
