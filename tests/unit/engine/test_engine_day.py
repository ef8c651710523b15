"""Hours of a small mirror on a jumping clock: no limit of ESI is tripped, and data stay fresh."""

from __future__ import annotations

import pytest

from bench.budget.day import Day, Size
from bench.budget.run import figures_of, targets_of


@pytest.mark.parametrize("profile", ["standard", "eager"])
def test_nothing_is_tripped_over_a_restart_and_a_downtime(profile: str) -> None:
    day = Day(Size(2, 1, 1.5), profile)
    day.run(lambda _part: None)
    figures = figures_of(day)
    assert [target.text() for target in targets_of(figures) if not target.is_met] == []
    assert figures["downtimes"] >= 1
    assert figures["failing_at_the_end"] == 0
    assert figures["writes"] > 50
    assert figures["kinds"]["character.notifications"]["p95"] < 3


def test_eager_is_fresher_where_that_can_be() -> None:
    ages = {}
    for profile in ("standard", "eager"):
        day = Day(Size(2, 1, 0.5), profile)
        day.run(lambda _part: None)
        ages[profile] = figures_of(day)["kinds"]["character.telemetry"]["p50"]
    assert ages["eager"] < 1.5
    assert ages["eager"] < ages["standard"] / 10
