"""Logging of a real process whose standard error is not read, or is gone."""

from __future__ import annotations

import os
import subprocess
import sys
import time
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent.parent

PROGRAM = """
import logging, time
from ipc.logs import flush_logs, set_up_logging
set_up_logging("test", "info")
log = logging.getLogger("x")
began = time.monotonic()
for number in range(20_000):
    log.info("line %d %s", number, "x" * 200)
took = time.monotonic() - began
began = time.monotonic()
flush_logs()
flushed = time.monotonic() - began
print(took, flushed, flush=True)
"""


def start(stderr: int) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM],
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
    )


def figures(process: subprocess.Popen[str]) -> tuple[float, float]:
    assert process.stdout is not None
    with process.stdout as stdout:
        took, flushed = stdout.readline().split()
    assert process.wait(10) == 0
    return float(took), float(flushed)


def test_stalled_reader_costs_lines_and_no_time() -> None:
    reader, writer = os.pipe()
    process = start(writer)
    os.close(writer)
    took_s, flushed_s = figures(process)
    os.close(reader)
    # Formatting alone; a write that blocked would never have returned.
    assert took_s < 8.0
    assert flushed_s < 1.5


def test_reader_that_is_gone_costs_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = start(writer)
    os.close(writer)
    figures(process)


def test_reader_learns_that_lines_are_missing() -> None:
    reader, writer = os.pipe()
    process = start(writer)
    os.close(writer)
    time.sleep(1.0)
    with os.fdopen(reader, "r") as file:
        lines = file.read().splitlines()
    figures(process)
    told = sum(int(line.split()[0]) for line in lines if "lines were dropped" in line)
    written = sum(" x: line " in line for line in lines)
    assert "line 0 " in lines[0]
    assert told > 0
    assert written + told == 20_000


def test_full_disk_stops_nothing() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        figures(start(full.fileno()))
