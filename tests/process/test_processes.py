"""What tests are told of processes that end, and of descriptors that close, meanwhile."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest

from tests import processes
from tests.processes import eventually

pytestmark = pytest.mark.process

# Opens and closes, and starts what ends at once, for as long as it is let.
RESTLESS = """
import os, subprocess, sys
print(flush=True)
while True:
    opened = [os.open("/dev/zero", os.O_RDONLY) for _ in range(50)]
    child = os.fork()
    if child == 0:
        os._exit(0)
    for one in opened:
        os.close(one)
    os.waitpid(child, 0)
"""


def test_a_dead_process_is_there_until_its_end_is_taken() -> None:
    with subprocess.Popen(["true"]) as process:
        pid = process.pid
        eventually("its death", lambda: not processes.is_alive(pid))
        assert processes.is_there(pid)
        assert processes.parent_of(pid) == os.getpid()
        assert pid in processes.children_of(os.getpid())
    assert not processes.is_there(pid)
    assert not processes.is_alive(pid)
    assert processes.parent_of(pid) == 0
    assert processes.name_of(pid) == ""
    assert processes.environ_of(pid) == processes.command_of(pid) == b""
    assert processes.open_files(pid) == {}
    assert processes.children_of(pid) == processes.descendants_of(pid) == []


def test_what_goes_while_it_is_looked_at_is_left_out() -> None:
    with subprocess.Popen([sys.executable, "-c", RESTLESS], stdout=subprocess.PIPE) as process:
        try:
            assert process.stdout is not None
            process.stdout.readline()
            for _ in range(200):
                files = processes.open_files(process.pid)
                assert set(files) >= {0, 1, 2}
                assert set(files.values()) >= {files[1]}
                processes.descendants_of(os.getpid())
            assert processes.environ_of(process.pid) != b""
            assert b"os.fork" in processes.command_of(process.pid)
        finally:
            process.kill()


def test_a_fact_that_does_not_come_is_told_by_its_name() -> None:
    with pytest.raises(AssertionError, match="the moon: not within 0 s"):
        eventually("the moon", lambda: False, 0.0)
