"""The facts of ESI's contract that the simulator enforces, read from its own copy."""

from __future__ import annotations

from functools import lru_cache
from importlib.resources import files
from typing import Literal

import msgspec

Json = dict[str, object]
Paging = Literal["x-pages", "from_id", "last_mail_id", "from_event", "cursor"]


class Rate(msgspec.Struct, frozen=True):
    """A rate group: so many tokens, each given back one window after it was spent."""

    group: str
    tokens: int
    window_s: int


class RouteFacts(msgspec.Struct, frozen=True):
    """What the contract says about one method of one path."""

    method: str
    path: str
    compatibility_date: str
    status: int
    required_headers: tuple[str, ...]
    headers: tuple[str, ...]
    query: Json = msgspec.field(default_factory=dict)
    scope: str | None = None
    roles: tuple[str, ...] = ()
    cache_age_s: int | None = None
    rate: Rate | None = None
    paging: Paging | None = None
    body: Json | None = None
    response: Json | None = None

    @property
    def key(self) -> str:
        """Method and path template, the name of the route in tables and counters."""
        return f"{self.method} {self.path}"


class Contract(msgspec.Struct, frozen=True):
    """The whole contract: every route, and the schemas that the routes refer to."""

    routes: tuple[RouteFacts, ...]
    schemas: Json
    error: Json

    def scopes(self) -> tuple[str, ...]:
        """Return every scope that a route of the contract asks for."""
        return tuple(sorted({route.scope for route in self.routes if route.scope}))

    def roles(self) -> tuple[str, ...]:
        """Return every corporation role that a route of the contract asks for."""
        return tuple(sorted({role for route in self.routes for role in route.roles}))

    def schema(self, schema: Json) -> Json:
        """Return a schema that stands alone, with the definitions it may refer to."""
        return {**schema, "schemas": self.schemas}


@lru_cache(maxsize=1)
def load() -> Contract:
    """Read the contract that ships with the package."""
    text = files("simulator").joinpath("contract.json").read_bytes()
    return msgspec.json.decode(text, type=Contract)


@lru_cache(maxsize=1)
def by_key() -> dict[str, RouteFacts]:
    """Return the routes of the shipped contract by method and path template."""
    return {route.key: route for route in load().routes}
