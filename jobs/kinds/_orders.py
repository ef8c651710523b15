"""Market orders as ESI writes them, alike for characters and corporations."""

from __future__ import annotations

from datetime import datetime
from decimal import Decimal

from jobs.spec import Wire


class Order(Wire, frozen=True):
    """One order; escrow and min_volume concern buy orders."""

    order_id: int
    type_id: int
    region_id: int
    location_id: int
    price: Decimal
    volume_total: int
    volume_remain: int
    range: str
    duration: int
    issued: datetime
    is_buy_order: bool | None = None
    escrow: Decimal | None = None
    min_volume: int | None = None
