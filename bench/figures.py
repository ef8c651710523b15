"""Figures of repeated runs: the median, how far the rounds lie apart, and ratios within a round."""

from __future__ import annotations

import statistics
from collections.abc import Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Spread:
    """One figure over all rounds."""

    median: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> Spread:
        """Return median, smallest and largest of at least one value."""
        return cls(statistics.median(values), min(values), max(values))

    @classmethod
    def of_ratios(cls, over: Sequence[float], under: Sequence[float]) -> Spread:
        """Return the ratios of two figures, each taken within one round."""
        return cls.of([a / b for a, b in zip(over, under, strict=True)])

    def text(self, digits: int = 0) -> str:
        """Return the median, and the range in brackets."""
        return f"{self.median:,.{digits}f} [{self.low:,.{digits}f}..{self.high:,.{digits}f}]"

    def plain(self) -> dict[str, float]:
        """Return the figure for JSON."""
        return {"median": self.median, "low": self.low, "high": self.high}


@dataclass(frozen=True, slots=True)
class Target:
    """What a figure has to reach."""

    name: str
    value: float
    bound: float
    # True: the figure may not exceed the bound.
    at_most: bool = False

    @property
    def is_met(self) -> bool:
        """Tell whether the median reaches it."""
        return self.value <= self.bound if self.at_most else self.value >= self.bound

    def text(self) -> str:
        """Return one line that says what was reached."""
        sign = "<=" if self.at_most else ">="
        word = "reached" if self.is_met else "MISSED"
        return f"{self.name}: {self.value:,.2f} (to reach: {sign} {self.bound:g}) {word}"

    def plain(self) -> dict[str, object]:
        """Return the target for JSON."""
        return {
            "name": self.name,
            "value": self.value,
            "bound": self.bound,
            "at_most": self.at_most,
            "met": self.is_met,
        }


def table(head: Sequence[str], rows: Sequence[Sequence[str]]) -> str:
    """Return rows in columns, the first to the left and the others to the right."""
    lines = [head, *rows]
    widths = [max(len(line[i]) for line in lines) for i in range(len(head))]
    return "\n".join(
        "  ".join(
            cell.ljust(width) if i == 0 else cell.rjust(width)
            for i, (cell, width) in enumerate(zip(line, widths, strict=True))
        ).rstrip()
        for line in lines
    )
