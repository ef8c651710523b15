"""What each mirrored character is worth, a row a day; calculated from the mirror alone.

Today's row has all that is known: wallet, assets at average prices, escrow of buy orders. Days
before the first snapshot are filled from the journal: the last balance of each day, carried on.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy import BindParameter, Connection, bindparam, func, select

from ipc.subject import Subject, SubjectType
from jobs.errors import SubjectGone
from jobs.spec import Context, Kind, Part, PartResult, Row, Target, Write
from jobs.store import subjects
from jobs.store.schema.assets import character_asset
from jobs.store.schema.core import route_state, subject
from jobs.store.schema.market import character_market_order, market_price
from jobs.store.schema.net_worth import net_worth
from jobs.store.schema.wallet import character_wallet, character_wallet_journal

# ESI's journal reaches back 30 days: no entry older than that can still come.
LOOK_BACK = timedelta(days=35)
DAY = timedelta(days=1)
ASSETS = "GET /characters/{character_id}/assets"
ORDERS = "GET /characters/{character_id}/orders"

# Built once: a run asks all of them for each character.
_ME: BindParameter[Any] = bindparam("me")
_LOADED = (
    select(route_state.c.route)
    .where(route_state.c.route == bindparam("route"), route_state.c.owner_id == _ME)
    .limit(1)
)
_LIQUID = select(character_wallet.c.balance).where(character_wallet.c.character_id == _ME)
_ANY_PRICE = select(market_price.c.type_id).limit(1)
_PRICED = (
    select(func.sum(character_asset.c.quantity), market_price.c.average_price)
    .join(market_price, market_price.c.type_id == character_asset.c.type_id)
    .where(
        character_asset.c.character_id == _ME,
        character_asset.c.is_blueprint_copy.is_not(True),
        market_price.c.average_price.is_not(None),
    )
    .group_by(character_asset.c.type_id, market_price.c.average_price)
)
_ESCROW = select(character_market_order.c.escrow).where(
    character_market_order.c.character_id == _ME,
    character_market_order.c.closed_at.is_(None),
    # One that only the history has told of was never seen open, so it is not closed.
    character_market_order.c.state.is_(None),
    character_market_order.c.is_buy_order.is_(True),
    character_market_order.c.is_corporation.is_(False),
    character_market_order.c.escrow.is_not(None),
)
_TAKEN = select(net_worth.c.day, net_worth.c.asset_value, net_worth.c.escrow).where(
    net_worth.c.character_id == _ME, net_worth.c.day < bindparam("today")
)
_ENTRY = character_wallet_journal.c
_BALANCES = select(_ENTRY.posted_at, _ENTRY.entry_id, _ENTRY.balance).where(
    _ENTRY.character_id == _ME, _ENTRY.balance.is_not(None)
)
_IN_ORDER = _BALANCES.order_by(_ENTRY.posted_at, _ENTRY.entry_id)
_SINCE = _IN_ORDER.where(_ENTRY.posted_at >= bindparam("start"))
_LAST_BEFORE = (
    _BALANCES.where(_ENTRY.posted_at < bindparam("start"))
    .order_by(_ENTRY.posted_at.desc(), _ENTRY.entry_id.desc())
    .limit(1)
)

WORTH = Target(net_worth, key=("character_id", "day"), write=Write.UPSERT)


def owners(connection: Connection, wanted: Sequence[Subject]) -> list[int]:
    """Return the characters to work on: those named, or all that are mirrored."""
    query = select(subject.c.id).where(
        subject.c.type == SubjectType.CHARACTER.value, subject.c.state == "active"
    )
    found = list(connection.scalars(query.order_by(subject.c.id)))
    named = {one.id for one in wanted if one.type is SubjectType.CHARACTER}
    # Prices concern everybody, so anything but a list of characters means all.
    if named and len(named) == len(wanted):
        found = [one for one in found if one in named]
    return found


def was_loaded(connection: Connection, route: str, character_id: int) -> bool:
    """Tell whether a route was ever loaded for a character: no rows may mean nothing owned."""
    return connection.execute(_LOADED, {"route": route, "me": character_id}).first() is not None


def liquid_of(connection: Connection, character_id: int) -> Decimal | None:
    """Return the balance of the wallet; None: not known yet."""
    return connection.execute(_LIQUID, {"me": character_id}).scalar_one_or_none()


def asset_value_of(connection: Connection, character_id: int) -> Decimal | None:
    """Return quantity times average price over all assets; None: assets or prices not known.

    Copies of blueprints are left out: the price is the original's.
    """
    priced = connection.execute(_ANY_PRICE).first() is not None
    if not priced or not was_loaded(connection, ASSETS, character_id):
        return None
    rows = connection.execute(_PRICED, {"me": character_id})
    # A price is a double; its shortest text is what ESI wrote.
    return sum((int(count) * Decimal(repr(price)) for count, price in rows), Decimal(0))


def escrow_of(connection: Connection, character_id: int) -> Decimal | None:
    """Return the escrow of open buy orders of the character's own; None: not known yet."""
    if not was_loaded(connection, ORDERS, character_id):
        return None
    amounts = connection.scalars(_ESCROW, {"me": character_id})
    return sum((amount for amount in amounts if amount is not None), Decimal(0))


def worth_of(connection: Connection, character_id: int, day: date) -> Row | None:
    """Return today's row; None when nothing at all is known."""
    parts = {
        "liquid": liquid_of(connection, character_id),
        "asset_value": asset_value_of(connection, character_id),
        "escrow": escrow_of(connection, character_id),
    }
    known = [value for value in parts.values() if value is not None]
    if not known:
        return None
    return {
        "character_id": character_id,
        "day": day,
        **parts,
        "net_worth": sum(known, Decimal(0)),
    }


def past_rows(connection: Connection, character_id: int, today: date) -> list[Row]:
    """Return rows for the days before today that no snapshot was taken of."""
    taken: dict[date, bool] = {
        row.day: row.asset_value is not None or row.escrow is not None
        for row in connection.execute(_TAKEN, {"me": character_id, "today": today})
    }
    since = today - LOOK_BACK if taken and min(taken) < today - LOOK_BACK else None
    balances = last_balances(balances_since(connection, character_id, since))
    rows: list[Row] = []
    balance: Decimal | None = None
    day = min(balances, default=today)
    while day < today:
        balance = balances.get(day, balance)
        if (since is None or day >= since) and not taken.get(day, False):
            rows.append(
                {
                    "character_id": character_id,
                    "day": day,
                    "liquid": balance,
                    "asset_value": None,
                    "escrow": None,
                    "net_worth": balance,
                }
            )
        day += DAY
    return rows


def balances_since(
    connection: Connection, character_id: int, since: date | None
) -> list[tuple[datetime, int, Decimal]]:
    """Return time, id and balance of the journal from a day on, and of the last entry before."""
    if since is None:
        found = connection.execute(_IN_ORDER, {"me": character_id})
        return [(at, number, balance) for at, number, balance in found]
    values = {
        "me": character_id,
        "start": datetime(since.year, since.month, since.day, tzinfo=UTC),
    }
    before = connection.execute(_LAST_BEFORE, values)
    return [
        (at, number, balance)
        for at, number, balance in (*before, *connection.execute(_SINCE, values))
    ]


def last_balances(entries: Iterable[tuple[datetime, int, Decimal]]) -> dict[date, Decimal]:
    """Return the last balance of each day that has one; within a moment the highest id is last."""
    found: dict[date, Decimal] = {}
    for posted_at, _, balance in sorted(entries, key=lambda entry: entry[:2]):
        found[posted_at.astimezone(UTC).date()] = balance
    return found


async def snapshot(context: Context) -> PartResult:
    """Write today's row of each character, and the days that are still missing."""
    today = context.now().astimezone(UTC).date()
    ids = await context.read(lambda connection: owners(connection, context.subjects))
    rows = done = 0
    for character_id in ids:
        if context.budget_s <= 0:
            break
        found = await context.read(partial(_rows_of, character_id, today))
        if found:
            rows += await context.write(partial(_store, context, character_id, found))
        done += 1
    return PartResult(rows=rows, empty=not ids, left=len(ids) - done)


def _rows_of(character_id: int, today: date, connection: Connection) -> list[Row]:
    now = worth_of(connection, character_id, today)
    past = past_rows(connection, character_id, today)
    return past if now is None else [*past, now]


def _store(context: Context, character_id: int, rows: list[Row], connection: Connection) -> int:
    try:
        subjects.require_active(connection, Subject(SubjectType.CHARACTER, character_id))
    except SubjectGone:
        # Forgotten since it was read: nothing of it may come back.
        return 0
    return context.apply(connection, WORTH, rows, {})


KIND = Kind(
    name="global.net_worth_snapshot",
    subject=SubjectType.GLOBAL,
    feature=("wallet", "assets"),
    every=timedelta(days=1),
    summary="Worth of each character and day: wallet, assets at average prices, escrow.",
    parts=(Part(name="snapshot", targets=(WORTH,), run=snapshot),),
)
