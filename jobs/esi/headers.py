"""Reading what HTTP headers say, strictly and without the machine's locale; pure."""

from __future__ import annotations

import re
from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import lru_cache

# A wait that a server asks for is taken within these bounds.
MIN_WAIT_S = 1
MAX_WAIT_S = 15 * 60
DEFAULT_WAIT_S = 60

_TAG = re.compile(r'(?:W/)?"[\x20\x21\x23-\x7e]*"')
# It becomes a name, in messages and in the database.
_GROUP = re.compile(r"[A-Za-z0-9_-]{1,64}")
_MAX_AGE = re.compile(r"(?:^|,)\s*max-age\s*=\s*\"?(\d{1,10})\"?\s*(?:,|$)", re.IGNORECASE)


# Answers of one second say the same times.
@lru_cache(maxsize=1024)
def http_date(text: str | None) -> datetime | None:
    """Return the time that a header names, aware and in UTC; None where it names none."""
    if not text:
        return None
    try:
        moment = parsedate_to_datetime(text)
        # "-0000" says UTC without a zone; a naive time is taken the same way. The last day of the
        # calendar is beyond it in another zone.
        return moment.replace(tzinfo=UTC) if moment.tzinfo is None else moment.astimezone(UTC)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None


def whole_number(text: str | None) -> int | None:
    """Return the non-negative whole number that a header is, and nothing else is."""
    text = (text or "").strip()
    if not (text.isascii() and text.isdecimal() and len(text) <= 18):
        return None
    return int(text)


def kept(headers: Mapping[str, str], name: str) -> str | None:
    """Return a header that is stored and sent back as it is; None where it is no plain text.

    Bytes that are no UTF-8 come as lone surrogates, which no database takes.
    """
    text = headers.get(name)
    return text if text is not None and text.isascii() else None


def entity_tag(headers: Mapping[str, str]) -> str | None:
    """Return the ETag that can be compared with; None where it is none.

    Sent back, `*` would be the same as whatever there is, and a list as any of several.
    """
    text = (headers.get("ETag") or "").strip()
    return text if _TAG.fullmatch(text) else None


def rate_group(headers: Mapping[str, str]) -> str | None:
    """Return the rate group that an answer names; None where it names none that could be one."""
    text = headers.get("X-Ratelimit-Group", "")
    return text if _GROUP.fullmatch(text) else None


def max_age_s(headers: Mapping[str, str]) -> int | None:
    """Return the max-age of Cache-Control in seconds."""
    found = _MAX_AGE.search(headers.get("Cache-Control", ""))
    return int(found[1]) if found else None


def clamp_wait_s(seconds: float) -> int:
    """Return a wait in whole seconds within the bounds."""
    return int(min(max(seconds, MIN_WAIT_S), MAX_WAIT_S))


def retry_after_s(headers: Mapping[str, str], now: datetime) -> int:
    """Return the wait of Retry-After, as seconds or as a date, within the bounds."""
    text = headers.get("Retry-After", "").strip()
    try:
        return clamp_wait_s(int(text[:18]))
    except ValueError:
        moment = http_date(text)
    if moment is None:
        return DEFAULT_WAIT_S
    # Against the server's own clock where it tells it.
    served_at = http_date(headers.get("Date")) or now
    return clamp_wait_s((moment - served_at).total_seconds())


def error_limit_reset_s(headers: Mapping[str, str]) -> int:
    """Return the seconds until the shared error limit starts anew, within the bounds."""
    seconds = whole_number(headers.get("X-ESI-Error-Limit-Reset"))
    if seconds is None:
        return DEFAULT_WAIT_S
    return clamp_wait_s(seconds)
