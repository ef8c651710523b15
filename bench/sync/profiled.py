"""Shows in which functions the scheduler and the workers spend their time on a pass."""

from __future__ import annotations

import os
import pstats
import tempfile
from pathlib import Path

from bench.dispatch import profiled
from bench.sync import ours
from bench.sync.eve import running_eve


def show(characters: int, jobs_per_worker: int) -> int:
    """Run one cold and one warm pass under the profiler, and print what a job costs where."""
    with (
        running_eve(characters, 0.0) as eve,
        tempfile.TemporaryDirectory(prefix="bench-sync-") as folder,
        tempfile.TemporaryDirectory(prefix="bench-profile-") as figures,
    ):
        os.environ[profiled.FOLDER_VARIABLE] = figures
        entry = f"{profiled.__name__}:scheduler_main"
        passes = ours.measure(eve, Path(folder), jobs_per_worker, entry)
        jobs = passes.cold.jobs + passes.warm.jobs
        files = sorted(Path(figures).iterdir())
        for name in ("scheduler", "worker"):
            several = [str(file) for file in files if file.name.startswith(name)]
            print(f"\n{name}: µs a job under the profiler, the loop's thread alone")
            profiled.print_stats(pstats.Stats(*several), jobs)
    return 0
