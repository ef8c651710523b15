"""How often a kind runs, as configured; pure.

An interval is a floor: no route is asked before what it last said can have changed.
"""

from __future__ import annotations

from ipc.settings import Settings
from jobs.spec import Kind

# Not even the most volatile route is asked more often than that.
LEAST_S = 5.0


def every_s(kind: Kind, settings: Settings) -> float:
    """Return the seconds between two runs: the kind's own setting, else as the profile has it."""
    own = settings.intervals.get(kind.name)
    if own is not None:
        return float(own)
    return eager_s(kind) if settings.profile == "eager" else kind.every.total_seconds()


def eager_s(kind: Kind) -> float:
    """Return the seconds after which the first of a kind's routes can have changed.

    Details that a part fetches once do not count, nor do routes of which the contract says nothing.
    """
    standard_s = kind.every.total_seconds()
    ages = [part.route.cache_age_s for part in kind.parts if part.route is not None]
    known = [float(age) for age in ages if age]
    return min(standard_s, max(LEAST_S, min(known))) if known else standard_s
