"""Tactical operations of a character's mercenary dens; past ones stay.

The list tells nothing that changes, so those that are not over are asked about each time: with
validators, which costs little.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, or_, select

from ipc.subject import Subject, SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.mercenaries import character_mercenary_operation

PATH = "/characters/{character_id}/mercenary-tactical-operations"
SCOPES = frozenset({"esi-activities.read_character.v1"})
KEY = ("character_id", "operation_id")
# ESI's words for states that no other follows.
OVER = ("Completed", "Expired", "Removed")


class Listed(Wire, frozen=True, rename={"operation_id": "id"}):
    """One operation, and the den that it is of."""

    operation_id: str
    mercenary_den_id: int


class Operations(Wire, frozen=True):
    """What GET /characters/{character_id}/mercenary-tactical-operations tells."""

    operations: tuple[Listed, ...]


class Operation(Wire, frozen=True, rename={"expires_at": "expires"}):
    """What GET /characters/{character_id}/mercenary-tactical-operations/{operation_id} tells."""

    mercenary_den_id: int
    state: str
    dungeon_type_id: int
    expires_at: datetime


def listed_rows(answer: Operations, params: Params) -> Iterator[Row]:
    """Yield a row for each operation."""
    for one in answer.operations:
        yield {"operation_id": one.operation_id, "mercenary_den_id": one.mercenary_den_id}


def going_on(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the operations to ask about: those that are listed and were not over yet."""
    o = character_mercenary_operation.c
    ids = connection.scalars(
        select(o.operation_id)
        .where(
            o.character_id == subject.id,
            o.closed_at.is_(None),
            or_(o.state.is_(None), o.state.not_in(OVER)),
        )
        .order_by(o.operation_id)
    )
    return [{"operation_id": one} for one in ids]


KIND = Kind(
    name="character.mercenary_operations",
    subject=SubjectType.CHARACTER,
    feature="structures",
    every=timedelta(minutes=5),
    summary="Mercenary tactical operations; past ones stay.",
    parts=(
        Part(
            name="operations",
            route=Route("GET", PATH, cache_age_s=300, rate_group="char-activity"),
            wire=Operations,
            many=False,
            scopes=SCOPES,
            targets=(
                Target(character_mercenary_operation, key=KEY, write=Write.CLOSE, rows=listed_rows),
            ),
        ),
        Part(
            name="details",
            route=Route(
                "GET", f"{PATH}/{{operation_id}}", cache_age_s=300, rate_group="char-activity"
            ),
            wire=Operation,
            many=False,
            fan_out=going_on,
            scopes=SCOPES,
            targets=(Target(character_mercenary_operation, key=KEY, write=Write.UPSERT),),
        ),
    ),
)
