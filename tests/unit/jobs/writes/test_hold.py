"""Writes that win over what ESI still shows, until it agrees or a time has passed."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import select

from jobs.errors import RefusedWrite
from jobs.esi.transport import AnswerLost
from jobs.kinds.character import calendar, contacts, fittings, mail
from jobs.pipeline import run_kind
from jobs.spec import Kind
from jobs.store.schema.calendar import calendar_event
from jobs.store.schema.contacts import character_contact
from jobs.store.schema.core import route_state
from jobs.store.schema.fittings import character_fitting, character_fitting_item
from jobs.store.schema.mail import mail_label
from tests.unit.jobs.writes.write_box import Outbox

ONE, TWO = 90_000_001, 90_000_002
EVENT = {"event_id": 5, "event_date": "2026-12-24T12:00:00Z", "title": "x"}
CONTACTS = "GET /characters/{character_id}/contacts"
FITTING = {
    "name": "Travel",
    "description": "",
    "ship_type_id": 587,
    "items": [{"type_id": 34, "flag": "Cargo", "quantity": 5}],
}
LINE = {"etag": '"a"', "last_modified": "Mon, 30 Nov 2026 14:00:00 GMT"}


async def load(box: Outbox, kind: Kind, part: str, *answers: Any) -> None:
    """Run one part of a kind, answered so; what was fetched before has expired."""
    await box.house.write(
        lambda c: c.execute(route_state.update().values(expires_at=box.clock.now()))
    )
    box.clock.advance(1)
    box.esi.say(*answers)
    order = box.house.order(kind)
    grants = tuple(grant for grant in order.grants if grant.part == part)
    ending = await run_kind(box.house.tools, kind, msgspec.structs.replace(order, grants=grants))
    assert ending.outcome.is_success, ending.outcome


async def event(box: Outbox, response: str, **more: Any) -> None:
    """Load a calendar whose one event has this response."""
    page = box.esi.good([EVENT | {"event_response": response}], **(LINE | more))
    await load(box, calendar.KIND, "events", page, box.esi.good([]))


async def listed(box: Outbox, *ids: int, standing: float = 1.0, **more: Any) -> None:
    """Load contacts."""
    rows = [{"contact_id": one, "contact_type": "character", "standing": standing} for one in ids]
    await load(box, contacts.KIND, "contacts", box.esi.good(rows, **(LINE | more)))


async def column(box: Outbox, column: Any) -> list[Any]:
    return await box.house.tools.read(lambda c: sorted(c.scalars(select(column))))


async def done(box: Outbox, body: Any = b"") -> None:
    box.esi.say(box.esi.good(body))
    assert (await box.send()).status == "done"


def last_validators(box: Outbox, route: str) -> list[Any]:
    return [asked[3] for asked in box.esi.asked if asked[0] == route]


async def test_an_answer_that_is_under_way_is_not_overwritten(box: Outbox) -> None:
    await event(box, "not_responded")
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    await event(box, "not_responded")
    assert await column(box, calendar_event.c.response) == ["accepted"]
    # Only what it changes: the rest is as it was loaded.
    page = box.esi.good([EVENT | {"event_response": "not_responded", "title": "new"}])
    await load(box, calendar.KIND, "events", page, box.esi.good([]))
    assert await column(box, calendar_event.c.title) == ["new"]
    assert await column(box, calendar_event.c.response) == ["accepted"]


async def test_after_it_is_done_the_list_may_lag_for_minutes(box: Outbox) -> None:
    await event(box, "not_responded")
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    await done(box)
    for _ in range(3):
        box.clock.advance(120)
        await event(box, "not_responded")
        assert await column(box, calendar_event.c.response) == ["accepted"]
    # Past ten minutes ESI is right, whatever it says.
    box.clock.advance(300)
    await event(box, "not_responded")
    assert await column(box, calendar_event.c.response) == ["not_responded"]


async def test_once_esi_agrees_it_is_right_again(box: Outbox) -> None:
    await event(box, "not_responded")
    await box.want("calendar.respond", {"event_id": 5, "response": "accepted"})
    await done(box)
    await event(box, "accepted")
    # Changed in the game meanwhile.
    await event(box, "declined")
    assert await column(box, calendar_event.c.response) == ["declined"]


async def test_while_a_write_holds_no_unchanged_answer_can_hide_the_truth(box: Outbox) -> None:
    await listed(box, ONE)
    await listed(box, ONE)
    assert last_validators(box, CONTACTS)[-1] is not None
    await box.want("contact.edit", {"contact_ids": [ONE], "standing": 10})
    for _ in range(2):
        await listed(box, ONE, standing=-5.0)
        assert last_validators(box, CONTACTS)[-1] is None
        assert await column(box, character_contact.c.standing) == [10.0]
    box.esi.say(RefusedWrite("400"))
    assert (await box.send()).status == "failed"
    # What a refusal restores is what ESI said last.
    assert await column(box, character_contact.c.standing) == [-5.0]


async def test_added_contacts_stay_and_removed_ones_stay_away(box: Outbox) -> None:
    await listed(box, ONE)
    await box.want("contact.add", {"contact_ids": [TWO], "standing": 5})
    box.clock.advance(1)
    await box.want("contact.remove", {"contact_ids": [ONE]})
    await listed(box, ONE)
    assert await column(box, character_contact.c.contact_id) == [TWO]
    await done(box)
    await done(box)
    box.clock.advance(100)
    await listed(box, ONE)
    assert await column(box, character_contact.c.contact_id) == [TWO]
    box.clock.advance(400)
    await listed(box, ONE)
    assert await column(box, character_contact.c.contact_id) == [ONE]


async def test_a_write_that_esi_took_and_forgot_is_seen_in_the_end(box: Outbox) -> None:
    await listed(box, ONE)
    await box.want("contact.edit", {"contact_ids": [ONE], "standing": 10})
    await done(box)
    box.clock.advance(timedelta(minutes=8).total_seconds())
    # With a validator ESI would say that nothing changed, and the mirror would be wrong for ever.
    await listed(box, ONE)
    assert last_validators(box, CONTACTS)[-1] is None
    assert await column(box, character_contact.c.standing) == [1.0]
    await listed(box, ONE)
    assert last_validators(box, CONTACTS)[-1] is not None


@pytest.mark.parametrize("agrees", [False, True])
async def test_a_saved_fitting_stays_until_it_is_listed(box: Outbox, agrees: bool) -> None:
    await box.want("fitting.save", FITTING)
    await done(box, {"fitting_id": 77})
    there = [{"fitting_id": 77, **FITTING}] if agrees else []
    await load(box, fittings.KIND, "fittings", box.esi.good(there))
    assert await column(box, character_fitting.c.fitting_id) == [77]
    assert await column(box, character_fitting_item.c.quantity) == [5]
    # Deleted in the game, once it had been listed.
    await load(box, fittings.KIND, "fittings", box.esi.good([]))
    assert await column(box, character_fitting.c.fitting_id) == ([] if agrees else [77])


async def test_a_fitting_in_doubt_is_not_taken_for_an_old_one_when_it_is_listed(
    box: Outbox,
) -> None:
    await box.want("fitting.save", FITTING)
    box.esi.say(AnswerLost("504"))
    first = await box.send()
    saved = [{"fitting_id": 77, **FITTING}]
    await load(box, fittings.KIND, "fittings", box.esi.good(saved))
    box.clock.advance(first.next_in_s + 1)
    box.esi.say(box.esi.good(saved))
    second = await box.send()
    assert second.status == "done"
    assert msgspec.json.decode((await box.row()).result or "")["fitting_id"] == 77


async def test_a_deleted_fitting_does_not_come_back(box: Outbox) -> None:
    known = [{"fitting_id": 70, **FITTING}]
    await load(box, fittings.KIND, "fittings", box.esi.good(known))
    await box.want("fitting.delete", {"fitting_id": 70})
    await load(box, fittings.KIND, "fittings", box.esi.good(known))
    assert await column(box, character_fitting.c.fitting_id) == []
    await done(box)
    await load(box, fittings.KIND, "fittings", box.esi.good(known))
    assert await column(box, character_fitting_item.c.fitting_id) == []
    box.clock.advance(500)
    await load(box, fittings.KIND, "fittings", box.esi.good(known))
    assert await column(box, character_fitting.c.fitting_id) == [70]


async def test_labels_made_stay_and_labels_deleted_stay_away(box: Outbox) -> None:
    old = {"label_id": 16, "name": "Trade", "color": "#ffffff", "unread_count": 0}
    answer = box.esi.good({"labels": [old], "total_unread_count": 0})
    await load(box, mail.KIND, "labels", answer)
    await box.want("mail.label_create", {"name": "Ops"})
    await done(box, b"64")
    await box.want("mail.label_delete", {"label_id": 16})
    await load(box, mail.KIND, "labels", answer)
    assert await column(box, mail_label.c.label_id) == [64]
    await done(box)
    await load(box, mail.KIND, "labels", answer)
    assert await column(box, mail_label.c.label_id) == [64]
    box.clock.advance(130)
    await load(box, mail.KIND, "labels", answer)
    assert await column(box, mail_label.c.label_id) == [16]
