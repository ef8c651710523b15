"""Keys for rows that ESI gives no id: all that they say, and how often it was said before."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator
from hashlib import blake2b

import msgspec

from jobs.spec import Row

_encode = msgspec.json.Encoder(order="sorted").encode


def numbered(rows: Iterable[Row]) -> Iterator[Row]:
    """Yield the rows with `digest` of all their values and `occurrence` among those alike."""
    seen: Counter[str] = Counter()
    for row in rows:
        digest = blake2b(_encode(row), digest_size=16).hexdigest()
        yield {**row, "digest": digest, "occurrence": seen[digest]}
        seen[digest] += 1
