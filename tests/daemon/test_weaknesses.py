"""Every weakness of the reference has tests that show it absent, and those tests exist."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.named_tests import missing

TESTS = Path(__file__).parent.parent
ON_REAL_PROCESSES = {1, 2, 4, 12, 14, 15, 16}
WEAKNESSES: list[dict[str, Any]] = tomllib.loads((TESTS / "weaknesses.toml").read_text())[
    "weakness"
]


def test_all_eighteen_are_there_once_and_in_order() -> None:
    assert [one["number"] for one in WEAKNESSES] == list(range(1, 19))
    assert all(one["line"].endswith(".") for one in WEAKNESSES)


def test_those_about_processes_are_shown_on_real_ones() -> None:
    for one in WEAKNESSES:
        if one["number"] in ON_REAL_PROCESSES:
            assert one["tests"][0].startswith("tests/daemon/"), one


@pytest.mark.timeout(600)
def test_every_test_that_is_named_exists() -> None:
    assert missing(test for one in WEAKNESSES for test in one["tests"]) == {}
