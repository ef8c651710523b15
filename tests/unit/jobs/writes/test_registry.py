"""What writes are declared to be, beside ESI's contract; and what is no payload."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from jobs.writes.payloads import BadPayload, checked
from jobs.writes.registry import WRITES
from simulator.contract import by_key
from tests.unit.jobs.job_house import CHARACTER, START

IDS = list(range(1, 1002))
LETTER = {
    "recipients": [{"recipient_id": 5, "recipient_type": "character"}],
    "subject": "s",
    "body": "b",
}
FITTING = {
    "name": "n",
    "description": "",
    "ship_type_id": 587,
    "items": [{"type_id": 34, "flag": "Cargo", "quantity": 1}],
}


def test_each_kind_agrees_with_the_contract() -> None:
    wrong = []
    for kind in WRITES.values():
        for route in (*kind.routes, *kind.reads):
            facts = by_key().get(route.name)
            if facts is None:
                wrong.append(f"{kind.name}: {route.name} is not in the contract")
                continue
            if route in kind.routes and {facts.scope} != kind.scopes:
                wrong.append(f"{kind.name}: scope {facts.scope} of {route.name}")
            if facts.rate is None or facts.rate.group != route.rate_group:
                wrong.append(f"{kind.name}: rate group of {route.name}")
            if route in kind.reads and facts.cache_age_s != route.cache_age_s:
                wrong.append(f"{kind.name}: cache age of {route.name}")
    assert not wrong


def test_what_cannot_be_repeated() -> None:
    assert {kind.name for kind in WRITES.values() if not kind.repeatable} == {
        "mail.send",
        "mail.label_create",
        "fitting.save",
        "ui.waypoint",
        "ui.open_window",
    }


def test_a_write_lags_longer_than_its_list_is_cached() -> None:
    for kind in WRITES.values():
        for route in kind.reads:
            assert kind.lag.total_seconds() > (route.cache_age_s or 0), kind.name
            if kind.find is not None:
                assert kind.found_within.total_seconds() > (route.cache_age_s or 0), kind.name


@pytest.mark.parametrize(
    ("kind", "payload", "once"),
    [
        (
            "mail.send",
            {
                "recipients": [
                    {"recipient_id": number, "recipient_type": kind}
                    for number, kind in ((6, "character"), (5, "alliance"), (6, "character"))
                ],
                "subject": "s",
                "body": "b",
            },
            lambda sent: (
                [(one.recipient_id, one.recipient_type) for one in sent.recipients]
                == [(6, "character"), (5, "alliance")]
            ),
        ),
        ("mail.set_labels", {"mail_id": 7, "labels": [4, 2, 4]}, lambda it: it.labels == (4, 2)),
        (
            "ui.open_window",
            {"window": "newmail", "mail": {"recipients": [6, 5, 6], "subject": "", "body": ""}},
            lambda it: it.mail.recipients == (6, 5),
        ),
    ],
)
def test_what_is_named_twice_is_meant_once(
    kind: str, payload: Any, once: Callable[[Any], bool]
) -> None:
    assert once(checked(WRITES[kind], payload))


@pytest.mark.parametrize(
    ("kind", "payload", "field"),
    [
        ("mail.send", LETTER | {"recipients": []}, "$.recipients"),
        ("mail.send", LETTER | {"recipients": LETTER["recipients"] * 51}, "$.recipients"),  # type: ignore[operator]
        ("mail.send", LETTER | {"subject": "x" * 1001}, "$.subject"),
        ("mail.send", LETTER | {"body": "x" * 10_001}, "$.body"),
        ("mail.send", LETTER | {"approved_cost": -1}, "$.approved_cost"),
        ("mail.send", LETTER | {"to": 5}, "to"),
        ("mail.set_read", {"mail_id": 0, "read": True}, "$.mail_id"),
        ("mail.set_labels", {"mail_id": 7, "labels": list(range(26))}, "$.labels"),
        ("mail.label_create", {"name": ""}, "$.name"),
        ("mail.label_create", {"name": "x", "color": "red"}, "$.color"),
        ("calendar.respond", {"event_id": 5, "response": "maybe"}, "$.response"),
        ("contact.add", {"contact_ids": [], "standing": 5}, "$.contact_ids"),
        ("contact.add", {"contact_ids": IDS, "standing": 5}, "$.contact_ids"),
        ("contact.add", {"contact_ids": [5, 5], "standing": 5}, "contact_ids"),
        ("contact.add", {"contact_ids": [5], "standing": 10.5}, "$.standing"),
        ("contact.edit", {"contact_ids": [5]}, "standing"),
        ("contact.remove", {"contact_ids": ["x"]}, "$.contact_ids"),
        ("fitting.save", FITTING | {"items": []}, "$.items"),
        ("fitting.save", FITTING | {"name": "x" * 51}, "$.name"),
        (
            "fitting.save",
            FITTING | {"items": [{"type_id": 34, "flag": "Trunk", "quantity": 1}]},
            "$.items[0].flag",
        ),
        ("ui.waypoint", {"destination_id": -5}, "$.destination_id"),
        ("ui.open_window", {"window": "contract"}, "id"),
        ("ui.open_window", {"window": "newmail"}, "mail"),
        ("ui.open_window", {"window": "fleet", "id": 5}, "$.window"),
    ],
)
def test_a_bad_payload_is_refused_by_its_field(kind: str, payload: Any, field: str) -> None:
    with pytest.raises(BadPayload, match=f"payload of {kind} is wrong") as refused:
        checked(WRITES[kind], payload)
    assert field in str(refused.value)


def test_what_is_not_mirrored_has_nothing_to_do_with_the_mirror() -> None:
    loose = {kind.name for kind in WRITES.values() if not kind.mirrored}
    assert loose == {"mail.send", "ui.waypoint", "ui.open_window"}
    for kind in WRITES.values():
        if not kind.mirrored:
            assert not kind.tables, kind.name
            assert not kind.reads, kind.name
            assert (kind.shows, kind.confirm, kind.rest) == (None, None, None), kind.name
            payload = object()
            applied: object = kind.apply(None, CHARACTER, payload, START)  # type: ignore[arg-type]
            assert applied is payload, kind.name
            kind.compensate(None, CHARACTER, payload)  # type: ignore[arg-type]


@pytest.mark.parametrize("name", ["a\0b", "half \udcff"])
def test_a_text_that_no_database_could_store_is_refused(name: str) -> None:
    payload = {"name": name, "description": "", "ship_type_id": 587, "items": []}
    save = WRITES["fitting.save"]
    payload["items"] = [{"type_id": 1, "flag": "Cargo", "quantity": 1}]
    assert checked(save, payload | {"name": "a b"})
    with pytest.raises(BadPayload, match="a character of name"):
        checked(save, payload)
