"""Fixtures of the tests of writes."""

from __future__ import annotations

import pytest

from tests.unit.jobs.job_house import House
from tests.unit.jobs.writes.write_box import Outbox, box_in


@pytest.fixture
async def box(house: House) -> Outbox:
    """An outbox whose character 9 may write everything, with mail 7 in the mirror."""
    return await box_in(house)
