"""What a whole tree of processes costs while it waits for work, shared pages divided."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from bench.dispatch.celery_peer import running_worker
from bench.dispatch.loop import WORKERS
from bench.proc import descendants, name, pss_bytes
from bench.recovery.daemon import running_daemon, wait_for
from bench.redis_server import PeerMissing, RedisServer

_MB = 1e6
# Long enough for what a start leaves behind to be done.
_SETTLE_S = 3.0


def ours() -> dict[str, float]:
    """Return the megabytes of each process of an idle daemon."""
    with running_daemon(busy=False) as daemon:

        def is_idle() -> bool:
            summary = daemon.state().summary
            return summary is not None and not summary.in_flight and not summary.due

        time.sleep(_SETTLE_S)
        wait_for("an idle daemon", is_idle)
        return _by_process([daemon.pid, *descendants(daemon.pid)])


def celery(server: RedisServer) -> dict[str, float]:
    """Return the megabytes of Celery's processes, beat and Redis."""
    os.environ["BENCH_REDIS_URL"] = server.url
    with tempfile.TemporaryDirectory() as folder:
        try:
            from bench.recovery.celery_idle import idle  # noqa: PLC0415 - a peer may be absent
        except ImportError as error:
            raise PeerMissing(f"Celery cannot be imported: {error}") from error
        with running_worker("bench.recovery.celery_idle", server.url) as worker:
            command = [sys.executable, "-m", "celery", "-A", "bench.recovery.celery_idle", "beat"]
            command += ["--schedule", str(Path(folder) / "beat"), "--loglevel", "WARNING"]
            command += ["--pidfile", ""]
            with subprocess.Popen(
                command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
            ) as beat:
                try:
                    for result in [idle.delay() for _ in range(WORKERS * 8)]:
                        result.get(timeout=60)
                    time.sleep(_SETTLE_S)
                    if beat.poll() is not None:
                        raise PeerMissing(f"Celery's beat ended with {beat.returncode}")
                    pids = [worker, *descendants(worker), beat.pid, server.pid]
                    return _by_process(pids)
                finally:
                    beat.terminate()


def _by_process(pids: list[int]) -> dict[str, float]:
    return {f"{name(pid)} {pid}": pss_bytes([pid]) / _MB for pid in pids}
