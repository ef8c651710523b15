"""Fittings that a character has saved."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.fittings import character_fitting, character_fitting_item


class FittingItem(Wire, frozen=True):
    """One module or stack of a fitting."""

    type_id: int
    flag: str
    quantity: int


class Fitting(Wire, frozen=True):
    """One fitting."""

    fitting_id: int
    name: str
    description: str
    ship_type_id: int
    items: tuple[FittingItem, ...]


def fitting_rows(answer: Iterable[Fitting], params: Params) -> Iterator[Row]:
    """Yield a row for each fitting."""
    for one in answer:
        row = asdict(one)
        del row["items"]
        yield row


def item_rows(answer: Iterable[Fitting], params: Params) -> Iterator[Row]:
    """Yield a row for each thing in each fitting."""
    for one in answer:
        for position, item in enumerate(one.items):
            yield {"fitting_id": one.fitting_id, "position": position, **asdict(item)}


KIND = Kind(
    name="character.fittings",
    subject=SubjectType.CHARACTER,
    feature="fittings",
    every=timedelta(minutes=5),
    summary="Saved fittings.",
    parts=(
        Part(
            name="fittings",
            route=Route(
                "GET",
                "/characters/{character_id}/fittings",
                cache_age_s=300,
                rate_group="fitting",
            ),
            wire=Fitting,
            scopes=frozenset({"esi-fittings.read_fittings.v1"}),
            targets=(
                Target(
                    character_fitting,
                    key=("character_id", "fitting_id"),
                    write=Write.REPLACE,
                    rows=fitting_rows,
                ),
                Target(
                    character_fitting_item,
                    key=("character_id", "fitting_id", "position"),
                    write=Write.REPLACE,
                    rows=item_rows,
                ),
            ),
        ),
    ),
)
