"""Faults on order: any status, body, header, delay or cut, on any route, so many times."""

from __future__ import annotations

import re
from typing import Literal

import msgspec

Service = Literal["esi", "sso", "images", "zkillboard"]
Cut = Literal["before_headers", "mid_body", "after_body_no_close"]


class FaultRule(msgspec.Struct, frozen=True, kw_only=True, forbid_unknown_fields=True):
    """One fault and the requests that it meets."""

    path: str = ".*"
    """Regular expression that the whole path must match, without the service's prefix."""
    method: str = "*"
    service: Service = "esi"
    query: str | None = None
    """Regular expression to be found in the query string."""
    status: int | None = None
    headers: dict[str, str] = msgspec.field(default_factory=dict)
    """Headers to set in the answer; an empty value removes one."""
    body: str | None = None
    delay_s: float = 0.0
    cut: Cut | None = None
    apply: bool = False
    """True: the request takes effect first, and only its answer is spoilt."""
    after: int = 0
    """So many matching requests pass unharmed first."""
    times: int | None = None
    """So many requests are met; all of them when absent."""
    hold_s: float = 30.0
    """How long a connection without an end is held open."""


class Fault:
    """A rule in force, with what it has met so far."""

    def __init__(self, number: int, rule: FaultRule) -> None:
        self.number = number
        self.rule = rule
        self.seen = 0
        self.met = 0
        self._path = re.compile(rule.path)
        self._query = re.compile(rule.query) if rule.query is not None else None

    def meets(self, service: Service, method: str, path: str, query: str) -> bool:
        """Tell whether a request is met by this fault, and count it."""
        rule = self.rule
        if rule.service != service or rule.method not in ("*", method):
            return False
        if self._query is not None and not self._query.search(query):
            return False
        if not self._path.fullmatch(path):
            return False
        if rule.times is not None and self.met >= rule.times:
            return False
        self.seen += 1
        if self.seen <= rule.after:
            return False
        self.met += 1
        return True


class FaultBook:
    """All rules in force; the first that meets a request decides."""

    def __init__(self) -> None:
        self._faults: list[Fault] = []
        self._count = 0

    def add(self, rule: FaultRule) -> int:
        """Put a rule into force and return its number."""
        try:
            fault = Fault(self._count + 1, rule)
        except re.error as wrong:
            raise ValueError(f"not a regular expression: {wrong}") from wrong
        self._count += 1
        self._faults.append(fault)
        return self._count

    def remove(self, number: int | None = None) -> None:
        """Take one rule out of force, or all."""
        self._faults = [f for f in self._faults if number is not None and f.number != number]

    def find(self, service: Service, method: str, path: str, query: str) -> FaultRule | None:
        """Return the rule that meets a request."""
        for fault in self._faults:
            if fault.meets(service, method, path, query):
                return fault.rule
        return None

    def listing(self) -> list[dict[str, object]]:
        """Return the rules in force with what they have met."""
        return [
            {"id": f.number, "seen": f.seen, "met": f.met, "rule": msgspec.to_builtins(f.rule)}
            for f in self._faults
        ]

    def __bool__(self) -> bool:
        return bool(self._faults)
