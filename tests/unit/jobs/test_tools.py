"""What the tools of a worker take from the settings."""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec
import pytest

from ipc.settings import REAL_ESI, Esi
from jobs.logbook import Logbook
from jobs.tools import Tools
from tests.unit.jobs.job_house import House


@pytest.mark.parametrize(
    ("base_url", "in_doubt"), [(REAL_ESI, True), ("http://127.0.0.1:8080", False)]
)
async def test_only_the_real_esi_goes_down_at_eleven(
    house: House, base_url: str, in_doubt: bool
) -> None:
    known = house.tools
    settings = msgspec.structs.replace(known.settings, esi=Esi(base_url=base_url))
    tools = Tools.of(settings, 1, known.clock, known.database, known.leases, Logbook.unkept())
    assert tools.gate.in_doubt(datetime(2026, 11, 30, 11, 5, tzinfo=UTC)) is in_doubt
    await tools.transport.close()
