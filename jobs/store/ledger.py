"""The ledger: how each job last ended and when it is due."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable
from datetime import datetime
from itertools import chain
from typing import Any

import msgspec
from sqlalchemy import ColumnElement, Connection, Row, select

from ipc.outcome import Token
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store import odd_rows, statements
from jobs.store.schema.core import ledger as table
from jobs.store.schema.types import same_time, text_of_time

_COLUMNS = tuple(column.name for column in table.columns)
_KEY = ("subject_type", "subject_id", "kind")
# Rows in one statement on SQLite: its driver hands the interpreter over for each statement, and
# the scheduler's loop and this thread would pass it to and fro for each row.
_TOGETHER = 50
# From so many subjects on, the whole table is read.
_MANY = 500


class LedgerRow(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One job's row."""

    key: JobKey
    token: Token
    last_attempt_at: datetime
    rows_touched: int = 0
    rows_skipped: int = 0
    to_fetch: int = 0
    words_unknown: int = 0
    last_reason: str | None = None
    started_at: datetime | None = None
    duration_ms: int | None = None
    last_success_at: datetime | None = None
    last_changed_at: datetime | None = None
    next_eligible_at: datetime | None = None
    fresh_until: datetime | None = None
    consecutive_failures: int = 0
    strikes: int = 0
    parked_reason: str | None = None
    parked_generation: int | None = None


def load_of(connection: Connection, subjects: Collection[Subject]) -> list[LedgerRow]:
    """Return the rows of some subjects that this version can read; a job with another never ran.

    Reads the whole table where they are many.
    """
    if len(subjects) > _MANY:
        return [row for row in _load(connection) if row.key.subject in subjects]
    rows: list[LedgerRow] = []
    for of in SubjectType:
        if ids := [subject.id for subject in subjects if subject.type is of]:
            rows += _load(connection, table.c.subject_type == of.value, table.c.subject_id.in_(ids))
    return rows


def _load(connection: Connection, *terms: ColumnElement[bool]) -> list[LedgerRow]:
    query = select(table).where(
        table.c.outcome.in_([word.value for word in Token]),
        table.c.subject_type.in_([word.value for word in SubjectType]),
        *terms,
    )
    return odd_rows.read_well(connection, table, query, _row)


def _row(row: Row[Any]) -> LedgerRow:
    return LedgerRow(
        key=JobKey(row.kind, Subject(SubjectType(row.subject_type), row.subject_id)),
        token=Token(row.outcome),
        last_attempt_at=row.last_attempt_at,
        rows_touched=row.rows_touched,
        rows_skipped=row.rows_skipped,
        to_fetch=row.to_fetch,
        words_unknown=row.words_unknown,
        last_reason=row.last_reason,
        started_at=row.started_at,
        duration_ms=row.duration_ms,
        last_success_at=row.last_success_at,
        last_changed_at=row.last_changed_at,
        next_eligible_at=row.next_eligible_at,
        fresh_until=row.fresh_until,
        consecutive_failures=row.consecutive_failures,
        strikes=row.strikes,
        parked_reason=row.parked_reason,
        parked_generation=row.parked_generation,
    )


def upsert_many(connection: Connection, rows: Iterable[LedgerRow]) -> int:
    """Write rows in the place of those of the same jobs; return how many were written."""
    latest = {row.key: row for row in rows}
    on_sqlite = connection.dialect.name == "sqlite"
    bind = _text_once() if on_sqlite else same_time
    # By their keys, with which they begin: two writers that lock rows in one order cannot deadlock.
    tuples = sorted(_tuple(row, bind) for row in latest.values())
    alone = 0
    if on_sqlite:
        alone = len(tuples) - len(tuples) % _TOGETHER
        sql = statements.upsert(table, connection.dialect, _COLUMNS, _KEY, together=_TOGETHER)
        for start in range(0, alone, _TOGETHER):
            values = chain.from_iterable(tuples[start : start + _TOGETHER])
            statements.run_one(connection, sql, tuple(values))
    sql = statements.upsert(table, connection.dialect, _COLUMNS, _KEY)
    statements.run_many(connection, sql, tuples[alone:])
    return len(tuples)


def _text_once() -> Callable[[datetime | None], object]:
    """Return what writes times as SQLite stores them; jobs that ended together share theirs.

    It knows them by identity, so the rows must stay while it is used.
    """
    texts: dict[int, str | None] = {id(None): None}

    def text(value: datetime | None) -> str | None:
        known = texts.get(id(value))
        if known is None and value is not None:
            known = texts[id(value)] = text_of_time(value)
        return known

    return text


def _tuple(row: LedgerRow, time: Callable[[datetime | None], object]) -> tuple[object, ...]:
    subject = row.key.subject
    return (
        str(subject.type),
        subject.id,
        row.key.kind,
        str(row.token),
        row.rows_touched,
        row.rows_skipped,
        row.to_fetch,
        row.words_unknown,
        row.last_reason,
        time(row.started_at),
        row.duration_ms,
        time(row.last_attempt_at),
        time(row.last_success_at),
        time(row.last_changed_at),
        time(row.next_eligible_at),
        time(row.fresh_until),
        row.consecutive_failures,
        row.strikes,
        row.parked_reason,
        row.parked_generation,
    )
