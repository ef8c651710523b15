"""Trade by day of the types that are watched; what ESI forgets after a year stays."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import date, timedelta
from decimal import Decimal

from ipc.settings import MarketWatch
from ipc.subject import SubjectType
from jobs.spec import Kind, Params, Part, Route, Target, Watched, Wire, Write
from jobs.store.schema.market import market_history


class Day(Wire, frozen=True, rename={"day": "date"}):
    """One type on one day."""

    day: date
    average: float
    highest: Decimal
    lowest: Decimal
    order_count: int
    volume: int


def watched_types(watch: MarketWatch) -> Sequence[Params]:
    """Return each region with each type that is watched there."""
    return [{"region_id": region_id, "type_id": type_id} for region_id, type_id in watch.types]


KIND = Kind(
    name="global.market_history",
    subject=SubjectType.GLOBAL,
    feature="market_watch",
    every=timedelta(days=1),
    off_by_default=True,
    deadline_s=600.0,
    summary="Trade by day of each watched pair of region and type.",
    parts=(
        Part(
            name="history",
            route=Route("GET", "/markets/{region_id}/history"),
            wire=Day,
            fan_out=Watched(("region_id", "type_id"), watched_types),
            targets=(
                Target(market_history, key=("region_id", "type_id", "day"), write=Write.APPEND),
            ),
        ),
    ),
)
