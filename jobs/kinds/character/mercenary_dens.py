"""A character's mercenary dens, with how they do."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.mercenaries import character_mercenary_den

PATH = "/characters/{character_id}/structures/mercenary-dens"
SCOPES = frozenset({"esi-structures.read_character.v1"})
KEY = ("character_id", "mercenary_den_id")


class Listed(Wire, frozen=True, rename={"mercenary_den_id": "id"}):
    """One den, and where it is."""

    mercenary_den_id: int
    planet_id: int


class Dens(Wire, frozen=True):
    """What GET /characters/{character_id}/structures/mercenary-dens tells."""

    mercenary_dens: tuple[Listed, ...]


class Skyhook(Wire, frozen=True):
    """The skyhook of the same planet."""

    id: int
    corporation_id: int


class Infomorphs(Wire, frozen=True):
    """How many are aboard."""

    amount: int


class Progress(Wire, frozen=True):
    """How far something has come."""

    amount: int
    level: str


class Evolution(Wire, frozen=True):
    """What becomes of the planet's people."""

    development: Progress
    anarchy: Progress


class Timer(Wire, frozen=True):
    """A reinforcement, while there is one."""

    end: datetime


class Den(Wire, frozen=True):
    """What GET /characters/{character_id}/structures/mercenary-dens/{mercenary_den_id} tells."""

    type_id: int
    state: str
    skyhook: Skyhook
    infomorphs: Infomorphs
    evolution: Evolution
    reinforcement_timer: Timer | None = None


def listed_rows(answer: Dens, params: Params) -> Iterator[Row]:
    """Yield a row for each den."""
    for one in answer.mercenary_dens:
        yield {"mercenary_den_id": one.mercenary_den_id, "planet_id": one.planet_id}


def den_rows(answer: Den, params: Params) -> Iterator[Row]:
    """Yield how a den does; its number is of the request."""
    timer, grown = answer.reinforcement_timer, answer.evolution
    yield {
        "type_id": answer.type_id,
        "state": answer.state,
        "infomorphs": answer.infomorphs.amount,
        "development_amount": grown.development.amount,
        "development_level": grown.development.level,
        "anarchy_amount": grown.anarchy.amount,
        "anarchy_level": grown.anarchy.level,
        "reinforced_until": None if timer is None else timer.end,
        "skyhook_id": answer.skyhook.id,
        "skyhook_corporation_id": answer.skyhook.corporation_id,
    }


def dens_of(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the dens to ask about."""
    d = character_mercenary_den.c
    ids = connection.scalars(
        select(d.mercenary_den_id).where(d.character_id == subject.id).order_by(d.mercenary_den_id)
    )
    return [{"mercenary_den_id": one} for one in ids]


KIND = Kind(
    name="character.mercenary_dens",
    subject=SubjectType.CHARACTER,
    feature="structures",
    every=timedelta(hours=1),
    summary="Mercenary dens with their state, infomorphs and evolution.",
    parts=(
        Part(
            name="dens",
            route=Route("GET", PATH, cache_age_s=3600, rate_group="char-structure"),
            wire=Dens,
            many=False,
            scopes=SCOPES,
            targets=(
                Target(character_mercenary_den, key=KEY, write=Write.REPLACE, rows=listed_rows),
            ),
        ),
        Part(
            name="details",
            route=Route(
                "GET",
                f"{PATH}/{{mercenary_den_id}}",
                cache_age_s=3600,
                rate_group="char-structure",
            ),
            wire=Den,
            many=False,
            fan_out=dens_of,
            scopes=SCOPES,
            targets=(Target(character_mercenary_den, key=KEY, write=Write.UPSERT, rows=den_rows),),
        ),
    ),
)
