"""The simulated EVE as a process: ready in time, obedient, and never left behind."""

from __future__ import annotations

import os
import signal
import socket
import subprocess
import sys
import textwrap
from pathlib import Path

import pytest

from simulator.__main__ import main, parse
from simulator.process import SimulatedEve, SimulatorFailed
from tests.processes import eventually, is_alive
from tests.simulator._bench import FIRST

pytestmark = pytest.mark.process

ROOT = Path(__file__).resolve().parents[2]


def test_lives_as_long_as_the_block() -> None:
    with SimulatedEve("--characters", "2") as eve:
        pid = eve.pid
        eve.freeze()
        told = eve.ask("/clock")
        assert isinstance(told, dict)
        assert told["frozen"] is True
        eve.advance(100)
        eve.thaw()
        assert len(eve.tokens()) == 2
        number = eve.fault(path="/status", status=500)
        assert number == 1
        eve.clear_faults()
        eve.downtime(on=True)
        eve.revoke(FIRST)
        assert eve.tokens()[0]["alive"] is False
        eve.reset()
        assert eve.requests()["total"] == 0
        assert eve.writes() == []
        assert isinstance(eve.model("character.assets", FIRST), list)
        with pytest.raises(SimulatorFailed, match="400"):
            eve.order("/clock", advance_s=-1)
    assert not is_alive(pid)
    with pytest.raises(SimulatorFailed, match="not running"):
        _ = eve.urls


def test_a_bad_start_is_told() -> None:
    with pytest.raises(SimulatorFailed, match="ended at start with 2"):
        SimulatedEve("--no-such-flag").start()


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("--port", "65536"), "argument --port: 65536 is not at least 0 and at most 65535"),
        (("--port", "-1"), "argument --port: -1 is not"),
        (("--characters", "0"), "argument --characters: 0 is not at least 1"),
        (("--characters", "few"), "argument --characters: invalid number value: 'few'"),
        (("--page-size", "0"), "argument --page-size: 0 is not at least 1"),
        (("--speed", "0"), "argument --speed: 0 is not more than 0"),
        (("--speed", "nan"), "argument --speed: nan is not more than 0"),
        (("--latency", "-0.1"), "argument --latency: -0.1 is not 0 or more"),
        (("--start", "yesterday"), "argument --start: 'yesterday' is no ISO time"),
        (("--start", "0001-01-01"), "argument --start: '0001-01-01' is no ISO time"),
        (("--start", "9999-12-31T23:59:59-12:00"), "argument --start: '9999"),
    ],
)
def test_what_no_universe_can_have_is_refused(
    arguments: tuple[str, ...], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as ended:
        parse(arguments)
    assert ended.value.code == 2
    assert told in capsys.readouterr().err


def test_the_least_that_a_universe_can_have_is_taken() -> None:
    text = (
        "--port 65535 --characters 1 --page-size 1 --cache-scale 0 --latency 0 --start 2004-01-01"
    )
    config, _ = parse(text.split())
    assert (config.port, config.characters, config.page_size) == (65_535, 1, 1)
    assert (config.cache_scale, config.latency_s, config.start) == (0.0, 0.0, "2004-01-01")


@pytest.mark.parametrize("host", ["127.0.0.1", "no.such.host.invalid"])
def test_an_address_that_is_not_to_be_had_is_told_in_a_line(
    host: str, capsys: pytest.CaptureFixture[str]
) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        assert main(["--host", host, "--port", str(port), "--characters", "1"], "simulate") == 1
    err = capsys.readouterr().err
    assert err.startswith(f"simulate: cannot listen on {host}:{port}: ")
    assert err.count("\n") == 1


def test_a_late_start_is_ended() -> None:
    eve = SimulatedEve(boot_s=0.0)
    with pytest.raises(SimulatorFailed, match="no ready line"):
        eve.start()
    with pytest.raises(SimulatorFailed, match="not running"):
        _ = eve.pid


def test_goes_when_its_parent_is_killed() -> None:
    code = textwrap.dedent("""
        import sys, time
        from simulator.process import SimulatedEve
        with SimulatedEve("--characters", "1") as eve:
            print(eve.pid, flush=True)
            time.sleep(60)
    """)
    environment = {**os.environ, "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, env=environment
    ) as parent:
        assert parent.stdout is not None
        pid = int(parent.stdout.readline())
        parent.send_signal(signal.SIGKILL)
        parent.wait()
        eventually("its end", lambda: not is_alive(pid))
