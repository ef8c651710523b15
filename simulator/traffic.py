"""What the simulated EVE was asked, and what it was made to change."""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Mapping
from dataclasses import dataclass, fields

KEPT = 5_000
_SECRET = frozenset({"authorization", "cookie"})


@dataclass(frozen=True, slots=True)
class Asked:
    """One request and the status of its answer; 0 where no answer was begun."""

    at_s: float
    service: str
    method: str
    path: str
    query: str
    route: str
    status: int
    character_id: int | None
    headers: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Effect:
    """A write that took effect."""

    number: int
    at_s: float
    route: str
    path: str
    character_id: int
    body: object
    result: object


class Traffic:
    """Counters over all requests, the latest of them in full, and every effect."""

    def __init__(self) -> None:
        self.effects: list[Effect] = []
        self.in_flight = 0
        self.most_in_flight = 0
        self._counts: Counter[tuple[str, str, int]] = Counter()
        self._latest: deque[Asked] = deque(maxlen=KEPT)
        self._resets = 0

    def begin(self) -> int:
        """Count a request that has arrived; return the count that its end belongs to."""
        self.in_flight += 1
        self.most_in_flight = max(self.most_in_flight, self.in_flight)
        return self._resets

    def end(self, asked: Asked, count: int) -> None:
        """Count a request that has been answered or cut off, if it came after the last reset."""
        self.in_flight -= 1
        if count != self._resets:
            return
        self._counts[asked.service, asked.route, asked.status] += 1
        self._latest.append(asked)

    def reset(self) -> None:
        """Forget all that was counted; effects included."""
        self._resets += 1
        self._counts.clear()
        self._latest.clear()
        self.effects.clear()
        self.most_in_flight = self.in_flight

    def report(self, last: int) -> dict[str, object]:
        """Return counts by service, route and status, and the latest requests."""
        counts: dict[str, dict[str, dict[str, int]]] = {"esi": {}, "sso": {}, "images": {}}
        for (service, route, status), number in sorted(self._counts.items()):
            counts.setdefault(service, {}).setdefault(route, {})[str(status)] = number
        latest = list(self._latest)[-last:] if last else []
        return {
            "total": sum(self._counts.values()),
            "most_in_flight": self.most_in_flight,
            "counts": counts,
            "last": [_told(asked) for asked in latest],
        }


def _told(asked: Asked) -> dict[str, object]:
    row = {field.name: getattr(asked, field.name) for field in fields(asked)}
    return {**row, "headers": _redacted(asked.headers)}


def _redacted(headers: Mapping[str, str]) -> dict[str, str]:
    return {
        name: "(redacted)" if name.lower() in _SECRET else value for name, value in headers.items()
    }
