"""A corporation's market orders: one table for open and past ones.

An order that is no longer listed as open is closed; how it ended is said by the history.
"""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._orders import Order
from jobs.spec import Kind, Pages, Part, Route, Target, Write
from jobs.store.schema.market import corporation_market_order

SCOPES = frozenset({"esi-markets.read_corporation_orders.v1"})
ROLES = frozenset({"Accountant", "Trader"})
KEY = ("corporation_id", "order_id")


class OpenOrder(Order, frozen=True, kw_only=True):
    """One open order."""

    wallet_division: int
    issued_by: int | None = None


class PastOrder(OpenOrder, frozen=True, kw_only=True):
    """One order that ended, and how; a filled one is called expired."""

    state: str


KIND = Kind(
    name="corporation.market_orders",
    subject=SubjectType.CORPORATION,
    feature="market",
    every=timedelta(minutes=5),
    summary="Market orders of a corporation, open and past.",
    due_at_launch=True,
    parts=(
        Part(
            name="open",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/orders",
                pages=Pages.X_PAGES,
                cache_age_s=1200,
            ),
            wire=OpenOrder,
            scopes=SCOPES,
            any_role=ROLES,
            targets=(
                Target(corporation_market_order, key=KEY, write=Write.CLOSE, keep=("state",)),
            ),
        ),
        Part(
            name="history",
            route=Route(
                "GET",
                "/corporations/{corporation_id}/orders/history",
                pages=Pages.X_PAGES,
                cache_age_s=3600,
            ),
            wire=PastOrder,
            scopes=SCOPES,
            any_role=ROLES,
            targets=(
                Target(corporation_market_order, key=KEY, write=Write.UPSERT, keep=("closed_at",)),
            ),
        ),
    ),
)
