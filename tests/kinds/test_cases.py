"""Every case from the field has tests, and those tests exist."""

from __future__ import annotations

import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest

TESTS = Path(__file__).parent.parent
CASES: list[dict[str, Any]] = tomllib.loads((TESTS / "cases.toml").read_text())["case"]


def test_every_case_is_there_once_and_in_order() -> None:
    assert [one["number"] for one in CASES] == list(range(1, 72))
    assert all(one["line"].endswith(".") for one in CASES)
    assert all(one["tests"] for one in CASES)


@pytest.mark.timeout(600)
def test_every_test_that_is_named_exists() -> None:
    named = {test for one in CASES for test in one["tests"]}
    files = sorted({test.partition("::")[0] for test in named})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files],
        capture_output=True,
        text=True,
        cwd=TESTS.parent,
        check=False,
        # The plugins that pytest finds by itself; who runs us may have named them instead.
        env={k: v for k, v in os.environ.items() if k != "PYTEST_DISABLE_PLUGIN_AUTOLOAD"},
    )
    # A parametrised test is collected once for each of its cases.
    found = {line.partition("[")[0] for line in done.stdout.splitlines()}
    assert named - found == set(), done.stdout[-3000:] + done.stderr[-2000:]
