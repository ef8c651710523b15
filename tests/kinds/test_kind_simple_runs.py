"""Kinds whose run is a few lines: server status, telemetry, profile, roles, token audit."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.errors import Gone
from jobs.kinds.character import profile, roles, telemetry
from jobs.kinds.global_ import server_status, token_audit
from jobs.store import credentials
from tests.kinds.fake_context import START, FakeContext, Unchanged, enroll, put, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
SCOPES = ["esi-wallet.read_corporation_wallets.v1", "publicData"]
STATUS = {"players": 10, "server_version": "1", "start_time": "2026-11-30T11:04:00Z"}
PROFILE = {
    "name": "Ada Vex",
    "corporation_id": 98000001,
    "birthday": "2012-02-29T10:20:30Z",
    "gender": "female",
    "race_id": 1,
    "bloodline_id": 5,
    "achievement_score": 1,
}


def login(connection: Connection, scopes: list[str] = SCOPES, client: str = "app") -> int:
    return credentials.save_login(
        connection, ME.id, client, scopes, "access", "refresh", START, START
    )


def unchanged(_params: Any, _body: Any) -> Any:
    raise Unchanged


def gone(_params: Any, _body: Any) -> Any:
    raise Gone("404")


async def test_server_status_keeps_a_row_for_each_change(database: Connection) -> None:
    answer = dict(STATUS)
    context = FakeContext(
        database, server_status.KIND, GLOBAL, {"GET /status": lambda _params, _body: answer}
    )
    assert (await context.run("server")).rows == 1
    context.clock.advance(60)
    assert (await context.run("server")).rows == 0
    answer["players"] = 11
    context.clock.advance(60)
    assert (await context.run("server")).rows == 1
    context.answers["GET /status"] = unchanged
    assert (await context.run("server")).rows == 0
    assert rows(database, "server_status", "players", "vip") == [(10, None), (11, None)]


async def test_location_history_has_a_row_for_each_place(database: Connection) -> None:
    places = [
        {"solar_system_id": 30000142, "station_id": 60000004},
        {"solar_system_id": 30000142, "station_id": 60000004},
        {"solar_system_id": 30000142},
    ]
    context = FakeContext(
        database,
        telemetry.KIND,
        ME,
        {"GET /characters/{character_id}/location": lambda _params, _body: places.pop(0)},
    )
    changed = []
    for _ in range(3):
        changed.append((await context.run("location")).rows)
        context.clock.advance(300)
    assert changed == [2, 0, 2]
    assert rows(database, "character_location", "station_id") == [(None,)]
    history = rows(database, "character_location_history", "observed_at", "station_id")
    assert history == [(START, 60000004), (START + timedelta(minutes=10), None)]


async def test_profile_makes_the_corporation_known_that_a_scope_opens(
    database: Connection,
) -> None:
    credential_id = login(database)
    context = FakeContext(
        database,
        profile.KIND,
        ME,
        {"GET /characters/{character_id}": lambda _params, _body: PROFILE},
    )
    assert (await context.run("profile")).rows == 1
    assert ("corporation", 98000001, "active") in rows(database, "subject", "type", "id", "state")
    assert rows(database, "access", "subject_id", "credential_id", "roles") == [
        (98000001, credential_id, None)
    ]


async def test_profile_without_a_corporation_scope_makes_none_known(database: Connection) -> None:
    login(database, ["esi-characters.read_corporation_roles.v1", "esi-skills.read_skills.v1"])
    context = FakeContext(
        database,
        profile.KIND,
        ME,
        {"GET /characters/{character_id}": lambda _params, _body: PROFILE},
    )
    await context.run("profile")
    assert rows(database, "access") == []
    assert rows(database, "subject", "type") == [("character",)]


async def test_a_login_after_the_profile_still_opens_the_corporation(database: Connection) -> None:
    login(database, [])
    context = FakeContext(
        database,
        profile.KIND,
        ME,
        {"GET /characters/{character_id}": lambda _params, _body: PROFILE},
    )
    await context.run("profile")
    context.answers["GET /characters/{character_id}"] = unchanged
    context.writes = 0
    await context.run("profile")
    assert context.writes == 0
    login(database)
    await context.run("profile")
    assert len(rows(database, "access")) == 1


async def test_a_withdrawn_corporation_is_not_revived(database: Connection) -> None:
    login(database)
    put(
        database,
        "subject",
        {"type": "corporation", "id": 98000001, "state": "withdrawn"},
    )
    context = FakeContext(
        database,
        profile.KIND,
        ME,
        {"GET /characters/{character_id}": lambda _params, _body: PROFILE},
    )
    await context.run("profile")
    assert ("corporation", 98000001, "withdrawn") in rows(
        database, "subject", "type", "id", "state"
    )


async def test_a_404_is_believed_after_a_while(database: Connection) -> None:
    enroll(database, ME.id)
    context = FakeContext(database, profile.KIND, ME, {"GET /characters/{character_id}": gone})
    active = [("active",)]
    hours = asked = 0
    while rows(database, "subject", "state") == active:
        with pytest.raises(Gone):
            await context.run("profile")
        # However often it is asked in between.
        asked += 1
        if asked % 9 == 0:
            hours += 1
            context.clock.advance(3600)
    assert hours == 31
    # Who enrolls it again has all that time again.
    assert rows(database, "unknown_id") == []


async def test_a_404_between_good_answers_does_not_count(database: Connection) -> None:
    enroll(database, ME.id)
    route = "GET /characters/{character_id}"
    context = FakeContext(database, profile.KIND, ME, {})
    for _ in range(20):
        context.answers[route] = gone
        with pytest.raises(Gone):
            await context.run("profile")
        context.clock.advance(86_400)
        for answer in (lambda _params, _body: PROFILE, unchanged):
            context.answers[route] = answer
            await context.run("profile")
            assert rows(database, "unknown_id") == []
            context.answers[route] = gone
            with pytest.raises(Gone):
                await context.run("profile")
    assert rows(database, "subject", "state") == [("active",)]


async def test_a_portrait_is_looked_at_again_a_day_later(database: Connection) -> None:
    urls = {"px64x64": "https://i.example/characters/1/portrait?size=64"}
    context = FakeContext(
        database,
        profile.KIND,
        ME,
        {"GET /characters/{character_id}/portrait": lambda _params, _body: urls},
    )
    await context.run("portrait")
    assert context.images == [("/characters/1/portrait?size=64", "character_90000001.jpg")]
    context.answers["GET /characters/{character_id}/portrait"] = unchanged
    context.clock.advance(3600)
    assert (await context.run("portrait")).rows == 0
    assert len(context.images) == 1
    context.clock.advance(86_400)
    assert (await context.run("portrait")).rows == 1
    assert len(context.images) == 2
    # That was by a clock that was ahead.
    context.clock.step_wall(-30 * 86_400)
    await context.run("portrait")
    assert len(context.images) == 3


async def test_a_character_without_portrait_is_empty(database: Connection) -> None:
    context = FakeContext(
        database,
        profile.KIND,
        ME,
        {"GET /characters/{character_id}/portrait": lambda _params, _body: {}},
    )
    assert (await context.run("portrait")).empty
    assert context.images == []


async def test_roles_open_the_corporation(database: Connection) -> None:
    login(database)
    put(database, "character", {"character_id": ME.id, "corporation_id": 98000001})
    held = {"roles": ["Accountant"], "roles_at_hq": ["Director"]}
    route = "GET /characters/{character_id}/roles"
    context = FakeContext(database, roles.KIND, ME, {route: lambda _params, _body: held})
    assert (await context.run("roles")).rows == 2
    # What holds at headquarters only opens nothing.
    assert rows(database, "access", "subject_id", "roles") == [(98000001, "Accountant")]
    context.answers[route] = unchanged
    context.writes = 0
    await context.run("roles")
    assert context.writes == 0
    # A login with another client takes the old one's place, and what it opened stays open.
    login(database, client="other")
    await context.run("roles")
    assert rows(database, "access", "roles") == [("Accountant",)]


async def test_no_roles_are_known_roles(database: Connection) -> None:
    login(database)
    put(database, "character", {"character_id": ME.id, "corporation_id": 98000001})
    route = "GET /characters/{character_id}/roles"
    context = FakeContext(database, roles.KIND, ME, {route: lambda _params, _body: {}})
    assert (await context.run("roles")).empty
    assert rows(database, "access", "roles") == [("",)]


def credential(number: int, **more: Any) -> dict[str, Any]:
    return {
        "id": number,
        "character_id": number,
        "client_id": "app",
        "scopes": "",
        "refresh_token": "r",
        "generation": 1,
        "created_at": START - timedelta(days=9),
        "updated_at": START - timedelta(days=9),
        **more,
    }


async def test_audit_tries_what_nobody_used(database: Connection) -> None:
    recent = START - timedelta(minutes=5)
    put(
        database,
        "credential",
        credential(1),
        credential(2, updated_at=recent),
        credential(3, updated_at=recent, refused_at=recent),
        credential(4, updated_at=recent, refused_at=recent, needs_reauth=True),
        credential(5, needs_reauth=True, refused_at=START - timedelta(days=9)),
        credential(6, updated_at=START, refused_at=START),
    )
    context = FakeContext(database, token_audit.KIND, GLOBAL, {})
    result = await context.run("audit")
    assert result.refresh == (1, 5, 3)
    assert not result.empty


async def test_audit_is_bounded_and_says_what_is_left(database: Connection) -> None:
    put(database, "credential", *(credential(n) for n in range(1, token_audit.BATCH + 4)))
    context = FakeContext(database, token_audit.KIND, GLOBAL, {})
    result = await context.run("audit")
    assert result.refresh == tuple(range(1, token_audit.BATCH + 1))
    assert "3 more wait" in result.note
