"""What grows without end is never named in one statement: SQLite takes so many values, no more."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.kinds._freelance_jobs import wanted as wanted_jobs
from jobs.kinds._unknown_ids import note_unknown, waiting_ids
from jobs.kinds.character import structure_names
from jobs.kinds.global_ import freelance_jobs, net_worth_snapshot, wallet_journal_reconcile
from jobs.kinds.global_._wanted_ids import no_longer_wanted
from jobs.store.wanted import BY_NAME
from tests.kinds.fake_context import START, FakeContext, enroll, put, rows

# The limit while these tests run, and what is more than that.
VALUES, MANY = 600, 700


@pytest.fixture
def narrow(database: Connection) -> Iterator[Connection]:
    """Return a SQLite that takes few values in a statement."""
    driver: Any = database.connection.dbapi_connection
    before = driver.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, VALUES)
    yield database
    driver.setlimit(sqlite3.SQLITE_LIMIT_VARIABLE_NUMBER, before)


def test_many_freelance_jobs(narrow: Connection) -> None:
    put(
        narrow,
        "public_freelance_job",
        *({"job_id": f"{n}", "last_modified_at": START} for n in range(MANY)),
    )
    put(narrow, "freelance_job", {"job_id": "5", "last_modified_at": START})
    found = wanted_jobs(narrow, GLOBAL.id, freelance_jobs.THINGS)
    assert found == {f"{n}": START for n in range(MANY) if n != 5}


def test_many_unknown_ids(narrow: Connection) -> None:
    context = FakeContext(narrow, net_worth_snapshot.KIND, GLOBAL, {})
    ids = list(range(1, MANY + 1))
    note_unknown(context, BY_NAME, ids, narrow)
    note_unknown(context, BY_NAME, ids, narrow)
    assert set(rows(narrow, "unknown_id", "refusals")) == {(2,)}
    assert waiting_ids(narrow, BY_NAME, START) == set(ids)
    put(narrow, "wanted_id", *({"category": BY_NAME, "id": one} for one in ids))
    no_longer_wanted(narrow, BY_NAME, ids[:-1])
    assert rows(narrow, "wanted_id", "id") == rows(narrow, "unknown_id", "id") == [(MANY,)]


def test_many_subjects(narrow: Connection) -> None:
    enroll(narrow, *range(MANY + 1))
    named = [Subject(SubjectType.CHARACTER, one) for one in range(MANY)]
    assert net_worth_snapshot.owners(narrow, named) == list(range(MANY))
    for wallets in wallet_journal_reconcile.WALLETS:
        assert wallet_journal_reconcile.gaps(narrow, wallets, named, START) == []


def test_many_structures_of_ones_own(narrow: Connection) -> None:
    put(
        narrow,
        "corporation_structure",
        *({"corporation_id": 1, "structure_id": n, "name": "x"} for n in range(MANY)),
    )
    me = Subject(SubjectType.CHARACTER, 1)
    context = FakeContext(narrow, structure_names.KIND, me, {})
    assert len(structure_names.own_rows(narrow, context, [1])) == MANY
