"""Tables of text that line up and fit a terminal."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from cli.paint import Painter, Style

_GAP = "  "
_CUT = "…"
_BELOW = "    "


@dataclass(frozen=True, slots=True)
class Cell:
    """One field and its style."""

    text: str
    style: Style = Style.PLAIN


@dataclass(frozen=True, slots=True)
class Column:
    """How a column is set; the flexible one gives way when the table is too wide."""

    title: str
    right: bool = False
    flexible: bool = False


def printable(text: str) -> str:
    """Return text on one line, without control characters that would write over the screen."""
    return "".join(char if char.isprintable() else " " for char in text)


def cut(text: str, width: int) -> str:
    """Return text in at most width characters, with a mark where something is missing."""
    if len(text) <= width:
        return text
    return text[: max(0, width - 1)].rstrip() + _CUT if width > 0 else ""


def render(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    width: int,
    paint: Painter,
    indent: str = "",
) -> list[str]:
    """Return the lines of a table: a header, then a line for each row, none wider than width."""
    cells = [[Cell(printable(cell.text), cell.style) for cell in row] for row in rows]
    widths = _widths(columns, cells, width - len(indent))
    header = [Cell(column.title.upper(), Style.DIM) for column in columns]
    return [indent + _line(columns, row, widths, paint) for row in [header, *cells]]


def render_reasons(
    columns: Sequence[Column],
    rows: Sequence[Sequence[Cell]],
    *,
    width: int,
    paint: Painter,
    indent: str = "",
) -> list[str]:
    """Return the lines of a table whose last field goes below its row where it does not fit."""
    heads = [row[:-1] for row in rows]
    bare = render(columns[:-1], heads, width=1 << 20, paint=Painter(colours=False))
    room = width - len(indent) - max(map(len, bare)) - len(_GAP)
    texts = [printable(row[-1].text) for row in rows]
    short = [
        [*head, row[-1] if len(text) <= room else Cell("")]
        for head, row, text in zip(heads, rows, texts, strict=True)
    ]
    header, *lines = render(columns, short, width=width, paint=paint, indent=indent)
    result = [header]
    below = indent + _BELOW
    for line, row, text in zip(lines, rows, texts, strict=True):
        result.append(line)
        if len(text) > room:
            result.append(below + paint(cut(text, width - len(below)), row[-1].style))
    return result


def _widths(columns: Sequence[Column], rows: Sequence[Sequence[Cell]], available: int) -> list[int]:
    widths = [
        max([len(column.title), *(len(row[index].text) for row in rows)])
        for index, column in enumerate(columns)
    ]
    excess = sum(widths) + len(_GAP) * (len(columns) - 1) - available
    for index, column in enumerate(columns):
        if column.flexible and excess > 0:
            narrower = max(len(column.title), widths[index] - excess)
            excess -= widths[index] - narrower
            widths[index] = narrower
    return widths


def _line(
    columns: Sequence[Column], row: Sequence[Cell], widths: Sequence[int], paint: Painter
) -> str:
    parts = []
    for index, (column, cell, width) in enumerate(zip(columns, row, widths, strict=True)):
        text = cut(cell.text, width)
        padding = " " * (width - len(text))
        if column.right:
            parts.append(padding + paint(text, cell.style))
        elif index == len(columns) - 1:
            parts.append(paint(text, cell.style))
        else:
            parts.append(paint(text, cell.style) + padding)
    return _GAP.join(parts).rstrip()
