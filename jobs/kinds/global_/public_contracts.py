"""Public contracts of watched regions: every one ever listed, its items, the bids in auctions."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import ColumnElement, Connection, and_, or_, select, update

from ipc.settings import MarketWatch
from ipc.subject import SubjectType
from jobs.kinds._contracts import REFUSED_FOR
from jobs.kinds._one_by_one import Found, asking, fetch_one_by_one
from jobs.spec import (
    Context,
    Kind,
    Pages,
    Params,
    Part,
    PartResult,
    Route,
    Target,
    Watched,
    Wire,
    Write,
)
from jobs.store import route_states
from jobs.store.moments import is_due
from jobs.store.schema.contracts import (
    public_contract,
    public_contract_bid,
    public_contract_item,
)

CONTRACTS = Route("GET", "/contracts/public/{region_id}", pages=Pages.X_PAGES, cache_age_s=1800)
ITEMS = Route("GET", "/contracts/public/items/{contract_id}", pages=Pages.X_PAGES, cache_age_s=3600)
BIDS = Route("GET", "/contracts/public/bids/{contract_id}", pages=Pages.X_PAGES, cache_age_s=300)
ITEM_ROWS = Target(public_contract_item, key=("contract_id", "record_id"), write=Write.UPSERT)
BID_ROWS = Target(public_contract_bid, key=("contract_id", "bid_id"), write=Write.UPSERT)
# The bids of one auction are asked for so often.
BIDS_EVERY = timedelta(minutes=30)


class Contract(
    Wire, frozen=True, rename={"issued_at": "date_issued", "expires_at": "date_expired"}
):
    """One contract; what it does not have is absent."""

    contract_id: int
    type: str
    issuer_id: int
    issuer_corporation_id: int
    issued_at: datetime
    expires_at: datetime
    for_corporation: bool | None = None
    title: str | None = None
    start_location_id: int | None = None
    end_location_id: int | None = None
    price: Decimal | None = None
    reward: Decimal | None = None
    collateral: Decimal | None = None
    buyout: Decimal | None = None
    volume: float | None = None
    days_to_complete: int | None = None


class Item(Wire, frozen=True):
    """One item that is given, or asked for in return."""

    record_id: int
    type_id: int
    quantity: int
    is_included: bool
    item_id: int | None = None
    is_blueprint_copy: bool | None = None
    runs: int | None = None
    material_efficiency: int | None = None
    time_efficiency: int | None = None


class Bid(Wire, frozen=True, rename={"bid_at": "date_bid"}):
    """One bid; by whom is not told."""

    bid_id: int
    amount: Decimal
    bid_at: datetime


def watched_regions(watch: MarketWatch) -> Sequence[Params]:
    """Return the regions that are watched."""
    return [{"region_id": one} for one in watch.regions]


def _open(watch: MarketWatch) -> ColumnElement[bool]:
    c = public_contract.c
    return and_(c.closed_at.is_(None), c.region_id.in_(watch.regions))


def wanted_items(connection: Connection, watch: MarketWatch, now: datetime) -> list[Params]:
    """Return the contracts whose items are not there yet, newest first; couriers carry none."""
    c = public_contract.c
    ids = connection.scalars(
        select(c.contract_id)
        .where(
            _open(watch),
            c.items_at.is_(None),
            c.type != "courier",
            or_(c.items_due_at.is_(None), is_due(c.items_due_at, now, REFUSED_FOR)),
        )
        .order_by(c.contract_id.desc())
    )
    return [{"contract_id": one} for one in ids]


def open_auctions(connection: Connection, watch: MarketWatch, now: datetime) -> list[Params]:
    """Return the auctions in which there can be new bids, those longest not looked at first."""
    c = public_contract.c
    ids = connection.scalars(
        select(c.contract_id)
        .where(
            _open(watch),
            c.type == "auction",
            or_(c.bids_at.is_(None), c.bids_at <= now - BIDS_EVERY),
        )
        .order_by(c.bids_at.is_not(None), c.bids_at, c.contract_id)
    )
    return [{"contract_id": one} for one in ids]


async def sync_items(context: Context) -> PartResult:
    """Read the items of new contracts, each once."""
    now = context.now()

    def store(connection: Connection, found: Sequence[Found], refused: Sequence[Params]) -> int:
        _mark(connection, [params for params, _ in found], items_at=now)
        _mark(connection, refused, items_due_at=now + REFUSED_FOR)
        return sum(context.apply(connection, ITEM_ROWS, rows, params) for params, rows in found)

    await _close_unwatched(context)
    wanted = await context.read(lambda connection: wanted_items(connection, context.watch, now))
    return await fetch_one_by_one(context, asking(context, ITEMS, list[Item]), wanted, store)


async def sync_bids(context: Context) -> PartResult:
    """Read the bids of open auctions, each auction at its time."""
    now = context.now()

    def store(connection: Connection, found: Sequence[Found], refused: Sequence[Params]) -> int:
        # One that was refused is over, or will be listed no more soon.
        _mark(connection, [*(params for params, _ in found), *refused], bids_at=now)
        return sum(context.apply(connection, BID_ROWS, rows, params) for params, rows in found)

    wanted = await context.read(lambda connection: open_auctions(connection, context.watch, now))
    return await fetch_one_by_one(context, asking(context, BIDS, list[Bid]), wanted, store)


async def _close_unwatched(context: Context) -> None:
    """Close the contracts of regions that are watched no more: nothing is heard of them.

    What is known of the requests goes too: once watched again, a 304 must not keep them closed.
    """
    c = public_contract.c
    stale = and_(c.closed_at.is_(None), c.region_id.not_in(context.watch.regions))

    def regions(connection: Connection) -> list[int]:
        return sorted(connection.scalars(select(c.region_id).where(stale).distinct()))

    def close(connection: Connection) -> None:
        for region_id in left:
            route_states.forget(connection, CONTRACTS.name, {"region_id": region_id})
        connection.execute(update(public_contract).where(stale).values(closed_at=context.now()))

    left = await context.read(regions)
    if left:
        await context.write(close)


def _mark(connection: Connection, params: Sequence[Params], **values: datetime) -> None:
    if params:
        ids = [one["contract_id"] for one in params]
        connection.execute(
            update(public_contract).where(public_contract.c.contract_id.in_(ids)).values(**values)
        )


KIND = Kind(
    name="global.public_contracts",
    subject=SubjectType.GLOBAL,
    feature="public_contracts",
    every=timedelta(minutes=30),
    off_by_default=True,
    deadline_s=300.0,
    summary="Public contracts of watched regions, with items and bids; past ones stay.",
    parts=(
        Part(
            name="contracts",
            route=CONTRACTS,
            wire=Contract,
            fan_out=Watched(("region_id",), watched_regions),
            targets=(Target(public_contract, key=("contract_id",), write=Write.CLOSE),),
        ),
        Part(name="items", route=ITEMS, wire=Item, targets=(ITEM_ROWS,), run=sync_items),
        Part(name="bids", route=BIDS, wire=Bid, targets=(BID_ROWS,), run=sync_bids),
    ),
)
