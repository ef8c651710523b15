from __future__ import annotations

import io
import json
from collections.abc import Sequence
from decimal import Decimal
from typing import Any

import pytest

from cli import answers
from cli.paint import Painter


def table(
    columns: Sequence[str], rows: Sequence[tuple[Any, ...]], width: int = 80, batch: int = 100
) -> list[str]:
    lines: list[str] = []
    batches = [rows[at : at + batch] for at in range(0, len(rows), batch)]
    painter = Painter(colours=False)
    answers.write_table(lines.append, columns, batches, width=width, paint=painter)
    return lines


@pytest.mark.parametrize(
    ("widths", "floor", "available", "fits"),
    [
        ([3, 4], [8, 8], 7, [3, 4]),
        ([30, 4], [8, 8], 20, [16, 4]),
        ([30, 50], [8, 8], 40, [20, 20]),
        ([30, 12], [8, 8], 20, [10, 10]),
        ([30, 12], [8, 12], 20, [8, 12]),
        ([30, 12], [8, 12], 19, None),
        ([], [], 0, []),
    ],
)
def test_the_widest_give_way_first(
    widths: list[int], floor: list[int], available: int, fits: list[int] | None
) -> None:
    assert answers.fitted(widths, floor, available) == fits


def test_a_table_lines_up() -> None:
    rows = [(1, "Tritanium", None), (20, "a\tb\x1b[31m", 1.5)]
    assert table(("id", "name", "price"), rows) == [
        "id  name       price",
        " 1  Tritanium",
        "20  a b [31m     1.5",
    ]


def test_a_table_that_is_too_wide_is_cut_where_it_is_widest() -> None:
    lines = table(("id", "text"), [(1, "x" * 100)], width=20)
    assert lines == ["id  text", " 1  " + "x" * 15 + "…"]


def test_too_many_columns_are_set_below_each_other() -> None:
    columns = [f"column_{n}" for n in range(9)]
    lines = table(columns, [tuple(range(9)), ("x" * 99, *range(8))], width=40)
    assert lines[:2] == ["-- row 1", "column_0  0"]
    assert lines[10:12] == ["-- row 2", "column_0  " + "x" * 29 + "…"]


def test_the_first_batch_decides_how_wide_columns_are() -> None:
    assert table(("name",), [("abc",), ("abcdefgh",)], batch=1) == ["name", "abc", "abc…"]


def test_no_rows_are_a_header() -> None:
    assert table(("id", "name"), []) == ["id  name"]


def test_csv_tells_null_from_empty() -> None:
    out = io.StringIO()
    rows = [(None, "", 'say "x"', "a,b", " x", True, Decimal("1.10"), b"\x01", 2**63)]
    assert answers.write_csv(out, tuple("abcdefghi"), [rows]) == 1
    assert out.getvalue().splitlines()[1] == (
        ',"","say ""x""","a,b"," x",true,1.10,01,9223372036854775808'
    )


def test_json_is_one_document_with_a_line_a_row() -> None:
    out = io.StringIO()
    rows: list[list[tuple[Any, ...]]] = [[(1, None)], [(float("inf"), Decimal("0.10")), (2, True)]]
    assert answers.write_json(out, ("a", "b"), rows, {"section": "s"}) == 3
    assert json.loads(out.getvalue()) == {
        "schema": 1,
        "section": "s",
        "columns": ["a", "b"],
        "rows": [{"a": 1, "b": None}, {"a": None, "b": "0.10"}, {"a": 2, "b": True}],
    }
    assert len(out.getvalue().splitlines()) == 5
    empty = io.StringIO()
    assert answers.write_json(empty, ("a",), []) == 0
    assert json.loads(empty.getvalue())["rows"] == []
