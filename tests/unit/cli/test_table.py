from __future__ import annotations

import pytest

from cli.paint import Painter, Style
from cli.table import Cell, Column, cut, printable, render, render_reasons

PLAIN = Painter(colours=False)


def test_columns_line_up_and_the_flexible_one_gives_way() -> None:
    columns = (Column("name"), Column("n", right=True), Column("why", flexible=True))
    rows = [
        [Cell("a"), Cell("1"), Cell("short")],
        [Cell("longer"), Cell("1,000"), Cell("a reason that is far too long for this line")],
    ]
    assert render(columns, rows, width=30, paint=PLAIN) == [
        "NAME        N  WHY",
        "a           1  short",
        "longer  1,000  a reason that…",
    ]


def test_a_reason_that_does_not_fit_goes_below_its_row() -> None:
    columns = (Column("name"), Column("n", right=True), Column("why", flexible=True))
    rows = [
        [Cell("a"), Cell("1"), Cell("short")],
        [Cell("longer"), Cell("1,000"), Cell("a reason that is too long\nfor this")],
        [Cell("b"), Cell("2"), Cell("a reason that is far too long for any line")],
    ]
    assert render_reasons(columns, rows, width=40, paint=PLAIN, indent=" ") == [
        " NAME        N  WHY",
        " a           1  short",
        " longer  1,000",
        "     a reason that is too long for this",
        " b           2",
        "     a reason that is far too long for…",
    ]


def test_no_line_is_wider_than_asked_with_colours_either() -> None:
    columns = (Column("a"), Column("b", flexible=True))
    lines = render(
        columns, [[Cell("x", Style.BAD), Cell("y" * 90)]], width=40, paint=Painter(colours=True)
    )
    assert lines[1] == "\x1b[31mx\x1b[0m  " + "y" * 36 + "…"


@pytest.mark.parametrize(
    ("text", "width", "expected"),
    [("abc", 3, "abc"), ("abcd", 3, "ab…"), ("ab cd", 4, "ab…"), ("abc", 0, "")],
)
def test_cut(text: str, width: int, expected: str) -> None:
    assert cut(text, width) == expected


def test_control_characters_do_not_reach_the_screen() -> None:
    assert printable("a\x1b[2Jb\nc") == "a [2Jb c"


def test_an_empty_table_is_its_header() -> None:
    assert render((Column("a"),), [], width=80, paint=PLAIN) == ["A"]
