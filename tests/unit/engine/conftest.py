"""Makes the helpers of these tests importable."""

from __future__ import annotations

from pathlib import Path

import pytest


@pytest.fixture(scope="session")
def empty_database(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A SQLite file with the present schema and nothing in it, to be copied."""
    from jobs.store import upgrade

    path = tmp_path_factory.mktemp("database") / "empty.db"
    upgrade.prepare(f"sqlite:///{path}")
    return path
