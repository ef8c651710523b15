"""Windows in which a structure can be attacked or robbed, as ESI writes them."""

from __future__ import annotations

from datetime import datetime

from jobs.spec import Row, Wire


class Window(Wire, frozen=True):
    """From when until when."""

    start: datetime
    end: datetime


def window_columns(window: Window | None) -> Row:
    """Return the two columns of a window, or of none."""
    return {
        "vulnerable_from": window.start if window else None,
        "vulnerable_until": window.end if window else None,
    }
