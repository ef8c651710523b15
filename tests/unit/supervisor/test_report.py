"""The state in words, and when systemd's watchdog is fed."""

from __future__ import annotations

import pytest

from ipc.scheduler_messages import Summary
from supervisor.lifecycle import Phase
from supervisor.report import View, is_well, status_line, without_password


def view(phase: Phase, age_s: float | None = None, trouble: str = "") -> View:
    return View(phase, 3, 7.4, trouble, age_s)


def test_lines() -> None:
    assert status_line(view("running")) == "running, generation 3"
    assert status_line(view("backoff", None, "died")) == "backoff, next start in 7 s; died"
    assert status_line(view("parked", None, "no schema")) == "parked; no schema"
    ill = View("running", 1, None, "", 0.1, Summary(database_trouble="disk full"))
    assert status_line(ill) == "running, generation 1, database: disk full"
    ill = View("running", 1, None, "", 0.1, Summary(sso_trouble="SSO knows no such client"))
    assert status_line(ill) == "running, generation 1, SSO knows no such client"


@pytest.mark.parametrize(
    ("phase", "age_s", "well"),
    [
        ("running", 0.1, True),
        ("running", 15.0, True),
        ("running", 15.1, False),
        ("running", None, False),
        ("starting", None, True),
        ("backoff", None, True),
        ("parked", None, True),
        ("stopping", 99.0, True),
    ],
)
def test_watchdog_is_fed_only_while_fresh(phase: Phase, age_s: float | None, well: bool) -> None:
    assert is_well(view(phase, age_s), 15.0) is well


@pytest.mark.parametrize(
    ("url", "shown"),
    [
        ("sqlite:////d/esisyncd.db", "sqlite:////d/esisyncd.db"),
        ("postgresql://me:pa:s@s@host/db", "postgresql://me@host/db"),
        ("postgresql://host/db", "postgresql://host/db"),
        ("postgresql://host/db?user=me&password=s@s", "postgresql://host/db"),
        ("postgresql+psycopg://me:s@/db?sslpassword=s", "postgresql+psycopg://me@/db"),
    ],
)
def test_password_is_not_shown(url: str, shown: str) -> None:
    assert without_password(url) == shown
