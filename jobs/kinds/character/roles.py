"""A character's roles and titles in its corporation; the corporation's kinds go by them.

ESI is up to an hour behind the game here.
"""

from __future__ import annotations

from collections.abc import Iterator
from datetime import timedelta

from sqlalchemy import Connection, select

from ipc.subject import SubjectType
from jobs import access
from jobs.spec import Context, Kind, Params, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store.schema.profile import character_role, character_title

ROLES = Route("GET", "/characters/{character_id}/roles", cache_age_s=3600, rate_group="char-detail")
EVERYWHERE = "all"


class Roles(Wire, frozen=True):
    """What GET /characters/{character_id}/roles tells; every list can be absent."""

    roles: tuple[str, ...] = ()
    roles_at_base: tuple[str, ...] = ()
    roles_at_hq: tuple[str, ...] = ()
    roles_at_other: tuple[str, ...] = ()


class Title(Wire, frozen=True):
    """One title that the corporation gave."""

    title_id: int
    name: str | None = None


def role_rows(answer: Roles, params: Params) -> Iterator[Row]:
    """Yield a row for each role and place where it holds."""
    for place, roles in (
        (EVERYWHERE, answer.roles),
        ("base", answer.roles_at_base),
        ("hq", answer.roles_at_hq),
        ("other", answer.roles_at_other),
    ):
        for role in roles:
            yield {"place": place, "role": role}


HELD = Target(
    character_role,
    key=("character_id", "place", "role"),
    write=Write.REPLACE,
    rows=role_rows,
)


def held_everywhere(connection: Connection, character_id: int) -> frozenset[str]:
    """Return the roles that the mirror has, without those bound to a place."""
    return frozenset(
        connection.scalars(
            select(character_role.c.role).where(
                character_role.c.character_id == character_id,
                character_role.c.place == EVERYWHERE,
            )
        )
    )


async def sync_roles(context: Context) -> PartResult:
    """Store the roles and, in the same transaction, what they open of the corporation."""
    me, now = context.subject.id, context.now()
    params = {"character_id": me}
    fetched = await context.fetch(ROLES, params, Roles)

    def store(connection: Connection) -> int:
        rows = 0
        if fetched.value is not None:
            rows = context.apply(connection, HELD, role_rows(fetched.value, params), params)
        access.set_roles(connection, me, held_everywhere(connection, me), now)
        return rows

    if fetched.value is None and await context.read(
        lambda connection: access.roles_are_set(connection, me, held_everywhere(connection, me))
    ):
        return PartResult(fresh_until=fetched.fresh_until)
    empty = fetched.value is not None and not any(role_rows(fetched.value, params))
    rows = await context.write(store)
    return PartResult(rows=rows, empty=empty, fresh_until=fetched.fresh_until)


KIND = Kind(
    name="character.roles",
    subject=SubjectType.CHARACTER,
    feature=None,
    every=timedelta(hours=1),
    summary="Roles and titles in the corporation; they open the corporation's kinds.",
    parts=(
        Part(
            name="roles",
            route=ROLES,
            wire=Roles,
            many=False,
            scopes=frozenset({"esi-characters.read_corporation_roles.v1"}),
            targets=(HELD,),
            run=sync_roles,
        ),
        Part(
            name="titles",
            route=Route(
                "GET",
                "/characters/{character_id}/titles",
                cache_age_s=3600,
                rate_group="char-detail",
            ),
            wire=Title,
            scopes=frozenset({"esi-characters.read_titles.v1"}),
            targets=(
                Target(character_title, key=("character_id", "title_id"), write=Write.REPLACE),
            ),
        ),
    ),
)
