"""Fixtures of the simulator's tests."""

from __future__ import annotations

import pytest

from tests.simulator._bench import Bench, make_bench


@pytest.fixture
def bench() -> Bench:
    """A fresh simulated EVE with small pages."""
    return make_bench()
