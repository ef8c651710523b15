"""Repeatable chance: the same seed and the same words always draw the same numbers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import TypeVar

Row = dict[str, object]
T = TypeVar("T")
# Where a row of a list by cursor stands; it is not told.
ORDER = "_order"

_MASK = 2**64 - 1


class Luck:
    """A stream of numbers (splitmix64); made in a tenth of the time that `random.Random` takes."""

    __slots__ = ("_state",)

    def __init__(self, state: int) -> None:
        self._state = state

    def _next(self) -> int:
        self._state = state = (self._state + 0x9E3779B97F4A7C15) & _MASK
        state = ((state ^ (state >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
        state = ((state ^ (state >> 27)) * 0x94D049BB133111EB) & _MASK
        return state ^ (state >> 31)

    def random(self) -> float:
        """Draw from 0 up to 1."""
        return (self._next() >> 11) / 2**53

    def uniform(self, least: float, most: float) -> float:
        """Draw from a range of numbers."""
        return least + (most - least) * self.random()

    def randrange(self, first: int, end: int | None = None) -> int:
        """Draw a whole number as `range` takes its arguments."""
        if end is None:
            return self._next() % first
        return first + self._next() % (end - first)

    def choice(self, among: Sequence[T]) -> T:
        """Draw one."""
        return among[self._next() % len(among)]

    def sample(self, among: Sequence[T], count: int) -> list[T]:
        """Draw several, none of them twice."""
        left = list(among)
        return [left.pop(self._next() % len(left)) for _ in range(count)]


def _hashed(*words: int | str) -> int:
    text = "\0".join(map(str, words))
    return int.from_bytes(blake2b(text.encode(), digest_size=8).digest(), "big")


def draw(seed: int, *words: int | str) -> Luck:
    """Return a source of numbers that depends on nothing but its arguments."""
    return Luck(_hashed(seed, *words))


@dataclass(frozen=True, slots=True)
class Beat:
    """A series of moments: sparse in the past before the start, denser from then on.

    Beat `k` lies in a slot of its own, at a drawn second of it, so that the series can be
    entered anywhere and always gives the same moments.
    """

    seed: int
    name: str
    start_s: int
    past: int
    past_period_s: int
    live_period_s: int

    def at_s(self, index: int) -> int:
        """Return the moment of a beat; negative indexes lie before the start."""
        period_s = self.past_period_s if index < 0 else self.live_period_s
        offset = _hashed(self.seed, self.name, "at", index) % max(1, period_s - 1)
        return self.start_s + index * period_s + offset

    def between(self, after_s: float, until_s: float) -> Iterator[tuple[int, int]]:
        """Yield index and moment of every beat later than `after_s` and not after `until_s`."""
        index = self._first(after_s)
        while True:
            at_s = self.at_s(index)
            if at_s > until_s:
                return
            if at_s > after_s:
                yield index, at_s
            index += 1

    def last(self, until_s: float) -> int:
        """Return the index of the latest beat not after `until_s`; the first there is at least."""
        index = self._slot(until_s)
        if self.at_s(index) > until_s:
            index -= 1
        return max(index, -self.past)

    def _first(self, after_s: float) -> int:
        return max(-self.past, self._slot(after_s))

    def _slot(self, at_s: float) -> int:
        ahead_s = at_s - self.start_s
        if ahead_s < -float(self.past) * self.past_period_s:
            return -self.past
        period_s = self.past_period_s if ahead_s < 0 else self.live_period_s
        return int(ahead_s // period_s)
