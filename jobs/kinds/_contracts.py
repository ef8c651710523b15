"""Contracts of characters and corporations: the list, items once each, bids of open auctions."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal

from sqlalchemy import Connection, Table, or_, select, update

from ipc.subject import Subject, SubjectType
from jobs.kinds._one_by_one import Found, asking, fetch_one_by_one
from jobs.spec import Context, Pages, Params, Part, PartResult, Route, Target, Wire, Write
from jobs.store.moments import is_due

# Items that ESI refused are asked for again after this, while the contract is listed.
REFUSED_FOR = timedelta(days=1)
RENAMED = {
    "issued_at": "date_issued",
    "expires_at": "date_expired",
    "accepted_at": "date_accepted",
    "completed_at": "date_completed",
}


class Contract(Wire, frozen=True, rename=RENAMED):
    """One contract; what it does not have is absent."""

    contract_id: int
    type: str
    status: str
    availability: str
    issuer_id: int
    issuer_corporation_id: int
    for_corporation: bool
    assignee_id: int
    acceptor_id: int
    issued_at: datetime
    expires_at: datetime
    title: str | None = None
    start_location_id: int | None = None
    end_location_id: int | None = None
    price: Decimal | None = None
    reward: Decimal | None = None
    collateral: Decimal | None = None
    buyout: Decimal | None = None
    volume: float | None = None
    days_to_complete: int | None = None
    accepted_at: datetime | None = None
    completed_at: datetime | None = None


class ContractItem(Wire, frozen=True):
    """One item that is given, or asked for in return."""

    record_id: int
    type_id: int
    quantity: int
    is_included: bool
    is_singleton: bool
    raw_quantity: int | None = None


class Bid(Wire, frozen=True, rename={"bid_at": "date_bid"}):
    """One bid in an auction."""

    bid_id: int
    bidder_id: int
    amount: Decimal
    bid_at: datetime


@dataclass(frozen=True, slots=True)
class Book:
    """Where the contracts of one type of owner come from and go to."""

    owner: SubjectType
    contracts: Table
    items: Table
    bids: Table
    rate_group: str
    scopes: frozenset[str]
    bid_pages: Pages
    bid_age_s: int

    @property
    def key(self) -> str:
        """Return the column of the owner."""
        return f"{self.owner}_id"

    def route(self, below: str = "", *, pages: Pages = Pages.NONE, age_s: int = 300) -> Route:
        """Return one of the owner's routes: the list itself, or what lies below it."""
        path = f"/{self.owner}s/{{{self.key}}}/contracts{below}"
        return Route("GET", path, pages=pages, cache_age_s=age_s, rate_group=self.rate_group)


def wanted_items(connection: Connection, book: Book, owner_id: int, now: datetime) -> list[Params]:
    """Return the contracts whose items are not there yet, newest first; couriers carry none."""
    c = book.contracts.c
    ids = connection.scalars(
        select(c.contract_id)
        .where(
            c[book.key] == owner_id,
            c.items_at.is_(None),
            c.closed_at.is_(None),
            c.type != "courier",
            or_(c.items_due_at.is_(None), is_due(c.items_due_at, now, REFUSED_FOR)),
        )
        .order_by(c.contract_id.desc())
    )
    return [{book.key: owner_id, "contract_id": one} for one in ids]


def open_auctions(connection: Connection, book: Book, owner_id: int) -> list[Params]:
    """Return the auctions in which there can be new bids."""
    c = book.contracts.c
    ids = connection.scalars(
        select(c.contract_id)
        .where(
            c[book.key] == owner_id,
            c.type == "auction",
            c.status == "outstanding",
            c.closed_at.is_(None),
        )
        .order_by(c.contract_id)
    )
    return [{"contract_id": one} for one in ids]


def contract_parts(book: Book) -> tuple[Part, ...]:
    """Return the three parts of a kind of contracts."""
    return (
        Part(
            name="contracts",
            route=book.route(pages=Pages.X_PAGES),
            wire=Contract,
            scopes=book.scopes,
            targets=(Target(book.contracts, key=(book.key, "contract_id"), write=Write.CLOSE),),
        ),
        _items_part(book),
        Part(
            name="bids",
            route=book.route("/{contract_id}/bids", pages=book.bid_pages, age_s=book.bid_age_s),
            wire=Bid,
            fan_out=lambda connection, subject: open_auctions(connection, book, subject.id),
            scopes=book.scopes,
            targets=(
                Target(book.bids, key=(book.key, "contract_id", "bid_id"), write=Write.UPSERT),
            ),
        ),
    )


def _items_part(book: Book) -> Part:
    route = book.route("/{contract_id}/items", age_s=3600)
    target = Target(book.items, key=(book.key, "contract_id", "record_id"), write=Write.UPSERT)

    async def sync_items(context: Context) -> PartResult:
        subject, now = context.subject, context.now()

        def store(connection: Connection, found: Sequence[Found], refused: Sequence[Params]) -> int:
            for ids, values in (
                ([params["contract_id"] for params, _ in found], {"items_at": now}),
                (
                    [params["contract_id"] for params in refused],
                    {"items_due_at": now + REFUSED_FOR},
                ),
            ):
                _mark(connection, book, subject, ids, values)
            return sum(context.apply(connection, target, rows, params) for params, rows in found)

        wanted = await context.read(
            lambda connection: wanted_items(connection, book, subject.id, now)
        )
        ask = asking(context, route, list[ContractItem])
        return await fetch_one_by_one(context, ask, wanted, store)

    return Part(
        name="items",
        route=route,
        wire=ContractItem,
        scopes=book.scopes,
        targets=(target,),
        run=sync_items,
    )


def _mark(
    connection: Connection,
    book: Book,
    subject: Subject,
    ids: Sequence[int | str],
    values: dict[str, datetime],
) -> None:
    c = book.contracts.c
    if ids:
        connection.execute(
            update(book.contracts)
            .where(c[book.key] == subject.id, c.contract_id.in_(ids))
            .values(**values)
        )
