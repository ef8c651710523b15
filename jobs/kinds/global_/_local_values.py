"""What killmails are worth at the average prices of the mirror."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime
from decimal import Decimal

from sqlalchemy import ColumnElement, Connection, func, or_, select

from jobs.spec import Context, Row, Target, Write
from jobs.store.schema.killmails import killmail, killmail_item, killmail_value
from jobs.store.schema.market import market_price

VALUES = Target(killmail_value, key=("killmail_id",), write=Write.UPSERT, keep=("valued_at",))
# Killmails that are valued in one transaction.
BATCH = 500
# ESI's number for the copy of a blueprint, which has not the original's price.
COPY = 2


def without_value(connection: Connection) -> list[int]:
    """Return killmails that have no local value and could have one, newest first."""
    v = killmail_value.c
    priced = connection.execute(select(market_price.c.type_id).limit(1)).first() is not None
    lacks: ColumnElement[bool] = v.killmail_id.is_(None)
    if priced:
        lacks = or_(lacks, v.local_value.is_(None))
    return list(
        connection.scalars(
            select(killmail.c.killmail_id)
            .outerjoin(killmail_value, v.killmail_id == killmail.c.killmail_id)
            .where(lacks)
            .order_by(killmail.c.killmail_id.desc())
        )
    )


def local_values(connection: Connection, ids: Sequence[int]) -> dict[int, Decimal]:
    """Return what ships and cargo are worth, whether destroyed or dropped; empty without prices."""
    price = market_price.c.average_price
    if connection.execute(select(price).where(price.is_not(None)).limit(1)).first() is None:
        return {}
    worth = dict.fromkeys(ids, Decimal(0))
    item = killmail_item.c
    pieces = func.coalesce(item.quantity_destroyed, 0) + func.coalesce(item.quantity_dropped, 0)
    cargo = (
        select(item.killmail_id, func.sum(pieces), price)
        .join(market_price, market_price.c.type_id == item.item_type_id)
        .where(item.killmail_id.in_(ids), item.singleton != COPY, price.is_not(None))
        .group_by(item.killmail_id, item.item_type_id, price)
    )
    ships = (
        select(killmail.c.killmail_id, 1, price)
        .join(market_price, market_price.c.type_id == killmail.c.victim_ship_type_id)
        .where(killmail.c.killmail_id.in_(ids), price.is_not(None))
    )
    for query in (cargo, ships):
        for killmail_id, count, each in connection.execute(query):
            worth[killmail_id] += count * Decimal(repr(each))
    return worth


def value_locally(context: Context, connection: Connection, now: datetime) -> int:
    """Write the local values of one batch; return how many are left."""
    ids = without_value(connection)
    batch = ids[:BATCH]
    worth = local_values(connection, batch)
    rows: list[Row] = [
        {"killmail_id": one, "local_value": worth.get(one), "valued_at": now} for one in batch
    ]
    context.apply(connection, VALUES, rows, {})
    return len(ids) - len(batch)
