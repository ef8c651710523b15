"""Shows in which functions the scheduler's loop and the workers' loops spend their time."""

from __future__ import annotations

import cProfile
import os
import pstats
import socket
import tempfile
from collections.abc import Callable
from pathlib import Path

from bench.dispatch.loop import Timing
from bench.dispatch.ours import OurPeer

FOLDER_VARIABLE = "BENCH_PROFILE_FOLDER"
_FUNCTIONS = 40


def scheduler_main(sock: socket.socket) -> int:
    """Be the scheduler, under the profiler; its workers are so too."""
    from engine import worker_pool  # noqa: PLC0415 - of the child alone
    from engine.main import main  # noqa: PLC0415

    module = worker_pool.worker_module()
    worker_pool.ENTRY = f"{__name__}:worker_main"
    # Which code they run is still checked against the real one.
    worker_pool.worker_module = lambda: module
    return _profiled("scheduler", main, sock)


def worker_main(sock: socket.socket) -> int:
    """Be a worker, under the profiler."""
    from jobs import worker  # noqa: PLC0415 - of the child alone

    return _profiled(f"worker-{os.getpid()}", worker.main, sock)


def _profiled(name: str, main: Callable[[socket.socket], int], sock: socket.socket) -> int:
    profile = cProfile.Profile()
    try:
        return profile.runcall(main, sock)
    finally:
        profile.dump_stats(Path(os.environ[FOLDER_VARIABLE]) / name)


def show(outstanding: int, timing: Timing) -> int:
    """Run without and with the profiler, and print what each process spends on a job."""
    plain = OurPeer().measure((outstanding,), timing)[outstanding]
    print(f"{outstanding} outstanding: {plain.rate:,.0f} jobs/s")
    print("\n".join(f"  {part}: {us:.1f} µs of CPU a job" for part, us in plain.cpu_us.items()))
    with tempfile.TemporaryDirectory(prefix="bench-profile-") as folder:
        os.environ[FOLDER_VARIABLE] = folder
        entry = f"{__name__}:scheduler_main"
        jobs = OurPeer(entry).measure((outstanding,), timing)[outstanding].jobs
        files = sorted(Path(folder).iterdir())
        for name in ("scheduler", "worker"):
            several = [str(file) for file in files if file.name.startswith(name)]
            if several:
                print(f"\n{name}: µs a job under the profiler, all its threads' waiting left out")
                print_stats(pstats.Stats(*several), jobs)
    return 0


def print_stats(stats: pstats.Stats, jobs: int) -> None:
    """Print the functions that cost most."""
    own: list[tuple[float, float, str]] = []
    for (file, line, function), (_, calls, own_s, _, _) in stats.stats.items():  # type: ignore[attr-defined]
        if "epoll" in function:
            continue
        short = "/".join(Path(file).parts[-2:])
        own.append((own_s / jobs * 1e6, calls / jobs, f"{short}:{line} {function}"))
    for us, calls, where in sorted(own, reverse=True)[:_FUNCTIONS]:
        print(f"  {us:7.2f}  {calls:6.2f} calls  {where}")
