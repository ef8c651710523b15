from __future__ import annotations

import asyncio
from collections.abc import Callable
from datetime import datetime, timedelta
from functools import partial
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.store import credentials, grants, subjects, ways
from jobs.store.database import Database
from jobs.store.schema.core import access
from jobs.store.schema.core import credential as credential_table
from jobs.store.subjects import State
from jobs.store.ways import Way

HOUR = timedelta(hours=1)


@pytest.fixture
def login(database: Database, now: datetime) -> int:
    """Store a credential and return its id."""
    return database.write_now(
        lambda conn: credentials.save_login(
            conn, 90000001, "client", ["b", "a"], "access", "refresh", now + HOUR, now
        )
    )


def generation(database: Database, credential_id: int) -> int:
    (found,) = (
        each for each in database.read_now(credentials.list_all) if each.id == credential_id
    )
    return found.generation


def test_those_of_one_character_are_listed(database: Database, login: int, now: datetime) -> None:
    database.write_now(
        lambda conn: credentials.save_login(conn, 90000002, "client", [], None, "r", now, now)
    )
    (listed,) = database.read_now(lambda conn: credentials.list_all(conn, 90000001))
    assert listed.id == login
    assert database.read_now(lambda conn: credentials.list_all(conn, 1)) == []


def test_a_login_is_read_back(
    database: Database, login: int, character: Subject, now: datetime
) -> None:
    (listed,) = database.read_now(credentials.list_all)
    assert listed.scopes == {"a", "b"}
    assert (listed.character_id, listed.client_id) == (90000001, "client")
    assert listed.expires_at == now + HOUR
    assert not listed.needs_reauth
    tokens = database.read_now(lambda conn: credentials.tokens(conn, login))
    assert tokens is not None
    assert (tokens.access_token, tokens.refresh_token) == ("access", "refresh")
    assert tokens.generation == listed.generation
    assert "refresh'" not in repr(tokens)
    assert "access'" not in repr(tokens)
    assert database.read_now(subjects.all_states) == {character: State.ACTIVE}
    assert database.read_now(lambda conn: credentials.tokens(conn, login + 1)) is None


def test_a_second_login_takes_the_place_and_revives(
    database: Database, login: int, character: Subject, now: datetime
) -> None:
    before = generation(database, login)
    database.write_now(lambda conn: subjects.mark_deleted(conn, character, now))
    database.write_now(lambda conn: flag(conn, login, now))
    again = database.write_now(
        lambda conn: credentials.save_login(
            conn, character.id, "client", ["c"], "new", "newer", now, now
        )
    )
    (found,) = database.read_now(credentials.list_all)
    assert again == login == found.id
    assert found.scopes == {"c"}
    assert not found.needs_reauth
    assert found.refused_at is None
    assert found.generation > before + 1
    assert database.read_now(subjects.all_states)[character] is State.ACTIVE


def test_a_new_login_has_no_generation_of_a_removed_one(
    database: Database, login: int, now: datetime
) -> None:
    """A job that was parked at that generation would stay parked."""
    used = {generation(database, login)}
    database.write_now(lambda conn: flag(conn, login, now))
    used.add(generation(database, login))
    assert database.write_now(lambda conn: credentials.remove(conn, 90000001)) == 1
    later = now + timedelta(minutes=5)
    new = database.write_now(
        lambda conn: credentials.save_login(conn, 90000001, "client", [], "a", "r", later, later)
    )
    assert generation(database, new) not in used


def test_of_two_refreshes_of_one_generation_one_is_stored(
    prepared_url: str, database: Database, login: int, now: datetime
) -> None:
    """Both had SSO's answer; the loser must not overwrite the winner's token."""
    first = generation(database, login)
    others = [Database(prepared_url) for _ in range(2)]

    def store(name: str) -> Callable[[Connection], bool]:
        return lambda conn: credentials.store_refreshed(
            conn, login, first, f"access {name}", f"refresh {name}", now + HOUR, None, now
        )

    async def race() -> list[bool]:
        return await asyncio.gather(
            *(each.write(store(str(n)), epoch=None) for n, each in enumerate(others))
        )

    won = asyncio.run(race())
    assert sorted(won) == [False, True]
    tokens = database.read_now(lambda conn: credentials.tokens(conn, login))
    assert tokens is not None
    assert tokens.refresh_token == f"refresh {won.index(True)}"
    assert tokens.generation == first + 1
    assert tokens.scopes == {"a", "b"}
    for each in others:
        each.close_now()


def test_a_credential_is_flagged_by_the_second_refusal_only(
    database: Database, login: int, now: datetime
) -> None:
    first = generation(database, login)

    def refuse(at: datetime, of: int = first) -> str:
        return database.write_now(lambda conn: credentials.note_refused(conn, login, of, at))

    assert refuse(now) == "first"
    assert refuse(now + timedelta(seconds=59)) == "first"
    assert not database.read_now(credentials.list_all)[0].needs_reauth
    assert refuse(now + timedelta(seconds=60), first - 1) == "stale"
    assert refuse(now + timedelta(seconds=60)) == "flagged"
    (found,) = database.read_now(credentials.list_all)
    assert found.needs_reauth
    assert found.generation == first + 1
    assert refuse(now + timedelta(seconds=200)) == "stale"


def test_a_refusal_of_a_clock_that_was_ahead_counts_as_the_first(
    database: Database, login: int, now: datetime
) -> None:
    first = generation(database, login)

    def refuse(at: datetime) -> str:
        return database.write_now(lambda conn: credentials.note_refused(conn, login, first, at))

    assert refuse(now + timedelta(days=5000)) == "first"
    assert refuse(now) == "first"
    assert refuse(now + timedelta(seconds=60)) == "flagged"


def test_a_stored_refresh_ends_refusals(database: Database, login: int, now: datetime) -> None:
    first = generation(database, login)
    database.write_now(lambda conn: credentials.note_refused(conn, login, first, now))
    assert database.write_now(
        lambda conn: credentials.store_refreshed(conn, login, first, "a", "r", now, ["z"], now)
    )
    (found,) = database.read_now(credentials.list_all)
    assert found.refused_at is None
    assert found.refreshed_at == now
    assert found.scopes == {"z"}
    late = now + timedelta(minutes=5)
    assert (
        database.write_now(lambda conn: credentials.note_refused(conn, login, first + 1, late))
        == "first"
    )


def test_a_way_to_what_this_version_does_not_know_is_none(
    database: Database, login: int, character: Subject, corporation: Subject, now: datetime
) -> None:
    ours = Subject(SubjectType.CORPORATION, 98000002)
    for subject in (corporation, ours):
        database.write_now(partial(ways.link, subject=subject, credential_id=login, now=now))
    odd = access.update().where(access.c.subject_id == corporation.id).values(subject_type="guild")
    database.write_now(lambda conn: conn.execute(odd))
    assert [way.subject for way in database.read_now(ways.list_all)] == [ours]
    new = database.write_now(
        lambda conn: credentials.save_login(
            conn, character.id, "other", [], None, "newer", None, now
        )
    )
    assert database.read_now(ways.list_all) == [Way(ours, new, None, None)]


def test_access_and_its_roles(
    database: Database, login: int, corporation: Subject, now: datetime
) -> None:
    def run(change: Any, *arguments: Any) -> Way | None:
        database.write_now(lambda conn: change(conn, *arguments))
        found = database.read_now(ways.list_all)
        return found[0] if found else None

    assert run(ways.link, corporation, login, now) == Way(corporation, login, None, None)
    until = now + HOUR
    refused = run(ways.refuse, corporation, login, until, now)
    assert refused == Way(corporation, login, None, until)
    assert run(ways.link, corporation, login, now) == refused
    roles = frozenset({"Director", "Accountant"})
    known = run(ways.set_roles, login, corporation, roles, now)
    assert known == Way(corporation, login, roles, None)
    run(ways.refuse, corporation, login, until, now)
    # The same roles again do not make a refusal void, fewer do.
    same = run(ways.set_roles, login, corporation, roles, now)
    assert same == Way(corporation, login, roles, until)
    none = run(ways.set_roles, login, corporation, [], now)
    assert none == Way(corporation, login, frozenset(), None)
    assert run(ways.unlink, corporation, login) is None
    run(ways.link, corporation, login, now)
    assert run(credentials.remove, 90000001) is None


def test_a_refusal_concerns_the_roles_that_were_asked_for(
    database: Database, login: int, corporation: Subject, now: datetime
) -> None:
    def refuse(*roles: str, at: datetime = now) -> frozenset[str] | None:
        until = at + HOUR
        database.write_now(lambda conn: ways.refuse(conn, corporation, login, until, at, roles))
        (found,) = database.read_now(ways.list_all)
        assert found.refused_until == until
        return found.refused_roles

    director, clerk = frozenset({"Director"}), frozenset({"Accountant", "Junior_Accountant"})
    assert refuse(*director) == director
    assert refuse(*clerk) == director | clerk
    # An hour later the first is over, and nothing is left of what it concerned.
    assert refuse(*director, at=now + 2 * HOUR) == director
    assert refuse(at=now + 2 * HOUR) is None
    assert refuse("Director", at=now + 2 * HOUR) is None
    database.write_now(lambda conn: ways.set_roles(conn, login, corporation, ["x"], now))
    (found,) = database.read_now(ways.list_all)
    assert (found.refused_until, found.refused_roles) == (None, None)


def test_the_fingerprint_differs_after_each_change_within_one_millisecond(
    database: Database, login: int, character: Subject, corporation: Subject, now: datetime
) -> None:
    first = generation(database, login)
    changes: list[Callable[[Connection], Any]] = [
        lambda conn: credentials.note_refused(conn, login, first, now),
        lambda conn: credentials.store_refreshed(conn, login, first, "a", "r", now, None, now),
        lambda conn: subjects.discover(conn, corporation, now),
        lambda conn: subjects.withdraw(conn, character, now),
        lambda conn: ways.link(conn, corporation, login, now),
        lambda conn: ways.set_roles(conn, login, corporation, [], now),
        lambda conn: ways.set_roles(conn, login, corporation, ["Director"], now),
        lambda conn: ways.refuse(conn, corporation, login, now, now, ["Director"]),
        lambda conn: ways.refuse(conn, corporation, login, now + HOUR, now),
        lambda conn: ways.unlink(conn, corporation, login),
        lambda conn: credentials.remove(conn, 90000001),
    ]
    seen = [database.read_now(credentials.fingerprint)]
    assert database.read_now(credentials.fingerprint) == seen[0]
    for change in changes:
        noted = database.write_now(partial(_is_noted, change))
        found = database.read_now(credentials.fingerprint)
        assert found != seen[-1], f"change {len(seen)}"
        assert noted, f"change {len(seen)}"
        seen.append(found)


def _is_noted(change: Callable[[Connection], Any], connection: Connection) -> bool:
    change(connection)
    return grants.were_changed(connection)


def test_what_changes_nothing_is_not_noted(
    database: Database, login: int, character: Subject, corporation: Subject, now: datetime
) -> None:
    database.write_now(lambda conn: ways.set_roles(conn, login, corporation, [], now))
    nothing: list[Callable[[Connection], Any]] = [
        lambda conn: ways.set_roles(conn, login, corporation, [], now),
        lambda conn: ways.link(conn, corporation, login, now),
        lambda conn: ways.unlink(conn, character, login),
        lambda conn: subjects.discover(conn, character, now),
        lambda conn: subjects.enroll(conn, character, now),
        lambda conn: subjects.withdraw(conn, corporation, now),
        lambda conn: credentials.store_refreshed(conn, login, 0, "a", "r", now, None, now),
    ]
    for number, change in enumerate(nothing):
        assert not database.write_now(partial(_is_noted, change)), f"change {number}"


def flag(conn: Connection, credential_id: int, now: datetime) -> None:
    (found,) = credentials.list_all(conn)
    credentials.note_refused(conn, credential_id, found.generation, now)
    late = now + timedelta(minutes=2)
    assert credentials.note_refused(conn, credential_id, found.generation, late) == "flagged"


def test_a_login_with_another_client_takes_the_place_of_the_old_one(
    database: Database, login: int, character: Subject, corporation: Subject, now: datetime
) -> None:
    before = generation(database, login)
    # As many as a flag and refreshes make: above what the clock would give.
    database.write_now(
        lambda conn: conn.execute(
            credential_table.update().values(generation=before + 1000, needs_reauth=True)
        )
    )
    database.write_now(lambda conn: ways.set_roles(conn, login, corporation, ["Director"], now))
    database.write_now(lambda conn: ways.refuse(conn, corporation, login, now + HOUR, now))
    new = database.write_now(
        lambda conn: credentials.save_login(
            conn, character.id, "other", ["b"], None, "newer", None, now
        )
    )
    (left,) = database.read_now(credentials.list_all)
    assert (left.id, left.client_id, left.needs_reauth) == (new, "other", False)
    assert left.generation == before + 1001
    assert database.read_now(ways.list_all) == [
        Way(corporation, new, frozenset({"Director"}), None)
    ]


def test_of_two_clients_the_one_that_logs_in_anew_stays_and_its_generation_rises(
    database: Database, login: int, character: Subject, corporation: Subject, now: datetime
) -> None:
    older = credential_table.insert().values(
        character_id=character.id, client_id="other", scopes="", refresh_token="r",
        generation=generation(database, login) + 50, created_at=now, updated_at=now,
    )  # fmt: skip
    database.write_now(lambda conn: conn.execute(older))
    other = next(o for o in database.read_now(credentials.list_all) if o.id != login)
    for each in (login, other.id):
        database.write_now(partial(ways.link, subject=corporation, credential_id=each, now=now))
    again = database.write_now(
        lambda conn: credentials.save_login(
            conn, character.id, "client", ["b"], None, "newer", None, now
        )
    )
    assert again == login
    (left,) = database.read_now(credentials.list_all)
    assert (left.id, left.generation) == (login, other.generation + 1)
    assert [one.credential_id for one in database.read_now(ways.list_all)] == [login]


def test_a_login_leaves_the_credentials_of_other_characters(
    database: Database, login: int, now: datetime
) -> None:
    database.write_now(
        lambda conn: credentials.save_login(conn, 90000002, "other", [], None, "r", None, now)
    )
    assert {one.character_id for one in database.read_now(credentials.list_all)} == {
        90000001, 90000002
    }  # fmt: skip
