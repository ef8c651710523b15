"""What a served route is: its facts from the contract, and a function of the world."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

from simulator.contract import RouteFacts, by_key
from simulator.universe.world import World

Ids = tuple[int, ...]
Look = Callable[[World, Ids, float], object]


@dataclass(frozen=True, slots=True)
class Call:
    """A request that writes, or that asks with a body."""

    ids: Ids
    body: object
    character_id: int
    at_s: float
    query: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Done:
    """What such a request answers; `touched` names the subjects whose data it changed."""

    content: object = None
    touched: tuple[int, ...] = ()
    effect: bool = False


Act = Callable[[World, Call], Done]


@dataclass(frozen=True, slots=True)
class Read:
    """A GET route: `look` gives the whole set, and raises a Refusal for what is not there."""

    path: str
    look: Look
    section: str
    """Name under which the control route tells the same data."""
    of: str = ""
    """Section that lists the things of which this route tells one each."""
    query: tuple[str, ...] = ()
    """Numbers of the query that are asked for like ids of the path, and come after them."""

    @property
    def method(self) -> str:
        """A read is a GET."""
        return "GET"


@dataclass(frozen=True, slots=True)
class Write:
    """A route with a body or an effect."""

    method: str
    path: str
    act: Act


@dataclass(frozen=True, slots=True)
class Served:
    """A row of the table beside the contract's facts about it."""

    row: Read | Write
    facts: RouteFacts
    names: tuple[str, ...]


@dataclass(slots=True)
class _Node:
    words: dict[str, _Node] = field(default_factory=dict)
    anything: _Node | None = None
    routes: dict[str, Served] = field(default_factory=dict)
    known: set[str] = field(default_factory=set)


class RouteTable:
    """Finds the served route of a method and path."""

    def __init__(self, rows: tuple[Read | Write, ...]) -> None:
        self.served: dict[str, Served] = {}
        self._root = _Node()
        for facts in by_key().values():
            self._node(facts.path).known.add(facts.method)
        for row in rows:
            facts = by_key()[f"{row.method} {row.path}"]
            names = tuple(part[1:-1] for part in row.path.split("/") if part.startswith("{"))
            served = self.served[facts.key] = Served(row, facts, names)
            self._node(facts.path).routes[facts.method] = served

    def find(self, path: str) -> tuple[dict[str, Served], set[str], list[str]]:
        """Return the served routes of a path, ESI's methods on it, and the values in it."""
        values: list[str] = []
        node = self._root
        for part in path.strip("/").split("/"):
            step = node.words.get(part)
            if step is None:
                step = node.anything
                if step is None or not part:
                    return {}, set(), []
                values.append(part)
            node = step
        return node.routes, node.known, values

    def _node(self, path: str) -> _Node:
        node = self._root
        for part in path.strip("/").split("/"):
            if part.startswith("{"):
                node.anything = node.anything or _Node()
                node = node.anything
            else:
                node = node.words.setdefault(part, _Node())
        return node
