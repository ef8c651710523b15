"""The words that ESI's contract lists for a field; one that it does not list is kept, and counted.

Words are stored as they come, so a new one costs nothing; but whoever reads them may not know it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterator, Mapping, Sequence
from functools import cache, lru_cache
from importlib.resources import files
from operator import attrgetter
from typing import Any

import msgspec

_log = logging.getLogger(__name__)

# A step of a path that goes through all items of a list.
EACH = "[]"


class Lists(msgspec.Struct, frozen=True):
    """Each list of words once, and by route and path of the field which one it is."""

    lists: tuple[frozenset[str], ...]
    routes: Mapping[str, Mapping[str, int]]


@cache
def lists() -> Lists:
    """Read the lists that ship with the package."""
    return msgspec.json.decode(
        files("jobs.esi").joinpath("vocabulary.json").read_bytes(), type=Lists
    )


@lru_cache(maxsize=512)
def _paths(route: str) -> tuple[tuple[tuple[str, ...], frozenset[str]], ...]:
    known = lists()
    return tuple(
        (tuple(path.split(".")), known.lists[number])
        for path, number in known.routes.get(route, {}).items()
    )


def unknown_words(route: str, value: Any) -> int:
    """Return how many words of a route's answer, as it was decoded, the contract does not list."""
    return sum(_count(route, value, path, known) for path, known in _paths(route))


def _count(route: str, value: Any, path: Sequence[str], known: frozenset[str]) -> int:
    if len(path) == 2 and path[0] == EACH and isinstance(value, list):
        # Most are fields of the rows of a list, of which there may be very many.
        words = _column(value, path[1])
    else:
        words = list(_values(value, path))
    strange = {word for word in set(words) - known if isinstance(word, str)}
    if not strange:
        return 0
    for word in strange:
        _tell_once(route, ".".join(path), word[:100])
    return sum(word in strange for word in words)


def _column(rows: Sequence[Any], name: str) -> list[Any]:
    attribute = _attribute_of(rows[0], name) if rows else None
    return [] if attribute is None else list(map(attrgetter(attribute), rows))


def _values(value: Any, path: Sequence[str]) -> Iterator[Any]:
    if not path:
        yield value
    elif path[0] == EACH:
        for item in value if isinstance(value, list | tuple | set | frozenset) else ():
            yield from _values(item, path[1:])
    else:
        attribute = _attribute_of(value, path[0])
        if attribute is not None:
            yield from _values(getattr(value, attribute), path[1:])


def _attribute_of(value: Any, name: str) -> str | None:
    """Return under which name an answer has a field of ESI's; None: it is not read."""
    kind: Any = type(value)
    return _attribute(kind, name) if isinstance(value, msgspec.Struct) else None


@cache
def _attribute(kind: type[msgspec.Struct], name: str) -> str | None:
    return next((f.name for f in msgspec.structs.fields(kind) if f.encode_name == name), None)


@lru_cache(maxsize=1024)
def _tell_once(route: str, path: str, word: str) -> None:
    """Have the log tell of a new word once in the life of a worker."""
    _log.info("%s: %r is not among the words that ESI's contract lists for %s", route, word, path)
