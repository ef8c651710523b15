"""Logging of a real process whose standard error is not read, or is gone."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from tests.processes import WITHIN_S

pytestmark = pytest.mark.process

ROOT = Path(__file__).parent.parent.parent
# Many times what the queue and a pipe hold.
LINES = 20_000

PROGRAM = f"""
import logging
from ipc.logs import flush_logs, set_up_logging
set_up_logging("test", "info")
log = logging.getLogger("x")
for number in range({LINES}):
    log.info("line %d %s", number, "x" * 200)
print("logged", flush=True)
input()
flush_logs()
print("flushed", flush=True)
"""


@contextmanager
def logging_to(stderr: int) -> Iterator[subprocess.Popen[str]]:
    """Give the process when it has logged all: it was not held up."""
    with subprocess.Popen(
        [sys.executable, "-P", "-c", PROGRAM],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=stderr,
        text=True,
        env={"PYTHONPATH": str(ROOT), "PATH": os.environ["PATH"]},
    ) as process:
        try:
            assert process.stdout is not None
            assert process.stdout.readline() == "logged\n"
            yield process
        finally:
            process.kill()


def ends(process: subprocess.Popen[str]) -> None:
    """Let the process write what is queued, and end."""
    out, _ = process.communicate("\n", timeout=WITHIN_S)
    assert (out, process.returncode) == ("flushed\n", 0)


@contextmanager
def pipe() -> Iterator[tuple[int, int]]:
    """Give a pipe's ends to read from and to write to."""
    ends = os.pipe()
    try:
        yield ends
    finally:
        for end in ends:
            os.close(end)


def test_stalled_reader_holds_nothing_up() -> None:
    with pipe() as (_, writer), logging_to(writer) as process:
        ends(process)


def test_reader_that_is_gone_holds_nothing_up() -> None:
    reader, writer = os.pipe()
    os.close(reader)
    with os.fdopen(writer, "wb"), logging_to(writer) as process:
        ends(process)


def test_reader_learns_that_lines_are_missing() -> None:
    lines: list[str] = []
    with pipe() as (reader, writer), logging_to(writer) as process:
        # It begins to read when more is logged than anything holds.
        with os.fdopen(reader, "r", closefd=False) as file:
            while not lines or "lines were dropped" not in lines[-1]:
                lines.append(file.readline())
        ends(process)
    told = int(lines[-1].split()[0])
    written = sum(" x: line " in line for line in lines)
    assert "line 0 " in lines[0]
    assert told > 0
    assert written + told == LINES


def test_full_disk_stops_nothing() -> None:
    with Path("/dev/full").open("wb") as full, logging_to(full.fileno()) as process:
        ends(process)
