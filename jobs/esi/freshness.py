"""Until when an answer cannot have changed; pure."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

from jobs.esi.headers import http_date, max_age_s

# An answer that says it has expired already is not asked again at once.
FLOOR = timedelta(seconds=60)
# The longest cache age of the contract; what claims more is not believed.
CEILING = timedelta(days=30)
# When the daily downtime is over, static data may have changed. UTC.
_DAILY_HOUR, _DAILY_MINUTE = 11, 5


def next_daily(now: datetime) -> datetime:
    """Return the next time that routes without a cache age may change."""
    today = now.replace(hour=_DAILY_HOUR, minute=_DAILY_MINUTE, second=0, microsecond=0)
    return today if today > now else today + timedelta(days=1)


def fresh_until(headers: Mapping[str, str], cache_age_s: int | None, now: datetime) -> datetime:
    """Return when the answer with these headers expires, by our own clock.

    Expires is read against Date, so that a clock that is wrong here does no harm. Then follow
    max-age, the age in the contract, and the next end of the daily downtime.
    """
    expires = headers.get("Expires")
    if expires is not None:
        moment = http_date(expires)
        if moment is None:
            # By the standard, an unreadable Expires has passed.
            return now + FLOOR
        return now + _bounded(moment - (http_date(headers.get("Date")) or now))
    age_s = max_age_s(headers)
    if age_s is None:
        age_s = cache_age_s
    if age_s is None:
        return next_daily(now)
    return now + _bounded(timedelta(seconds=age_s))


def _bounded(age: timedelta) -> timedelta:
    if age <= timedelta(0):
        return FLOOR
    return min(age, CEILING)
