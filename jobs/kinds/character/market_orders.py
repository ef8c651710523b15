"""A character's market orders: one table for open and past ones.

An order that is no longer listed as open is closed; how it ended is said by the history. Orders
placed for the corporation are listed too, and marked.
"""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._orders import Order
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.market import character_market_order

SCOPES = frozenset({"esi-markets.read_character_orders.v1"})
KEY = ("character_id", "order_id")


class OpenOrder(Order, frozen=True, kw_only=True):
    """One open order."""

    is_corporation: bool


class PastOrder(OpenOrder, frozen=True, kw_only=True):
    """One order that ended, and how; a filled one is called expired."""

    state: str


KIND = Kind(
    name="character.market_orders",
    subject=SubjectType.CHARACTER,
    feature="market",
    every=timedelta(minutes=5),
    summary="Market orders of a character, open and past.",
    due_at_launch=True,
    parts=(
        Part(
            name="open",
            route=Route("GET", "/characters/{character_id}/orders", cache_age_s=1200),
            wire=OpenOrder,
            scopes=SCOPES,
            targets=(Target(character_market_order, key=KEY, write=Write.CLOSE, keep=("state",)),),
        ),
        Part(
            name="history",
            route=Route(
                "GET",
                "/characters/{character_id}/orders/history",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
            ),
            wire=PastOrder,
            scopes=SCOPES,
            targets=(
                Target(character_market_order, key=KEY, write=Write.UPSERT, keep=("closed_at",)),
            ),
        ),
    ),
)
