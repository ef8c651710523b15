"""The generic writer: rows of a section into its table, so that what is equal stays untouched."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime
from typing import TYPE_CHECKING, Any

import msgspec
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.spec import Write
from jobs.store import staging, statements, tally, wanted
from jobs.store.conversion import convert
from jobs.store.errors import BadRow
from jobs.store.loads import Load, Loads, fixed_columns, prepare
from jobs.store.schema.types import text_of_time
from jobs.store.spares import Key, Spares, Unread, spares_of
from jobs.store.staging import STAGE_OVER, Staged
from jobs.store.statements import CLOSED_AT, run_many

if TYPE_CHECKING:
    from jobs.spec import Params, Row, Target

# Nothing is spared: what is absent is gone.
_NONE = Spares()


def apply(
    connection: Connection,
    target: Target,
    rows: Iterable[Row | msgspec.Struct] | Loads | Staged,
    *,
    subject: Subject,
    params: Params,
    now: datetime,
    whole: bool = True,
    unread: Sequence[Unread] = (),
) -> int:
    """Write rows as target says, and return how many were inserted, updated, closed or deleted.

    Rows are mappings or Structs; columns that they lack get their default when inserted and are
    left alone when updated. A row with a value that cannot be stored is left out and counted by
    jobs.store.tally. What is not whole removes and closes nothing: an absent row may be one that
    was left out. Where rows that were left out here, or could not be read (unread), tell which they
    are, those alone are spared.
    More than a few are better made ready before the transaction, by jobs.store.staging.
    """
    fixed = fixed_columns(target.table, subject, params)
    scope = _scope(target, fixed, subject, connection.dialect.name)
    if isinstance(rows, Staged):
        ready: Staged | Loads = rows
        kept = rows.rows
        spares = _spares(connection, target, fixed, unread, rows.left_out) if whole else None
        changed = _apply_staged(connection, target, rows, scope, now, spares)
        if changed:
            wanted.note(connection, rows.wanted)
    else:
        dialect = connection.dialect.name
        ready = rows if isinstance(rows, Loads) else prepare(target, rows, fixed, dialect)
        loads = ready.loads
        kept = sum(len(load.rows) for load in loads)
        spares = _spares(connection, target, fixed, unread, ready.left_out) if whole else None
        if len(loads) == 1 and len(loads[0].rows) > STAGE_OVER:
            staged = staging.fill(connection, target, loads[0])
            changed = _apply_staged(connection, target, staged, scope, now, spares)
            staging.drop(connection, staged)
        else:
            changed = _apply_loads(connection, target, loads, scope, now, spares)
        if changed:
            # What was there before was noted when it was written.
            found = staging.ids_of(target, ready) if ready.wanted is None else ready.wanted
            wanted.note(connection, found)
    count = tally.of(connection)
    count.changed += changed
    count.kept += kept
    count.skipped += ready.skipped
    count.why = ready.why or count.why
    return changed


def _apply_loads(
    connection: Connection,
    target: Target,
    loads: list[Load],
    scope: Mapping[str, Any],
    now: datetime,
    spares: Spares | None,
) -> int:
    changed = 0
    for load in loads:
        sql = statements.upsert(
            target.table,
            connection.dialect,
            load.columns,
            target.key,
            update=target.write is not Write.APPEND,
            keep=target.keep,
            reopen=target.write is Write.CLOSE,
        )
        changed += run_many(connection, sql, list(load.rows.values()))
    if spares is None or target.write not in (Write.REPLACE, Write.CLOSE):
        return changed
    closing = target.write is Write.CLOSE
    sql = statements.select_keys(
        target.table, connection.dialect, target.key, tuple(scope), open_only=closing
    )
    seen = [load.rows for load in loads]
    stored = statements.rows(connection, sql, tuple(scope.values()))
    absent = [key for key in stored if not any(key in keys for keys in seen)]
    return changed + _remove(connection, target, absent, now, spares)


def _remove(
    connection: Connection, target: Target, absent: list[Key], now: datetime, spares: Spares
) -> int:
    """Delete or close the rows that are gone, one by one."""
    gone = sorted(key for key in absent if not spares.keep(key)) if spares else sorted(absent)
    if target.write is Write.CLOSE:
        at = _closing_time(connection, now)
        sql = statements.close(target.table, connection.dialect, target.key)
        return run_many(connection, sql, [(at, *key) for key in gone])
    sql = statements.delete(target.table, connection.dialect, target.key)
    return run_many(connection, sql, gone)


def _spares(
    connection: Connection,
    target: Target,
    fixed: Mapping[str, Any],
    unread: Sequence[Unread],
    left_out: Sequence[Unread],
) -> Spares | None:
    if not unread and not left_out:
        return _NONE
    return spares_of(target, fixed, connection.dialect.name, unread, left_out)


def _apply_staged(
    connection: Connection,
    target: Target,
    staged: Staged,
    scope: Mapping[str, Any],
    now: datetime,
    spares: Spares | None,
) -> int:
    staging.require_here(connection, staged)
    sql = statements.upsert(
        target.table,
        connection.dialect,
        staged.columns,
        target.key,
        update=target.write is not Write.APPEND,
        keep=target.keep,
        reopen=target.write is Write.CLOSE,
        source=staged.name,
    )
    changed = statements.run_one(connection, sql)
    values = tuple(scope.values())
    if spares is None or target.write not in (Write.REPLACE, Write.CLOSE):
        return changed
    if spares:
        closing = target.write is Write.CLOSE
        sql = statements.select_absent(
            target.table, connection.dialect, target.key, tuple(scope), staged.name,
            open_only=closing,
        )  # fmt: skip
        absent = list(map(tuple, connection.exec_driver_sql(sql, values)))
        return changed + _remove(connection, target, absent, now, spares)
    if _tells_by_number(target, staged, scope):
        sql = statements.has_absent(
            target.table, connection.dialect, tuple(scope), staged.name,
            open_only=target.write is Write.CLOSE,
        )  # fmt: skip
        if not statements.scalar(connection, sql, values * 2):
            return changed
    if target.write is Write.REPLACE:
        sql = statements.delete_absent(
            target.table, connection.dialect, target.key, tuple(scope), staged.name
        )
        changed += statements.run_one(connection, sql, values)
    elif target.write is Write.CLOSE:
        sql = statements.close_absent(
            target.table, connection.dialect, target.key, tuple(scope), staged.name
        )
        changed += statements.run_one(connection, sql, (_closing_time(connection, now), *values))
    return changed


def _tells_by_number(target: Target, staged: Staged, scope: Mapping[str, Any]) -> bool:
    """Tell whether each staged row that is in scope is so in the table too, once it is written."""
    closes_itself = target.write is Write.CLOSE and CLOSED_AT in staged.columns
    return not closes_itself and scope.keys().isdisjoint(target.keep)


def _scope(
    target: Target, fixed: Mapping[str, Any], subject: Subject, dialect: str
) -> dict[str, Any]:
    """Return the columns, with their values, within which rows may be removed."""
    if target.write not in (Write.REPLACE, Write.CLOSE):
        return {}
    table = target.table
    names = tuple(fixed) if target.scope is None else target.scope
    if target.write is Write.CLOSE and CLOSED_AT not in table.c:
        raise BadRow(table.name, CLOSED_AT, "there is no such column to close rows by")
    if not names and target.scope is None and subject.type is not SubjectType.GLOBAL:
        # One subject's load must never remove the rows of all others.
        raise BadRow(table.name, f"{subject.type}_id", "there is no such column to bound a removal")
    for name in names:
        if name not in fixed:
            raise BadRow(table.name, name, "bounds a removal, but this load has no value for it")
    return {name: convert(table.c[name], dialect, [fixed[name]])[0] for name in names}


def _closing_time(connection: Connection, now: datetime) -> datetime | str:
    return text_of_time(now) if connection.dialect.name == "sqlite" else now
