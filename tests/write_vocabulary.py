"""Writes jobs/esi/vocabulary.json from the contract: `python -m tests.write_vocabulary`."""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from simulator.contract import load

PATH = Path(__file__).parents[1] / "jobs" / "esi" / "vocabulary.json"
DEEPEST = 8


def words_in(
    schema: Mapping[str, Any], path: tuple[str, ...] = ()
) -> Iterator[tuple[str, tuple[str, ...]]]:
    """Yield the path and the words of each field for which a schema lists them."""
    if "$ref" in schema:
        found: Any = load().schemas[str(schema["$ref"]).rpartition("/")[2]]
        yield from words_in(found, path)
        return
    if len(path) > DEEPEST:
        return
    words = [word for word in schema.get("enum", ()) if isinstance(word, str)]
    if words:
        yield ".".join(path), tuple(sorted(words))
    for way in ("oneOf", "anyOf", "allOf"):
        for one in schema.get(way, ()):
            yield from words_in(one, path)
    if isinstance(schema.get("items"), Mapping):
        yield from words_in(schema["items"], (*path, "[]"))
    for name, field in schema.get("properties", {}).items():
        yield from words_in(field, (*path, name))


def text() -> str:
    """Return the file as it should be."""
    lists: dict[tuple[str, ...], int] = {}
    routes: dict[str, dict[str, int]] = {}
    for route in load().routes:
        if route.method == "GET" and route.response is not None:
            found = {path: lists.setdefault(w, len(lists)) for path, w in words_in(route.response)}
            if found:
                routes[route.key] = found
    lines = [f"    {json.dumps(words)}" for words in lists]
    listed = ",\n".join(lines)
    told = ",\n".join(f"    {json.dumps(name)}: {json.dumps(of)}" for name, of in routes.items())
    return f'{{\n  "lists": [\n{listed}\n  ],\n  "routes": {{\n{told}\n  }}\n}}\n'


if __name__ == "__main__":
    PATH.write_text(text(), encoding="utf-8")
