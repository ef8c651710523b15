"""Questions and answers as values, so that what is answered can be decided without a socket."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import msgspec

JSON_TYPE = "application/json; charset=utf-8"
UNKNOWN_ROUTE = "(unknown)"


@dataclass(frozen=True, slots=True)
class Question:
    """A request to one of the services; the path without the service's prefix."""

    method: str
    path: str
    query: Mapping[str, str]
    headers: Mapping[str, str]
    body: bytes
    source: str


@dataclass(slots=True)
class Answer:
    """A response, and what the traffic log wants to know of it."""

    status: int
    body: bytes = b""
    headers: dict[str, str] = field(default_factory=dict)
    route: str = UNKNOWN_ROUTE
    character_id: int | None = None


def json_answer(status: int, content: object, route: str = UNKNOWN_ROUTE) -> Answer:
    """Return an answer with a JSON body."""
    body = msgspec.json.encode(content)
    return Answer(status, body, {"Content-Type": JSON_TYPE}, route)


def error_body(message: str) -> bytes:
    """Return a body as ESI puts its errors."""
    return msgspec.json.encode({"error": message})
