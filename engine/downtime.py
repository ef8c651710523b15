"""Whether ESI is down, as its own answers tell; pure.

A run of 5xx from different routes, with no proper answer between them, shuts a gate: jobs wait
instead of failing. One job at a time then finds out whether ESI is back. The gate opens by itself
after a while, whatever happens: if ESI is still down, a few answers shut it again.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

STATUS_KIND: Final = "global.server_status"
STATUS_ROUTE: Final = "GET /status"
# So many different routes in trouble are ESI's trouble; with the status route among them, fewer.
ROUTES: Final = 3
ROUTES_WITH_STATUS: Final = 2
# Trouble that lies further apart is no run.
RUN_S: Final = 120.0
FIRST_PROBE_S: Final = 10.0
LONGEST_PROBE_S: Final = 60.0
LONGEST_SHUT_S: Final = 15 * 60.0
# What ESI says so soon after it came back is not taken for a verdict either.
DOUBT_S: Final = 10 * 60.0


class Downtime:
    """The gate, and what was heard lately."""

    def __init__(self) -> None:
        """Start open."""
        self._run: dict[str, float] = {}
        self._shut_since_s: float | None = None
        self._probe_s = FIRST_PROBE_S
        self._next_probe_s = 0.0
        self.doubt_until_s = float("-inf")

    # --- what is heard ---

    def hear(self, troubled: Sequence[str], *, answered: bool, now_s: float) -> bool:
        """Take in what a job met: routes that answered 5xx, and whether another was answered.

        Returns True when that shut the gate.
        """
        if not troubled:
            if answered:
                self._run.clear()
            return False
        if answered:
            # ESI is there; what fails is these routes' own trouble.
            self._run.clear()
            return False
        run = {route: at_s for route, at_s in self._run.items() if now_s - at_s < RUN_S}
        run.update(dict.fromkeys(troubled, now_s))
        self._run = run
        enough = ROUTES_WITH_STATUS if STATUS_ROUTE in run else ROUTES
        if self.is_shut(now_s) or len(run) < enough:
            return False
        self._shut_since_s = now_s
        self._probe_s = FIRST_PROBE_S
        self._next_probe_s = now_s + FIRST_PROBE_S
        self.doubt_until_s = now_s + LONGEST_SHUT_S + DOUBT_S
        return True

    def probed(self, *, well: bool, now_s: float) -> bool:
        """Take in the end of a job that was to find out; True when that opened the gate."""
        if not self.is_shut(now_s):
            return False
        if not well:
            self._probe_s = min(2 * self._probe_s, LONGEST_PROBE_S)
            self._next_probe_s = now_s + self._probe_s
            return False
        self._shut_since_s = None
        self._run.clear()
        self.doubt_until_s = now_s + DOUBT_S
        return True

    # --- the gate ---

    def is_shut(self, now_s: float) -> bool:
        """Tell whether jobs wait for ESI to come back."""
        if self._shut_since_s is None:
            return False
        if now_s < self._shut_since_s + LONGEST_SHUT_S:
            return True
        self._shut_since_s = None
        self._run.clear()
        return False

    def shut_for_s(self, now_s: float) -> float | None:
        """Return how long the gate has been shut; None while it is open."""
        since_s = self._shut_since_s
        return now_s - since_s if since_s is not None and self.is_shut(now_s) else None

    @property
    def next_probe_s(self) -> float:
        """Return when it is to be found out again."""
        return self._next_probe_s

    @property
    def next_look_s(self) -> float:
        """Return when something is to be done about a gate that is shut."""
        ends_s = (self._shut_since_s or 0.0) + LONGEST_SHUT_S
        return min(self._next_probe_s, ends_s)

    def begin_probe(self, now_s: float) -> bool:
        """Tell whether a job may leave now to find out; one does until it ends, or is late."""
        if not self.is_shut(now_s) or now_s < self._next_probe_s:
            return False
        self._next_probe_s = now_s + LONGEST_PROBE_S * 2
        return True
