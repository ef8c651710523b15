"""Durations, counts and times in few characters."""

from __future__ import annotations

from datetime import datetime

_MINUTE = 60
_HOUR = 60 * _MINUTE
_DAY = 24 * _HOUR
_KILO = 1000


def duration(seconds: float) -> str:
    """Return a duration in at most two units, as `4s`, `3m12s`, `5h02m` or `2d03h`."""
    whole = max(0, int(seconds))
    if whole < _MINUTE:
        return f"{whole}s"
    if whole < _HOUR:
        return f"{whole // _MINUTE}m{whole % _MINUTE:02d}s"
    if whole < _DAY:
        return f"{whole // _HOUR}h{whole % _HOUR // _MINUTE:02d}m"
    return f"{whole // _DAY}d{whole % _DAY // _HOUR:02d}h"


def instant(moment: datetime) -> str:
    """Return a time as programs read it, and as databases hold it: `2026-11-30T12:00:00.000Z`."""
    return moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")


def instant_or_none(moment: datetime | None) -> str | None:
    """Return a time as programs read it; None if there is none."""
    return None if moment is None else instant(moment)


def ago(moment: datetime | None, now: datetime) -> str:
    """Return how long ago a moment was, or a dash if there was none."""
    return "-" if moment is None else f"{duration((now - moment).total_seconds())} ago"


def until(moment: datetime | None, now: datetime) -> str:
    """Return how long until a moment, `now` if it is past, or a dash if there is none."""
    if moment is None:
        return "-"
    left_s = (moment - now).total_seconds()
    return "now" if left_s <= 0 else f"in {duration(left_s)}"


def count(number: int, one: str, many: str = "") -> str:
    """Return a number with its noun, as `1 job` or `1,204 jobs`."""
    return f"{number:,} {one if number == 1 else many or one + 's'}"


def room(size_bytes: int | None) -> str:
    """Return a size in bytes, kB, MB, GB or TB; a dash if it is not known."""
    if size_bytes is None:
        return "-"
    if size_bytes < _KILO:
        return f"{size_bytes} B"
    size = float(size_bytes)
    for unit in ("kB", "MB", "GB"):
        size /= _KILO
        if round(size, 1) < _KILO:
            return f"{size:.1f} {unit}"
    return f"{size / _KILO:.1f} TB"
