"""Writes of labels, events, fittings and windows."""

from __future__ import annotations

from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, select

from ipc.messages import RunWrite
from jobs.errors import RefusedWrite, Transient
from jobs.esi.reactions import Absent, GameRefused
from jobs.esi.transport import AnswerLost, NotSent
from jobs.store.schema.calendar import calendar_event
from jobs.store.schema.fittings import character_fitting, character_fitting_item
from jobs.store.schema.mail import mail_label, mail_label_link
from jobs.store.write_status import Status
from jobs.writes.change import CannotChange, cancel, retry
from jobs.writes.decision import doubt_of
from jobs.writes.execute import Attempt, give_back
from tests.unit.jobs.writes.write_box import Outbox

FITTING = {
    "name": "Travel",
    "description": "",
    "ship_type_id": 587,
    "items": [
        {"type_id": 34, "flag": "Cargo", "quantity": 5},
        {"type_id": 34, "flag": "Cargo", "quantity": 5},
        {"type_id": 35, "flag": "HiSlot0", "quantity": 1},
    ],
}
ROUTE = {"destination_id": 30_000_142}
SAVE = "POST /characters/{character_id}/fittings"
LABEL = {"name": "Ops", "color": "#9a0000"}


async def column(box: Outbox, column: Any) -> list[Any]:
    """Return a column of the mirror, sorted."""
    return await box.house.tools.read(lambda c: sorted(c.scalars(select(column))))


async def fill_fitting(box: Outbox, fitting_id: int) -> None:
    known = {name: FITTING[name] for name in ("name", "description", "ship_type_id")}
    await box.fill(character_fitting, {"fitting_id": fitting_id, **known})
    items: Any = FITTING["items"]
    await box.fill(
        character_fitting_item,
        *({"fitting_id": fitting_id, "position": at, **one} for at, one in enumerate(items)),
    )


# --- calendar ----------------------------------------------------------------------------------


async def test_an_answer_shows_at_once_and_is_taken_back_when_the_event_is_over(
    box: Outbox,
) -> None:
    await box.fill(calendar_event, {"event_id": 5, "response": "not_responded"})
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    assert await column(box, calendar_event.c.response) == ["accepted"]
    box.esi.say(RefusedWrite("403: the event is over"))

    assert (await box.send()).status == "failed"
    assert await column(box, calendar_event.c.response) == ["not_responded"]


@pytest.mark.parametrize("error", [RefusedWrite("403"), Absent("404")])
async def test_an_event_that_was_cancelled_is_a_failure_for_good(
    box: Outbox, error: Exception
) -> None:
    await box.want("calendar.respond", {"event_id": 5, "response": "declined"})
    box.esi.say(error)

    done = await box.send()

    assert done.status == "failed"
    assert (await box.row()).attempts == 0


async def test_the_last_answer_is_the_one_that_is_sent(box: Outbox) -> None:
    for response in ("accepted", "declined", "tentative"):
        await box.want("calendar.respond", {"event_id": 5, "response": response})
    box.esi.say(box.esi.good(b""))

    assert (await box.send()).status == "done"
    assert len(await box.rows()) == 1
    assert box.sent() == ["PUT /characters/{character_id}/calendar/{event_id}"]


# --- labels ------------------------------------------------------------------------------------


async def test_a_label_has_its_row_once_it_has_its_number(box: Outbox) -> None:
    await box.want("mail.label_create", LABEL)
    assert await column(box, mail_label.c.label_id) == []
    box.esi.say(box.esi.good(b"64"))

    assert (await box.send()).status == "done"
    assert await column(box, mail_label.c.label_id) == [64]
    assert await column(box, mail_label.c.name) == ["Ops"]


async def test_a_label_in_doubt_is_found_by_its_name(box: Outbox) -> None:
    await box.fill(mail_label, {"label_id": 32, "name": "Ops"})
    await box.want("mail.label_create", LABEL)
    box.esi.say(AnswerLost("504"))
    first = await box.send()
    box.clock.advance(first.next_in_s + 1)
    old = {"label_id": 32, "name": "Ops"}
    box.esi.say(box.esi.good({"labels": [{"name": "Inbox"}, old]}))
    second = await box.send()
    assert second.status == "pending"
    box.clock.advance(second.next_in_s + 1)
    box.esi.say(box.esi.good({"labels": [old, {"label_id": 64, "name": "Ops"}]}))

    assert (await box.send()).status == "done"
    assert msgspec.json.decode((await box.row()).result or "")["label_id"] == 64
    assert await column(box, mail_label.c.label_id) == [32, 64]
    assert box.sent().count("POST /characters/{character_id}/mail/labels") == 1


async def test_a_label_takes_its_mails_with_it_and_brings_them_back(box: Outbox) -> None:
    await box.fill(mail_label, {"label_id": 4, "name": "Ops", "color": "#9a0000"})
    await box.want("mail.label_delete", {"label_id": 4})
    assert await column(box, mail_label.c.label_id) == []
    assert await column(box, mail_label_link.c.label_id) == [1]
    box.esi.say(RefusedWrite("422: a label of the system"))

    assert (await box.send()).status == "failed"
    assert await column(box, mail_label.c.name) == ["Ops"]
    assert await column(box, mail_label_link.c.label_id) == [1, 4]


async def test_a_label_that_is_gone_already_is_deleted(box: Outbox) -> None:
    await box.want("mail.label_delete", {"label_id": 64})
    box.esi.say(Transient("502"), Absent("404"))
    first = await box.send()
    box.clock.advance(first.next_in_s + 1)

    assert (await box.send()).status == "done"


# --- fittings ----------------------------------------------------------------------------------


async def test_a_saved_fitting_has_its_rows_once_it_has_its_number(box: Outbox) -> None:
    await box.want("fitting.save", FITTING)
    box.esi.say(box.esi.good({"fitting_id": 77}))

    assert (await box.send()).status == "done"
    assert await column(box, character_fitting.c.fitting_id) == [77]
    assert await column(box, character_fitting_item.c.position) == [0, 1, 2]


async def test_a_fitting_in_doubt_is_found_among_its_equals(box: Outbox) -> None:
    await fill_fitting(box, 70)
    await box.want("fitting.save", FITTING)
    box.esi.say(AnswerLost("504"))
    first = await box.send()
    box.clock.advance(first.next_in_s + 1)
    items: Any = FITTING["items"]
    equal = {**FITTING, "items": items[::-1]}
    other = {**FITTING, "items": items[:2]}
    box.esi.say(
        box.esi.good(
            [
                {"fitting_id": 70, **equal},
                {"fitting_id": 75, **other},
                {"fitting_id": 76, **FITTING, "name": "travel"},
                {"fitting_id": 77, **equal},
            ]
        )
    )

    assert (await box.send()).status == "done"
    assert msgspec.json.decode((await box.row()).result or "")["fitting_id"] == 77
    assert box.sent().count(SAVE) == 1


async def test_a_fitting_that_is_not_found_is_uncertain_and_not_saved_again(box: Outbox) -> None:
    await box.want("fitting.save", FITTING)
    box.esi.say(AnswerLost("504"))
    done = await box.send()
    looks = 0
    while done.status == "pending":
        box.clock.advance(done.next_in_s + 1)
        box.esi.say(box.esi.good([]))
        done = await box.send()
        looks += 1

    assert done.status == "uncertain"
    # ESI may show for 300 s what was before.
    assert looks > 8
    assert box.sent().count(SAVE) == 1


async def test_a_fitting_in_doubt_that_is_asked_for_again_is_saved_once(box: Outbox) -> None:
    row_id = await box.want("fitting.save", FITTING)
    box.esi.say(AnswerLost("504"))
    await box.send()

    assert await box.want("fitting.save", FITTING) == row_id
    row = await box.row(row_id)
    assert row.revision == 1
    assert doubt_of(row) is not None
    assert len(await box.rows()) == 1


async def test_a_fitting_asked_for_again_while_it_is_sent_is_saved_once(box: Outbox) -> None:
    row_id = await box.want("fitting.save", FITTING)
    (row,) = await box.claim()
    assert await box.want("fitting.save", FITTING) == row_id
    box.esi.say(box.esi.good({"fitting_id": 77}))

    done = await box.carry_out(row)

    assert done.status == "done"
    assert await box.claim() == []


async def test_another_fitting_of_the_name_leaves_the_doubt_about_the_first(box: Outbox) -> None:
    first = await box.want("fitting.save", FITTING)
    box.esi.say(AnswerLost("504"))
    await box.send()
    described = FITTING | {"description": "another"}

    second = await box.want("fitting.save", described)

    assert second != first
    assert await box.want("fitting.save", described) == second
    assert await box.want("fitting.save", FITTING) == first
    # Not sent yet: that one is replaced.
    assert await box.want("fitting.save", FITTING | {"description": "a third"}) == second
    assert doubt_of(await box.row(first)) is not None
    assert '"a third"' in (await box.row(second)).payload
    # One after the other, the first of which is looked for.
    box.clock.advance(36)
    assert [row.id for row in await box.claim()] == [first]


async def test_what_was_not_sent_yet_is_replaced(box: Outbox) -> None:
    first = await box.want("fitting.save", FITTING)
    assert await box.want("fitting.save", FITTING | {"description": "another"}) == first
    assert (await box.row(first)).revision == 2


async def test_a_deleted_fitting_comes_back_when_that_is_refused(box: Outbox) -> None:
    await fill_fitting(box, 70)
    await box.want("fitting.delete", {"fitting_id": 70})
    assert await column(box, character_fitting.c.fitting_id) == []
    box.esi.say(RefusedWrite("400"))

    assert (await box.send()).status == "failed"
    assert await column(box, character_fitting.c.fitting_id) == [70]
    assert await column(box, character_fitting_item.c.position) == [0, 1, 2]


async def test_a_fitting_that_is_gone_already_is_deleted(box: Outbox) -> None:
    await box.want("fitting.delete", {"fitting_id": 70})
    box.esi.say(Absent("404"))

    assert (await box.send()).status == "done"


# --- windows -----------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("kind", "payload", "route", "params"),
    [
        (
            "ui.waypoint",
            ROUTE | {"clear_other_waypoints": True},
            "POST /ui/autopilot/waypoint",
            {
                "destination_id": 30_000_142,
                "add_to_beginning": "false",
                "clear_other_waypoints": "true",
            },
        ),
        (
            "ui.open_window",
            {"window": "contract", "id": 5},
            "POST /ui/openwindow/contract",
            {"contract_id": 5},
        ),
        (
            "ui.open_window",
            {"window": "information", "id": 5},
            "POST /ui/openwindow/information",
            {"target_id": 5},
        ),
        (
            "ui.open_window",
            {"window": "market", "id": 34},
            "POST /ui/openwindow/marketdetails",
            {"type_id": 34},
        ),
        (
            "ui.open_window",
            {"window": "newmail", "mail": {"recipients": [5], "subject": "", "body": ""}},
            "POST /ui/openwindow/newmail",
            {},
        ),
    ],
)
async def test_a_window_opens(
    box: Outbox, kind: str, payload: Any, route: str, params: Any
) -> None:
    await box.want(kind, payload)
    box.esi.say(box.esi.good(b""))

    assert (await box.send()).status == "done"
    assert [asked[:2] for asked in box.esi.asked] == [(route, params)]


async def test_nobody_can_look_for_a_waypoint_so_it_is_uncertain_at_once(box: Outbox) -> None:
    await box.want("ui.waypoint", ROUTE)
    box.esi.say(AnswerLost("504"))

    done = await box.send()

    assert done.status == "uncertain"
    assert "cannot be looked for" in done.reason
    assert len(box.sent()) == 1


async def test_a_waypoint_found_inflight_after_a_crash_is_not_set_again(box: Outbox) -> None:
    await box.want("ui.waypoint", ROUTE)
    (row,) = await box.claim()

    assert (await box.carry_out(row, in_doubt=True)).status == "uncertain"
    assert box.sent() == []


async def test_a_waypoint_that_was_cut_off_while_it_was_sent_is_uncertain(box: Outbox) -> None:
    await box.want("ui.waypoint", ROUTE)
    (row,) = await box.claim()
    order = RunWrite(1, box.house.tools.epoch, row.id, row.revision, 60.0)

    done = await give_back(box.house.tools, order, "deadline", Attempt(box.clock.now()))

    assert done.status == "uncertain"


async def test_a_waypoint_that_never_left_is_tried_again_for_ten_minutes(box: Outbox) -> None:
    await box.want("ui.waypoint", ROUTE)
    done, tries = None, 0
    while done is None or done.status == "pending":
        box.esi.say(NotSent("no route"))
        done = await box.send()
        tries += 1
        box.clock.advance(done.next_in_s + 1)

    assert done.status == "failed"
    assert tries > 3
    assert (box.clock.now() - (await box.row()).created_at).total_seconds() < 1200


# --- charges -----------------------------------------------------------------------------------

LETTER = {
    "recipients": [
        {"recipient_id": 5, "recipient_type": "character"},
        {"recipient_id": 9, "recipient_type": "character"},
        {"recipient_id": 6, "recipient_type": "corporation"},
    ],
    "subject": "s",
    "body": "b",
    "approved_cost": 3000,
}
CHARGES = "POST /characters/{character_id}/cspa"
MAIL = "POST /characters/{character_id}/mail"


async def test_a_charge_within_the_limit_is_looked_up_and_shown(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(box.esi.good(b"2950.0"), box.esi.good(b"50"))

    assert (await box.send()).status == "done"
    assert box.sent() == [CHARGES, MAIL]
    result = msgspec.json.decode((await box.row()).result or "")
    assert result == {"mail_id": 50, "cost": 2950.0}


async def test_a_charge_above_the_limit_keeps_the_mail_from_being_sent(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(box.esi.good(b"3000.5"))

    done = await box.send()

    assert done.status == "failed"
    assert "3,000.50 ISK" in done.reason
    assert box.sent() == [CHARGES]


async def test_when_the_charge_cannot_be_looked_up_nothing_is_in_doubt(box: Outbox) -> None:
    await box.want("mail.send", LETTER)
    box.esi.say(AnswerLost("504"))

    assert (await box.send()).status == "pending"
    assert (await box.row()).result is None


async def test_a_spam_stop_is_waited_for_as_long_as_it_says(box: Outbox) -> None:
    await box.want("mail.send", {**LETTER, "approved_cost": 0})
    box.esi.say(GameRefused("{MailStopSpamming, (remainingTime 450000000)}"))

    done = await box.send()

    assert (done.status, done.next_in_s) == ("pending", 45)
    assert (await box.row()).attempts == 0


# --- by hand -----------------------------------------------------------------------------------


async def test_a_write_is_dropped_and_its_change_with_it(box: Outbox) -> None:
    await box.fill(calendar_event, {"event_id": 5, "response": "declined"})
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})

    await box.house.write(lambda c: cancel(c, 1, box.clock.now()))

    assert (await box.row()).status is Status.CANCELLED
    assert await column(box, calendar_event.c.response) == ["declined"]
    assert await box.claim() == []


async def test_what_is_being_sent_cannot_be_dropped(box: Outbox) -> None:
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    await box.claim()

    with pytest.raises(CannotChange, match="being sent"):
        await box.house.write(lambda c: cancel(c, 1, box.clock.now()))


async def test_an_uncertain_write_is_sent_again_only_when_a_person_says_so(box: Outbox) -> None:
    await box.want("ui.waypoint", ROUTE)
    box.esi.say(AnswerLost("504"))
    await box.send()
    assert await box.claim() == []

    await box.house.write(lambda c: retry(c, 1, box.clock.now()))
    box.esi.say(box.esi.good(b""))

    assert (await box.send()).status == "done"
    assert len(box.sent()) == 2


async def test_a_failed_write_is_tried_again_unless_another_took_its_place(box: Outbox) -> None:
    await box.fill(calendar_event, {"event_id": 5, "response": "declined"})
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    box.esi.say(RefusedWrite("403"))
    await box.send()
    again = await box.want("calendar.respond", {"event_id": 5, "response": "tentative"})

    with pytest.raises(CannotChange, match=f"write {again}"):
        await box.house.write(lambda c: retry(c, 1, box.clock.now()))
    await box.house.write(lambda c: cancel(c, again, box.clock.now()))
    await box.house.write(lambda c: retry(c, 1, box.clock.now()))

    assert await column(box, calendar_event.c.response) == ["accepted"]
    box.esi.say(box.esi.good(b""))
    assert (await box.send()).status == "done"


async def test_what_is_claimed_at_this_moment_is_not_told_as_dropped(
    box: Outbox, monkeypatch: pytest.MonkeyPatch
) -> None:
    await box.want("ui.waypoint", ROUTE)
    monkeypatch.setattr("jobs.store.outbox.cancel", lambda *_: False)
    with pytest.raises(CannotChange, match="being sent right now"):
        await box.house.write(lambda c: cancel(c, 1, box.clock.now()))


async def _spoil(box: Outbox, changes: str) -> None:
    await box.house.write(lambda c: c.exec_driver_sql(f"UPDATE outbox SET {changes} WHERE id = 1"))


async def _state(box: Outbox) -> str:
    def read(connection: Connection) -> str:
        query = "SELECT status FROM outbox WHERE id = 1"
        return str(connection.exec_driver_sql(query).scalar_one())

    return await box.house.tools.read(read)


async def test_a_row_with_a_time_that_is_none_can_be_cancelled_like_any_other(box: Outbox) -> None:
    await box.fill(calendar_event, {"event_id": 5, "response": "declined"})
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    await _spoil(box, "next_attempt_at = 'soon', created_at = 7, expires_at = 'never'")

    told = await box.house.write(lambda c: cancel(c, 1, box.clock.now()))

    assert (told, await _state(box)) == (None, "cancelled")
    # What it had changed in the mirror is taken back.
    assert await column(box, calendar_event.c.response) == ["declined"]


@pytest.mark.parametrize("changes", ["attempts = 'many'", "subject_id = 'me'", "payload = x'ff'"])
async def test_a_row_that_cannot_be_read_at_all_can_be_cancelled(box: Outbox, changes: str) -> None:
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    await _spoil(box, changes)

    told = await box.house.write(lambda c: cancel(c, 1, box.clock.now()))

    assert told is not None
    assert "cannot be read" in told
    assert await _state(box) == "cancelled"
    with pytest.raises(CannotChange, match="neither pending nor uncertain"):
        await box.house.write(lambda c: cancel(c, 1, box.clock.now()))
