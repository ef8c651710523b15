"""Mails that cannot be told apart: one that was found belongs to one row only."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, update

from ipc.subject import Subject, SubjectType
from jobs.store import outbox_rows
from jobs.store.outbox_rows import OutboxRow
from jobs.store.schema.core import outbox as table
from jobs.store.write_status import Status
from jobs.writes.decision import Decision, Doubt, after_look, doubt_text
from jobs.writes.mail import Recipient, Send
from jobs.writes.twins import unless_anothers
from jobs.writes.want import want
from tests.unit.jobs.job_house import House

WHO = Subject(SubjectType.CHARACTER, 9)
LETTER = Send((Recipient(5, "character"),), "Hello", "Text")
OTHER_TEXT = Send((Recipient(5, "character"),), "Hello", "Another text")
OTHER_SUBJECT = Send((Recipient(5, "character"),), "Bye", "Text")
FOUND = '{"mail_id":50,"found":true}'
SENT = '{"mail_id":50}'


async def two_rows(house: House, twin: Send, **changes: Any) -> tuple[OutboxRow, OutboxRow]:
    """Return two rows of which the second is changed as told."""
    now = house.clock.now()

    def work(connection: Connection) -> tuple[OutboxRow, OutboxRow]:
        ids = [want(connection, WHO, "mail.send", each, now) for each in (LETTER, twin)]
        values = {"status": Status.PENDING.value} | changes
        connection.execute(update(table).where(table.c.id == ids[1]).values(**values))
        first, second = (outbox_rows.get(connection, each) for each in ids)
        assert first is not None
        assert second is not None
        return first, second

    found: tuple[OutboxRow, OutboxRow] = await house.write(work)
    return found


async def settled(house: House, row: OutboxRow) -> Decision:
    """Return what becomes of a row whose mail was found."""
    now = house.clock.now()
    doubt = Doubt(row.revision, now, now + timedelta(minutes=2))
    found = after_look(row, doubt, now, FOUND)
    decision: Decision = await house.tools.read(lambda c: unless_anothers(c, row, found))
    return decision


@pytest.mark.parametrize("result", [FOUND, SENT])
async def test_a_mail_that_another_row_has_is_looked_for_further(house: House, result: str) -> None:
    row, _ = await two_rows(house, LETTER, status="done", result=result)
    decision = await settled(house, row)
    assert (decision.status, decision.result is not None) == (Status.PENDING, True)


@pytest.mark.parametrize("twin", [LETTER, OTHER_TEXT])
async def test_it_may_be_that_of_one_that_is_being_sent(house: House, twin: Send) -> None:
    row, _ = await two_rows(house, twin, status="inflight")
    assert (await settled(house, row)).status is Status.PENDING


@pytest.mark.parametrize(
    ("twin", "changes"),
    [
        (OTHER_SUBJECT, {"status": "inflight"}),
        (LETTER, {"status": "done", "result": '{"mail_id":51}'}),
        # It was not sent yet; and of two in doubt one must be the first.
        (LETTER, {}),
        # Another program wrote what nobody can read: that ends by itself.
        (LETTER, {"status": "inflight", "payload": "Hello"}),
        (LETTER, {"status": "inflight", "result": "in doubt"}),
    ],
)
async def test_else_it_is_this_rows_own(house: House, twin: Send, changes: dict[str, Any]) -> None:
    if "result" in changes and changes["result"] == "in doubt":
        now = house.clock.now()
        changes = changes | {"result": doubt_text(Doubt(1, now, now))}
    row, _ = await two_rows(house, twin, **changes)
    assert (await settled(house, row)).status is Status.DONE


async def test_what_was_not_found_stays_so(house: House) -> None:
    row, _ = await two_rows(house, LETTER, status="inflight")
    decision = Decision(Status.DONE, 0, result=SENT)
    assert await house.tools.read(lambda c: unless_anothers(c, row, decision)) is decision
