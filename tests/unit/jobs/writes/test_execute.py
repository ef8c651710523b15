"""Outbox rows carried out over a real database and a scripted ESI."""

from __future__ import annotations

import asyncio
import contextlib
from datetime import timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import update

from ipc import outcome as reactions
from ipc.messages import RunWrite, Spent
from jobs.berths import AT_ONCE
from jobs.errors import PauseAll, RefusedWrite, TokenRejected, Transient
from jobs.esi.reactions import Absent, GameRefused
from jobs.esi.transport import AnswerLost, NotSent
from jobs.logbook import CannotNote
from jobs.store.errors import StoreUnavailable
from jobs.store.schema import core
from jobs.store.schema.mail import mail
from jobs.store.write_status import Status
from jobs.writes import execute, mark
from jobs.writes.decision import MAX_ATTEMPTS
from jobs.writes.execute import Attempt, give_back
from jobs.writes.mail import Recipient, Send
from jobs.writes.mail_changes import Delete, SetLabels, SetRead
from jobs.writes.notes import sent_text
from jobs.writes.settle import settle_all
from jobs.writes.want import want
from tests.transactions import counted
from tests.unit.jobs.job_house import CHARACTER, START
from tests.unit.jobs.writes.write_box import Outbox

LETTER = Send((Recipient(5, "character"), Recipient(6, "corporation")), "Hello", "Text")


# --- what can be repeated ----------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "payload", "route", "after"),
    [
        ("mail.set_read", SetRead(7, read=True), "PUT", (True, False, [1, 4])),
        ("mail.set_labels", SetLabels(7, (8,)), "PUT", (False, False, [8])),
        ("mail.delete", Delete(7), "DELETE", (False, True, [1, 4])),
    ],
)
async def test_the_mirror_changes_at_once_and_stays_so(
    box: Outbox, kind: str, payload: Any, route: str, after: Any
) -> None:
    await box.want(kind, payload)
    assert await box.mail() == after
    box.esi.say(box.esi.good(b""))

    done = await box.send()

    assert done.status == "done"
    assert box.sent() == [f"{route} /characters/{{character_id}}/mail/{{mail_id}}"]
    assert (await box.row()).status is Status.DONE
    assert await box.mail() == after


@pytest.mark.parametrize(
    ("kind", "payload"),
    [
        ("mail.set_read", SetRead(7, read=True)),
        ("mail.set_labels", SetLabels(7, (8,))),
        ("mail.delete", Delete(7)),
    ],
)
async def test_a_refusal_takes_the_change_back(box: Outbox, kind: str, payload: Any) -> None:
    await box.want(kind, payload)
    box.esi.say(RefusedWrite("400: no"))

    done = await box.send()

    assert (done.status, done.reason) == ("failed", "400: no")
    assert await box.mail() == (False, False, [1, 4])
    assert (await box.row()).last_error == "400: no"


async def test_asked_twice_the_first_state_is_what_a_refusal_restores(box: Outbox) -> None:
    await box.want("mail.set_labels", SetLabels(7, (8,)))
    await box.want("mail.set_labels", SetLabels(7, (2, 3)))
    box.esi.say(RefusedWrite("400"))

    await box.send()

    assert await box.mail() == (False, False, [1, 4])


async def test_what_a_mirror_job_brought_back_is_set_again_when_the_write_is_done(
    box: Outbox,
) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    await box.house.write(lambda c: c.execute(update(mail).values(is_read=False)))
    box.esi.say(box.esi.good(b""))

    await box.send()

    assert (await box.mail())[0] is True


async def test_a_mail_that_is_gone_already_is_deleted(box: Outbox) -> None:
    await box.want("mail.delete", Delete(7))
    box.esi.say(Absent("404"))

    assert (await box.send()).status == "done"


@pytest.mark.parametrize("error", [AnswerLost("cut"), NotSent("no route"), Transient("502")])
async def test_trouble_on_the_way_is_tried_again(box: Outbox, error: Exception) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    box.esi.say(error, box.esi.good(b""))

    first = await box.send()
    assert first.status == "pending"
    assert first.next_in_s >= 2
    assert (await box.row()).attempts == 0
    box.clock.advance(first.next_in_s + 1)
    second = await box.send()

    assert second.status == "done"


async def test_a_row_found_inflight_that_can_be_repeated_is_sent_again(box: Outbox) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    box.esi.say(box.esi.good(b""))

    assert (await box.send(in_doubt=True)).status == "done"


async def test_a_spent_error_limit_is_told_and_waited_for(box: Outbox) -> None:
    until = START + timedelta(seconds=40)
    await box.want("mail.set_read", SetRead(7, read=True))
    box.esi.say(PauseAll(until, 40))

    done = await box.send()

    assert done.reaction == reactions.PauseAll(until, 40)
    assert done.next_in_s == 40
    assert (await box.row()).next_attempt_at == until


async def test_a_refused_token_counts_and_is_told(box: Outbox) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    box.esi.say(TokenRejected(1, 1))

    done = await box.send()

    assert isinstance(done.reaction, reactions.TokenRejected)
    assert (await box.row()).attempts == 1


async def test_what_waited_too_long_is_given_up_without_a_request(box: Outbox) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    box.clock.advance(86_400)

    done = await box.send()

    assert done.status == "failed"
    assert box.sent() == []
    assert (await box.mail())[0] is False


async def test_a_payload_replaced_while_it_was_sent_is_sent_again(box: Outbox) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))

    def replace(_params: Any) -> Any:
        box.house.tools.database.write_now(
            lambda c: want(c, CHARACTER, "mail.set_read", SetRead(7, read=False), START)
        )
        return box.esi.good(b"")

    box.esi.say(replace)

    done = await box.send()

    assert done.status == "pending"
    assert (await box.row()).status is Status.PENDING
    assert msgspec.json.decode((await box.row()).payload)["read"] is False


async def test_a_row_of_another_epoch_is_left_alone(box: Outbox) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    (row,) = await box.claim()
    await box.house.write(lambda c: c.execute(update(core.outbox).values(claimed_by_epoch=99)))

    done = await box.carry_out(row)

    assert done.status == "pending"
    assert box.sent() == []


@pytest.mark.parametrize(
    ("change", "words"),
    [
        ({"kind": "mail.unheard_of"}, "mail.unheard_of"),
        ({"payload": "{}"}, "payload"),
        ({"payload": "garbage"}, "payload"),
    ],
)
async def test_a_row_that_nobody_can_carry_out_fails(
    box: Outbox, change: dict[str, Any], words: str
) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    await box.house.write(lambda c: c.execute(update(core.outbox).values(**change)))

    done = await box.send()

    assert done.status == "failed"
    assert words in done.reason


async def test_without_the_scope_a_row_waits(box: Outbox) -> None:
    await box.want("mail.set_read", SetRead(7, read=True))
    await box.house.write(
        lambda c: c.execute(update(core.credential).values(scopes="esi-mail.read_mail.v1"))
    )

    done = await box.send()

    assert done.status == "pending"
    assert "organize_mail" in done.reason
    assert isinstance(done.reaction, reactions.NeedsLogin)


# --- what cannot be repeated -------------------------------------------------------------------


async def test_a_mail_is_sent_and_its_number_kept(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(box.esi.good(b"50"))

    assert (await box.send()).status == "done"
    assert (await box.row()).result == '{"mail_id":50}'


async def test_a_sent_mail_whose_answer_cannot_be_read_is_sent(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(box.esi.good(b"<html>"))

    assert (await box.send()).status == "done"


async def test_an_ambiguous_send_is_found_among_the_sent_mails(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(AnswerLost("504"))
    first = await box.send()
    header = box.header()
    box.clock.advance(first.next_in_s + 1)
    box.esi.say(box.headers(box.header(51, subject="another"), header))

    second = await box.send()

    assert first.status == "pending"
    assert second.status == "done"
    assert box.sent() == [
        "POST /characters/{character_id}/mail", "GET /characters/{character_id}/mail"
    ]  # fmt: skip
    assert box.esi.asked[1][1]["labels"] == 2
    assert msgspec.json.decode((await box.row()).result or "")["mail_id"] == 50


async def test_an_ambiguous_send_that_is_not_found_is_uncertain_and_never_sent_again(
    box: Outbox,
) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(AnswerLost("504"))
    done = await box.send()
    looks = 0
    while done.status == "pending":
        box.clock.advance(done.next_in_s + 1)
        box.esi.say(box.headers(box.header(40, subject="another")), box.headers())
        done = await box.send()
        looks += 1

    assert done.status == "uncertain"
    assert looks > 2
    assert box.sent().count("POST /characters/{character_id}/mail") == 1
    box.clock.advance(86_400)
    assert await box.claim() == []


@pytest.mark.parametrize(
    "changes",
    [
        {"subject": "hello"},
        {"from": 8},
        {"recipients": [{"recipient_id": 5, "recipient_type": "character"}]},
        {"timestamp": (START - timedelta(minutes=5)).isoformat()},
        {"timestamp": (START + timedelta(hours=1)).isoformat()},
    ],
)
async def test_another_mail_is_not_taken_for_it(box: Outbox, changes: dict[str, Any]) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(AnswerLost("504"))
    first = await box.send()
    header = box.header(**changes)
    box.clock.advance(first.next_in_s + 1)
    box.esi.say(box.headers(header), box.headers())

    assert (await box.send()).status == "pending"


async def test_the_mail_of_another_row_is_not_taken_for_it(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(box.esi.good(b"50"))
    await box.send()
    header = box.header(50)
    await box.want("mail.send", LETTER)
    box.esi.say(AnswerLost("504"))
    first = await box.send()
    box.clock.advance(first.next_in_s + 1)
    box.esi.say(box.headers(header), box.headers())

    assert (await box.send()).status == "pending"


async def test_of_two_rows_that_find_one_mail_at_once_one_has_it(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    await box.want("mail.send", LETTER)
    rows = await box.claim()
    found = box.headers(box.header(50))
    box.esi.say(found, found)
    ends = await asyncio.gather(*(box.carry_out(row, in_doubt=True) for row in rows))
    assert sorted(end.status for end in ends) == ["done", "pending"]
    (waiting,) = [end for end in ends if end.status == "pending"]
    assert waiting.next_in_s > 0


async def test_the_look_goes_back_page_by_page_to_the_time_of_sending(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(AnswerLost("504"))
    first = await box.send()
    header = box.header(50)
    newer = [box.header(each, subject="newer") for each in (60, 55)]
    box.clock.advance(first.next_in_s + 1)
    box.esi.say(box.headers(*newer), box.headers(header))

    assert (await box.send()).status == "done"
    assert box.esi.asked[2][1]["last_mail_id"] == 55


async def test_a_row_found_inflight_after_a_crash_is_looked_for_and_not_sent(
    box: Outbox,
) -> None:
    await box.want("mail.send", LETTER)
    (row,) = await box.claim()
    header = box.header(50)
    box.clock.advance(20)
    box.esi.say(box.headers(header))

    done = await box.carry_out(row, in_doubt=True)

    assert done.status == "done"
    assert box.sent() == ["GET /characters/{character_id}/mail"]


async def test_a_row_found_inflight_that_was_not_sent_becomes_uncertain(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    (row,) = await box.claim()
    box.esi.say(box.headers())
    done = await box.carry_out(row, in_doubt=True)
    while done.status == "pending":
        box.clock.advance(done.next_in_s + 1)
        box.esi.say(box.headers())
        done = await box.send()

    assert done.status == "uncertain"
    assert "POST /characters/{character_id}/mail" not in box.sent()


async def test_what_never_left_is_sent_again(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(NotSent("no route"), box.esi.good(b"50"))
    first = await box.send()
    box.clock.advance(first.next_in_s + 1)

    assert (await box.send()).status == "done"
    assert box.sent().count("POST /characters/{character_id}/mail") == 2


async def test_a_send_that_hangs_is_in_doubt_before_its_deadline(box: Outbox) -> None:
    import asyncio

    await box.want("mail.send", LETTER)

    async def hang(*_args: Any, going: Any, **_how: Any) -> Any:
        async with going:
            await asyncio.sleep(60)

    box.esi.ask = hang  # type: ignore[method-assign,assignment]

    # Long enough to be on its way by then.
    done = await box.send(deadline_s=3.0)

    assert done.status == "pending"
    assert "in_doubt" in ((await box.row()).result or "")


async def test_a_bug_after_the_mail_was_sent_leaves_it_in_doubt(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(ZeroDivisionError())

    assert (await box.send()).status == "pending"
    assert "in_doubt" in ((await box.row()).result or "")


async def test_a_cost_that_was_not_approved_fails_at_once_and_is_shown(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(GameRefused("{ContactCostNotApproved, (cost 2500)}"))

    done = await box.send()

    assert done.status == "failed"
    assert "2,500 ISK" in done.reason


# --- cut off -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "payload", "asked_at", "in_doubt"),
    [
        ("mail.send", LETTER, START, True),
        ("mail.send", LETTER, None, False),
        ("mail.set_read", SetRead(7, read=True), START, False),
    ],
)
async def test_a_row_that_was_cut_off_is_given_back(
    box: Outbox, kind: str, payload: Any, asked_at: Any, in_doubt: bool
) -> None:
    await box.want(kind, payload)
    (row,) = await box.claim()
    order = RunWrite(1, box.house.tools.epoch, row.id, row.revision, 60.0)

    spent = (Spent("mail:9", 2),)
    attempt = Attempt(asked_at, spent=spent)
    done = await give_back(box.house.tools, order, "deadline exceeded", attempt)

    after = await box.row()
    # What it asked ESI is paid for, however it ended.
    assert done.spent == spent
    assert (done.status, after.status) == ("pending", Status.PENDING)
    assert done.reason == "deadline exceeded"
    assert ("in_doubt" in (after.result or "")) == in_doubt


@pytest.mark.parametrize(
    ("kind", "payload", "asked_at", "status"),
    [
        ("mail.send", LETTER, START, Status.UNCERTAIN),
        ("mail.send", LETTER, None, Status.FAILED),
        ("mail.set_read", SetRead(7, read=True), START, Status.FAILED),
    ],
)
@pytest.mark.parametrize("counts", [True, False])
async def test_what_is_cut_off_each_time_ends(
    box: Outbox, kind: str, payload: Any, asked_at: Any, status: Status, counts: bool
) -> None:
    hour = timedelta(hours=1)
    await box.want(kind, payload)
    await box.house.write(lambda c: c.execute(update(core.outbox).values(expires_at=START + hour)))
    waits = []
    done = None
    while done is None or done.status == "pending":
        (row,) = await box.claim()
        order = RunWrite(1, box.house.tools.epoch, row.id, row.revision, 60.0)
        done = await give_back(box.house.tools, order, "KeyError", Attempt(asked_at), counts)
        waits.append(done.next_in_s)
        box.clock.advance(done.next_in_s + 1)

    assert (done.status, (await box.row()).status) == (status, status)
    assert "KeyError" in done.reason
    # All but the last, which ended it.
    assert waits[:-1] == sorted(waits[:-1])
    assert (len(waits) == MAX_ATTEMPTS) == counts
    assert (box.clock.now() - START > hour) != counts


async def test_a_write_that_was_seen_to_arrive_is_done_when_looking_at_it_is_cut_off(
    box: Outbox,
) -> None:
    row_id = await box.want("mail.set_read", SetRead(7, read=True))
    (row,) = await box.claim()
    text = sent_text(row, {"labels": [1]})
    await box.house.write(
        lambda c: c.execute(
            update(core.outbox).where(core.outbox.c.id == row_id).values(result=text)
        )
    )
    box.clock.advance(timedelta(hours=25).total_seconds())
    order = RunWrite(1, box.house.tools.epoch, row.id, row.revision, 60.0)

    done = await give_back(box.house.tools, order, "KeyError", Attempt())

    assert done.status == "done"
    assert (await box.row()).result == '{"labels":[1]}'


async def test_a_mirror_that_cannot_follow_does_not_have_a_write_sent_again(
    box: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail(connection: Any, row_ids: Any, now: Any) -> None:
        connection.execute(update(core.outbox).values(payload="half"))
        raise KeyError(row_ids)

    monkeypatch.setattr(mark, "settle_all", fail)
    await box.want("mail.set_read", SetRead(7, read=True))
    box.esi.say(box.esi.good(b""))

    done = await box.send()

    row = await box.row()
    assert (done.status, row.status) == ("done", Status.DONE)
    assert row.payload != "half"
    assert row.held_until is None


async def test_what_cannot_be_noted_is_not_sent_and_waits(
    box: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def refuse(*_: int) -> None:
        raise CannotNote("the disk is full")

    monkeypatch.setattr(box.house.tools.logbook, "note", refuse)
    await box.want("mail.send", LETTER)
    done = await box.send()
    assert (done.status, done.reason) == ("pending", "the disk is full")
    assert (await box.row()).result is None
    assert box.sent() == []


async def test_what_waits_for_a_lane_when_it_is_cut_off_was_not_sent(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    berths = box.house.tools.berths
    async with contextlib.AsyncExitStack() as others:
        for _ in range(AT_ONCE):
            await others.enter_async_context(berths.one())
        done = await box.send(deadline_s=0.2)
    assert (done.status, (await box.row()).result) == ("pending", None)
    assert box.sent() == []


async def test_rows_that_end_together_are_one_transaction_and_each_has_its_own_end(
    box: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    def fail_of_one(connection: Any, row_ids: Any, now: Any) -> None:
        settle_all(connection, row_ids, now)
        if 2 in row_ids:
            connection.execute(update(core.outbox).values(payload="half"))
            raise KeyError(2)

    monkeypatch.setattr(mark, "settle_all", fail_of_one)
    for mail_id in (7, 8, 9):
        await box.want("mail.set_read", SetRead(mail_id, read=True))
    rows = await box.claim()
    box.esi.say(box.esi.good(b""), box.esi.good(b""), RefusedWrite("no"))

    with counted() as ended:
        done = await asyncio.gather(*(box.carry_out(row) for row in rows))

    assert [one.status for one in done] == ["done", "done", "failed"]
    assert ended.commits == 1
    assert [row.status for row in await box.rows()] == [Status.DONE, Status.DONE, Status.FAILED]
    assert "half" not in {row.payload for row in await box.rows()}
    assert await box.mail() == (True, False, [1, 4])


async def test_a_row_is_given_back_once_the_database_is_there_again(
    box: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(execute, "_MARK_AGAIN_S", 0.0)
    await box.want("mail.set_read", SetRead(7, read=True))
    (row,) = await box.claim()
    order = RunWrite(1, box.house.tools.epoch, row.id, row.revision, 60.0)
    database = box.house.tools.database
    write, refusals = database.write, iter([True, True])

    async def sometimes(work: Any, **how: Any) -> Any:
        if next(refusals, False):
            raise StoreUnavailable("disk full")
        return await write(work, **how)

    monkeypatch.setattr(database, "write", sometimes)

    done = await give_back(box.house.tools, order, "cut off", Attempt())

    assert done.status == "pending"
    assert (await box.row()).status is Status.PENDING
