"""Stored times against our clock.

One that is later than it can be was stored while the clock was ahead, and must not hold anything
up until then: what is to come is over, and what has happened did so at an unknown time.
"""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

from sqlalchemy import BindParameter, ColumnElement, and_, or_

Moment = datetime | BindParameter[datetime]


def is_to_come(column: Any, now: Moment, latest: Moment) -> ColumnElement[bool]:
    """Return whether what lasts until a time lasts still; latest: none ends later."""
    return and_(column > now, column <= latest)


def is_due(column: Any, now: datetime, longest: timedelta) -> ColumnElement[bool]:
    """Return whether a time has come; longest: none was ever set further ahead."""
    return or_(column <= now, column > now + longest)


def is_past(column: Any, since: Moment, now: Moment) -> ColumnElement[bool]:
    """Return whether something happened after a time."""
    return and_(column > since, column <= now)


def is_old(column: Any, now: datetime, age: timedelta) -> ColumnElement[bool]:
    """Return whether something happened so long ago, or nobody can tell when."""
    return or_(column <= now - age, column > now)


def happened(time: datetime | None, now: datetime) -> datetime | None:
    """Return when something happened; None where nobody can tell."""
    return None if time is None or time > now else time
