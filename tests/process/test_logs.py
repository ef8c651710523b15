"""Logging of a real process whose standard error is not read, or is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent.parent

PROGRAM = """
import logging, sys, time
from ipc.logs import flush_logs, set_up_logging
set_up_logging("test", "info")
log = logging.getLogger("x")
began = time.monotonic()
for number in range(20_000):
    log.info("line %d %s", number, "x" * 200)
print(time.monotonic() - began, flush=True)
began = time.monotonic()
flush_logs()
print(time.monotonic() - began, flush=True)
sys.stdin.read()
"""


def start(stderr: int, stdin: int = subprocess.DEVNULL) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM],
        stdin=stdin,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
    )


def figures(process: subprocess.Popen[str]) -> tuple[float, float]:
    assert process.stdout is not None
    with process.stdout as stdout:
        took, flushed = stdout.readline(), stdout.readline()
    assert process.wait(30) == 0
    return float(took), float(flushed)


def test_stalled_reader_costs_lines_and_no_time() -> None:
    reader, writer = os.pipe()
    process = start(writer)
    os.close(writer)
    took_s, flushed_s = figures(process)
    os.close(reader)
    # Formatting alone; a write that blocked would never have returned.
    assert took_s < 30.0
    assert flushed_s < 15.0


def test_reader_that_is_gone_costs_nothing() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    process = start(writer)
    os.close(writer)
    figures(process)


def test_reader_learns_that_lines_are_missing() -> None:
    reader, writer = os.pipe()
    # It lives until all is read: what a process at its end has not written yet is lost.
    process = start(writer, subprocess.PIPE)
    os.close(writer)
    assert process.stdout is not None
    assert process.stdin is not None
    with os.fdopen(reader, "r") as file, process.stdin, process.stdout:
        # Nothing is read before all is logged.
        float(process.stdout.readline())
        first = file.readline()
        written, told = 1, 0
        while written + told < 20_000:
            line = file.readline()
            assert line, "the process ended"
            written += " x: line " in line
            told += int(line.split()[0]) if "lines were dropped" in line else 0
        float(process.stdout.readline())
    assert process.wait(30) == 0
    assert "line 0 " in first
    assert told > 0
    assert written + told == 20_000


def test_full_disk_stops_nothing() -> None:
    with open("/dev/full", "wb") as full:  # noqa: PTH123
        figures(start(full.fileno()))
