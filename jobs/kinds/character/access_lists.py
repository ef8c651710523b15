"""Access lists that a character sees, with all who are on them."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import timedelta

from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.access_lists import character_access_list, character_access_list_member

PATH = "/characters/{character_id}/access-lists"
SCOPES = frozenset({"esi-access.read_lists.v1"})
KEY = ("character_id", "access_list_id")


class Listed(Wire, frozen=True, rename={"access_list_id": "id"}):
    """One list, by its number only."""

    access_list_id: int


class Lists(Wire, frozen=True):
    """What GET /characters/{character_id}/access-lists tells."""

    access_lists: tuple[Listed, ...]


class CharacterAccess(Wire, frozen=True):
    """What a character may."""

    character_id: int
    access: str


class CorporationAccess(Wire, frozen=True):
    """What the members of a corporation may."""

    corporation_id: int
    access: str


class AllianceAccess(Wire, frozen=True):
    """What the members of an alliance may."""

    alliance_id: int
    access: str


class Membership(Wire, frozen=True):
    """Who is on a list."""

    allow_everyone: bool
    characters: tuple[CharacterAccess, ...]
    corporations: tuple[CorporationAccess, ...]
    alliances: tuple[AllianceAccess, ...]


class AccessList(Wire, frozen=True):
    """What GET /characters/{character_id}/access-lists/{access_list_id} tells."""

    name: str
    description: str
    membership: Membership


def listed_rows(answer: Lists, params: Params) -> Iterator[Row]:
    """Yield a row for each list."""
    yield from ({"access_list_id": one.access_list_id} for one in answer.access_lists)


def list_rows(answer: AccessList, params: Params) -> Iterator[Row]:
    """Yield what the list is called; its number is of the request."""
    yield {
        "name": answer.name,
        "description": answer.description,
        "allow_everyone": answer.membership.allow_everyone,
    }


def member_rows(answer: AccessList, params: Params) -> Iterator[Row]:
    """Yield a row for each who is on the list."""
    people = answer.membership
    for kind, members in (
        ("character", ((one.character_id, one.access) for one in people.characters)),
        ("corporation", ((one.corporation_id, one.access) for one in people.corporations)),
        ("alliance", ((one.alliance_id, one.access) for one in people.alliances)),
    ):
        for member_id, access in members:
            yield {"member_type": kind, "member_id": member_id, "access": access}


def lists_of(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the lists to ask about."""
    a = character_access_list.c
    ids = connection.scalars(
        select(a.access_list_id).where(a.character_id == subject.id).order_by(a.access_list_id)
    )
    return [{"access_list_id": one} for one in ids]


KIND = Kind(
    name="character.access_lists",
    subject=SubjectType.CHARACTER,
    feature="access_lists",
    every=timedelta(minutes=5),
    summary="Access lists and who is on them.",
    parts=(
        Part(
            name="lists",
            route=Route("GET", PATH, cache_age_s=300, rate_group="char-access"),
            wire=Lists,
            many=False,
            scopes=SCOPES,
            targets=(
                Target(character_access_list, key=KEY, write=Write.REPLACE, rows=listed_rows),
            ),
        ),
        Part(
            name="details",
            route=Route(
                "GET", f"{PATH}/{{access_list_id}}", cache_age_s=300, rate_group="char-access"
            ),
            wire=AccessList,
            many=False,
            fan_out=lists_of,
            scopes=SCOPES,
            targets=(
                Target(character_access_list, key=KEY, write=Write.UPSERT, rows=list_rows),
                Target(
                    character_access_list_member,
                    key=(*KEY, "member_type", "member_id"),
                    write=Write.REPLACE,
                    rows=member_rows,
                ),
            ),
        ),
    ),
)
