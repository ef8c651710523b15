"""Lists of ids in the configuration: as TOML has them, and in one line of text.

`[10000002, 10000043]` is `10000002,10000043` in the environment or a flag, and a pair as
`[10000002, 34]` is `10000002:34`.
"""

from __future__ import annotations

import re

MAX_ID = 2**63 - 1
# Digits of MAX_ID.
_ID = re.compile(r"\d{1,19}", re.ASCII)


def ids_of(value: object) -> tuple[int, ...] | None:
    """Return a list's ids, each once; None if it is no list of ids."""
    if not isinstance(value, list | tuple) or not all(_is_id(one) for one in value):
        return None
    return tuple(dict.fromkeys(value))


def pairs_of(value: object) -> tuple[tuple[int, int], ...] | None:
    """Return a list's pairs of ids, each once; None if it is no list of such pairs."""
    if not isinstance(value, list | tuple) or not all(_is_pair(one) for one in value):
        return None
    return tuple(dict.fromkeys((one[0], one[1]) for one in value))


def ids_in(text: str) -> list[int] | None:
    """Return the ids in a line of text; None if it holds anything else."""
    words = [word.strip() for word in text.split(",")] if text.strip() else []
    return [int(word) for word in words] if all(map(_ID.fullmatch, words)) else None


def pairs_in(text: str) -> list[list[int]] | None:
    """Return the pairs of ids in a line of text; None if it holds anything else."""
    words = [word.strip().split(":") for word in text.split(",")] if text.strip() else []
    if not all(len(pair) == 2 and all(map(_ID.fullmatch, pair)) for pair in words):
        return None
    return [[int(one), int(other)] for one, other in words]


def _is_id(value: object) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 < value <= MAX_ID


def _is_pair(value: object) -> bool:
    return isinstance(value, list | tuple) and len(value) == 2 and all(map(_is_id, value))
