"""Until when an answer cannot have changed."""

from __future__ import annotations

from datetime import UTC, datetime, timedelta
from email.utils import format_datetime

import pytest

from jobs.esi.freshness import CEILING, FLOOR, fresh_until, next_daily

NOW = datetime(2026, 11, 30, 12, 0, tzinfo=UTC)


def _http(moment: datetime) -> str:
    return format_datetime(moment, usegmt=True)


def _until(age: timedelta | None = None, cache_age_s: int | None = None, **more: str) -> datetime:
    headers = {name.replace("_", "-"): value for name, value in more.items()}
    if age is not None:
        headers["Date"], headers["Expires"] = _http(NOW), _http(NOW + age)
    return fresh_until(headers, cache_age_s, NOW)


def test_expires_is_read_against_the_servers_own_clock() -> None:
    ahead = NOW + timedelta(hours=5)

    assert _until(Date=_http(ahead), Expires=_http(ahead + timedelta(seconds=90))) == (
        NOW + timedelta(seconds=90)
    )


def test_expires_without_date_is_read_against_ours() -> None:
    assert _until(Expires=_http(NOW + timedelta(seconds=90))) == NOW + timedelta(seconds=90)


@pytest.mark.parametrize("age", [timedelta(0), timedelta(seconds=-10), timedelta(days=-400)])
def test_what_has_expired_already_has_a_floor(age: timedelta) -> None:
    assert _until(age) == NOW + FLOOR


@pytest.mark.parametrize("text", ["0", "-1", "garbage", "Fri, 31 Dec 9999 23:59:59 -0100"])
def test_an_unreadable_expires_has_passed(text: str) -> None:
    assert _until(Expires=text, Cache_Control="max-age=500") == NOW + FLOOR


def test_a_far_expires_is_not_believed() -> None:
    assert _until(timedelta(days=4000)) == NOW + CEILING
    last_day = "Fri, 31 Dec 9999 23:59:59 GMT"
    assert _until(Expires=last_day, Date="Mon, 01 Jan 0001 00:00:00 +0100") == NOW + CEILING


def test_then_follow_max_age_and_the_age_of_the_contract() -> None:
    assert _until(Cache_Control="max-age=500", cache_age_s=77) == NOW + timedelta(seconds=500)
    assert _until(cache_age_s=77) == NOW + timedelta(seconds=77)
    assert _until(Cache_Control="max-age=0") == NOW + FLOOR
    assert _until(cache_age_s=0) == NOW + FLOOR


@pytest.mark.parametrize(
    ("now", "then"),
    [
        (datetime(2026, 11, 30, 11, 4, 59, tzinfo=UTC), datetime(2026, 11, 30, 11, 5, tzinfo=UTC)),
        (datetime(2026, 11, 30, 11, 5, tzinfo=UTC), datetime(2026, 12, 1, 11, 5, tzinfo=UTC)),
        (datetime(2026, 12, 31, 23, 0, tzinfo=UTC), datetime(2027, 1, 1, 11, 5, tzinfo=UTC)),
    ],
)
def test_without_any_the_end_of_the_next_downtime(now: datetime, then: datetime) -> None:
    assert fresh_until({}, None, now) == next_daily(now) == then
