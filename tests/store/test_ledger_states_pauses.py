from __future__ import annotations

from dataclasses import replace
from datetime import datetime, timedelta
from functools import partial

import pytest

from ipc.outcome import Token
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.store import ledger, pauses, route_states
from jobs.store.database import Database
from jobs.store.ledger import LedgerRow
from jobs.store.route_states import RouteState, params_key
from tests.ledgers import load_all


def full_row(key: JobKey, now: datetime) -> LedgerRow:
    return LedgerRow(
        key=key,
        token=Token.FAILED,
        last_attempt_at=now,
        rows_touched=7,
        last_reason="why",
        started_at=now - timedelta(seconds=1),
        duration_ms=1000,
        rows_skipped=4,
        to_fetch=11,
        words_unknown=6,
        last_success_at=now - timedelta(days=1),
        last_changed_at=now - timedelta(days=2),
        next_eligible_at=now + timedelta(hours=1),
        fresh_until=now + timedelta(minutes=5),
        consecutive_failures=3,
        strikes=2,
        parked_reason="parked",
        parked_generation=2**40,
    )


def test_a_ledger_row_is_read_back_as_written(
    database: Database, character: Subject, now: datetime
) -> None:
    rows = [
        full_row(JobKey("character.wallet", character), now),
        LedgerRow(key=JobKey("global.x", GLOBAL), token=Token.SYNCED, last_attempt_at=now),
    ]
    assert database.write_now(lambda conn: ledger.upsert_many(conn, rows)) == 2
    found = database.read_now(load_all)
    assert sorted(found, key=lambda row: row.key) == rows


def test_a_ledger_row_is_replaced_whole_and_the_last_of_a_batch_stands(
    database: Database, character: Subject, now: datetime
) -> None:
    key = JobKey("character.wallet", character)
    database.write_now(lambda conn: ledger.upsert_many(conn, [full_row(key, now)]))
    newer = LedgerRow(key=key, token=Token.SYNCED, last_attempt_at=now + timedelta(seconds=1))
    database.write_now(lambda conn: ledger.upsert_many(conn, [full_row(key, now), newer]))
    assert database.read_now(load_all) == [newer]
    assert database.write_now(lambda conn: ledger.upsert_many(conn, [])) == 0


def test_the_rows_of_some_subjects_are_read_alone(
    database: Database, character: Subject, now: datetime, monkeypatch: pytest.MonkeyPatch
) -> None:
    other = Subject(SubjectType.CHARACTER, character.id + 1)
    # The same number, and another owner.
    namesake = Subject(SubjectType.CORPORATION, character.id)
    rows = [full_row(JobKey("a.b", of), now) for of in (character, other, namesake, GLOBAL)]
    database.write_now(lambda conn: ledger.upsert_many(conn, rows))

    def found(*of: Subject) -> list[Subject]:
        some = database.read_now(lambda conn: ledger.load_of(conn, frozenset(of)))
        return sorted(row.key.subject for row in some)

    assert found() == []
    assert found(character) == [character]
    assert found(namesake, GLOBAL) == sorted([namesake, GLOBAL])
    monkeypatch.setattr(ledger, "_MANY", 1)
    assert found(character, other) == [character, other]


def test_many_ledger_rows_are_written_in_one_go(database: Database, now: datetime) -> None:
    keys = [JobKey("character.wallet", Subject(SubjectType.CHARACTER, n)) for n in range(1, 124)]
    rows = [full_row(key, now) for key in keys]
    assert database.write_now(lambda conn: ledger.upsert_many(conn, rows)) == len(keys)
    newer = [
        LedgerRow(key=key, token=Token.EMPTY, last_attempt_at=now, last_success_at=now)
        for key in keys[3:]
    ]
    assert database.write_now(lambda conn: ledger.upsert_many(conn, newer)) == len(newer)
    found = database.read_now(load_all)
    assert sorted(found, key=lambda row: row.key) == rows[:3] + newer


def page(number: int, now: datetime, pages: int | None = 3) -> RouteState:
    return RouteState(
        route="GET /assets",
        params=params_key({"b": 2, "a": "x"}),
        owner_id=7,
        page=number,
        revision="1:2026-06-09",
        etag=f'"{number}"',
        last_modified="Mon, 30 Nov 2026 11:00:00 GMT",
        expires_at=now,
        pages=pages,
        complete_walk=True,
        cursor="c",
        checked_at=now,
        rows_skipped=number,
    )


def test_states_of_a_request_are_read_back_by_page(database: Database, now: datetime) -> None:
    states = [page(number, now) for number in (1, 2, 3)]
    other = replace(states[0], params=params_key({"a": "y"}), owner_id=8)
    database.write_now(lambda conn: route_states.save(conn, [states[2], other, *states[:2]]))
    params = params_key({"a": "x", "b": 2})
    assert params == '{"a":"x","b":2}'
    assert database.read_now(lambda conn: route_states.load(conn, "GET /assets", params, 7)) == (
        states
    )
    assert database.read_now(lambda conn: route_states.load(conn, "GET /assets", params, 9)) == []


def test_what_another_token_was_told_is_forgotten(database: Database, now: datetime) -> None:
    params = params_key({"a": "x", "b": 2})
    mine = [page(number, now) for number in (1, 2, 3)]
    theirs = replace(mine[0], owner_id=8, pages=1)
    database.write_now(lambda conn: route_states.save(conn, mine))
    database.write_now(lambda conn: route_states.save(conn, [theirs]))

    def load(owner_id: int) -> list[RouteState]:
        return database.read_now(
            lambda conn: route_states.load(conn, "GET /assets", params, owner_id)
        )

    assert (load(7), load(8)) == ([], [theirs])


def test_a_page_that_went_is_forgotten(database: Database, now: datetime) -> None:
    """Its validator would call rows unchanged that are deleted by now."""
    params = params_key({"a": "x", "b": 2})
    database.write_now(
        lambda conn: route_states.save(conn, [page(number, now) for number in (1, 2, 3)])
    )
    database.write_now(lambda conn: route_states.save(conn, [page(1, now, pages=1)]))
    left = database.read_now(lambda conn: route_states.load(conn, "GET /assets", params, 7))
    assert [state.page for state in left] == [1]
    database.write_now(lambda conn: route_states.save(conn, [page(1, now, pages=None)]))
    database.write_now(lambda conn: route_states.save(conn, []))
    left = database.read_now(lambda conn: route_states.load(conn, "GET /assets", params, 7))
    assert [state.page for state in left] == [1]


def test_the_longest_pause_stands(database: Database, now: datetime) -> None:
    long, short = now + timedelta(seconds=60), now + timedelta(seconds=10)
    for until, reason in ((long, "long"), (short, "short")):
        database.write_now(partial(pauses.extend, scope="all", until=until, reason=reason))
    database.write_now(lambda conn: pauses.extend(conn, "bucket", short, "bucket"))
    assert database.read_now(lambda conn: pauses.load(conn, now)) == {
        "all": (long, "long"),
        "bucket": (short, "bucket"),
    }
    assert database.read_now(lambda conn: pauses.load(conn, short)) == {"all": (long, "long")}


def test_a_pause_made_while_the_clock_was_ahead_is_none(database: Database, now: datetime) -> None:
    ahead, until = now + timedelta(days=300), now + timedelta(seconds=60)
    database.write_now(lambda conn: pauses.extend(conn, "all", ahead, "ahead"))
    assert database.read_now(lambda conn: pauses.load(conn, now)) == {}
    database.write_now(lambda conn: pauses.extend(conn, "all", until, "now"))
    assert database.read_now(lambda conn: pauses.load(conn, now)) == {"all": (until, "now")}
