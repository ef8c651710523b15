"""Rows of the daemon's own tables that another program wrote oddly: each costs itself alone."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from engine.world import read_world
from ipc.outcome import Token
from ipc.subject import JobKey, Subject, SubjectType
from jobs.store import (
    credentials,
    fence,
    ledger,
    odd_rows,
    pauses,
    rate_buckets,
    route_states,
    subjects,
    ways,
)
from jobs.store.database import Database
from jobs.store.ledger import LedgerRow
from jobs.store.rate_buckets import SpentBucket
from jobs.store.route_states import RouteState
from tests.ledgers import load_all

NOBODY = Subject(SubjectType.CHARACTER, 1)
ODD = Subject(SubjectType.CHARACTER, 2)
CORPORATION = Subject(SubjectType.CORPORATION, 98)
OTHER_CORPORATION = Subject(SubjectType.CORPORATION, 99)
HOUR = timedelta(hours=1)
# SQL of values that are none, by database and type of column.
BAD = {
    "sqlite": {
        "time": ["'tomorrow'", "1764547200", "x'ff'", "'0001-01-01T00:00:00+14:00'"],
        "int": ["'x'", "1.5", "x'31'"],
        "text": ["x'ff'"],
        "id": ["'x'", "-5", "0"],
    },
    "postgresql": {
        "time": ["'infinity'", "'-infinity'", "'0044-03-15 BC'"],
        "int": [],
        "text": [],
        "id": ["-5", "0"],
    },
}


@dataclass(frozen=True)
class Spoil:
    """One column of one row, and who reads it."""

    table: str
    column: str
    type: str
    where: str

    def each(self, dialect: str) -> Iterator[str]:
        yield from BAD[dialect][self.type]


WITHOUT_CREDENTIAL = [
    Spoil("credential", column, type_, "id = (SELECT max(id) FROM credential)")
    for column, type_ in (
        ("expires_at", "time"),
        ("logged_in_at", "time"),
        ("refused_at", "time"),
        ("refreshed_at", "time"),
        ("generation", "int"),
        ("scopes", "text"),
        ("client_id", "text"),
        ("character_id", "id"),
    )
]


@pytest.fixture
def filled(database: Database, now: datetime) -> Database:
    """Two of everything: one that stays well, and one to be spoilt."""

    def fill(connection: Connection) -> None:
        fence.take_ownership(connection, "here", 1, now)
        for subject in (NOBODY, ODD):
            number = credentials.save_login(
                connection, subject.id, "client", ["a"], "A-secret", "R-secret", now, now
            )
            for corporation in (CORPORATION, OTHER_CORPORATION):
                ways.set_roles(connection, number, corporation, ["Director"], now)
            ways.refuse(connection, OTHER_CORPORATION, number, now + HOUR, now)
        ledger.upsert_many(
            connection,
            [
                LedgerRow(
                    key=JobKey("k", subject), token=Token.SYNCED, last_attempt_at=now,
                    last_reason="x", fresh_until=now,
                )
                for subject in (NOBODY, ODD)
            ],
        )  # fmt: skip
        for scope in ("all", "odd"):
            pauses.extend(connection, scope, now + HOUR, "why")
        buckets = [SpentBucket(name, 10, 60, 5, now + HOUR, now) for name in ("odd", "well")]
        rate_buckets.save(connection, buckets, now)
        route_states.save(
            connection,
            [
                RouteState(route, "{}", 0, 1, "1", "e", "l", now, 1, False, "c", now)
                for route in ("odd", "well")
            ],
        )

    database.write_now(fill)
    return database


def spoil(database: Database, what: Spoil, value: str) -> None:
    sql = f"UPDATE {what.table} SET {what.column} = {value} WHERE {what.where}"
    database.write_now(lambda connection: connection.exec_driver_sql(sql))


def spoilt(database: Database, caplog: pytest.LogCaptureFixture, what: Spoil) -> Iterator[str]:
    """Yield each value after it has been put in; what was told must name the table once."""
    for value in what.each(database.dialect):
        caplog.clear()
        odd_rows._told.clear()
        spoil(database, what, value)
        with caplog.at_level(logging.WARNING, "jobs.store.odd_rows"):
            yield value
        told = [record.getMessage() for record in caplog.records]
        assert len(told) == 1, (value, told)
        assert f"a row of {what.table} is left out" in told[0]
        assert "secret" not in told[0]


def twice(database: Database, read: Callable[[Connection], Any]) -> Any:
    database.read_now(read)
    return database.read_now(read)


@pytest.mark.parametrize("what", WITHOUT_CREDENTIAL, ids=lambda what: what.column)
def test_an_odd_credential_leaves_the_world_to_the_others(
    filled: Database, caplog: pytest.LogCaptureFixture, what: Spoil
) -> None:
    for value in spoilt(filled, caplog, what):
        world = twice(filled, lambda connection: read_world(connection, None))
        assert world is not None
        assert [one.character_id for one in world.credentials] == [1], value
        assert {holder.character_id for holder in world.holders[CORPORATION]} == {1}


@pytest.mark.parametrize("column", ["expires_at", "scopes", "refresh_token", "access_token"])
def test_an_odd_credential_keeps_no_other_write_back(
    filled: Database, caplog: pytest.LogCaptureFixture, column: str
) -> None:
    type_ = "time" if column == "expires_at" else "text"
    for value in spoilt(filled, caplog, Spoil("credential", column, type_, "character_id = 2")):
        own = twice(filled, lambda connection: credentials.with_tokens(connection, [1, 2]))
        assert list(own) == [1], value


@pytest.mark.parametrize(
    ("column", "type_"), [("refused_until", "time"), ("roles", "text"), ("refused_roles", "text")]
)
def test_an_odd_way_is_left_out(
    filled: Database, caplog: pytest.LogCaptureFixture, column: str, type_: str
) -> None:
    where = "subject_id = 99 AND credential_id = (SELECT max(id) FROM credential)"
    for value in spoilt(filled, caplog, Spoil("access", column, type_, where)):
        assert len(twice(filled, ways.list_all)) == 3, value


def test_an_odd_subject_is_left_out(filled: Database, caplog: pytest.LogCaptureFixture) -> None:
    if filled.dialect == "sqlite":
        where = "type = 'character' AND id IN (2, -5, 'x')"
    else:
        where = "type = 'character' AND id IN (2, -5)"
    for value in spoilt(filled, caplog, Spoil("subject", "id", "id", where)):
        assert set(twice(filled, subjects.all_states)) == {NOBODY}, value
        world = filled.read_now(lambda connection: read_world(connection, None))
        assert world is not None
        assert NOBODY in world.active


@pytest.mark.parametrize(
    ("column", "type_"),
    [
        ("last_attempt_at", "time"),
        ("next_eligible_at", "time"),
        ("consecutive_failures", "int"),
        ("strikes", "int"),
        ("parked_generation", "int"),
        ("last_reason", "text"),
    ],
)
def test_an_odd_row_of_the_ledger_counts_as_never_run(
    filled: Database, caplog: pytest.LogCaptureFixture, column: str, type_: str
) -> None:
    for value in spoilt(filled, caplog, Spoil("ledger", column, type_, "subject_id = 2")):
        rows = twice(filled, lambda connection: ledger.load_of(connection, [NOBODY, ODD]))
        assert [row.key.subject for row in rows] == [NOBODY], value
        assert len(filled.read_now(load_all)) == 1


def test_an_odd_pause_and_an_odd_bucket_are_left_out(
    filled: Database, caplog: pytest.LogCaptureFixture, now: datetime
) -> None:
    for value in spoilt(filled, caplog, Spoil("rate_bucket", "spent", "int", "name = 'odd'")):
        buckets = twice(filled, lambda connection: rate_buckets.load(connection, now))
        assert [one.name for one in buckets] == ["well"], value
    if filled.dialect == "sqlite":
        # Sorts among times of that day, and is none.
        spoil(filled, Spoil("pause", "until", "time", "scope = 'odd'"), f"'{now:%Y-%m-%d}T99'")
    assert "all" in filled.read_now(lambda connection: pauses.load(connection, now))


@pytest.mark.parametrize(
    ("column", "type_"),
    [("expires_at", "time"), ("checked_at", "time"), ("etag", "text"), ("pages", "int")],
)
def test_an_odd_route_state_is_as_none(
    filled: Database, caplog: pytest.LogCaptureFixture, column: str, type_: str
) -> None:
    for value in spoilt(filled, caplog, Spoil("route_state", column, type_, "route = 'odd'")):
        assert twice(filled, lambda c: route_states.load(c, "odd", "{}", 0)) == [], value
        assert len(filled.read_now(lambda c: route_states.load(c, "well", "{}", 0))) == 1


@pytest.mark.parametrize("table", ["credential", "access", "subject"])
def test_no_time_of_another_program_keeps_changes_from_being_seen(
    filled: Database, table: str
) -> None:
    for value in BAD[filled.dialect]["time"]:
        spoil(filled, Spoil(table, "updated_at", "time", "1 = 1"), value)
        assert filled.read_now(credentials.fingerprint) == filled.read_now(credentials.fingerprint)


def test_no_number_of_another_program_overflows_the_fingerprint(filled: Database) -> None:
    largest = str(2**63 - 1)
    spoil(filled, Spoil("credential", "generation", "int", "1 = 1"), largest)
    before = filled.read_now(credentials.fingerprint)
    spoil(filled, Spoil("credential", "generation", "int", "character_id = 1"), str(2**63 - 2))
    assert filled.read_now(credentials.fingerprint) != before


def test_an_odd_start_of_the_owner_is_a_word(filled: Database) -> None:
    for value in BAD[filled.dialect]["time"]:
        spoil(filled, Spoil("owner", "started_at", "time", "id = 1"), value)
        found = filled.read_now(fence.life)
        assert found is not None
        assert found[0] == 1
