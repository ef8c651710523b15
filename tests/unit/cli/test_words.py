from __future__ import annotations

from datetime import UTC, datetime, timedelta

import pytest

from cli.words import ago, count, duration, until

NOW = datetime(2026, 6, 9, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("seconds", "expected"),
    [
        (-3, "0s"),
        (0, "0s"),
        (59.9, "59s"),
        (60, "1m00s"),
        (3599, "59m59s"),
        (3600, "1h00m"),
        (86399, "23h59m"),
        (86400, "1d00h"),
        (190_000, "2d04h"),
    ],
)
def test_duration(seconds: float, expected: str) -> None:
    assert duration(seconds) == expected


def test_ago_and_until() -> None:
    assert ago(None, NOW) == until(None, NOW) == "-"
    assert ago(NOW - timedelta(seconds=5), NOW) == "5s ago"
    assert until(NOW + timedelta(minutes=2), NOW) == "in 2m00s"
    assert until(NOW - timedelta(minutes=2), NOW) == "now"


def test_count() -> None:
    assert [count(n, "job") for n in (0, 1, 1204)] == ["0 jobs", "1 job", "1,204 jobs"]
    assert count(2, "job fails", "jobs fail") == "2 jobs fail"
