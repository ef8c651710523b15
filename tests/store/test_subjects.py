from __future__ import annotations

from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection, Table, func, select

from ipc.outcome import Token
from ipc.subject import GLOBAL, JobKey, Subject, SubjectType
from jobs.errors import SubjectGone
from jobs.spec import Target, Write
from jobs.store import credentials, ledger, outbox, route_states, subjects, ways, writer
from jobs.store.database import Database
from jobs.store.route_states import RouteState, params_key
from jobs.store.schema import core, metadata
from jobs.store.schema.wallet import character_wallet, corporation_wallet
from jobs.store.subjects import State


def states(database: Database) -> dict[Subject, State]:
    return database.read_now(subjects.all_states)


def test_only_enrolling_revives(database: Database, character: Subject, now: datetime) -> None:
    def run(change: Any) -> State:
        database.write_now(lambda conn: change(conn, character, now))
        return states(database)[character]

    assert run(subjects.discover) is State.ACTIVE
    assert run(subjects.withdraw) is State.WITHDRAWN
    assert run(subjects.discover) is State.WITHDRAWN
    assert run(subjects.enroll) is State.ACTIVE
    assert run(subjects.mark_deleted) is State.DELETED
    assert run(subjects.discover) is State.DELETED
    assert run(subjects.withdraw) is State.DELETED
    assert run(subjects.enroll) is State.ACTIVE


@pytest.mark.parametrize("odd", [{"state": "paused"}, {"type": "faction"}, {"id": -5}])
def test_a_word_of_another_program_costs_its_own_subject_alone(
    database: Database, character: Subject, corporation: Subject, now: datetime, odd: Any
) -> None:
    database.write_now(lambda conn: subjects.enroll(conn, character, now))
    database.write_now(lambda conn: subjects.enroll(conn, corporation, now))
    is_it = core.subject.c.id == corporation.id
    database.write_now(lambda conn: conn.execute(core.subject.update().where(is_it).values(odd)))
    assert states(database) == {character: State.ACTIVE}


def test_withdrawing_the_unknown_makes_nobody(
    database: Database, character: Subject, now: datetime
) -> None:
    assert not database.write_now(lambda conn: subjects.withdraw(conn, character, now))
    assert states(database) == {}
    database.write_now(lambda conn: subjects.enroll(conn, character, now))
    assert database.write_now(lambda conn: subjects.withdraw(conn, character, now))
    assert not database.write_now(lambda conn: subjects.withdraw(conn, character, now))


def test_changing_nothing_leaves_the_time(
    database: Database, character: Subject, now: datetime
) -> None:
    later = now + timedelta(hours=1)
    database.write_now(lambda conn: subjects.enroll(conn, character, now))
    database.write_now(lambda conn: subjects.enroll(conn, character, later))
    changed = database.read_now(lambda conn: conn.scalar(select(core.subject.c.updated_at)))
    assert changed == now


def test_only_an_active_subject_is_written(
    database: Database, character: Subject, now: datetime
) -> None:
    def require(conn: Connection) -> None:
        subjects.require_active(conn, character)

    with pytest.raises(SubjectGone, match="not known"):
        database.write_now(require)
    database.write_now(lambda conn: subjects.enroll(conn, character, now))
    database.write_now(require)
    for change in (subjects.withdraw, subjects.mark_deleted):
        database.write_now(partial(change, subject=character, now=now))
        with pytest.raises(SubjectGone):
            database.write_now(require)
    database.write_now(lambda conn: subjects.require_active(conn, GLOBAL))


def test_forgetting_removes_a_subjects_rows_and_nobody_elses(
    database: Database, character: Subject, corporation: Subject, now: datetime
) -> None:
    twin = Subject(SubjectType.CHARACTER, character.id * 10)
    for subject in (character, twin):
        database.write_now(partial(fill, subject=subject, now=now))
    database.write_now(lambda conn: fill_corporation(conn, corporation, character, now))

    counts = database.write_now(lambda conn: subjects.delete_rows(conn, character))

    assert counts == {
        "character_wallet": 1,
        "ledger": 1,
        "outbox": 1,
        "route_state": 3,
        "credential": 1,
    }
    left = database.read_now(lambda conn: {table.name: size(conn, table) for table in TABLES})
    assert left == {
        "character_wallet": 1,
        "corporation_wallet": 1,
        "ledger": 2,
        "outbox": 1,
        "route_state": 4,
        "credential": 1,
        "access": 1,
    }

    counts = database.write_now(lambda conn: subjects.delete_rows(conn, corporation))

    assert counts == {"corporation_wallet": 1, "ledger": 1, "access": 1, "route_state": 1}


def test_every_mirror_table_that_names_a_subject_in_its_key_is_somebodys_or_shared() -> None:
    own = {table.name for table in vars(core).values() if isinstance(table, Table)}
    columns = {"character_id", "corporation_id", "alliance_id"}
    undecided = [
        table.name
        for table in metadata.sorted_tables
        if table.name not in own
        and columns & set(table.primary_key.columns.keys())
        and not ("owner" in table.info or table.info.get("shared"))
    ]
    assert undecided == []


TABLES = (
    character_wallet,
    corporation_wallet,
    core.ledger,
    core.outbox,
    core.route_state,
    core.credential,
    core.access,
)


def size(conn: Connection, table: Table) -> int:
    return conn.scalar(select(func.count()).select_from(table)) or 0


def state(route: str, params: dict[str, int | str], owner_id: int, now: datetime) -> RouteState:
    return RouteState(
        route, params_key(params), owner_id, 1, "1", "e", None, None, None, False, None, now
    )


def fill(conn: Connection, subject: Subject, now: datetime) -> None:
    target = Target(character_wallet, ("character_id",), Write.REPLACE)
    writer.apply(conn, target, [{"balance": 1}], subject=subject, params={}, now=now)
    credential_id = credentials.save_login(conn, subject.id, "id", [], "a", "r", now, now)
    ways.link(conn, Subject(SubjectType.CORPORATION, 98000001), credential_id, now)
    key = JobKey("character.wallet", subject)
    ledger.upsert_many(conn, [ledger.LedgerRow(key=key, token=Token.SYNCED, last_attempt_at=now)])
    outbox.append(conn, subject, "mail.send", "{}", "1", now, None)
    route_states.save(
        conn,
        [
            # Read with its token, public, and public with more params.
            state("GET /own", {}, subject.id, now),
            state("GET /public", {"character_id": subject.id}, 0, now),
            state("GET /more", {"character_id": subject.id, "z": 1}, 0, now),
        ],
    )


def fill_corporation(
    conn: Connection, corporation: Subject, director: Subject, now: datetime
) -> None:
    target = Target(corporation_wallet, ("corporation_id", "division"), Write.REPLACE)
    rows = [{"division": 1, "balance": 1}]
    writer.apply(conn, target, rows, subject=corporation, params={}, now=now)
    key = JobKey("corporation.wallet", corporation)
    ledger.upsert_many(conn, [ledger.LedgerRow(key=key, token=Token.SYNCED, last_attempt_at=now)])
    twin = director.id * 10
    route_states.save(conn, [state("GET /c", {"corporation_id": corporation.id}, twin, now)])
