"""Alliances: who makes them subjects, through whom they are read, what they consist of."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from engine import grants
from engine.grants import Verdict
from engine.world import read_world
from ipc.subject import GLOBAL, Subject, SubjectType
from jobs import access, entities
from jobs.errors import BadAnswer
from jobs.kinds.alliance import contacts, profile
from jobs.kinds.corporation import profile as company
from jobs.kinds.global_ import affiliation
from jobs.store import credentials, subjects, ways
from tests.kinds.declared import take
from tests.kinds.fake_context import START, FakeContext, Unchanged, enroll, put, rows

ME, OTHER = 90000001, 90000002
US, THEM = Subject(SubjectType.ALLIANCE, 99000001), Subject(SubjectType.ALLIANCE, 99000002)
COMPANY = Subject(SubjectType.CORPORATION, 98000001)
SCOPE = "esi-alliances.read_contacts.v1"
AFFILIATION = "POST /characters/affiliation"
CORPORATION = "GET /corporations/{corporation_id}"


def log_in(database: Connection, character_id: int, *scopes: str, alliance_id: int | None) -> int:
    credential_id = credentials.save_login(
        database, character_id, "app", scopes, "a", "r", START, START
    )
    put(
        database,
        "character",
        {"character_id": character_id, "corporation_id": COMPANY.id, "alliance_id": alliance_id},
    )
    access.link(database, character_id, START)
    return credential_id


def readings(database: Connection) -> list[tuple[Any, ...]]:
    return rows(database, "access", "subject_type", "subject_id", "credential_id")


def alliances(database: Connection) -> dict[Subject, str]:
    found = subjects.all_states(database)
    return {one: state for one, state in found.items() if one.type is SubjectType.ALLIANCE}


def test_an_alliance_is_a_subject_with_its_first_member_and_opened_by_a_scope(
    database: Connection,
) -> None:
    log_in(database, ME, "esi-skills.read_skills.v1", alliance_id=US.id)
    assert alliances(database) == {US: "active"}
    assert readings(database) == []
    credential_id = log_in(database, OTHER, SCOPE, alliance_id=US.id)
    assert readings(database) == [("alliance", US.id, credential_id)]
    assert access.is_current(database, ME)
    assert access.is_current(database, OTHER)


def test_a_number_that_can_be_nobodys_makes_no_subject(database: Connection) -> None:
    log_in(database, ME, SCOPE, alliance_id=-5)
    assert alliances(database) == {}
    put(database, "character", {"character_id": OTHER, "corporation_id": -7, "alliance_id": None})
    assert access.home_of(database, OTHER) is None
    assert access.link(database, OTHER, START) is None


def test_an_alliance_that_was_withdrawn_or_forgotten_stays_away(database: Connection) -> None:
    subjects.enroll(database, US, START)
    subjects.withdraw(database, US, START)
    log_in(database, ME, SCOPE, alliance_id=US.id)
    assert alliances(database) == {US: "withdrawn"}
    assert access.is_current(database, ME)


def test_nothing_is_kept_of_who_was_forgotten(database: Connection) -> None:
    company_scope = "esi-corporations.read_contacts.v1"
    credential_id = log_in(database, ME, SCOPE, company_scope, alliance_id=US.id)
    both = [("alliance", US.id, credential_id), ("corporation", COMPANY.id, credential_id)]
    assert readings(database) == both
    for one in (US, COMPANY):
        subjects.mark_deleted(database, one, START)
        subjects.delete_rows(database, one)
    assert access.is_current(database, ME)
    access.link(database, ME, START)
    assert readings(database) == []
    subjects.enroll(database, US, START)
    assert not access.is_current(database, ME)
    access.link(database, ME, START)
    assert readings(database) == both[:1]


async def test_a_move_to_another_alliance_and_out_of_all_is_followed(database: Connection) -> None:
    enroll(database, ME)
    credential_id = log_in(database, ME, SCOPE, alliance_id=US.id)
    answer: dict[str, int] = {"character_id": ME, "corporation_id": 5, "alliance_id": THEM.id}
    context = FakeContext(
        database, affiliation.KIND, GLOBAL, {AFFILIATION: lambda _params, _body: [answer]}
    )
    await context.run("affiliation")
    assert readings(database) == [("alliance", THEM.id, credential_id)]
    assert set(alliances(database)) == {US, THEM}
    del answer["alliance_id"]
    await context.run("affiliation")
    assert readings(database) == []
    assert access.is_current(database, ME)


async def test_a_corporation_brings_its_alliance(database: Connection) -> None:
    """Also where it was stored before, and ESI says that nothing has changed."""
    told = {
        "name": "Us",
        "ticker": "US",
        "ceo_id": ME,
        "creator_id": ME,
        "member_count": 1,
        "tax_rate": 0.1,
        "alliance_id": US.id,
    }
    context = FakeContext(database, company.KIND, COMPANY, {CORPORATION: lambda *_: told})
    assert (await context.run("profile")).rows == 1
    assert alliances(database) == {US: "active"}

    def unchanged(*_: Any) -> None:
        raise Unchanged

    context.answers[CORPORATION] = unchanged
    writes = context.writes
    assert (await context.run("profile")).rows == 0
    assert context.writes == writes
    put(
        database,
        "corporation",
        {"corporation_id": COMPANY.id + 1, "name": "Them", "alliance_id": THEM.id},
    )
    context.subject = Subject(SubjectType.CORPORATION, COMPANY.id + 1)
    await context.run("profile")
    assert set(alliances(database)) == {US, THEM}


def test_it_is_read_through_the_next_member_when_one_is_refused(database: Connection) -> None:
    first = log_in(database, ME, SCOPE, alliance_id=US.id)
    second = log_in(database, OTHER, SCOPE, alliance_id=US.id)

    def plan() -> grants.Plan:
        world = read_world(database, None)
        assert world is not None
        return grants.plan(contacts.KIND, world.holders.get(US, ()), START)

    assert plan().credentials == (first,)
    ways.refuse(database, US, first, START.replace(hour=13), START)
    assert plan().credentials == (second,)
    ways.unlink(database, US, second)
    assert plan().verdict is Verdict.BLOCK
    ways.unlink(database, US, first)
    assert plan().verdict is Verdict.LOGIN
    # What is public goes on without anybody.
    assert grants.plan(profile.KIND, (), START).verdict is Verdict.RUN


def test_corporations_join_and_leave(database: Connection) -> None:
    take(database, profile.KIND, "corporations", US, [1, 8589934592])
    take(database, profile.KIND, "corporations", THEM, [2])
    assert take(database, profile.KIND, "corporations", US, [1, 3]) == (2, 0)
    assert rows(database, "alliance_corporation") == [(US.id, 1), (US.id, 3), (THEM.id, 2)]
    # A closed alliance has none, and no executor.
    assert take(database, profile.KIND, "corporations", US, []) == (2, 0)


async def test_its_logo_is_there_in_two_sizes(database: Connection) -> None:
    place = "https://images.example/alliances/99000001/logo?size="
    told = {"px64x64": f"{place}64", "px128x128": f"{place}128"}
    route = "GET /alliances/{alliance_id}/icons"
    context = FakeContext(database, profile.KIND, US, {route: lambda *_: told})
    assert (await context.run("logo")).rows == 1
    assert context.images == [("/alliances/99000001/logo?size=128", f"alliance_{US.id}.png")]
    assert rows(database, "alliance_icon", "px64", "px128") == [(f"{place}64", f"{place}128")]


@pytest.mark.parametrize("address", ["http://[x", "//[", "http://a]b/x"])
def test_a_picture_at_what_is_no_address_is_a_bad_answer(address: str) -> None:
    with pytest.raises(BadAnswer, match="no address"):
        entities.largest({"px128": address})
