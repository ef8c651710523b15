"""Members of a corporation: who, where, with which roles and titles; who left stays, marked."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from ipc.subject import SubjectType
from jobs.kinds._occurrences import numbered
from jobs.kinds._roles import HeldRoles, held_rows
from jobs.spec import Kind, Pages, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema import members

PATH = "/corporations/{corporation_id}"
MEMBERSHIP = frozenset({"esi-corporations.read_corporation_membership.v1"})
TRACKING = frozenset({"esi-corporations.track_members.v1"})
TITLES = frozenset({"esi-corporations.read_titles.v1"})
DIRECTOR = frozenset({"Director"})


def _route(below: str, group: str = "corp-member", pages: Pages = Pages.NONE) -> Route:
    return Route("GET", f"{PATH}/{below}", pages=pages, cache_age_s=3600, rate_group=group)


class Tracked(
    Wire,
    frozen=True,
    rename={"start_at": "start_date", "logon_at": "logon_date", "logoff_at": "logoff_date"},
):
    """Where one member is, and when it came and went."""

    character_id: int
    base_id: int | None = None
    location_id: int | None = None
    ship_type_id: int | None = None
    start_at: datetime | None = None
    logon_at: datetime | None = None
    logoff_at: datetime | None = None


class MemberRoles(HeldRoles, frozen=True, kw_only=True):
    """The roles of one member."""

    character_id: int


class MemberTitles(Wire, frozen=True):
    """The titles of one member, by number."""

    character_id: int
    titles: tuple[int, ...]


class Title(HeldRoles, frozen=True):
    """One title that can be given; a title without a number is none."""

    title_id: int | None = None
    name: str | None = None


class RoleChange(Wire, frozen=True):
    """One change of one member's roles."""

    changed_at: datetime
    character_id: int
    issuer_id: int
    role_type: str
    old_roles: tuple[str, ...]
    new_roles: tuple[str, ...]


def member_rows(answer: list[int], params: Params) -> Iterator[Row]:
    """Yield a row for each member: the answer is bare numbers."""
    return ({"character_id": one} for one in answer)


def limit_rows(answer: int, params: Params) -> list[Row]:
    """Return the one row: the answer is a bare number."""
    return [{"member_limit": answer}]


def role_rows(answer: Iterable[MemberRoles], params: Params) -> Iterator[Row]:
    """Yield a row for each role of each member."""
    for one in answer:
        for row in held_rows(one):
            yield {"character_id": one.character_id, **row}


def member_title_rows(answer: Iterable[MemberTitles], params: Params) -> Iterator[Row]:
    """Yield a row for each title of each member."""
    for one in answer:
        for title_id in one.titles:
            yield {"character_id": one.character_id, "title_id": title_id}


def title_rows(answer: Iterable[Title], params: Params) -> Iterator[Row]:
    """Yield a row for each title."""
    for one in answer:
        if one.title_id is not None:
            yield {"title_id": one.title_id, "name": one.name}


def title_role_rows(answer: Iterable[Title], params: Params) -> Iterator[Row]:
    """Yield a row for each role of each title."""
    for one in answer:
        if one.title_id is not None:
            for row in held_rows(one):
                yield {"title_id": one.title_id, **row}


def change_rows(answer: Iterable[RoleChange], params: Params) -> Iterator[Row]:
    """Yield a row for each change; ESI gives them no id."""
    return numbered(
        {
            "changed_at": one.changed_at,
            "character_id": one.character_id,
            "issuer_id": one.issuer_id,
            "role_type": one.role_type,
            "old_roles": " ".join(sorted(one.old_roles)),
            "new_roles": " ".join(sorted(one.new_roles)),
        }
        for one in answer
    )


_OURS, _MEMBER = ("corporation_id",), ("corporation_id", "character_id")

KIND = Kind(
    name="corporation.members",
    subject=SubjectType.CORPORATION,
    feature="members",
    every=timedelta(hours=1),
    summary="Members with whereabouts, roles and titles, and how roles changed.",
    parts=(
        Part(
            name="members",
            route=_route("members"),
            wire=int,
            scopes=MEMBERSHIP,
            targets=(
                Target(
                    members.corporation_member, key=_MEMBER, write=Write.CLOSE, rows=member_rows
                ),
            ),
        ),
        Part(
            name="limit",
            route=_route("members/limit"),
            wire=int,
            many=False,
            scopes=TRACKING,
            any_role=DIRECTOR,
            targets=(
                Target(
                    members.corporation_member_limit,
                    key=_OURS,
                    write=Write.UPSERT,
                    rows=limit_rows,
                ),
            ),
        ),
        Part(
            name="tracking",
            route=_route("membertracking"),
            wire=Tracked,
            scopes=TRACKING,
            any_role=DIRECTOR,
            targets=(Target(members.corporation_member_tracking, key=_MEMBER, write=Write.UPSERT),),
        ),
        Part(
            name="roles",
            route=_route("roles"),
            wire=MemberRoles,
            scopes=MEMBERSHIP,
            targets=(
                Target(
                    members.corporation_member_role,
                    key=(*_MEMBER, "place", "role", "grantable"),
                    write=Write.REPLACE,
                    rows=role_rows,
                ),
            ),
        ),
        Part(
            name="member_titles",
            route=_route("members/titles"),
            wire=MemberTitles,
            scopes=TITLES,
            any_role=DIRECTOR,
            targets=(
                Target(
                    members.corporation_member_title,
                    key=(*_MEMBER, "title_id"),
                    write=Write.REPLACE,
                    rows=member_title_rows,
                ),
            ),
        ),
        Part(
            name="titles",
            route=_route("titles", "corp-detail"),
            wire=Title,
            scopes=TITLES,
            any_role=DIRECTOR,
            targets=(
                Target(
                    members.corporation_title,
                    key=(*_OURS, "title_id"),
                    write=Write.REPLACE,
                    rows=title_rows,
                ),
                Target(
                    members.corporation_title_role,
                    key=(*_OURS, "title_id", "place", "role", "grantable"),
                    write=Write.REPLACE,
                    rows=title_role_rows,
                ),
            ),
        ),
        Part(
            name="role_history",
            route=_route("roles/history", pages=Pages.X_PAGES),
            wire=RoleChange,
            scopes=MEMBERSHIP,
            any_role=DIRECTOR,
            targets=(
                Target(
                    members.corporation_role_history,
                    key=(
                        "corporation_id",
                        "changed_at",
                        "character_id",
                        "role_type",
                        "digest",
                        "occurrence",
                    ),
                    write=Write.APPEND,
                    rows=change_rows,
                ),
            ),
        ),
    ),
)
