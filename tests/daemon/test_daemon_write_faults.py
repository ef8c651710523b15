"""What EVE does to writes, through the whole daemon: each fault, and how the write ends."""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection

from ipc.clock import SystemClock
from jobs.store import contact_lists
from jobs.store.outbox_rows import OutboxRow
from jobs.writes.want import want_all
from simulator.process import SimulatedEve
from tests.daemon.house import LIGHT, House, character

pytestmark = pytest.mark.process

FIRST, SECOND = 90_000_001, 90_000_002
ME = f"/characters/{FIRST}"
# A look comes after 35 s at the earliest.
FOUND_WITHIN_S = 150.0
LETTER = {
    "recipients": [{"recipient_id": SECOND, "recipient_type": "character"}],
    "subject": "about a fault",
    "body": "sent once",
}
FITTING = {
    "name": "About a fault",
    "description": "",
    "ship_type_id": 587,
    "items": [{"type_id": 34, "flag": "Cargo", "quantity": 5}],
}


def want(house: House, kind: str, payload: object) -> list[int]:
    """Ask for a write as the command line does."""
    return house.write(lambda conn, now: want_all(conn, character(FIRST), kind, payload, now))


def arrives(house: House, kind: str, payload: object) -> OutboxRow:
    """Ask for a write and wait until it is done."""
    (row_id,) = want(house, kind, payload)
    return house.outbox_reaches(row_id, "done")


def result(row: OutboxRow) -> dict[str, Any]:
    return msgspec.json.decode(row.result or "{}", type=dict[str, Any])


def routes(eve: SimulatedEve) -> list[str]:
    return [str(effect["route"]).split("/")[0].strip() for effect in eve.writes()]


def contacts(eve: SimulatedEve) -> dict[int, dict[str, Any]]:
    rows = eve.model("character.contacts", FIRST, now=True)
    assert isinstance(rows, list)
    return {row["contact_id"]: row for row in rows}


# --- the answer is lost, and the write was made ------------------------------------------------


def test_what_cannot_be_repeated_is_looked_for_after_a_gateways_answer(running: House) -> None:
    eve = running.eve
    for path in ("mail", "mail/labels", "fittings"):
        eve.fault(path=f"{ME}/{path}", method="POST", status=504, apply=True, times=1)
    asked = {
        "mail_id": want(running, "mail.send", LETTER),
        "label_id": want(running, "mail.label_create", {"name": "Fault", "color": "#9a0000"}),
        "fitting_id": want(running, "fitting.save", FITTING),
    }
    running.until("EVE has all three", lambda: len(eve.writes()) == 3)
    made = {str(effect["route"]): effect["result"] for effect in eve.writes()}
    prefix = "POST /characters/{character_id}"
    expected = {
        "mail_id": made[f"{prefix}/mail"],
        "label_id": made[f"{prefix}/mail/labels"],
        "fitting_id": msgspec.convert(made[f"{prefix}/fittings"], dict[str, int])["fitting_id"],
    }
    for name, (row_id,) in asked.items():
        row = running.outbox_reaches(row_id, "done", FOUND_WITHIN_S)
        assert result(row) == {name: expected[name], "found": True}
    assert len(eve.writes()) == 3


def test_a_waypoint_of_which_nobody_knows_is_uncertain(running: House) -> None:
    running.eve.fault(path="/ui/autopilot/waypoint", method="POST", status=502, apply=True)
    (row_id,) = want(running, "ui.waypoint", {"destination_id": 30_000_142})
    row = running.outbox_reaches(row_id, "uncertain")
    assert "cannot be looked for" in (row.last_error or "")
    assert routes(running.eve) == ["POST"]


@pytest.mark.parametrize(
    ("kind", "payload", "method"),
    [
        ("contact.add", {"contact_ids": [95_000_021], "standing": 5}, "POST"),
        ("contact.remove", {"contact_ids": [95_000_021]}, "DELETE"),
    ],
)
def test_what_can_be_repeated_is(running: House, kind: str, payload: Any, method: str) -> None:
    running.eve.fault(path=f"{ME}/contacts", method=method, status=504, apply=True, times=1)
    if method == "DELETE":
        running.eve.clear_faults()
        arrives(running, "contact.add", {"contact_ids": [95_000_021], "standing": 5})
        running.eve.fault(path=f"{ME}/contacts", method=method, status=504, apply=True, times=1)
    arrives(running, kind, payload)
    assert (95_000_021 in contacts(running.eve)) == (method == "POST")


# --- refusals of the game ----------------------------------------------------------------------


def test_a_charge_fails_with_its_cost_and_is_paid_when_approved(running: House) -> None:
    running.eve.order("/stranger", character_id=SECOND, charge=1000)
    (row_id,) = want(running, "mail.send", LETTER)
    row = running.outbox_reaches(row_id, "failed")
    assert "1,000 ISK" in (row.last_error or "")
    assert row.attempts == 0
    (row_id,) = want(running, "mail.send", {**LETTER, "approved_cost": 999})
    assert "999 are approved" in (running.outbox_reaches(row_id, "failed").last_error or "")
    assert running.eve.writes() == []
    row = arrives(running, "mail.send", {**LETTER, "approved_cost": 1000})
    assert result(row)["cost"] == 1000


def test_a_spam_stop_is_waited_for(running: House) -> None:
    running.eve.order("/spam", character_id=FIRST, seconds=10)
    (row_id,) = want(running, "mail.send", LETTER)
    running.until("it waits", lambda: running.outbox_row(row_id).last_error)
    row = running.outbox_reaches(row_id, "done")
    assert row.attempts == 0
    assert len(running.eve.writes()) == 1


def test_a_contact_out_of_reach_does_not_keep_the_others_out(running: House) -> None:
    running.eve.order("/stranger", character_id=95_000_031, unreachable=True)
    ids = [95_000_030, 95_000_031, 95_000_032]
    row = arrives(running, "contact.add", {"contact_ids": ids, "standing": 5})
    assert list(result(row)["refused"]) == ["95000031"]
    assert "1 of 3 refused" in (row.last_error or "")
    held = contacts(running.eve)
    assert [one in held for one in ids] == [True, False, True]
    stored = running.rows("SELECT contact_id FROM character_contact WHERE character_id = :c",
                          c=FIRST)  # fmt: skip
    assert {95_000_030, 95_000_032} <= {one["contact_id"] for one in stored}
    assert 95_000_031 not in {one["contact_id"] for one in stored}


# --- limits of a call --------------------------------------------------------------------------


def test_more_contacts_than_a_call_takes(running: House) -> None:
    ids = list(range(95_000_100, 95_000_221))
    rows = want(running, "contact.add", {"contact_ids": ids, "standing": 2.5})
    assert len(rows) == 2
    for row_id in rows:
        running.outbox_reaches(row_id, "done")
    assert set(ids) <= contacts(running.eve).keys()
    # Another program may put more than a call takes into one row.
    row_id = running.append(FIRST, "contact.remove", {"contact_ids": ids[:21]}, "contacts:x")
    running.outbox_reaches(row_id, "done")
    rows = want(running, "contact.remove", {"contact_ids": ids[21:]})
    for row_id in rows:
        running.outbox_reaches(row_id, "done")
    assert not set(ids) & contacts(running.eve).keys()
    sizes = [
        len(msgspec.convert(effect["body"] or effect["result"], list[int]))
        for effect in running.eve.writes()
    ]
    assert sizes == [100, 21, 20, 1, 20, 20, 20, 20, 20]


# --- what is taken and does not show -----------------------------------------------------------


def test_labels_that_were_not_put_on_are_told(running: House) -> None:
    running.eve.order("/labels", character_id=FIRST, applied=False)
    payload = {"contact_ids": [95_000_041], "standing": 5, "label_ids": [1, 2]}
    row = arrives(running, "contact.add", payload)
    assert result(row)["labels_not_applied"] == {"95000041": [1, 2]}
    assert "labels were not applied to 1 of 1" in (row.last_error or "")
    assert routes(running.eve) == ["POST"]


def test_an_event_that_is_over_is_a_failure_for_good(running: House) -> None:
    events = running.eve.model("character.calendar", FIRST)
    assert isinstance(events, list)
    # The one before the first that is to come.
    over = int(events[0]["event_id"]) - 1
    for event_id in (over, 5):
        (row_id,) = want(running, "calendar.respond", {"event_id": event_id,
                                                       "response": "accepted"})  # fmt: skip
        row = running.outbox_reaches(row_id, "failed")
        assert row.attempts == 0
    assert running.eve.writes() == []


# --- asked for by another program --------------------------------------------------------------


def test_a_row_inserted_as_documented_is_sent(running: House) -> None:
    page = (Path(__file__).parents[2] / "docs" / "outbox.md").read_text()
    statement = page.partition("```sql\n")[2].partition("```")[0]
    with contextlib.closing(sqlite3.connect(running.folder / "esisyncd.db", timeout=90)) as other:
        row_id = other.execute(statement).lastrowid
        other.commit()
    assert row_id is not None
    row = running.outbox_reaches(row_id, "done")
    assert row.target == "autopilot"
    assert [effect["route"] for effect in running.eve.writes()] == ["POST /ui/autopilot/waypoint"]


def test_a_payload_that_is_wrong_fails_by_its_field(running: House) -> None:
    row_id = running.append(FIRST, "contact.add", {"contact_ids": [5], "standing": 50}, "wrong")
    assert "$.standing" in (running.outbox_reaches(row_id, "failed").last_error or "")


# --- what is loaded meanwhile ------------------------------------------------------------------


def test_an_answer_wins_over_the_list_that_lags(make_house: Callable[..., House]) -> None:
    house = make_house(intervals={"character.calendar": 1})
    house.run()
    house.synced("character.calendar", FIRST)
    event = house.rows(
        "SELECT event_id, response FROM calendar_event "
        "WHERE character_id = :c AND closed_at IS NULL ORDER BY event_id DESC LIMIT 1",
        c=FIRST,
    )[0]
    given = "declined" if event["response"] == "accepted" else "accepted"
    # EVE takes the answer, and its list does not know of it.
    path = f"{ME}/calendar/{event['event_id']}"
    house.eve.fault(path=path, method="PUT", status=204, body="")
    payload = {"event_id": event["event_id"], "response": given}
    (row_id,) = want(house, "calendar.respond", payload)

    def shown() -> str:
        return str(
            house.value(
                "SELECT response FROM calendar_event WHERE character_id = :c AND event_id = :e",
                c=FIRST,
                e=event["event_id"],
            )
        )

    assert shown() == given
    house.outbox_reaches(row_id, "done")
    for _ in range(3):
        house.synced("character.calendar", FIRST, after=SystemClock().now())
        assert shown() == given


def test_kept_lists_are_pushed(make_house: Callable[..., House]) -> None:
    house = make_house(features={**LIGHT, "contact_sync": True})

    def keep(connection: Connection, now: datetime) -> None:
        contact_lists.save(connection, "blue", 7.5, now, is_watched=False)
        contact_lists.put(connection, "blue", [95_000_051, 95_000_052])
        contact_lists.assign(connection, "blue", [FIRST])

    house.write(keep)
    house.run()
    house.until("EVE has both", lambda: {95_000_051, 95_000_052} <= contacts(house.eve).keys())
    assert contacts(house.eve)[95_000_051]["standing"] == 7.5
    assert len(house.eve.writes()) == 1
