"""Journals that do not add up: each gap once, and nothing that is none."""

from __future__ import annotations

from datetime import timedelta
from decimal import Decimal
from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import GLOBAL, Subject, SubjectType
from jobs.kinds.global_ import wallet_journal_reconcile
from jobs.store import subjects
from tests.kinds.fake_context import START, FakeContext, enroll, put, rows

ME, OTHER, COMPANY = 90000001, 90000002, 98000001
GAPS = ("entry_id", "expected", "balance")


def entry(number: int, amount: Any, balance: Any, **more: Any) -> dict[str, Any]:
    return {
        "character_id": ME,
        "entry_id": number,
        "posted_at": START + timedelta(seconds=number),
        "ref_type": "x",
        "description": "",
        "amount": None if amount is None else Decimal(str(amount)),
        "balance": None if balance is None else Decimal(str(balance)),
        **more,
    }


def post(connection: Connection, *entries: dict[str, Any]) -> None:
    put(connection, "character_wallet_journal", *entries)


@pytest.fixture
def context(connection: Connection) -> FakeContext:
    enroll(connection, ME, OTHER)
    subjects.enroll(connection, Subject(SubjectType.CORPORATION, COMPANY), START)
    return FakeContext(connection, wallet_journal_reconcile.KIND, GLOBAL, {})


async def test_a_gap_is_found_once(connection: Connection, context: FakeContext) -> None:
    # In the order of their numbers, whichever came first.
    post(connection, entry(3, 5, 35), entry(1, 10, 10), entry(2, -2, 8))
    result = await context.run("gaps")
    assert (result.rows, result.note) == (1, "1 gaps found")
    assert rows(connection, "character_wallet_gap", *GAPS) == [(3, Decimal(13), Decimal(35))]
    writes = context.writes
    assert (await context.run("gaps")).rows == 0
    assert context.writes == writes


@pytest.mark.parametrize(
    ("balance", "found"), [("20.50", 0), ("19.50", 0), ("20.51", 1), ("19.49", 1)]
)
async def test_half_an_isk_is_no_gap(
    connection: Connection, context: FakeContext, balance: str, found: int
) -> None:
    post(connection, entry(1, 10, 10), entry(2, 10, balance))
    assert (await context.run("gaps")).rows == found


async def test_entries_without_amount_or_balance_are_passed_over(
    connection: Connection, context: FakeContext
) -> None:
    post(
        connection,
        entry(1, None, None),
        entry(2, 5, None),
        entry(3, None, 77),
        # The first that says both is never a gap.
        entry(4, 1, 100),
        entry(5, None, None),
        entry(6, 1, 101),
    )
    assert (await context.run("gaps")).rows == 0


async def test_amounts_beyond_what_a_double_holds_are_exact(
    connection: Connection, context: FakeContext
) -> None:
    post(
        connection,
        entry(1, 1, "90071992547409.93"),
        entry(2, "0.01", "90071992547409.94"),
        entry(3, "0.01", "90071992547410.46"),
    )
    await context.run("gaps")
    assert rows(connection, "character_wallet_gap", *GAPS) == [
        (3, Decimal("90071992547409.95"), Decimal("90071992547410.46"))
    ]


async def test_each_wallet_is_walked_by_itself(
    connection: Connection, context: FakeContext
) -> None:
    """A move between two wallets has one number in both."""
    post(connection, entry(1, 1, 1), entry(2, 1, 2), entry(2, 5, 500, character_id=OTHER))
    for division, balance, after in ((1, 100, 90), (2, 7, 17)):
        for number, amount, left in ((1, 1, balance), (2, after - balance, after)):
            line = entry(number, amount, left, corporation_id=COMPANY, division=division)
            del line["character_id"]
            put(connection, "corporation_wallet_journal", line)
    assert (await context.run("gaps")).rows == 0
    line = entry(3, 1, 1000, corporation_id=COMPANY, division=2)
    del line["character_id"]
    put(connection, "corporation_wallet_journal", line)
    await context.run("gaps")
    found = rows(connection, "corporation_wallet_gap", "corporation_id", "division", "entry_id")
    assert found == [(COMPANY, 2, 3)]


async def test_only_those_named_are_looked_at(connection: Connection, context: FakeContext) -> None:
    for who in (ME, OTHER):
        post(connection, *(entry(n, 1, n * 100, character_id=who) for n in (1, 2)))
    context.subjects = (Subject(SubjectType.CHARACTER, OTHER),)
    await context.run("gaps")
    assert rows(connection, "character_wallet_gap", "character_id") == [(OTHER,)]
    context.subjects = (Subject(SubjectType.CORPORATION, COMPANY),)
    assert (await context.run("gaps")).rows == 0
    context.subjects = ()
    assert (await context.run("gaps")).rows == 1


async def test_nothing_is_left_of_the_forgotten(
    connection: Connection, context: FakeContext
) -> None:
    post(connection, entry(1, 1, 1), entry(2, 1, 200))
    subjects.mark_deleted(connection, Subject(SubjectType.CHARACTER, ME), START)
    assert (await context.run("gaps")).rows == 0
    assert rows(connection, "character_wallet_gap") == []
