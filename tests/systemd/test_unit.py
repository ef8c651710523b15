"""The unit under a real systemd: ready, reload, deaths of all sorts, watchdog, stop."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.systemd.machine import UNIT, Machine, booted, why_not

pytestmark = [
    pytest.mark.process,
    pytest.mark.skipif(bool(why_not()), reason=why_not()),
]

CONFIG = (
    (UNIT.parent / "esisyncd.toml")
    .read_text()
    .replace("[esi]\n", '[esi]\nbase_url = "http://127.0.0.1:1"\n')
    .replace("[sso]\n", '[sso]\nbase_url = "http://127.0.0.1:1"\n')
)


@pytest.fixture(scope="module")
def machine() -> Iterator[Machine]:
    with booted() as machine:
        yield machine


@pytest.fixture
def config(machine: Machine) -> Path:
    """Give the configuration file, and a service that runs with short times."""
    path = machine.root / "etc/esisyncd.toml"
    path.write_text(CONFIG)
    path.chmod(0o644)
    folder = machine.root / "etc/systemd/system/esisyncd.service.d"
    folder.mkdir(exist_ok=True)
    (folder / "short.conf").write_text("[Service]\nRestartSec=200ms\n")
    machine.run("systemctl", "daemon-reload")
    machine.run("systemctl", "reset-failed", "esisyncd", check=False)
    machine.run("systemctl", "restart", "esisyncd")
    machine.wait("StatusText", lambda text: text.startswith("running"))
    return path


def restarts(machine: Machine) -> int:
    return int(machine.show("NRestarts"))


def test_hardened_unit_is_ready_and_stops_cleanly(machine: Machine, config: Path) -> None:
    assert machine.show("ActiveState") == "active"
    listing = machine.run(
        "stat", "-c", "%a %U", "/var/lib/esisyncd", "/var/lib/esisyncd/control.sock"
    )
    assert listing.splitlines() == ["700 esisyncd", "600 esisyncd"]
    machine.run("systemctl", "stop", "esisyncd")
    assert (machine.show("ActiveState"), machine.show("Result")) == ("inactive", "success")
    assert machine.run("pgrep", "-u", "esisyncd", check=False) == ""


def test_commands_of_its_user_find_the_service_and_its_database(
    machine: Machine, config: Path
) -> None:
    esisyncd = ("runuser", "-u", "esisyncd", "--", "/opt/esisyncd/bin/esisyncd")
    for named in ((), ("--config", "/etc/esisyncd.toml")):
        status = json.loads(machine.run(*esisyncd, *named, "status", "--json", check=False))
        assert str(status["daemon"]["supervisor_pid"]) == machine.show("MainPID")
        # It is not there where another database is meant.
        assert "ledger" in machine.run(*esisyncd, *named, "db", "size")


def test_reload_with_and_without_a_mistake(machine: Machine, config: Path) -> None:
    main = machine.show("MainPID")
    config.write_text("nonsense = 1\n" + CONFIG)
    machine.run("systemctl", "reload", "esisyncd")
    machine.wait("StatusText", lambda text: "unknown key nonsense" in text)
    machine.wait("ActiveState", lambda state: state == "active")
    config.write_text(CONFIG)
    machine.run("systemctl", "reload", "esisyncd")
    machine.wait("StatusText", lambda text: text == "running, generation 1")
    assert machine.show("MainPID") == main


def test_killed_scheduler_is_the_daemons_own_affair(machine: Machine, config: Path) -> None:
    main = machine.show("MainPID")
    machine.run("pkill", "-KILL", "-u", "esisyncd", "-x", "scheduler")
    machine.wait("StatusText", lambda text: text == "running, generation 2")
    assert machine.show("MainPID") == main


def test_killed_daemon_comes_back_alone(machine: Machine, config: Path) -> None:
    before = restarts(machine)
    machine.run("kill", "-KILL", machine.show("MainPID"))
    machine.wait("NRestarts", lambda count: int(count) == before + 1)
    machine.wait("StatusText", lambda text: text == "running, generation 1")
    assert machine.run("pgrep", "-c", "-u", "esisyncd", "-x", "scheduler") == "1"


def test_stray_term_is_no_end(machine: Machine, config: Path) -> None:
    before = restarts(machine)
    machine.run("kill", "-TERM", machine.show("MainPID"))
    machine.wait("NRestarts", lambda count: int(count) == before + 1)
    machine.wait("StatusText", lambda text: text == "running, generation 1")


def test_stop_of_a_client_is_one_and_no_fault(machine: Machine, config: Path) -> None:
    before = restarts(machine)
    machine.run("runuser", "-u", "esisyncd", "--", "/opt/esisyncd/bin/esisyncd", "stop")
    machine.wait("ActiveState", lambda state: state == "inactive")
    assert (machine.show("Result"), restarts(machine)) == ("success", before)


def test_watchdog_ends_a_daemon_that_stands_still(machine: Machine, config: Path) -> None:
    folder = machine.root / "etc/systemd/system/esisyncd.service.d"
    (folder / "watchdog.conf").write_text("[Service]\nWatchdogSec=5\n")
    try:
        machine.run("systemctl", "daemon-reload")
        machine.run("systemctl", "restart", "esisyncd")
    finally:
        (folder / "watchdog.conf").unlink()
    machine.wait("StatusText", lambda text: text.startswith("running"))
    before = restarts(machine)
    machine.run("kill", "-STOP", machine.show("MainPID"))
    machine.wait("NRestarts", lambda count: int(count) > before)
    # It aborts, and the stacks of the supervisor itself are in the log.
    machine.wait_for_log("supervisor/main.py")
    machine.wait("StatusText", lambda text: text == "running, generation 1")


def test_bad_configuration_is_not_tried_again(machine: Machine, config: Path) -> None:
    machine.run("systemctl", "stop", "esisyncd")
    config.write_text("nonsense = 1\n" + CONFIG)
    before = restarts(machine)
    machine.run("systemctl", "start", "esisyncd", check=False)
    machine.wait("ActiveState", lambda state: state == "failed")
    assert machine.show("ExecMainStatus") == "78"
    assert restarts(machine) == before
    machine.wait_for_log("unknown key nonsense")
