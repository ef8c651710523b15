"""Sets of words (scopes, roles) as one column of text: sorted, apart by a space."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

from ipc.plain_text import plain


def text_of_words(words: Iterable[str]) -> str:
    """Return a set of words as it is stored."""
    return " ".join(sorted(set(map(plain, words))))


# Most credentials grant the same.
@lru_cache(maxsize=64)
def words_of_text(text: str) -> frozenset[str]:
    """Return the set of words that was stored."""
    return frozenset(text.split())
