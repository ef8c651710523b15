"""The limit: the same messages in the same frames, and nothing that decides anything.

Four processes over socketpairs; asyncio on both sides, a task for each job.
"""

from __future__ import annotations

import asyncio
import socket
import time
from typing import Any

from bench.dispatch.loop import WORKERS, ClosedLoop, Measured, Timing
from bench.proc import cpu_s
from ipc.channel import Channel
from ipc.child import Child, Spawner
from ipc.codec import ProtocolError
from ipc.ladder import stop_ladder
from ipc.messages import FromWorker, JobDone, PartGrant, RunJob, StopChild, ToWorker
from ipc.outcome import Outcome, Token
from ipc.subject import JobKey, Subject, SubjectType

_LIMIT_S = 60.0
_KEY = JobKey("character.noop", Subject(SubjectType.CHARACTER, 90_000_001))
_GRANTS = (PartGrant("noop"),)
_EMPTY = Outcome(Token.EMPTY)


def worker_main(sock: socket.socket) -> int:
    """Answer each job from a task of its own, until told to stop."""
    asyncio.run(_serve(sock))
    return 0


async def _serve(sock: socket.socket) -> None:
    loop = asyncio.get_running_loop()
    tasks: set[asyncio.Task[None]] = set()

    async def run(job: RunJob) -> None:
        channel.send(JobDone(job.job_id, job.attempt, job.epoch, _EMPTY, 0.0))

    def on_messages(messages: list[Any]) -> None:
        for message in messages:
            if isinstance(message, StopChild):
                channel.close()
                return
            task = loop.create_task(run(message))
            tasks.add(task)
            task.add_done_callback(tasks.discard)

    channel = await Channel[Any].open(sock, ToWorker, on_messages, lambda _: None)
    await channel.wait_closed()


class BarePipePeer:
    """Sends to the worker whose answer just came."""

    name = "bare pipe, same frames"

    def measure(self, outstandings: tuple[int, ...], timing: Timing) -> dict[int, Measured]:
        """Start four processes, run each loop, stop them."""
        spawner = Spawner()
        children = [
            spawner.start("bench.dispatch.bare_pipe:worker_main", f"pipe-{number}")
            for number in range(WORKERS)
        ]
        try:
            return asyncio.run(_measure(children, outstandings, timing))
        finally:
            for child in children:
                child.close()


async def _measure(
    children: list[Child], outstandings: tuple[int, ...], timing: Timing
) -> dict[int, Measured]:
    bench = _Bench()
    bench.channels = [
        await Channel[Any].open(
            child.sock,
            FromWorker,
            lambda messages, number=number: bench.on_messages(number, messages),  # type: ignore[misc]
            bench.on_closed,
        )
        for number, child in enumerate(children)
    ]
    await bench.until_all_answer()
    results = {n: await bench.run(n, timing, [c.pid for c in children]) for n in outstandings}
    for child, channel in zip(children, bench.channels, strict=True):
        await stop_ladder(child, channel, 1.0)
    return results


class _Bench:
    def __init__(self) -> None:
        self.channels: list[Channel[Any]] = []
        self._loop: ClosedLoop | None = None
        self._sent_s: dict[int, float] = {}
        self._job_id = 0
        self._worker = 0
        self._done = asyncio.Event()
        self._first_answers: set[int] = set()

    async def until_all_answer(self) -> None:
        """Wait for one answer of each process: only then are all of them there."""
        self._first_answers = set(range(len(self.channels)))
        for number, channel in enumerate(self.channels):
            channel.send(RunJob(-number, 1, 1, _KEY, 120.0, _GRANTS))
        async with asyncio.timeout(_LIMIT_S):
            await self._done.wait()

    async def run(self, outstanding: int, timing: Timing, pids: list[int]) -> Measured:
        self._done.clear()
        self._loop = ClosedLoop(outstanding, timing, self._send)
        # The first ones are dealt out in turn; an answer's place is taken by the next one.
        before_s = sum(map(cpu_s, pids)), time.process_time()
        self._worker = -1
        self._loop.start()
        async with asyncio.timeout(_LIMIT_S):
            await self._done.wait()
        return self._loop.measured(
            {
                "parent": time.process_time() - before_s[1],
                "workers": sum(map(cpu_s, pids)) - before_s[0],
            }
        )

    def on_messages(self, number: int, messages: list[Any]) -> None:
        if self._loop is None:
            self._first_answers.discard(number)
            if not self._first_answers:
                self._done.set()
            return
        self._worker = number
        for message in messages:
            self._loop.answered(self._sent_s.pop(message.job_id))
        if self._loop.done.is_set():
            self._done.set()

    def on_closed(self, error: ProtocolError | None) -> None:
        if error is not None:
            raise error

    def _send(self, now: float) -> None:
        self._job_id += 1
        self._sent_s[self._job_id] = now
        number = self._job_id % WORKERS if self._worker < 0 else self._worker
        self.channels[number].send(RunJob(self._job_id, 1, 1, _KEY, 120.0, _GRANTS))
