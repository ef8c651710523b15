"""Writes through the whole daemon: appended by another program, sent once, whatever dies."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec
import pytest

from tests.daemon.house import LIGHT, House

pytestmark = pytest.mark.process

FIRST, SECOND = 90_000_001, 90_000_002
MAIL = f"/characters/{FIRST}/mail"
# Whoever looks at once may not see it in ESI's cached lists yet, and looks again after 35 s.
FOUND_WITHIN_S = 150.0
SEND = {
    "recipients": [{"recipient_id": SECOND, "recipient_type": "character"}],
    "subject": "about the whole daemon",
    "body": "sent once",
}


def test_a_write_that_another_program_appended_arrives(running: House) -> None:
    house = running
    mail_id, read = _a_mail(house)
    row_id = house.append(FIRST, "mail.set_read", {"mail_id": mail_id, "read": not read})
    row = house.outbox_reaches(row_id, "done")
    assert row.attempts == 0
    (effect,) = house.eve.writes()
    assert (effect["path"], effect["character_id"]) == (f"{MAIL}/{mail_id}", FIRST)
    assert effect["body"] == {"read": not read}


def test_a_slow_write_stops_no_dispatch(running: House) -> None:
    house = running
    # Its answers come never: they are given up after a while, and it is sent again.
    house.eve.fault(path=f"{MAIL}/.*", method="PUT", delay_s=300.0)
    mail_id, read = _a_mail(house)
    row_id = house.append(FIRST, "mail.set_read", {"mail_id": mail_id, "read": not read})
    house.outbox_reaches(row_id, "inflight")
    house.goes_on()
    assert house.outbox_row(row_id).status in ("inflight", "pending")
    house.eve.clear_faults()
    house.outbox_reaches(row_id, "done")


@pytest.mark.parametrize("who", ["worker", "scheduler", "supervisor"])
def test_a_mail_whose_sending_was_cut_off_is_found_and_not_sent_again(
    running: House, who: str
) -> None:
    house = running
    # ESI takes it, and nobody lives to hear so.
    house.eve.fault(path=MAIL, method="POST", apply=True, delay_s=200.0)
    row_id = house.append(FIRST, "mail.send", SEND, dedupe=f"send:{who}")
    house.until("ESI took the mail", house.eve.writes)
    match who:
        case "worker":
            for pid in house.workers():
                house.kill(pid)
        case "scheduler":
            house.kill(house.status().scheduler_pid)
        case _:
            house.kill(house.pid)
            house.nothing_left()
            house.run()
    house.eve.clear_faults()
    row = house.outbox_reaches(row_id, "done", FOUND_WITHIN_S)
    sent = [effect for effect in house.eve.writes() if effect["route"].startswith("POST")]  # type: ignore[attr-defined]
    assert len(sent) == 1
    assert row.result is not None
    assert msgspec.json.decode(row.result) == {"mail_id": sent[0]["result"], "found": True}
    house.goes_on()


def test_a_write_that_can_be_repeated_is_sent_again_after_a_crash(running: House) -> None:
    house = running
    mail_id, read = _a_mail(house)
    house.eve.fault(path=f"{MAIL}/.*", method="PUT", status=None, delay_s=200.0, times=1)
    row_id = house.append(FIRST, "mail.set_read", {"mail_id": mail_id, "read": not read})
    house.outbox_reaches(row_id, "inflight")
    house.kill(house.status().scheduler_pid)
    house.outbox_reaches(row_id, "done")
    assert {str(effect["body"]) for effect in house.eve.writes()} == {str({"read": not read})}


def test_a_refused_write_is_taken_back_in_the_mirror(make_house: Callable[..., House]) -> None:
    house = make_house(features={**LIGHT, "mail": True})
    house.run()
    house.synced("character.mail", FIRST)
    mail_id, read = _a_mail(house)
    house.until("the mail is mirrored", lambda: _is_read(house, mail_id) is not None)
    house.eve.fault(path=f"{MAIL}/.*", method="PUT", status=400, body='{"error":"no"}')
    payload = {"mail_id": mail_id, "read": not read, "was": read}
    house.write(
        lambda connection, _: (
            connection.exec_driver_sql(
                f"UPDATE mail SET is_read = {int(not read)} WHERE mail_id = {mail_id}"
            ).rowcount
        )
    )
    row_id = house.append(FIRST, "mail.set_read", payload)
    row = house.outbox_reaches(row_id, "failed")
    assert row.last_error
    assert bool(_is_read(house, mail_id)) == read
    assert house.eve.writes() == []


def _a_mail(house: House) -> tuple[int, bool]:
    """Return a mail of the first character, and whether it is read."""
    rows = house.eve.model("character.mail_headers", FIRST)
    assert isinstance(rows, list)
    newest: dict[str, Any] = rows[0]
    return int(newest["mail_id"]), bool(newest.get("is_read", False))


def _is_read(house: House, mail_id: int) -> Any:
    return house.value(
        "SELECT is_read FROM mail WHERE character_id = :c AND mail_id = :m", c=FIRST, m=mail_id
    )
