"""Answers of declared parts, written as the pipeline writes them; for kinds without a run."""

from __future__ import annotations

from typing import Any

import msgspec
from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.esi.decoding import decode
from jobs.spec import Kind, Params
from jobs.store import writer
from tests.kinds.fake_context import START


def take(
    connection: Connection,
    kind: Kind,
    part: str,
    subject: Subject,
    answer: Any,
    params: Params | None = None,
) -> tuple[int, int]:
    """Write an answer of a part; return how many rows changed, and how many were left out."""
    declared = next(one for one in kind.parts if one.name == part)
    wire: Any = list[declared.wire] if declared.many else declared.wire  # type: ignore[name-defined]
    value, skipped = decode(msgspec.json.encode(answer), wire)
    rows = 0
    for target in declared.targets:
        found = value if isinstance(value, list) else [value]
        if target.rows is not None:
            found = list(target.rows(value, params or {}))
        rows += writer.apply(
            connection, target, found, subject=subject, params=params or {}, now=START
        )
    return rows, skipped
