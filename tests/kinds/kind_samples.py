"""Samples of what ESI answers, one file a kind, and the rows that they become."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import msgspec
from msgspec.structs import asdict
from sqlalchemy import Column, Date, Table

from jobs.spec import Kind, Params, Part, Row, Target
from jobs.store.schema.types import Isk, UtcTime

SAMPLES = Path(__file__).parent.parent / "samples"


class PartSample(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """What a part is answered."""

    # The answer of the part's own route.
    answer: msgspec.Raw = msgspec.Raw()
    # Path parameters beyond the subject.
    params: dict[str, int | str] = {}
    # Answers of further routes, by name.
    uses: dict[str, msgspec.Raw] = {}
    # Rows of tables that a run fills with more than the answer says.
    rows: dict[str, list[dict[str, Any]]] = {}


@dataclass(frozen=True, slots=True)
class Case:
    """One table of one part of one kind, and rows for it."""

    kind: Kind
    part: Part
    target: Target
    params: Params
    rows: tuple[Row, ...]

    def __str__(self) -> str:
        """Return the name of the test."""
        return f"{self.kind.name}.{self.part.name}.{self.target.table.name}"


def load(kind: Kind) -> dict[str, PartSample]:
    """Return the samples of a kind by part."""
    text = (SAMPLES / f"{kind.name}.json").read_bytes()
    return msgspec.json.decode(text, type=dict[str, PartSample])


def decode(part: Part, sample: PartSample) -> Any:
    """Return the answer as the part's wire type."""
    wire: Any = list[part.wire] if part.many else part.wire  # type: ignore[name-defined]
    return msgspec.json.decode(sample.answer, type=wire)


def cases(kind: Kind) -> list[Case]:
    """Return a case for each table that the kind writes."""
    samples = load(kind)
    found: list[Case] = []
    for part in kind.parts:
        sample = samples.get(part.name, PartSample())
        for target in part.targets:
            rows = rows_of(part, target, sample)
            found.append(Case(kind, part, target, sample.params, tuple(rows)))
    return found


def rows_of(part: Part, target: Target, sample: PartSample) -> list[Row]:
    """Return the rows of a table: those written out in the sample, else those of the answer."""
    table = target.table
    if table.name in sample.rows:
        return [typed(table, row) for row in sample.rows[table.name]]
    if not bytes(sample.answer):
        return []
    answer = decode(part, sample)
    if target.rows is not None:
        return list(target.rows(answer, sample.params))
    return [asdict(one) for one in (answer if isinstance(answer, list) else [answer])]


def typed(table: Table, row: Mapping[str, Any]) -> Row:
    """Return a row with the types that its columns hold."""
    return {name: _typed(table.c[name], value) for name, value in row.items()}


def _typed(column: Column[Any], value: Any) -> Any:
    if value is None:
        return None
    if isinstance(column.type, UtcTime):
        return datetime.fromisoformat(value)
    if isinstance(column.type, Isk):
        return Decimal(str(value))
    if isinstance(column.type, Date):
        return date.fromisoformat(value)
    return value
