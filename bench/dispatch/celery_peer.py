"""Celery's prefork pool with Redis as broker and result store, as a peer."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator
from typing import Any

from bench.dispatch.loop import WORKERS, ClosedLoop, Measured, Timing
from bench.proc import cpu_s, descendants
from bench.redis_server import PeerMissing, RedisServer

_LIMIT_S = 60.0
_URL_VARIABLE = "BENCH_REDIS_URL"


@contextlib.contextmanager
def running_worker(app: str, url: str, *options: str) -> Iterator[int]:
    """Start `celery worker` with four processes and give its pid; end it with all it started."""
    environment = {**os.environ, _URL_VARIABLE: url}
    command = [sys.executable, "-m", "celery", "-A", app, "worker", "--pool", "prefork"]
    command += ["--concurrency", str(WORKERS), "--loglevel", "WARNING", *options]
    with (
        tempfile.TemporaryFile() as log,
        subprocess.Popen(
            command, env=environment, stdout=log, stderr=log, start_new_session=True
        ) as worker,
    ):
        try:
            yield worker.pid
        except TimeoutError:
            log.seek(0)
            sys.stderr.buffer.write(log.read())
            raise
        finally:
            worker.terminate()
            try:
                worker.wait(15)
            except subprocess.TimeoutExpired:
                os.killpg(worker.pid, signal.SIGKILL)


class CeleryPeer:
    """Tasks sent with apply_async; one consumer of results calls back."""

    name = "Celery prefork + Redis"

    def __init__(self, server: RedisServer) -> None:
        """Take the server, the same for all rounds: Celery keeps its connections."""
        self._server = server
        os.environ[_URL_VARIABLE] = server.url

    def measure(self, outstandings: tuple[int, ...], timing: Timing) -> dict[int, Measured]:
        """Start a worker, run each loop, stop it."""
        try:
            from bench.dispatch.celery_app import app, echo  # noqa: PLC0415 - a peer may be absent
        except ImportError as error:
            raise PeerMissing(f"Celery cannot be imported: {error}") from error
        options = ("--without-gossip", "--without-mingle", "--without-heartbeat")
        with running_worker("bench.dispatch.celery_app", self._server.url, *options) as worker:
            assert echo.delay(1.0).get(timeout=_LIMIT_S) == 1.0  # noqa: S101 - it answers
            return {
                outstanding: _run(app, echo, outstanding, timing, self._server, worker)
                for outstanding in outstandings
            }


def _run(
    app: Any, task: Any, outstanding: int, timing: Timing, server: RedisServer, worker: int
) -> Measured:
    def answered(result: Any) -> None:
        loop.answered(result.result)

    def send(now: float) -> None:
        task.apply_async((now,)).then(answered, weak=False)

    loop = ClosedLoop(outstanding, timing, send)
    consumer = app.backend.result_consumer
    workers = [worker, *descendants(worker)]
    before_s = sum(map(cpu_s, workers)), cpu_s(server.pid), time.process_time()
    loop.start()
    deadline = time.monotonic() + _LIMIT_S
    while not loop.done.is_set():
        consumer.drain_events(timeout=1)
        if time.monotonic() > deadline:
            raise TimeoutError("Celery does not answer")
    return loop.measured(
        {
            "client": time.process_time() - before_s[2],
            "workers": sum(map(cpu_s, workers)) - before_s[0],
            "redis": cpu_s(server.pid) - before_s[1],
        }
    )
