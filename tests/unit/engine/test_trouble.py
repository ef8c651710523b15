"""Trouble with the database: what has failed, and what only waits."""

from __future__ import annotations

import asyncio
import logging

import pytest

from engine import trouble as module
from engine.trouble import Trouble
from tests.clocks import ManualClock
from tests.unit.engine.engine_kinds import NOW


@pytest.fixture
def clock() -> ManualClock:
    return ManualClock(NOW)


async def until_told(trouble: Trouble) -> None:
    async with asyncio.timeout(60):
        while not trouble.text:
            await asyncio.sleep(0)


async def test_a_write_that_waits_for_long_is_told_of_while_it_waits(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.01)
    trouble = Trouble(clock)
    async with trouble.watching("ledger"):
        assert trouble.text == ""
        await until_told(trouble)
        clock.advance(12)
        assert trouble.text == (
            "locked by another program, or very slow: a write has waited for 12 s"
        )
        # Nothing has failed: workers go on.
        assert not trouble.is_broken
    assert trouble.text == ""
    assert "a write to the database (ledger) took 12 s" in caplog.messages


async def test_a_failure_is_told_before_a_wait(
    clock: ManualClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "PATIENCE_S", 0.0)
    trouble = Trouble(clock)
    async with trouble.watching("discovery"):
        await until_told(trouble)
        trouble.note("ledger", "disk full")
        assert (trouble.text, trouble.is_broken) == ("disk full", True)
        clock.advance(7)
        trouble.note("outbox", "disk full")
        assert trouble.lasts_s == 7
        trouble.over("ledger")
        trouble.over("outbox")
        assert (trouble.is_broken, trouble.lasts_s) == (False, 0)
        assert trouble.text.startswith("locked by another program")


async def test_an_ordinary_write_is_no_trouble(
    clock: ManualClock, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    trouble = Trouble(clock)
    async with trouble.watching("outbox"):
        assert trouble.text == ""
    assert (trouble.text, caplog.messages) == ("", [])
