"""What the loyalty stores of the game's corporations sell.

Not every corporation has a store, and ESI does not say which: one without is asked for again
after a growing while, since each such answer counts against the error limit that all routes share.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial

from msgspec.structs import asdict
from sqlalchemy import Connection, or_, select, update

from ipc.subject import SubjectType
from jobs.kinds._one_by_one import Found, asking_for_sets, fetch_one_by_one
from jobs.kinds._unknown_ids import forget_unknown, note_unknown, waits
from jobs.spec import Context, Kind, Params, Part, PartResult, Route, Row, Target, Wire, Write
from jobs.store.schema.offers import loyalty_offer, loyalty_offer_item, npc_corporation

CORPORATIONS = Route("GET", "/corporations/npccorps")
OFFERS = Route("GET", "/loyalty/stores/{corporation_id}/offers")
EVERY = timedelta(days=1)
# What unknown_id calls corporations without a store.
NO_STORE = "loyalty_store"


class Required(Wire, frozen=True):
    """Something that has to be given."""

    type_id: int
    quantity: int


class Offer(Wire, frozen=True):
    """One offer."""

    offer_id: int
    type_id: int
    quantity: int
    lp_cost: int
    isk_cost: int
    required_items: tuple[Required, ...]
    ak_cost: int | None = None


def corporation_rows(answer: Sequence[int], params: Params) -> list[Row]:
    """Return a row for each corporation."""
    return [{"corporation_id": one} for one in answer]


def offer_rows(answer: Sequence[Offer], params: Params) -> Iterator[Row]:
    """Yield a row for each offer."""
    for one in answer:
        row = asdict(one)
        del row["required_items"]
        yield {**_store_of(params), **row, "isk_cost": Decimal(one.isk_cost)}


def item_rows(answer: Sequence[Offer], params: Params) -> Iterator[Row]:
    """Yield a row for each thing that an offer asks for."""
    for one in answer:
        for item in one.required_items:
            yield {**_store_of(params), "offer_id": one.offer_id, **asdict(item)}


def _store_of(params: Params) -> Row:
    return {"corporation_id": params["corporation_id"]}


TARGETS = (
    Target(loyalty_offer, key=("corporation_id", "offer_id"), write=Write.REPLACE, rows=offer_rows),
    Target(
        loyalty_offer_item,
        key=("corporation_id", "offer_id", "type_id"),
        write=Write.REPLACE,
        rows=item_rows,
    ),
)


def wanted_stores(connection: Connection, now: datetime) -> list[Params]:
    """Return the corporations whose store was not read lately, those never read first."""
    c = npc_corporation.c
    ids = connection.scalars(
        select(c.corporation_id)
        .where(
            or_(c.offers_at.is_(None), c.offers_at <= now - EVERY),
            ~waits(NO_STORE, c.corporation_id, now),
        )
        .order_by(c.offers_at.is_not(None), c.offers_at, c.corporation_id)
    )
    return [{"corporation_id": one} for one in ids]


def store_offers(
    context: Context, connection: Connection, found: Sequence[Found], refused: Sequence[Params]
) -> int:
    """Write what stores sell, and remember which corporations have none."""
    rows = 0
    for params, answer in found:
        for target, rows_of in zip(TARGETS, (offer_rows, item_rows), strict=True):
            told = rows_of(answer.value, params)
            rows += context.apply(connection, target, told, params, answer=answer)
    read = [int(params["corporation_id"]) for params, _ in found]
    if read:
        connection.execute(
            update(npc_corporation)
            .where(npc_corporation.c.corporation_id.in_(read))
            .values(offers_at=context.now())
        )
    forget_unknown(connection, NO_STORE, read)
    note_unknown(context, NO_STORE, [int(one["corporation_id"]) for one in refused], connection)
    return rows


async def sync_offers(context: Context) -> PartResult:
    """Read the stores that are due, as many as one run may."""
    wanted = await context.read(partial(wanted_stores, now=context.now()))

    ask = asking_for_sets(context, OFFERS, list[Offer])
    return await fetch_one_by_one(context, ask, wanted, partial(store_offers, context))


KIND = Kind(
    name="global.loyalty_offers",
    subject=SubjectType.GLOBAL,
    feature="loyalty_offers",
    every=timedelta(hours=6),
    off_by_default=True,
    summary="Offers of all loyalty stores, each store once a day.",
    parts=(
        Part(
            name="corporations",
            route=CORPORATIONS,
            wire=int,
            targets=(
                Target(
                    npc_corporation,
                    key=("corporation_id",),
                    write=Write.UPSERT,
                    rows=corporation_rows,
                ),
            ),
        ),
        Part(name="offers", route=OFFERS, wire=Offer, targets=TARGETS, run=sync_offers),
    ),
)
