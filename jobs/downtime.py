"""The daily downtime: what ESI says during it is no verdict on anything; pure."""

from __future__ import annotations

from datetime import datetime

# In minutes of the day, UTC, with some room.
_MINUTES = range(10 * 60 + 58, 11 * 60 + 20)


def is_downtime(now: datetime) -> bool:
    """Tell whether the daily downtime may be on."""
    return now.hour * 60 + now.minute in _MINUTES
