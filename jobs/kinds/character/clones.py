"""A character's clones: home, jump clones with implants, the implants worn, jump fatigue."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import datetime, timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.clones import (
    character_clone,
    character_fatigue,
    character_implant,
    character_jump_clone,
    character_jump_clone_implant,
)

PATH = "/characters/{character_id}"


class Home(Wire, frozen=True):
    """Where the character wakes up."""

    location_id: int | None = None
    location_type: str | None = None


class JumpClone(Wire, frozen=True):
    """One clone to jump into."""

    jump_clone_id: int
    location_id: int
    location_type: str
    implants: tuple[int, ...]
    name: str | None = None


class Clones(
    Wire,
    frozen=True,
    rename={
        "last_clone_jump_at": "last_clone_jump_date",
        "last_station_change_at": "last_station_change_date",
    },
):
    """What GET /characters/{character_id}/clones tells."""

    jump_clones: tuple[JumpClone, ...]
    home_location: Home | None = None
    last_clone_jump_at: datetime | None = None
    last_station_change_at: datetime | None = None


class Fatigue(
    Wire,
    frozen=True,
    rename={
        "fatigue_ends_at": "jump_fatigue_expire_date",
        "last_jump_at": "last_jump_date",
        "last_update_at": "last_update_date",
    },
):
    """What GET /characters/{character_id}/fatigue tells; nothing of who never jumped."""

    fatigue_ends_at: datetime | None = None
    last_jump_at: datetime | None = None
    last_update_at: datetime | None = None


def home_rows(answer: Clones, params: Params) -> list[Row]:
    """Return the one row of the character's home."""
    home = answer.home_location or Home()
    return [
        {
            "home_location_id": home.location_id,
            "home_location_type": home.location_type,
            "last_clone_jump_at": answer.last_clone_jump_at,
            "last_station_change_at": answer.last_station_change_at,
        }
    ]


def clone_rows(answer: Clones, params: Params) -> Iterator[Row]:
    """Yield a row for each jump clone."""
    for one in answer.jump_clones:
        yield {
            "jump_clone_id": one.jump_clone_id,
            "location_id": one.location_id,
            "location_type": one.location_type,
            "name": one.name,
        }


def clone_implant_rows(answer: Clones, params: Params) -> Iterator[Row]:
    """Yield a row for each implant in each jump clone."""
    for one in answer.jump_clones:
        for type_id in one.implants:
            yield {"jump_clone_id": one.jump_clone_id, "type_id": type_id}


def implant_rows(answer: list[int], params: Params) -> Iterator[Row]:
    """Yield a row for each implant: the answer is bare numbers."""
    for type_id in answer:
        yield {"type_id": type_id}


KIND = Kind(
    name="character.clones",
    subject=SubjectType.CHARACTER,
    feature="clones",
    every=timedelta(hours=1),
    summary="Home, jump clones, implants and jump fatigue.",
    parts=(
        Part(
            name="clones",
            route=Route("GET", f"{PATH}/clones", cache_age_s=120, rate_group="char-location"),
            wire=Clones,
            many=False,
            scopes=frozenset({"esi-clones.read_clones.v1"}),
            targets=(
                Target(character_clone, key=("character_id",), write=Write.UPSERT, rows=home_rows),
                Target(
                    character_jump_clone,
                    key=("character_id", "jump_clone_id"),
                    write=Write.REPLACE,
                    rows=clone_rows,
                ),
                Target(
                    character_jump_clone_implant,
                    key=("character_id", "jump_clone_id", "type_id"),
                    write=Write.REPLACE,
                    rows=clone_implant_rows,
                ),
            ),
        ),
        Part(
            name="implants",
            route=Route("GET", f"{PATH}/implants", cache_age_s=120, rate_group="char-detail"),
            wire=int,
            scopes=frozenset({"esi-clones.read_implants.v1"}),
            targets=(
                Target(
                    character_implant,
                    key=("character_id", "type_id"),
                    write=Write.REPLACE,
                    rows=implant_rows,
                ),
            ),
        ),
        Part(
            name="fatigue",
            route=Route("GET", f"{PATH}/fatigue", cache_age_s=300, rate_group="char-location"),
            wire=Fatigue,
            many=False,
            scopes=frozenset({"esi-characters.read_fatigue.v1"}),
            targets=(Target(character_fatigue, key=("character_id",), write=Write.UPSERT),),
        ),
    ),
)
