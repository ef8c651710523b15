"""What the kernel tells of processes: their children, their CPU time, their share of memory."""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path

_TICK_S = 1 / os.sysconf("SC_CLK_TCK")


def descendants(pid: int) -> list[int]:
    """Return every process below pid, parents before children."""
    found: list[int] = []
    try:
        tasks = list(Path(f"/proc/{pid}/task").iterdir())
    except (FileNotFoundError, ProcessLookupError):
        return found
    for task in tasks:
        try:
            children = [int(word) for word in (task / "children").read_text().split()]
        except (FileNotFoundError, ProcessLookupError):
            continue
        for child in children:
            found += [child, *descendants(child)]
    return found


def name(pid: int) -> str:
    """Return the name that `ps` shows."""
    return Path(f"/proc/{pid}/comm").read_text().strip()


def _cpu_of(stat: str) -> float:
    fields = stat.rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * _TICK_S


def cpu_s(pid: int) -> float:
    """Return the CPU time a process has used, its waited-for children not counted."""
    return _cpu_of(Path(f"/proc/{pid}/stat").read_text())


def main_thread_cpu_s(pid: int) -> float:
    """Return the CPU time that the first thread of a process has used."""
    return _cpu_of(Path(f"/proc/{pid}/task/{pid}/stat").read_text())


def pss_bytes(pids: Iterable[int]) -> int:
    """Return the memory of processes, shared pages divided among those who share them."""
    total_kb = 0
    for pid in pids:
        for line in Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines():
            if line.startswith("Pss:"):
                total_kb += int(line.split()[1])
    return total_kb * 1024
