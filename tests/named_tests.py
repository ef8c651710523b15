"""Tests that a table of cases names: those of them that there are not."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).parent.parent


def missing(named: Iterable[str]) -> dict[str, str]:
    """Return those of `file::test` that pytest does not find, with the end of what it said."""
    wanted = set(named)
    files = sorted({test.partition("::")[0] for test in wanted})
    done = subprocess.run(
        [sys.executable, "-m", "pytest", "--collect-only", "-q", "-p", "no:cacheprovider", *files],
        capture_output=True,
        text=True,
        cwd=ROOT,
        check=False,
        # The plugins that pytest finds by itself; who runs us may have named them instead.
        env={k: v for k, v in os.environ.items() if k != "PYTEST_DISABLE_PLUGIN_AUTOLOAD"},
    )
    # A parametrised test is collected once for each of its cases.
    found = {line.partition("[")[0] for line in done.stdout.splitlines()}
    said = done.stdout[-3000:] + done.stderr[-2000:]
    return dict.fromkeys(sorted(wanted - found), said)
