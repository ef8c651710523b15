"""A character's colonies, and what stands on each; ESI knows what the player last saw."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta

from sqlalchemy import Connection, select

from ipc.subject import Subject, SubjectType
from jobs.kinds.character._colony import LAYOUT_TARGETS, Layout
from jobs.spec import Kind, Params, Part, Route, Target, Wire, Write
from jobs.store.schema.planets import character_planet

PATH = "/characters/{character_id}/planets"
SCOPES = frozenset({"esi-planets.manage_planets.v1"})


class Colony(Wire, frozen=True, rename={"last_update_at": "last_update"}):
    """One planet with a colony."""

    planet_id: int
    solar_system_id: int
    planet_type: str
    upgrade_level: int
    num_pins: int
    last_update_at: datetime


def colonies(connection: Connection, subject: Subject) -> Sequence[Params]:
    """Return the planets whose layout is asked for."""
    p = character_planet.c
    ids = connection.scalars(
        select(p.planet_id).where(p.character_id == subject.id).order_by(p.planet_id)
    )
    return [{"planet_id": one} for one in ids]


KIND = Kind(
    name="character.planets",
    subject=SubjectType.CHARACTER,
    feature="planets",
    every=timedelta(hours=1),
    summary="Colonies with their installations, links and routes.",
    parts=(
        Part(
            name="colonies",
            route=Route("GET", PATH, cache_age_s=600, rate_group="char-industry"),
            wire=Colony,
            scopes=SCOPES,
            targets=(
                Target(character_planet, key=("character_id", "planet_id"), write=Write.REPLACE),
            ),
        ),
        Part(
            name="layouts",
            route=Route(
                "GET", f"{PATH}/{{planet_id}}", cache_age_s=600, rate_group="char-industry"
            ),
            wire=Layout,
            many=False,
            fan_out=colonies,
            scopes=SCOPES,
            targets=LAYOUT_TARGETS,
        ),
    ),
)
