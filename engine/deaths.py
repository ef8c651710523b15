"""How fast dead workers may be replaced, and when the scheduler gives up; pure."""

from __future__ import annotations

from collections import deque
from collections.abc import Collection
from dataclasses import dataclass

# Deaths within this, from the third on, are answered with a wait.
CALM_S = 10.0
FREE_DEATHS = 2
BASE_S = 0.25
CAP_S = 10.0
# So many within this that nothing explains, and something is wrong with the machine.
WINDOW_S = 60.0
TOO_MANY = 10


@dataclass(slots=True)
class _Death:
    at_s: float
    jobs: frozenset[int]


class Deaths:
    """The workers' deaths of the last minute."""

    def __init__(self) -> None:
        """Start without deaths."""
        self._recent: deque[_Death] = deque()

    def record(self, now_s: float, jobs: Collection[int] = ()) -> float:
        """Note a death that took these jobs along; return the wait before the replacement."""
        self._forget(now_s)
        self._recent.append(_Death(now_s, frozenset(jobs)))
        close = sum(death.at_s > now_s - CALM_S for death in self._recent)
        if close <= FREE_DEATHS:
            return 0.0
        return min(CAP_S, BASE_S * 2.0 ** min(close - FREE_DEATHS - 1, 10))

    def explain(self, jobs: Collection[int]) -> None:
        """Forget the deaths that took these jobs along: their culprit is parked."""
        known = frozenset(jobs)
        self._recent = deque(death for death in self._recent if not death.jobs & known)

    def are_too_many(self, now_s: float) -> bool:
        """Tell whether workers die faster than anything explains."""
        self._forget(now_s)
        return len(self._recent) >= TOO_MANY

    def _forget(self, now_s: float) -> None:
        while self._recent and self._recent[0].at_s <= now_s - WINDOW_S:
            self._recent.popleft()
