"""Writes from the command line: appended with and without a daemon, seen to arrive at EVE."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import Any

import pytest

from simulator.process import SimulatedEve
from tests.process.cli_runs import Place, place
from tests.processes import eventually

pytestmark = pytest.mark.process

FIRST, SECOND = 90_000_001, 90_000_002
ME = str(FIRST)
WAIT = ("--wait", "--timeout", "150", "--json")


@pytest.fixture(scope="module")
def eve() -> Iterator[SimulatedEve]:
    """A simulated EVE with two characters, whose answers hardly age."""
    arguments = ("--characters", "2", "--cache-scale", "0.01")
    with SimulatedEve(*arguments, "--no-rate-limits", "--no-error-limit") as made:
        yield made


@pytest.fixture(scope="module")
def home(eve: SimulatedEve) -> Iterator[Place]:
    """A place with a daemon that knows both characters by name."""
    with place(eve) as here:
        here.import_all(eve)
        with here.daemon():
            eventually("the name of the first character", lambda: _name(here, FIRST) is not None)
            yield here


@pytest.fixture(autouse=True)
def behaving(eve: SimulatedEve) -> None:
    eve.reset()


def _name(here: Place, number: int) -> str | None:
    import sqlite3

    connection = sqlite3.connect(here.database, timeout=90)
    try:
        row = connection.execute("SELECT name FROM name WHERE id = ?", (number,)).fetchone()
    finally:
        connection.close()
    return None if row is None else str(row[0])


def _arrives(here: Place, *arguments: str, stdin: str = "") -> dict[str, Any]:
    """Run a command that writes, and return the one write that has arrived."""
    ran = here.run(*arguments, *WAIT, stdin=stdin, within_s=200.0)
    assert ran.code == 0, ran.err + ran.out
    document = ran.json()
    assert document["schema"] == 1
    (write,) = document["writes"]
    assert write["status"] == "done"
    return dict(write)


def _effect(eve: SimulatedEve) -> dict[str, Any]:
    (effect,) = eve.writes()
    return dict(effect)


def test_a_mail_goes_to_whom_a_name_names(home: Place, eve: SimulatedEve) -> None:
    myself, other = _name(home, FIRST), _name(home, FIRST)
    assert myself is not None
    stranger = eve.model("global.names", 95_000_007)
    assert isinstance(stranger, list)
    other = stranger[0]["name"]
    write = _arrives(home, "mail", "send", myself, "--to", str(other), "--subject", "o7",
                     stdin="Fly safe")  # fmt: skip
    effect = _effect(eve)
    assert effect["result"] == write["result"]["mail_id"]
    assert effect["character_id"] == FIRST
    assert effect["body"]["body"] == "Fly safe"
    assert effect["body"]["recipients"] == [
        {"recipient_id": 95_000_007, "recipient_type": "character"}
    ]


def test_mails_are_marked_labelled_and_deleted(home: Place, eve: SimulatedEve) -> None:
    headers = eve.model("character.mail_headers", FIRST)
    assert isinstance(headers, list)
    mail_id = str(headers[0]["mail_id"])
    label = _arrives(home, "mail", "label", "create", ME, "Ops 2", "--color", "#9a0000")
    label_id = str(label["result"]["label_id"])
    _arrives(home, "mail", "label", "set", ME, mail_id, "--label", label_id)
    _arrives(home, "mail", "read", ME, mail_id, "--unread")
    _arrives(home, "mail", "delete", ME, mail_id)
    _arrives(home, "mail", "label", "delete", ME, label_id)
    told = [(effect["route"], effect["body"]) for effect in eve.writes()]
    mail = "/characters/{character_id}/mail"
    assert told == [
        (f"POST {mail}/labels", {"name": "Ops 2", "color": "#9a0000"}),
        (f"PUT {mail}/{{mail_id}}", {"labels": [int(label_id)]}),
        (f"PUT {mail}/{{mail_id}}", {"read": False}),
        (f"DELETE {mail}/{{mail_id}}", None),
        (f"DELETE {mail}/labels/{{label_id}}", None),
    ]


def test_an_event_is_answered(home: Place, eve: SimulatedEve) -> None:
    events = eve.model("character.calendar", FIRST)
    assert isinstance(events, list)
    event_id = str(events[-1]["event_id"])
    _arrives(home, "calendar", "respond", ME, event_id, "tentative")
    assert _effect(eve)["body"] == {"response": "tentative"}


def test_contacts_come_change_and_go(home: Place, eve: SimulatedEve) -> None:
    _arrives(home, "contact", "add", ME, "95000011", "98000001", "--standing", "-5", "--watched")
    held = {one["contact_id"]: one for one in _contacts(eve)}
    assert held[95_000_011]["standing"] == -5.0
    assert held[98_000_001]["contact_type"] == "corporation"
    _arrives(home, "contact", "edit", ME, "95000011", "--standing", "10", "--label", "1")
    held = {one["contact_id"]: one for one in _contacts(eve)}
    assert (held[95_000_011]["standing"], held[95_000_011]["label_ids"]) == (10.0, [1])
    # What was not given stayed.
    assert held[95_000_011]["is_watched"] is True
    _arrives(home, "contact", "remove", ME, "95000011", "98000001")
    assert not {95_000_011, 98_000_001} & {one["contact_id"] for one in _contacts(eve)}


def _contacts(eve: SimulatedEve) -> list[dict[str, Any]]:
    rows = eve.model("character.contacts", FIRST, now=True)
    assert isinstance(rows, list)
    return rows


def test_a_fitting_is_saved_by_names_and_deleted(home: Place, eve: SimulatedEve) -> None:
    fitting = {
        "name": "Travel",
        "ship_type_id": "Rifter",
        "items": [{"type_id": "Tritanium", "flag": "Cargo", "quantity": 5}],
    }
    write = _arrives(home, "fitting", "save", ME, "-", stdin=json.dumps(fitting))
    effect = _effect(eve)
    assert effect["body"]["ship_type_id"] == 587
    assert effect["body"]["items"] == [{"type_id": 34, "flag": "Cargo", "quantity": 5}]
    _arrives(home, "fitting", "delete", ME, str(write["result"]["fitting_id"]))
    assert len(eve.writes()) == 2


def test_a_waypoint_is_set_by_the_systems_name(home: Place, eve: SimulatedEve) -> None:
    _arrives(home, "waypoint", ME, "jita", "--clear")
    assert _effect(eve)["result"] == {
        "destination_id": 30_000_142,
        "add_to_beginning": False,
        "clear_other_waypoints": True,
    }


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        (("waypoint", ME, "Nowhere at all"), "no system or station or structure named"),
        (("contact", "add", ME, "5", "5000", "--standing", "11"), "standing"),
        (("mail", "send", "Nobody", "--to", "5", "--subject", "s", "--body", "b"), "'Nobody'"),
        (("mail", "send", ME, "--to", "5555", "--subject", "s", "--body", "b"), "5555"),
        (("mail", "label", "create", ME, "x", "--color", "red"), "There are: #0000fe,"),
    ],
)
def test_what_cannot_be_is_refused_at_once(
    home: Place, eve: SimulatedEve, arguments: tuple[str, ...], words: str
) -> None:
    ran = home.run(*arguments)
    assert ran.code == 2
    assert words in ran.err
    assert eve.writes() == []


def test_a_refusal_is_told_and_can_be_tried_again(home: Place, eve: SimulatedEve) -> None:
    eve.order("/stranger", character_id=95_000_007, charge=2500)
    send = ("mail", "send", ME, "--to", "character:95000007", "--subject", "s", "--body", "b")
    ran = home.run(*send, "--wait", within_s=200.0)
    assert ran.code == 1
    assert "2,500 ISK was not approved" in ran.out
    number = ran.out.split()[1]
    eve.order("/stranger", character_id=95_000_007)
    again = home.run("outbox", "retry", number)
    assert again.code == 0
    eventually("the mail", lambda: len(eve.writes()) == 1)
    shown = home.run("outbox", "show", number, "--json").json()["write"]
    assert (shown["id"], shown["payload"]["subject"]) == (int(number), "s")
    paid = _arrives(home, *send, "--approve-cost", "3000")
    assert paid["result"]["cost"] == 0


def test_without_the_scope_a_write_is_refused_by_the_scopes_name(eve: SimulatedEve) -> None:
    with place(eve) as here:
        token = eve.tokens()[0]
        granted = {name: token[name] for name in ("character_id", "refresh_token")}
        line = json.dumps({**granted, "scopes": ["esi-mail.read_mail.v1"]})
        assert here.run("credential", "import", stdin=line).code == 0
        ran = here.run("mail", "delete", ME, "7")
        assert (ran.code, ran.out) == (77, "")
        assert "has not granted esi-mail.organize_mail.v1" in ran.err
        assert "login --writes" in ran.err
        ran = here.run("mail", "delete", str(SECOND), "7")
        assert ran.code == 77
        assert "no credential" in ran.err


def test_without_a_daemon_it_is_stored_and_the_next_one_sends_it(eve: SimulatedEve) -> None:
    with place(eve) as here:
        here.import_all(eve)
        ran = here.run("waypoint", ME, "30000142")
        assert ran.code == 0
        assert "the next one sends it" in ran.err
        waited = here.run("waypoint", ME, "30000142", "--wait")
        assert waited.code == 69
        assert "stored as write 2" in waited.err
        named = here.run("waypoint", ME, "Jita")
        assert named.code == 2
        assert "no daemon runs to ask ESI" in named.err
        assert here.run("outbox", "cancel", "2").code == 0
        listed = here.run("outbox", "list", "--json").json()["writes"]
        assert [(one["id"], one["status"]) for one in listed] == [(1, "pending"), (2, "cancelled")]
        assert here.run("outbox", "cancel", "2").code == 77
        with here.daemon():
            eventually("the waypoint", lambda: len(eve.writes()) == 1)
        assert "done" in here.run("outbox", "list").out
