"""Due times are spread a little, so that jobs that ended together do not stay together; pure."""

from __future__ import annotations

from typing import Final

from engine.policy import Announce, Decision

SUCCESS_SHARE: Final = 0.05
FAILURE_SHARE: Final = 0.2
LONGEST_S: Final = 30.0


def jitter_s(decision: Decision, fraction: float) -> float:
    """Return what is added to a job's wait; fraction: drawn from 0 to 1.

    Never taken away: an interval, an expiry and a server's word are the least to wait. What a
    server named is kept to the second.
    """
    if decision.success:
        share = SUCCESS_SHARE
    elif decision.announce is Announce.FAILED:
        share = FAILURE_SHARE
    else:
        return 0.0
    return fraction * min(LONGEST_S, share * decision.delay_s)
