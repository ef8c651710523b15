"""Medals that a character was given, and how they look."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import datetime, timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.merits import character_medal, character_medal_graphic


class Graphic(Wire, frozen=True):
    """One layer of a medal's picture."""

    part: int
    layer: int
    graphic: str
    color: int | None = None


class Medal(Wire, frozen=True, rename={"awarded_at": "date"}):
    """One medal, as it was awarded; the same one can be given again."""

    medal_id: int
    awarded_at: datetime
    corporation_id: int
    issuer_id: int
    title: str
    description: str
    reason: str
    status: str
    graphics: tuple[Graphic, ...]


def medal_rows(answer: Iterable[Medal], params: Params) -> Iterator[Row]:
    """Yield a row for each medal."""
    for one in answer:
        row = asdict(one)
        del row["graphics"]
        yield row


def graphic_rows(answer: Iterable[Medal], params: Params) -> Iterator[Row]:
    """Yield a row for each layer of each medal."""
    for one in answer:
        for layer in one.graphics:
            yield {"medal_id": one.medal_id, "awarded_at": one.awarded_at, **asdict(layer)}


KIND = Kind(
    name="character.medals",
    subject=SubjectType.CHARACTER,
    feature="medals",
    every=timedelta(hours=1),
    summary="Medals a character was given.",
    parts=(
        Part(
            name="medals",
            route=Route(
                "GET",
                "/characters/{character_id}/medals",
                cache_age_s=3600,
                rate_group="char-detail",
            ),
            wire=Medal,
            scopes=frozenset({"esi-characters.read_medals.v1"}),
            targets=(
                Target(
                    character_medal,
                    key=("character_id", "medal_id", "awarded_at"),
                    write=Write.UPSERT,
                    rows=medal_rows,
                ),
                Target(
                    character_medal_graphic,
                    key=("character_id", "medal_id", "awarded_at", "part", "layer"),
                    write=Write.UPSERT,
                    rows=graphic_rows,
                ),
            ),
        ),
    ),
)
