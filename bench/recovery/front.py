"""What `esisyncd status` takes, from the start of its process to its end."""

from __future__ import annotations

import subprocess
import sys
import time

from bench.recovery.daemon import running_daemon
from bench.scheduler import ROOT, RunVoid

_TIMES = 10


def statuses() -> list[float]:
    """Return the seconds of some runs of `status` against a daemon that has settled."""
    taken_s: list[float] = []
    with running_daemon(busy=False) as daemon:
        command = [sys.executable, "-P", "-m", "cli", "status"]
        environment = {
            "PYTHONPATH": str(ROOT),
            "PATH": "/usr/bin",
            "ESISYNCD_CONFIG": str(daemon.socket.parent / "esisyncd.toml"),
        }
        for _ in range(_TIMES):
            before_s = time.perf_counter()
            ended = subprocess.run(
                command, env=environment, check=False, capture_output=True, text=True
            )
            taken_s.append(time.perf_counter() - before_s)
            if ended.returncode != 0 or "scheduler" not in ended.stdout:
                raise RunVoid(f"status ended {ended.returncode}: {ended.stderr or ended.stdout}")
    return taken_s
