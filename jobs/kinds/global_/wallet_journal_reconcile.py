"""Whether journals add up: where they do not, entries are missing, and a row says where.

Each wallet is walked in the order of its entries: a balance must be the one before it and the
entry's amount. Entries without either are passed over; no request is made.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from functools import partial
from typing import Any

from sqlalchemy import ColumnElement, Connection, Table, exists, func, select, type_coerce

from ipc.subject import Subject, SubjectType
from jobs.kinds._batches import IN_STATEMENT
from jobs.spec import Context, Kind, Part, PartResult, Row, Target, Write
from jobs.store.schema.core import subject
from jobs.store.schema.types import Id
from jobs.store.schema.wallet import (
    character_wallet_gap,
    character_wallet_journal,
    corporation_wallet_gap,
    corporation_wallet_journal,
)

# Amounts are stored in 0.01 ISK; so much may a balance be off: 0.5 ISK.
TOLERANCE = 50

PERSONAL = Target(character_wallet_gap, key=("character_id", "entry_id"), write=Write.APPEND)
CORPORATE = Target(
    corporation_wallet_gap, key=("corporation_id", "division", "entry_id"), write=Write.APPEND
)


@dataclass(frozen=True, slots=True)
class Wallets:
    """The wallets of one type of owner, by the columns that tell one from another."""

    owner: SubjectType
    columns: tuple[str, ...]
    journal: Table
    target: Target


WALLETS = (
    Wallets(SubjectType.CHARACTER, ("character_id",), character_wallet_journal, PERSONAL),
    Wallets(
        SubjectType.CORPORATION,
        ("corporation_id", "division"),
        corporation_wallet_journal,
        CORPORATE,
    ),
)


def mirrored(connection: Connection, owner: SubjectType) -> set[int]:
    """Return the subjects of a type that are mirrored now."""
    return set(
        connection.scalars(
            select(subject.c.id).where(subject.c.type == owner.value, subject.c.state == "active")
        )
    )


def gaps(
    connection: Connection, wallets: Wallets, wanted: Sequence[Subject], now: datetime
) -> list[Row]:
    """Return a row for each new entry whose balance does not follow from the one before it."""
    entry = wallets.journal.c
    owner = entry[wallets.columns[0]]
    # The numbers as they are stored: exact, and the same on both databases.
    amount, balance = (type_coerce(entry[name], Id) for name in ("amount", "balance"))
    before = func.lag(balance).over(
        partition_by=[entry[name] for name in wallets.columns], order_by=entry.entry_id
    )
    expected: ColumnElement[Any] = (before + amount).label("expected")
    query = select(
        *(entry[name] for name in wallets.columns),
        entry.entry_id,
        entry.posted_at,
        balance.label("after"),
        expected,
    ).where(entry.amount.is_not(None), entry.balance.is_not(None))
    # All wallets are looked through for many: a database takes so many numbers and no more.
    if wanted and len(wanted) <= IN_STATEMENT:
        query = query.where(owner.in_([one.id for one in wanted if one.type is wallets.owner]))
    walked = query.subquery()
    off = func.abs(walked.c.after - walked.c.expected)
    known = wallets.target.table.c
    is_known = exists().where(*(known[name] == walked.c[name] for name in wallets.target.key))
    found = connection.execute(
        select(walked).where(walked.c.expected.is_not(None), off > TOLERANCE, ~is_known)
    )
    return [
        {
            **{name: row[name] for name in wallets.columns},
            "entry_id": row["entry_id"],
            "posted_at": row["posted_at"],
            "expected": Decimal(row["expected"]).scaleb(-2),
            "balance": Decimal(row["after"]).scaleb(-2),
            "found_at": now,
        }
        for row in found.mappings()
    ]


async def reconcile(context: Context) -> PartResult:
    """Look through all wallets, or through those that have just changed."""
    now, rows = context.now(), 0
    for wallets in WALLETS:
        find = partial(gaps, wallets=wallets, wanted=context.subjects, now=now)
        found = await context.read(find)
        if found:
            rows += await context.write(partial(_store, context, wallets, found))
    return PartResult(rows=rows, note=f"{rows} gaps found" if rows else "")


def _store(context: Context, wallets: Wallets, found: Sequence[Row], connection: Connection) -> int:
    # Whoever was forgotten since it was read must leave nothing behind.
    active = mirrored(connection, wallets.owner)
    kept = [row for row in found if row[wallets.columns[0]] in active]
    return context.apply(connection, wallets.target, kept, {})


KIND = Kind(
    name="global.wallet_journal_reconcile",
    subject=SubjectType.GLOBAL,
    feature="wallet",
    every=timedelta(hours=6),
    summary="Gaps in wallet journals: where balances do not add up.",
    parts=(Part(name="gaps", targets=(PERSONAL, CORPORATE), run=reconcile),),
)
