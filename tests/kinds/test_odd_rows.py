"""One odd row costs itself alone: for every kind, every field, on both databases."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from typing import Any

import msgspec
import pytest
from msgspec.structs import asdict
from sqlalchemy import Connection, select

from jobs.esi.decoding import decode
from jobs.store import tally
from tests.kinds import kind_samples
from tests.kinds.kind_samples import Case
from tests.kinds.test_every_kind import CASES, apply

HUGE = (2**31, 2**63, 2**64, 2**200, -(2**63) - 1)
NUMBERS = (1e40, -1e40, 1e308, 0.001)
# Long, and such that no compression makes it short.
LONG = "".join(map(str, range(20_000)))
TEXTS = ("", "\0", LONG, "\u202e<b>Директор</b>", "a word nobody knows")
TIMES = ("0001-01-01T00:00:00Z", "9999-12-31T23:59:59.999Z", "2024-02-30T00:00:00Z", "soon")
SHAPES: tuple[Any, ...] = (None, [], {}, True, [[]], "7", -1, 0)


def odd_values(value: Any) -> Iterator[Any]:
    """Yield what could stand in the place of a value."""
    yield from SHAPES
    if isinstance(value, bool):
        return
    if isinstance(value, int | float):
        yield from (*HUGE, *NUMBERS)
    if isinstance(value, str):
        yield from (*TEXTS, *TIMES)


def odd_rows(row: Any) -> Iterator[Any]:
    """Yield copies of a row, each with one thing amiss, some of them deep within."""
    yield from (None, 7, [], {})
    if not isinstance(row, dict):
        yield from odd_values(row)
        return
    yield {**row, "nobody_knows_this": {"a": [1]}}
    for name, value in row.items():
        yield {other: copy.deepcopy(row[other]) for other in row if other != name}
        yield from ({**row, name: odd} for odd in odd_values(value))
        inner = value[0] if isinstance(value, list) and value else value
        if isinstance(inner, dict):
            for odd in odd_rows(inner):
                yield {**row, name: [odd] if isinstance(value, list) else odd}


def lists_in(answer: Any) -> Iterator[list[Any]]:
    """Yield the lists of rows that an answer is, or has."""
    if isinstance(answer, list):
        yield answer
    elif isinstance(answer, dict):
        yield from (value for value in answer.values() if isinstance(value, list))


def declared(case: Case) -> bool:
    """Tell whether rows of the table follow from the answer by the declaration alone."""
    sample = kind_samples.load(case.kind)[case.part.name]
    return (
        bool(bytes(sample.answer))
        and case.target.table.name not in sample.rows
        and any(one for one in lists_in(msgspec.json.decode(sample.answer)))
    )


def stored(connection: Connection, case: Case) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    table = case.target.table
    rows = connection.execute(select(table)).mappings()
    return {tuple(row[key] for key in case.target.key): tuple(row.values()) for row in rows}


def rows_of(case: Case, answer: Any) -> tuple[list[Any], int]:
    part, target = case.part, case.target
    wire: Any = list[part.wire] if part.many else part.wire  # type: ignore[name-defined]
    value, skipped = decode(msgspec.json.encode(answer), wire)
    if target.rows is not None:
        return list(target.rows(value, case.params)), skipped
    return [asdict(one) for one in (value if isinstance(value, list) else [value])], skipped


@pytest.mark.parametrize("case", [case for case in CASES if declared(case)], ids=str)
def test_odd_rows_cost_themselves_alone(connection: Connection, case: Case) -> None:
    answer = msgspec.json.decode(kind_samples.load(case.kind)[case.part.name].answer)
    apply(connection, case, rows_of(case, answer)[0])
    before = stored(connection, case)
    assert before

    odd = copy.deepcopy(answer)
    added = 0
    for rows in lists_in(odd):
        spoiled = [one for row in copy.deepcopy(rows[:1]) for one in odd_rows(row)]
        # Of two rows with the same key the last one counts; but who is told by the place in an
        # answer must stay there.
        placed = isinstance(odd, dict) and "position" in case.target.key
        at = len(rows) if placed else 0
        rows[at:at] = spoiled
        added += len(spoiled)
    assert added > 5
    loaded, unreadable = rows_of(case, odd)
    tally.begin(connection)
    apply(connection, case, loaded)
    after, count = stored(connection, case), tally.of(connection)
    assert unreadable + count.skipped > 0
    assert {key: after.get(key) for key in before} == before
