"""Every kind there is, found by walking: the same tests for all, and all faults at once."""

from __future__ import annotations

import dataclasses
from datetime import UTC, date, datetime, timedelta
from typing import Any

import jsonschema
import msgspec
import pytest
from sqlalchemy import Connection, func, select

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs import catalog
from jobs.spec import Row, Write
from jobs.store import subjects, writer
from jobs.store.schema import metadata
from jobs.store.schema.marks import named_columns, owner_column
from simulator.contract import by_key, load
from tests.kinds import kind_facts, kind_samples
from tests.kinds.fake_context import something_for
from tests.kinds.kind_samples import SAMPLES, Case

CATALOG = catalog.load(["jobs.kinds"])
CASES = [case for kind in CATALOG.values() for case in kind_samples.cases(kind)]
NOW = datetime(2026, 11, 30, 12, tzinfo=UTC)


def test_declarations_agree_with_the_contract() -> None:
    faults = [f"{k.name}: {text}" for k in CATALOG.values() for text in kind_facts.faults_of(k)]
    assert not faults, "\n".join(faults)


def test_every_kind_has_a_sample_of_every_part_and_no_sample_is_left_over() -> None:
    faults = [f"{path.stem} is no kind" for path in SAMPLES.iterdir() if path.stem not in CATALOG]
    for kind in CATALOG.values():
        samples = kind_samples.load(kind)
        parts = {part.name: part for part in kind.parts}
        faults += [f"{kind.name}.{name} is no part" for name in samples if name not in parts]
        for name, part in parts.items():
            sample = samples.get(name, kind_samples.PartSample())
            if part.route is not None and not bytes(sample.answer):
                faults.append(f"{kind.name}.{name} has no answer")
            faults += [
                f"{kind.name}.{name} has no answer of {route.name}"
                for route in part.uses
                if route.name not in sample.uses
            ]
    faults += [f"{case} has no rows" for case in CASES if not case.rows]
    assert not faults, "\n".join(faults)


def test_samples_are_valid_answers() -> None:
    faults: list[str] = []
    schemas = kind_facts.loosened(load().schemas)
    for kind in CATALOG.values():
        for part in kind.parts:
            sample = kind_samples.load(kind).get(part.name, kind_samples.PartSample())
            answers = dict(sample.uses)
            if part.route is not None and bytes(sample.answer):
                answers[part.route.name] = sample.answer
            for name, answer in answers.items():
                schema = kind_facts.loosened(by_key()[name].response or {})
                schema = {**schema, "schemas": schemas}
                checker = jsonschema.Draft202012Validator(schema)
                faults += [
                    f"{kind.name}.{part.name}: {name}: {error.json_path}: {error.message[:200]}"
                    for error in checker.iter_errors(msgspec.json.decode(answer))
                ]
    assert not faults, "\n".join(faults)


def test_samples_decode() -> None:
    faults: list[str] = []
    for kind in CATALOG.values():
        for part in kind.parts:
            sample = kind_samples.load(kind).get(part.name, kind_samples.PartSample())
            if not bytes(sample.answer):
                continue
            try:
                kind_samples.decode(part, sample)
            except msgspec.ValidationError as error:
                faults.append(f"{kind.name}.{part.name}: {error}")
    assert not faults, "\n".join(faults)


def test_marks_of_tables_hold() -> None:
    """Every mirror table says whose its rows are, by a column of its key."""
    faults = [
        f"{table.name}: {owner_column(table)} is not of its key"
        for table in mirror_tables()
        if not table.info.get("shared") and owner_column(table) not in table.primary_key.columns
    ]
    faults += [
        f"{table.name}.{column.name} has no column {mark.column}"
        for table, column, mark in named_columns(metadata)
        if hasattr(mark, "column") and mark.column not in table.c
    ]
    faults += [f"{table.name} has no comment" for table in mirror_tables() if not table.comment]
    assert not faults, "\n".join(faults)


def mirror_tables() -> list[Any]:
    return [table for table in metadata.sorted_tables if table.info]


def subject_of(case: Case, more: int = 0) -> Subject:
    type_ = case.kind.subject
    return GLOBAL if type_ is SubjectType.GLOBAL else Subject(type_, 90000001 + more)


def apply(connection: Connection, case: Case, rows: list[Row], more: int = 0) -> int:
    return writer.apply(
        connection,
        case.target,
        rows,
        subject=subject_of(case, more),
        params=case.params,
        now=NOW,
    )


def count(connection: Connection, case: Case) -> int:
    return connection.execute(select(func.count()).select_from(case.target.table)).scalar_one()


def changeable(case: Case) -> str | None:
    """Return a column that a load may change."""
    fixed = {*case.target.key, *case.target.keep, *case.params, f"{case.kind.subject}_id"}
    return next((name for name in case.rows[0] if name not in fixed), None)


def is_owned(case: Case) -> bool:
    """Tell whether the rows belong to the subject of the kind."""
    return case.target.table.info.get("owner") == case.kind.subject


every_case = pytest.mark.parametrize("case", CASES, ids=str)


@every_case
def test_the_same_load_twice_changes_nothing(connection: Connection, case: Case) -> None:
    rows = list(case.rows)
    assert apply(connection, case, rows) == len(rows) == count(connection, case)
    assert apply(connection, case, rows) == 0
    # Order means nothing, and what ESI sends twice is stored once.
    assert apply(connection, case, [*reversed(rows), rows[0]]) == 0
    assert count(connection, case) == len(rows)


@every_case
def test_a_new_row_is_added(connection: Connection, case: Case) -> None:
    rows = list(case.rows)
    apply(connection, case, rows[1:])
    assert apply(connection, case, rows) == 1
    assert count(connection, case) == len(rows)


@pytest.mark.parametrize("case", [c for c in CASES if changeable(c)], ids=str)
def test_a_changed_row_follows_as_declared(connection: Connection, case: Case) -> None:
    rows = list(case.rows)
    apply(connection, case, rows[1:])
    # REPLACE with one row only has nothing before it.
    assert apply(connection, case, rows) == (min(len(rows), 1))
    name = changeable(case)
    if name is None:
        pytest.skip("every column is of the key")
    changed = {**rows[0], name: another(case, name, rows[0][name])}
    expected = 0 if case.target.write is Write.APPEND else 1
    assert apply(connection, case, [changed, *rows[1:]]) == expected
    assert count(connection, case) == len(rows)


@every_case
def test_a_row_that_is_gone_goes_as_declared(connection: Connection, case: Case) -> None:
    rows = list(case.rows)
    apply(connection, case, rows)
    changed = apply(connection, case, rows[1:])
    match case.target.write:
        case Write.REPLACE:
            assert (changed, count(connection, case)) == (1, len(rows) - 1)
        case Write.CLOSE:
            closed = connection.execute(
                select(case.target.table.c.closed_at).where(
                    case.target.table.c.closed_at.is_not(None)
                )
            ).scalars()
            assert (changed, count(connection, case), list(closed)) == (1, len(rows), [NOW])
            assert apply(connection, case, rows) == 1
        case Write.UPSERT | Write.APPEND:
            assert (changed, count(connection, case)) == (0, len(rows))


@pytest.mark.parametrize("case", [c for c in CASES if is_owned(c)], ids=str)
def test_owners_keep_out_of_each_other(connection: Connection, case: Case) -> None:
    rows = list(case.rows)
    assert apply(connection, case, rows) == len(rows)
    assert apply(connection, case, rows, more=1) == len(rows)
    apply(connection, case, [], more=1)
    owner = case.target.table.c[f"{case.kind.subject}_id"]
    left = connection.execute(
        select(func.count()).select_from(case.target.table).where(owner == 90000001)
    ).scalar_one()
    assert left == len(rows)


@pytest.mark.parametrize("case", [c for c in CASES if is_owned(c)], ids=str)
def test_forgetting_an_owner_removes_its_rows_only(connection: Connection, case: Case) -> None:
    rows = list(case.rows)
    apply(connection, case, rows)
    apply(connection, case, rows, more=1)
    subjects.delete_rows(connection, subject_of(case))
    assert count(connection, case) == len(rows)


def another(case: Case, name: str, value: Any) -> Any:
    """Return some other value of the same type."""
    if value is None:
        return something_for(case.target.table.c[name])
    match value:
        case bool():
            return not value
        case str():
            return value + "x"
        case datetime() | date():
            return value + timedelta(days=1)
        case _:
            return value + 1


def test_the_tests_above_can_fail(database: Connection) -> None:
    """A declaration with a wrong fact, a wrong field or a wrong key is found."""
    kind = CATALOG["character.skills"]
    part = dataclasses.replace(kind.parts[0], scopes=frozenset())
    assert any(
        "needs scopes" in text
        for text in kind_facts.faults_of(dataclasses.replace(kind, parts=(part,)))
    )
    wrong = msgspec.defstruct("Wrong", [("skill", int)], frozen=True)
    part = dataclasses.replace(kind.parts[1], wire=wrong)
    assert any(
        "not in the contract" in text
        for text in kind_facts.faults_of(dataclasses.replace(kind, parts=(part,)))
    )
