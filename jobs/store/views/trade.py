"""Views of trade: orders and contracts."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial

from jobs.store.views.fields import (
    BOTH,
    OWNER,
    WHERE,
    double,
    integer,
    isk,
    owner,
    text,
    time,
)
from jobs.store.views.view import Branch, View


def _orders(kind: str, b: Branch) -> Mapping[str, str]:
    place = b.place("o.location_id")
    ends = b.days_after("o.issued", "o.duration")
    return {
        **owner(kind, b),
        "order_id": "o.order_id",
        "side": "CASE WHEN o.is_buy_order THEN 'buy' ELSE 'sell' END",
        "type_id": "o.type_id",
        "type": b.type("o.type_id"),
        "state": "CASE WHEN o.state IS NOT NULL THEN o.state"
        " WHEN o.volume_remain = 0 THEN 'filled'"
        f" WHEN {ends} <= {b.now} THEN 'expired'"
        " WHEN o.closed_at IS NOT NULL THEN 'closed' ELSE 'open' END",
        "price": b.isk("o.price"),
        "volume_total": "o.volume_total",
        "volume_remain": "o.volume_remain",
        "remaining": b.times("o.volume_remain", "o.price"),
        "escrow": b.isk("o.escrow"),
        "reach": "o.range",
        "min_volume": "o.min_volume",
        "place": place.name,
        "system": place.system,
        "region": place.region,
        "issued_at": "o.issued",
        "expires_at": ends,
        "closed_at": "o.closed_at",
    }


ORDERS = View(
    "v_orders",
    "Market orders, open and past",
    (
        *OWNER,
        integer("order_id"),
        text("side", "buy or sell"),
        integer("type_id"),
        text("type"),
        text(
            "state",
            "open, filled, expired (by its time, or as the history says), cancelled, or closed"
            " (no longer listed, and nobody said why yet)",
        ),
        isk("price", "for one"),
        integer("volume_total"),
        integer("volume_remain"),
        isk("remaining", "price x volume_remain"),
        isk("escrow", "set aside by a buy order"),
        text("reach", "station, solarsystem, region or jumps"),
        integer("min_volume"),
        text("place"),
        *WHERE,
        time("issued_at"),
        time("expires_at", "issued_at and the days it lasts"),
        time("closed_at", "when it was no longer listed as open"),
    ),
    tuple((f"{kind}_market_order AS o", partial(_orders, kind)) for kind in BOTH),
)


def _contracts(kind: str, b: Branch) -> Mapping[str, str]:
    start = b.place("o.start_location_id")
    end = b.place("o.end_location_id")
    due = b.days_after("o.accepted_at", "o.days_to_complete")
    return {
        **owner(kind, b),
        "contract_id": "o.contract_id",
        "type": "o.type",
        "state": "CASE"
        f" WHEN o.status = 'outstanding' AND o.expires_at <= {b.now} THEN 'expired'"
        f" WHEN o.status = 'in_progress' AND {due} <= {b.now} THEN 'overdue'"
        " WHEN o.status IN ('outstanding', 'in_progress') AND o.closed_at IS NOT NULL"
        " THEN 'closed' ELSE o.status END",
        "availability": "o.availability",
        "title": "o.title",
        "issuer": b.character("o.issuer_id"),
        "issuer_corporation": b.corporation("o.issuer_corporation_id"),
        "assignee": b.name("o.assignee_id", ""),
        "acceptor": b.name("o.acceptor_id", ""),
        "start_place": start.name,
        "start_system": start.system,
        "end_place": end.name,
        "end_system": end.system,
        "price": b.isk("o.price"),
        "reward": b.isk("o.reward"),
        "collateral": b.isk("o.collateral"),
        "buyout": b.isk("o.buyout"),
        "volume": "o.volume",
        "issued_at": "o.issued_at",
        "expires_at": "o.expires_at",
        "accepted_at": "o.accepted_at",
        "due_at": due,
        "completed_at": "o.completed_at",
    }


CONTRACTS = View(
    "v_contracts",
    "Contracts, open and past",
    (
        *OWNER,
        integer("contract_id"),
        text("type", "item_exchange, auction, courier, ..."),
        text(
            "state",
            "ESI's word, but expired or overdue as soon as it is, and closed when ESI no longer"
            " lists it",
        ),
        text("availability", "public, personal, ..."),
        text("title"),
        text("issuer"),
        text("issuer_corporation"),
        text("assignee", "NULL: nobody"),
        text("acceptor", "NULL: nobody"),
        text("start_place"),
        text("start_system"),
        text("end_place"),
        text("end_system"),
        isk("price"),
        isk("reward"),
        isk("collateral"),
        isk("buyout"),
        double("volume", "cubic metres"),
        time("issued_at"),
        time("expires_at"),
        time("accepted_at"),
        time("due_at", "of a courier: accepted_at and the days it has"),
        time("completed_at"),
    ),
    tuple((f"{kind}_contract AS o", partial(_contracts, kind)) for kind in BOTH),
)


def _contract_items(kind: str, b: Branch) -> Mapping[str, str]:
    return {
        **owner(kind, b),
        "contract_id": "o.contract_id",
        "record_id": "o.record_id",
        "type_id": "o.type_id",
        "type": b.type("o.type_id"),
        "quantity": "o.quantity",
        "direction": "CASE WHEN o.is_included THEN 'offered' ELSE 'wanted' END",
        "blueprint": "CASE o.raw_quantity WHEN -1 THEN 'original' WHEN -2 THEN 'copy' END",
    }


CONTRACT_ITEMS = View(
    "v_contract_items",
    "What contracts are about",
    (
        *OWNER,
        integer("contract_id"),
        integer("record_id"),
        integer("type_id"),
        text("type"),
        integer("quantity"),
        text("direction", "offered, or wanted in return"),
        text("blueprint", "original or copy; NULL: no blueprint"),
    ),
    tuple((f"{kind}_contract_item AS o", partial(_contract_items, kind)) for kind in BOTH),
)


VIEWS = (ORDERS, CONTRACTS, CONTRACT_ITEMS)
