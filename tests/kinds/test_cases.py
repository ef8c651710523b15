"""Every case from the field has tests, and those tests exist."""

from __future__ import annotations

import tomllib
from pathlib import Path
from typing import Any

import pytest

from tests.named_tests import missing

TESTS = Path(__file__).parent.parent
CASES: list[dict[str, Any]] = tomllib.loads((TESTS / "cases.toml").read_text())["case"]


def test_every_case_is_there_once_and_in_order() -> None:
    assert [one["number"] for one in CASES] == list(range(1, 72))
    assert all(one["line"].endswith(".") for one in CASES)
    assert all(one["tests"] for one in CASES)


@pytest.mark.timeout(600)
def test_every_test_that_is_named_exists() -> None:
    assert missing(test for one in CASES for test in one["tests"]) == {}
