"""Answers of queries as a table, as CSV and as JSON, a batch at a time."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from datetime import date, datetime
from decimal import Decimal
from typing import Any, TextIO

import msgspec

from cli.json_documents import json_document
from cli.paint import Painter, Style
from cli.table import cut, printable
from cli.words import instant

_GAP = "  "
# A column gives way no further than to this, and to its name.
_NARROWEST = 8
_TO_QUOTE = re.compile(r'[",\r\n]|^\s|\s$')

Batches = Iterable[Sequence[tuple[Any, ...]]]


def plain(value: Any) -> str:
    """Return a value as text; NULL as nothing."""
    if value is None:
        return ""
    if isinstance(value, str):
        return value
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, Decimal):
        return f"{value:f}"
    if isinstance(value, datetime):
        return instant(value)
    if isinstance(value, date):
        return value.isoformat()
    if isinstance(value, bytes | memoryview):
        return bytes(value).hex()
    return str(value)


# --- CSV ---


def write_csv(out: TextIO, columns: Sequence[str], batches: Batches) -> int:
    """Write CSV with a header, NULL empty and an empty text as ""; return how many rows."""
    out.write(_csv_line(columns))
    count = 0
    for rows in batches:
        out.write("".join(map(_csv_line, rows)))
        out.flush()
        count += len(rows)
    return count


def _csv_line(row: Sequence[Any]) -> str:
    return ",".join(["" if value is None else _csv_field(plain(value)) for value in row]) + "\n"


def _csv_field(text: str) -> str:
    if not text or _TO_QUOTE.search(text):
        return '"' + text.replace('"', '""') + '"'
    return text


# --- JSON ---


def write_json(
    out: TextIO, columns: Sequence[str], batches: Batches, about: dict[str, Any] | None = None
) -> int:
    """Write one JSON document, a line for each row; return how many rows."""
    head = json_document(**(about or {}), columns=list(columns))
    out.write(_json(head)[:-1] + ', "rows": [')
    count = 0
    for rows in batches:
        lines = [_json(dict(zip(columns, map(_json_value, row), strict=True))) for row in rows]
        out.write((",\n" if count else "\n") + ",\n".join(lines))
        count += len(rows)
    out.write("\n]}\n" if count else "]}\n")
    return count


def _json(value: Any) -> str:
    return msgspec.json.encode(value).decode()


def _json_value(value: Any) -> Any:
    if value is None or isinstance(value, str | int):
        return value
    if isinstance(value, float):
        # JSON knows neither infinity nor what is no number.
        return value if value - value == 0 else None
    # Amounts as text: a number would be read as a double.
    return plain(value)


# --- a table ---


def write_table(
    out: Callable[[str], None],
    columns: Sequence[str],
    batches: Batches,
    *,
    width: int,
    paint: Painter,
) -> int:
    """Write a table that fits, or each row as lines of its own; return how many rows.

    The first batch decides how wide columns are.
    """
    layout: _Layout | None = None
    count = 0
    for rows in batches:
        cells = [[printable(plain(value)) for value in row] for row in rows]
        if layout is None:
            layout = _Layout(columns, rows, cells, width, paint)
            if layout.header:
                out(layout.header)
        for row in cells:
            count += 1
            for line in layout.lines(row, count):
                out(line)
    if layout is None:
        out(_Layout(columns, [], [], width, paint).header or _GAP.join(columns))
    return count


class _Layout:
    """How rows are set: in columns, or below each other where there are too many columns."""

    def __init__(
        self,
        columns: Sequence[str],
        rows: Sequence[tuple[Any, ...]],
        cells: Sequence[Sequence[str]],
        width: int,
        paint: Painter,
    ) -> None:
        self._columns = [printable(name) for name in columns]
        self._paint = paint
        self._width = width
        widest = [
            max([len(name), *(len(row[at]) for row in cells)])
            for at, name in enumerate(self._columns)
        ]
        floor = [max(_NARROWEST, len(name)) for name in self._columns]
        self._widths = fitted(widest, floor, width - len(_GAP) * (len(columns) - 1))
        self._right = [
            any(row[at] is not None for row in rows)
            and all(row[at] is None or _is_number(row[at]) for row in rows)
            for at in range(len(columns))
        ]
        self.header = "" if self._widths is None else self._line(self._columns, Style.DIM)

    def lines(self, row: Sequence[str], number: int) -> list[str]:
        """Return a row's line, or its lines."""
        if self._widths is not None:
            return [self._line(row, Style.PLAIN)]
        indent = max(map(len, self._columns))
        return [
            self._paint(f"-- row {number}", Style.DIM),
            *(
                f"{self._paint(name.ljust(indent), Style.DIM)}{_GAP}"
                f"{cut(text, max(_NARROWEST, self._width - indent - len(_GAP)))}"
                for name, text in zip(self._columns, row, strict=True)
            ),
        ]

    def _line(self, row: Sequence[str], style: Style) -> str:
        assert self._widths is not None  # noqa: S101 - asked before
        fields = []
        for text, width, right in zip(row, self._widths, self._right, strict=True):
            short = cut(text, width)
            padding = " " * (width - len(short))
            painted = self._paint(short, style)
            fields.append(padding + painted if right else painted + padding)
        return _GAP.join(fields).rstrip()


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float | Decimal) and not isinstance(value, bool)


def fitted(widths: Sequence[int], floor: Sequence[int], available: int) -> list[int] | None:
    """Return widths that fit, the widest narrowed first but none below its floor; None: none do."""
    least = list(map(min, widths, floor))
    if sum(least) > available:
        return None
    # The largest cap under which all fit.
    low, high = 0, max(widths, default=0)
    while low < high:
        cap = (low + high + 1) // 2
        if sum(max(few, min(width, cap)) for width, few in zip(widths, least, strict=True)) > (
            available
        ):
            high = cap - 1
        else:
            low = cap
    return [max(few, min(width, low)) for width, few in zip(widths, least, strict=True)]
