"""What the engine asks of whoever runs its jobs, and what it is told back.

The engine knows its workers through these two protocols only; the real pool is
engine.worker_pool.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol

import msgspec

from ipc.exits import Exit
from ipc.messages import (
    Acquire,
    ErrorsLeft,
    Holding,
    JobDone,
    RefreshDone,
    Release,
    ResolveDone,
    RunJob,
    RunRefresh,
    RunResolve,
    RunWrite,
    WriteDone,
)
from ipc.scheduler_messages import WorkerState

Work = RunJob | RunWrite | RunRefresh | RunResolve
FromPool = (
    JobDone | WriteDone | RefreshDone | ResolveDone | Acquire | Release | ErrorsLeft | Holding
)


class NoWorker(Exception):
    """No worker can take the work now; it was not sent."""


class PoolBroken(Exception):
    """The pool cannot go on; the scheduler must end with this code."""

    def __init__(self, code: Exit, reason: str) -> None:
        """Take the exit code and a line for people."""
        super().__init__(reason)
        self.code = code


@dataclass(frozen=True, slots=True)
class Loss:
    """A worker that is gone, and the work that it left unanswered."""

    worker: int
    pid: int
    cause: str
    jobs: list[int]
    # It was the lone worker.
    alone: bool = False
    # Its work had nothing to do with it: the forkserver died, or it was asked to leave.
    innocent: bool = False


class Listener(Protocol):
    """Whom a pool tells; every method runs on the loop and returns at once."""

    def on_messages(self, worker: int, messages: list[FromPool]) -> None:
        """Take what a worker sent, in order, and what it had sent before it died."""

    def on_up(self, worker: int, pid: int, boot_s: float) -> None:
        """Note that a worker takes work."""

    def on_lost(self, loss: Loss) -> None:
        """Note that a worker is gone."""


class Pool(Protocol):
    """Runs work somewhere else, several pieces at once."""

    @property
    def free_slots(self) -> int:
        """Return how many more jobs can be taken now."""

    def submit(self, work: Work, *, over: bool = False) -> int:
        """Hand work to the least loaded worker and return its number; NoWorker if none has room.

        over: it takes no job's place, so that neither waits for the other.
        """

    def submit_alone(self, work: RunJob) -> int:
        """Run one job on a worker of its own, started if need be; return its number."""

    def cancel(self, job_id: int, reason: Literal["deadline", "stopping", "withdrawn"]) -> None:
        """Ask the worker that runs it to end it."""

    def kill(self, job_id: int, why: str) -> None:
        """End the worker that runs it."""

    def kill_worker(self, worker: int, why: str) -> None:
        """End a worker."""

    def send(self, worker: int, message: msgspec.Struct) -> None:
        """Send a worker a message; nothing happens when it is gone."""

    def broadcast(self, message: msgspec.Struct) -> None:
        """Send a message to every worker that is there."""

    def explain(self, jobs: list[int]) -> None:
        """Note that the deaths which took these jobs along have a culprit, who is parked."""

    def states(self) -> tuple[WorkerState, ...]:
        """Return the workers as status shows them."""

    async def run(self) -> None:
        """Keep the workers running until cancelled; raises PoolBroken."""

    async def stop(self, grace_s: float) -> None:
        """Let work end for grace_s, have the rest cancelled, and end all workers."""
