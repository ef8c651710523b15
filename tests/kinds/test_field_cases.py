"""Single cases from the field, each at the tables of its kind, on both databases."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime
from typing import Any

import msgspec
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs import catalog
from jobs.esi.decoding import decode
from jobs.store import writer
from tests.kinds.fake_context import START, Answer, FakeContext, rows

CATALOG = catalog.load(["jobs.kinds"])
PILOT, COMPANY = 90000001, 98000001


def load(connection: Connection, kind: str, part_name: str, answer: Any, **params: int) -> int:
    """Write what ESI answers as the generic path does; return how many rows changed."""
    declared = CATALOG[kind]
    part = next(one for one in declared.parts if one.name == part_name)
    wire: Any = list[part.wire] if part.many else part.wire  # type: ignore[name-defined]
    value, skipped = decode(msgspec.json.encode(answer), wire)
    assert skipped == 0
    owner = COMPANY if declared.subject is SubjectType.CORPORATION else PILOT
    subject = Subject(declared.subject, owner)
    changed = 0
    for target in part.targets:
        found = target.rows(value, params) if target.rows is not None else value
        found = found if isinstance(found, list | tuple) or target.rows else [found]
        changed += writer.apply(
            connection, target, list(found), subject=subject, params=params, now=START
        )
    return changed


def at(text: str) -> datetime:
    return datetime.fromisoformat(text)


def test_entries_of_a_queue_that_are_over_stay_and_a_pause_has_no_times(
    connection: Connection,
) -> None:
    entry = {"skill_id": 3300, "finished_level": 3}
    over = {"start_date": "2026-10-01T00:00:00Z", "finish_date": "2026-10-02T00:00:00Z"}
    load(
        connection,
        "character.skills",
        "queue",
        [{**entry, **over, "queue_position": 0}, {**entry, "queue_position": 1}],
    )
    found = rows(connection, "character_skillqueue", "queue_position", "start_at", "finish_at")
    assert found == [
        (0, at("2026-10-01T00:00:00+00:00"), at("2026-10-02T00:00:00+00:00")),
        (1, None, None),
    ]


def test_an_entry_of_a_journal_without_amount_is_a_row_and_its_nulls_are_no_zeros(
    connection: Connection,
) -> None:
    bare = {"id": 1, "date": "2024-02-29T00:00:00Z", "ref_type": "x", "description": ""}
    full = {**bare, "id": 2, "amount": 0.0, "balance": 5_000_000_000.12}
    load(connection, "character.wallet", "journal", [bare, full])
    table = "character_wallet_journal"
    (first, second) = rows(connection, table, "entry_id", "amount", "balance", "first_party_id")
    assert first == (1, None, None, None)
    assert (second[1], str(second[2])) == (0, "5000000000.12")


def test_a_wallet_without_entries_has_its_balance(connection: Connection) -> None:
    for balance in (5_000_000_000.12, 0, 12):
        load(connection, "character.wallet", "balance", balance)
        load(connection, "character.wallet", "journal", [])
        (row,) = rows(connection, "character_wallet", "balance")
        assert float(row[0]) == balance


def test_one_trade_stands_in_the_lists_of_both_wallets(connection: Connection) -> None:
    trade = {
        "transaction_id": 5, "date": "2026-11-30T00:00:00Z", "type_id": 34, "quantity": 1,
        "unit_price": 2.5, "client_id": 7, "location_id": 60003760, "is_buy": True,
        "journal_ref_id": 8,
    }  # fmt: skip
    load(connection, "character.wallet", "transactions", [{**trade, "is_personal": False}])
    for division in (1, 2):
        load(connection, "corporation.wallet", "transactions", [trade], division=division)
    assert len(rows(connection, "character_wallet_transaction")) == 1
    assert len(rows(connection, "corporation_wallet_transaction")) == 2


def test_text_of_any_script_and_with_marks_is_kept_as_it_is(connection: Connection) -> None:
    title = "<color=0xff00ff00>Директор</color> \u202e漢字 \U0001f525" + "я" * 5_000
    load(connection, "character.roles", "titles", [{"title_id": 1, "name": title}])
    assert rows(connection, "character_title", "name") == [(title,)]


def test_a_structure_without_fuel_and_name_is_a_row(connection: Connection) -> None:
    bare = {
        "structure_id": 1_034_000_000_000, "type_id": 35832, "corporation_id": COMPANY,
        "system_id": 30000142, "profile_id": 1, "state": "a word nobody knows",
    }  # fmt: skip
    load(connection, "corporation.structures", "structures", [bare])
    found = rows(connection, "corporation_structure", "structure_id", "fuel_expires", "name")
    assert found == [(1_034_000_000_000, None, None)]


def test_roles_without_places_are_roles(connection: Connection) -> None:
    for answer, held in (({"roles": ["Director"]}, 1), ({}, 0)):
        value, _ = decode(msgspec.json.encode(answer), CATALOG["character.roles"].parts[0].wire)
        assert sum(len(getattr(value, name) or ()) for name in value.__struct_fields__) == held


MAIL = {
    "mail_id": 2**40, "from": 145000001, "subject": "x", "timestamp": "2026-11-01T00:00:00Z",
    "labels": [1, 4], "recipients": [{"recipient_id": 145000001, "recipient_type": "mailing_list"}],
}  # fmt: skip


async def mirror_mail(connection: Connection) -> None:
    """Mirror one mail, of which no list of labels or mailing lists knows anything."""
    kind = CATALOG["character.mail"]

    def headers(params: Mapping[str, int | str], _body: Any) -> list[dict[str, Any]]:
        return [] if "last_mail_id" in params else [MAIL]

    answers: dict[str, Answer] = {"GET /characters/{character_id}/mail": headers}
    context = FakeContext(connection, kind, Subject(SubjectType.CHARACTER, PILOT), answers)
    load(connection, "character.mail", "labels", {"labels": [], "total_unread_count": 0})
    load(connection, "character.mail", "lists", [])
    assert (await context.run("headers")).rows == 1


async def test_mail_from_and_to_a_mailing_list_is_kept(connection: Connection) -> None:
    await mirror_mail(connection)
    assert rows(connection, "mail", "mail_id", "from_id") == [(2**40, 145000001)]
    found = rows(connection, "mail_recipient", "recipient_id", "recipient_type")
    assert found == [(145000001, "mailing_list")]


async def test_labels_that_are_in_no_list_are_kept(connection: Connection) -> None:
    await mirror_mail(connection)
    assert rows(connection, "mail_label") == []
    assert rows(connection, "mail_label_link", "label_id") == [(1,), (4,)]
