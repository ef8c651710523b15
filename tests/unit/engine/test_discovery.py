"""Discovery: how often the world is looked at while it changes all the time."""

from __future__ import annotations

import asyncio
from pathlib import Path

import pytest

from engine import discovery as module
from engine.discovery import rest_after_s
from tests.unit.engine.engine_rig import open_rig


def test_looking_takes_a_tenth_of_the_time_and_rests_are_bounded() -> None:
    assert rest_after_s(0.0) == 0.0
    assert rest_after_s(0.02) == pytest.approx(0.18)
    assert rest_after_s(60.0) == 5.0


async def test_what_is_asked_for_in_a_rest_is_looked_at_once_after_it(
    tmp_path: Path, empty_database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[str] = []

    def rest(took_s: float) -> float:
        told.append(f"rest after {took_s:.2f} s")
        # Each of these is asked for while the loop rests.
        for _ in range(3):
            rig.engine.discovery.poke()
        return 0.01

    async def look() -> None:
        told.append("look")
        rig.clock.advance(0.25)
        if len(told) > 2:
            monkeypatch.setattr(module, "rest_after_s", lambda _took_s: 0.0)

    async with open_rig(tmp_path / "world.db", empty_database) as rig:
        monkeypatch.setattr(rig.engine.discovery, "look", look)
        monkeypatch.setattr(module, "rest_after_s", rest)
        rig.engine.discovery.poke()
        async with asyncio.timeout(60):
            while told.count("look") < 2:
                await asyncio.sleep(0.001)
        # It rests no more: another look would come at once.
        await rig.settle()
        assert told == ["look", "rest after 0.25 s", "look"]
