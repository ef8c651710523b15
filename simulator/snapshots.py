"""Cached answers: what ESI shows of the universe is as old as its caches.

The answers of a route for one subject change together, at the borders of windows as long as the
route's cache age. `Last-Modified` and `ETag` change only where the data did.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from hashlib import blake2b

import msgspec

from simulator.clock import SimulatedClock
from simulator.universe.draw import ORDER

_encode = msgspec.json.Encoder().encode
_decode = msgspec.json.Decoder().decode
VARIANTS = 64
Key = tuple[str, tuple[int, ...]]


@dataclass(frozen=True, slots=True)
class Page:
    """The body of one answer and its entity tag."""

    body: bytes
    etag: str


@dataclass(frozen=True, slots=True)
class Line:
    """One row of a set that is paged by ids, ready to be put into an answer."""

    row_id: int
    labels: frozenset[int]
    body: bytes


@dataclass(slots=True)
class Snapshot:
    """All pages of a set as they stood at one moment of the universe."""

    taken_s: float
    window_end_s: float | None
    fresh_until_s: float
    last_modified_s: int
    pages: list[Page]
    lines: list[Line] = field(default_factory=list)
    variants: dict[tuple[int, str], Page] = field(default_factory=dict)
    dirty: bool = False

    def content(self) -> object:
        """Return the whole set, decoded from what the answers are made of."""
        if self.lines:
            return [_decode(line.body) for line in self.lines]
        if len(self.pages) == 1:
            return _decode(self.pages[0].body)
        return [row for page in self.pages for row in _decode(page.body)]

    def variant(self, key: tuple[int, str], choose: Callable[[], list[Line]]) -> Page:
        """Return the answer for some of the rows, made once for each question."""
        return self.made(key, lambda: joined(choose()))

    def made(self, key: tuple[int, str], make: Callable[[], bytes]) -> Page:
        """Return the answer to a question, its body made once."""
        page = self.variants.get(key)
        if page is None:
            if len(self.variants) >= VARIANTS:
                self.variants.clear()
            page = self.variants[key] = _tagged(make())
        return page


def make_page(content: object) -> Page:
    """Encode a body and give it its tag."""
    return _tagged(_encode(content))


def joined(lines: list[Line]) -> bytes:
    """Return rows as one list."""
    return b"[" + b",".join(line.body for line in lines) + b"]"


def _tagged(body: bytes) -> Page:
    return Page(body, f'"{blake2b(body, digest_size=16).hexdigest()}"')


class Snapshots:
    """The cached sets of every route and subject."""

    def __init__(self, clock: SimulatedClock, scale: float, start_s: int) -> None:
        self._clock = clock
        self._scale = scale
        self._start_s = start_s
        self._kept: dict[Key, Snapshot] = {}
        self._of_subject: dict[int, list[Key]] = {}

    def take(
        self,
        key: Key,
        age_s: int | None,
        page_size: int | None,
        look: Callable[[float], object],
        *,
        id_field: str | None = None,
    ) -> Snapshot:
        """Return the set as it is shown now; `look` tells what the universe holds at a moment."""
        kept = self._kept.get(key)
        now_s = self._clock.now_s()
        if kept is not None and self._holds(kept, now_s):
            return kept
        begin_s, end_s = self._window(key, age_s, now_s)
        at_s = now_s if kept is not None and kept.dirty else begin_s
        content = look(at_s)
        lines: list[Line] = []
        if id_field is not None and isinstance(content, list):
            lines = [_line(row, id_field) for row in content]
            # The whole is kept as its lines only; its tag tells whether it has changed.
            pages = [Page(b"[]", _tagged(joined(lines)).etag)]
        else:
            pages = _paged(content, page_size)
        modified_s = self._start_s
        if kept is not None:
            modified_s = kept.last_modified_s
            if [page.etag for page in pages] != [page.etag for page in kept.pages]:
                modified_s = max(modified_s + 1, int(at_s))
        fresh_until_s = self._clock.steady_s()
        if end_s is not None:
            fresh_until_s += (end_s - now_s) / self._clock.speed
        made = Snapshot(at_s, end_s, fresh_until_s, modified_s, pages, lines)
        if kept is None and key[1]:
            self._of_subject.setdefault(key[1][0], []).append(key)
        self._kept[key] = made
        return made

    def expires_in_s(self, snapshot: Snapshot, now_s: float) -> float | None:
        """Return how many seconds of the client's time an answer stays as it is from now on."""
        if snapshot.window_end_s is None:
            return None
        return max(0.0, (snapshot.window_end_s - now_s) / self._clock.speed)

    def soil(self, subject_id: int) -> None:
        """Note that a write changed a subject's data: shown once the caches have run out.

        That holds by the client's time, so that a stopped universe shows its writes too.
        """
        for key in self._of_subject.get(subject_id, ()):
            self._kept[key].dirty = True

    def _holds(self, kept: Snapshot, now_s: float) -> bool:
        if kept.dirty and self._clock.steady_s() >= kept.fresh_until_s:
            return False
        return kept.window_end_s is None or now_s < kept.window_end_s

    def _window(self, key: Key, age_s: int | None, now_s: float) -> tuple[float, float | None]:
        if age_s is None:
            return now_s, None
        length_s = age_s * self._scale
        if length_s <= 0:
            return now_s, now_s
        digest = blake2b(repr(key).encode(), digest_size=4).digest()
        phase_s = int.from_bytes(digest, "big") / 2**32 * length_s
        begin_s = now_s - (now_s - phase_s) % length_s
        return begin_s, begin_s + length_s


def _paged(content: object, page_size: int | None) -> list[Page]:
    if page_size is None or not isinstance(content, list):
        return [make_page(content)]
    starts = range(0, max(1, len(content)), page_size)
    return [make_page(content[start : start + page_size]) for start in starts]


def _line(row: dict[str, object], id_field: str) -> Line:
    row_id, labels = row[id_field], row.get("labels", ())
    if not isinstance(row_id, int) or not isinstance(labels, list | tuple):
        raise TypeError(f"a row without {id_field}")
    told = {name: value for name, value in row.items() if name != ORDER}
    return Line(row_id, frozenset(labels), _encode(told))
