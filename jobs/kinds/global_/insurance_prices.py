"""What insuring a ship costs and pays."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from datetime import timedelta
from decimal import Decimal

from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.offers import insurance_price


class Level(Wire, frozen=True):
    """One level of insurance."""

    name: str
    cost: Decimal
    payout: Decimal


class Insurance(Wire, frozen=True):
    """The levels for one type of ship."""

    type_id: int
    levels: tuple[Level, ...]


def price_rows(answer: Iterable[Insurance], params: Params) -> Iterator[Row]:
    """Yield a row for each level for each type."""
    for one in answer:
        for level in one.levels:
            yield {
                "type_id": one.type_id,
                "level": level.name,
                "cost": level.cost,
                "payout": level.payout,
            }


KIND = Kind(
    name="global.insurance_prices",
    subject=SubjectType.GLOBAL,
    feature="insurance",
    every=timedelta(hours=6),
    off_by_default=True,
    summary="Cost and payout of each level of insurance for each ship.",
    parts=(
        Part(
            name="prices",
            route=Route("GET", "/insurance/prices", cache_age_s=3600, rate_group="insurance"),
            wire=Insurance,
            targets=(
                Target(
                    insurance_price,
                    key=("type_id", "level"),
                    write=Write.REPLACE,
                    rows=price_rows,
                ),
            ),
        ),
    ),
)
