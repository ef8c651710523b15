"""Prices of every type: the mean of trades, and the one that industry is charged by."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Part, Route, Target, Wire, Write
from jobs.store.schema.market import market_price


class Price(Wire, frozen=True):
    """The prices of one type; either can be absent."""

    type_id: int
    average_price: float | None = None
    adjusted_price: float | None = None


KIND = Kind(
    name="global.market_prices",
    subject=SubjectType.GLOBAL,
    feature=("wallet", "assets"),
    every=timedelta(hours=6),
    summary="Average and adjusted price of every type.",
    triggers=("global.net_worth_snapshot",),
    parts=(
        Part(
            name="prices",
            route=Route("GET", "/markets/prices", cache_age_s=3600),
            wire=Price,
            targets=(Target(market_price, key=("type_id",), write=Write.REPLACE),),
        ),
    ),
)
