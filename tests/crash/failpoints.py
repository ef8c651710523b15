"""Named points in the life of a write, at which a test can have a process killed.

Nothing in the product knows of them. The package tests.crash.points, which only a test can name
in `Settings.kind_packages`, puts wrappers around the product's own functions in the scheduler;
its workers are forks of it.
"""

from __future__ import annotations

import contextlib
import itertools
import os
import signal
import time
from pathlib import Path
from typing import Literal

from multiprocess.process import current_process

from tests.processes import all_pids, parent_of

Victim = Literal["worker", "scheduler", "program", "nobody"]
# Who comes to the point: is killed ("worker", "program"); stands still until the test has killed
# the scheduler; or goes on as if asleep, so that it is cut off in time ("nobody").

# In the order in which a write passes them.
POINTS = (
    # the program that asks for it
    "append.written", "append.committed",
    # the scheduler
    "claim.begun", "claim.written", "claim.committed", "dispatch.sent",
    # the worker
    "order.taken", "row.read", "send.before", "send.noted", "send.headers", "send.answered",
    "mark.waiting", "mark.begun", "mark.written", "compensate.begun", "compensate.done",
    "mark.done", "mark.committed", "answer.sent",
    # the scheduler
    "answer.read", "answer.settled",
    # what was cut off: taken over, looked for, or given back
    "lost.heard", "lost.kept", "adopt.begun", "adopt.written", "adopt.committed",
    "look.begun", "look.answered", "cut.begun", "cut.decided",
)  # fmt: skip

# A process that was to die stands still for so long at most.
_DEAD_WITHIN_S = 300.0
# Longer than a write may take: whoever stands still so long is cut off.
STALL_S = 20.0
ANY = 0


def folder_of(daemon: Path) -> Path:
    """Return where the points of a daemon are armed."""
    return daemon / "failpoints"


def _folder() -> Path:
    return folder_of(Path(os.environ["X_TEST_DAEMON"]))


# --- the test's side ---------------------------------------------------------------------------


class Armed:
    """A point that is armed for one row; it can be so several times over."""

    def __init__(self, folder: Path, point: str, victim: Victim, row_id: int) -> None:
        """Arm it; ANY: the first row that comes along."""
        self.point, self.victim, self.row_id = point, victim, row_id
        files = (folder / f"{point}@{row_id}.{number}" for number in itertools.count(1))
        self._path = next(file for file in files if not file.exists())
        self._path.write_text(victim)

    @property
    def is_hit(self) -> bool:
        """Tell whether somebody came by."""
        return not self._path.exists()


def passed(daemon: Path) -> list[tuple[str, str, str]]:
    """Return every point that was passed, in order: process, name, row."""
    trace = folder_of(daemon) / "trace"
    lines = trace.read_text().splitlines() if trace.exists() else []
    return [(pid, point, row) for pid, point, row in (line.split() for line in lines)]


# --- the daemon's side -------------------------------------------------------------------------


def here(point: str, row_id: int) -> None:
    """Pass a point: at an armed one, the victim dies."""
    assert point in POINTS, point
    folder = _folder()
    line = f"{os.getpid()} {point} {row_id}\n".encode()
    descriptor = os.open(folder / "trace", os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
    try:
        os.write(descriptor, line)
    finally:
        os.close(descriptor)
    victim = _take(folder, point, row_id)
    if victim is not None and victim != "nobody":
        _kill(victim)


def stalls(point: str, row_id: int) -> bool:
    """Tell whether who passes should stand still until it is cut off."""
    return _take(_folder(), point, row_id, only="nobody") is not None


def _take(folder: Path, point: str, row_id: int, only: str = "") -> str | None:
    """Return the victim of an armed point, to one process and once only."""
    for row in {row_id, ANY}:
        for path in sorted(folder.glob(f"{point}@{row}.*")):
            taken = folder / f"taken-{path.name}-{os.getpid()}"
            with contextlib.suppress(FileNotFoundError):
                victim = path.read_text()
                if (victim == "nobody") != (only == "nobody"):
                    continue
                path.rename(taken)
                return victim
    return None


def _kill(victim: str) -> None:
    is_worker = current_process().name.startswith("worker-")
    if victim == "worker" and not is_worker:
        for pid in workers_of(os.getpid()):
            # Others may be ended at this moment, too.
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
        return
    if victim != "scheduler":
        os.kill(os.getpid(), signal.SIGKILL)
    # The test kills the scheduler when all that it wants to stand somewhere do so.
    time.sleep(_DEAD_WITHIN_S)
    raise AssertionError(f"no {victim} died")


def workers_of(scheduler: int) -> list[int]:
    """Return the scheduler's workers: between it and them stands the forkserver."""
    return [pid for pid in all_pids() if parent_of(parent_of(pid)) == scheduler]
