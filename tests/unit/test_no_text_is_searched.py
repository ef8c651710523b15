"""What an error means is its type, its code or a number beside it: nothing searches its text."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
PACKAGES = ("cli", "engine", "ipc", "jobs", "supervisor")
# Attributes and names that hold what is said to people.
SAID = {"reason", "last_reason", "last_error", "parked_reason", "note", "trouble", "orig", "words"}
# Names under which errors are caught.
ERRORS = {"error", "exc", "fault", "refusal"}
SEARCHES = {"startswith", "endswith", "find", "index", "split", "partition", "count"}


def is_said(node: ast.expr) -> bool:
    """Tell whether an expression is the text of an error or a reason."""
    match node:
        case ast.Attribute(attr=name) | ast.Name(id=name):
            return name in SAID
        case ast.Call(
            func=ast.Name(id="str"), args=[ast.Name(id="error" | "exc" | "fault" | "refusal")]
        ):
            return True
        case ast.Call(func=ast.Name(id="str" | "first_line"), args=[inner]):
            return is_said(inner)
        case ast.Call(func=ast.Attribute(value=inner, attr="lower" | "casefold" | "strip")):
            return is_said(inner)
        case _:
            return False


def searches(source: str) -> Iterator[int]:
    """Yield the lines that look for words in such a text; that it is empty may be asked."""
    for node in ast.walk(ast.parse(source)):
        match node:
            case ast.Call(func=ast.Attribute(value=inner, attr=name)) if name in SEARCHES:
                if is_said(inner):
                    yield node.lineno
            case ast.Compare(left=left, ops=[ast.In() | ast.NotIn()], comparators=[right]):
                if is_said(right) and isinstance(left, ast.Constant):
                    yield node.lineno
            case ast.Compare(left=left, ops=[ast.Eq() | ast.NotEq()], comparators=[right]):
                if is_said(left) and isinstance(right, ast.Constant) and right.value:
                    yield node.lineno
            case _:
                pass


@pytest.mark.parametrize(
    "line",
    [
        'job.outcome.reason.startswith("catching up")',
        '"foreign key" in str(error.orig).lower()',
        'str(error) == "interrupted"',
        'first_line(error.orig).find("x")',
        'text = last_error.partition(":")',
    ],
)
def test_a_search_is_found(line: str) -> None:
    assert list(searches(line)) == [1]


def test_nothing_searches_the_text_of_an_error() -> None:
    found = [
        f"{path.relative_to(ROOT)}:{line}"
        for package in PACKAGES
        for path in sorted((ROOT / package).rglob("*.py"))
        for line in searches(path.read_text(encoding="utf-8"))
    ]
    assert found == []
