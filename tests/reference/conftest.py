"""The daemon's engine as real processes, a simulated EVE, and a database to look into."""

from __future__ import annotations

from collections.abc import AsyncIterator
from pathlib import Path

import pytest

from tests.reference.house import House, open_house


@pytest.fixture
async def house(tmp_path: Path) -> AsyncIterator[House]:
    """A simulated EVE, an empty database, and no scheduler yet."""
    async with open_house(tmp_path) as made:
        yield made
