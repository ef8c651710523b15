"""The standard library's two pools of processes as peers."""

from __future__ import annotations

import multiprocessing
import os
import time
from concurrent.futures import Future, ProcessPoolExecutor
from multiprocessing.pool import Pool

from bench.dispatch.loop import WORKERS, ClosedLoop, Measured, Timing
from bench.proc import cpu_s, descendants

_LIMIT_S = 60.0


def echo(sent_s: float) -> float:
    """Do nothing, in a worker."""
    return sent_s


def _run(loop: ClosedLoop) -> Measured:
    children = descendants(os.getpid())
    before_s = sum(map(cpu_s, children))
    own_before_s = time.process_time()
    loop.start()
    if not loop.done.wait(_LIMIT_S):
        raise TimeoutError("a pool does not answer")
    used_s = {
        "parent": time.process_time() - own_before_s,
        "workers": sum(map(cpu_s, children)) - before_s,
    }
    return loop.measured(used_s)


def _through_pool(pool: Pool, outstanding: int, timing: Timing) -> Measured:
    def send(now: float) -> None:
        pool.apply_async(echo, (now,), callback=loop.answered)

    loop = ClosedLoop(outstanding, timing, send)
    return _run(loop)


def _through_executor(pool: ProcessPoolExecutor, outstanding: int, timing: Timing) -> Measured:
    def answered(future: Future[float]) -> None:
        loop.answered(future.result())

    def send(now: float) -> None:
        pool.submit(echo, now).add_done_callback(answered)

    loop = ClosedLoop(outstanding, timing, send)
    return _run(loop)


class PoolPeer:
    """multiprocessing.Pool: apply_async with a callback."""

    name = "multiprocessing.Pool"

    def measure(self, outstandings: tuple[int, ...], timing: Timing) -> dict[int, Measured]:
        """Start a pool, run each loop, stop it."""
        with multiprocessing.Pool(WORKERS) as pool:
            results = {n: _through_pool(pool, n, timing) for n in outstandings}
            pool.close()
            pool.join()
        return results


class ExecutorPeer:
    """concurrent.futures.ProcessPoolExecutor: submit with a callback."""

    name = "ProcessPoolExecutor"

    def measure(self, outstandings: tuple[int, ...], timing: Timing) -> dict[int, Measured]:
        """Start a pool, run each loop, stop it."""
        with ProcessPoolExecutor(WORKERS) as pool:
            # All four are started before anything counts.
            list(pool.map(echo, range(WORKERS * 4)))
            return {n: _through_executor(pool, n, timing) for n in outstandings}
