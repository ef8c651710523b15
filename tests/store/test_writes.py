"""Every kind of write on both databases: shown at once, taken back whole, kept when it is done."""

from __future__ import annotations

from datetime import datetime, timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection, Table, insert, select

from ipc.subject import Subject
from jobs.store import claims, credentials, outbox
from jobs.store.database import Database
from jobs.store.schema import metadata
from jobs.store.write_status import Status
from jobs.writes.change import cancel, retry
from jobs.writes.registry import WRITES
from jobs.writes.settle import reassert, settle
from jobs.writes.want import want_all

EPOCH = 3
ONE, TWO = 90_000_001, 90_000_002
FITTING = {
    "name": "Travel",
    "description": "",
    "ship_type_id": 587,
    "items": [{"type_id": 34, "flag": "Cargo", "quantity": 5}],
}
LETTER = {
    "recipients": [{"recipient_id": 5, "recipient_type": "character"}],
    "subject": "s",
    "body": "b",
}
# Kind -> payload, and what ESI's answer adds to the mirror.
ASKED: dict[str, tuple[dict[str, Any], str | None]] = {
    "mail.send": (LETTER, None),
    "mail.set_read": ({"mail_id": 7, "read": True}, None),
    "mail.set_labels": ({"mail_id": 7, "labels": [4]}, None),
    "mail.delete": ({"mail_id": 7}, None),
    "mail.label_create": ({"name": "Ops"}, '{"label_id":64}'),
    "mail.label_delete": ({"label_id": 16}, None),
    "calendar.respond": ({"event_id": 5, "response": "accepted"}, None),
    "contact.add": (
        {"contact_ids": [ONE, TWO], "standing": 2.5, "label_ids": [1, 2]},
        f'{{"made":[{ONE},{TWO}]}}',
    ),
    "contact.edit": ({"contact_ids": [ONE], "standing": 2.5}, f'{{"made":[{ONE}]}}'),
    "contact.remove": ({"contact_ids": [ONE]}, f'{{"made":[{ONE}]}}'),
    "contact.sync_add": ({"contact_ids": [TWO], "standing": 2.5}, f'{{"made":[{TWO}]}}'),
    "fitting.save": (FITTING | {"name": "New"}, '{"fitting_id":77}'),
    "fitting.delete": ({"fitting_id": 70}, None),
    "ui.waypoint": ({"destination_id": 30_000_142}, None),
    "ui.open_window": ({"window": "market", "id": 34}, None),
}
ROWS: dict[str, list[dict[str, Any]]] = {
    "mail": [{"mail_id": 7, "subject": "x", "is_read": False}],
    "mail_label": [{"label_id": 16, "name": "Trade", "color": "#ffffff", "unread_count": 2}],
    "mail_label_link": [{"mail_id": 7, "label_id": 1}, {"mail_id": 7, "label_id": 16}],
    "calendar_event": [{"event_id": 5, "response": "declined"}],
    "character_contact": [
        {"contact_id": ONE, "contact_type": "character", "standing": -5.0, "is_watched": True}
    ],
    "character_contact_label_link": [{"contact_id": ONE, "label_id": 1}],
    "character_fitting": [
        {"fitting_id": 70, "name": "Travel", "description": "", "ship_type_id": 587}
    ],
    "character_fitting_item": [
        {"fitting_id": 70, "position": 0, "type_id": 34, "flag": "Cargo", "quantity": 5}
    ],
}
TABLES = [metadata.tables[name] for name in ROWS]
Mirror = dict[str, list[tuple[Any, ...]]]


@pytest.fixture
def filled(database: Database, character: Subject, now: datetime) -> Database:
    """A mirror with one of everything."""

    def fill(connection: Connection) -> None:
        credentials.save_login(connection, character.id, "id", [], "a", "r", now, now)
        for table in TABLES:
            rows = [{"character_id": character.id, **row} for row in ROWS[table.name]]
            connection.execute(insert(table), rows)

    database.write_now(fill)
    return database


def mirror(database: Database) -> Mirror:
    """Return all that writes can change."""

    def read(connection: Connection) -> Mirror:
        return {table.name: _rows(connection, table) for table in TABLES}

    return database.read_now(read)


def _rows(connection: Connection, table: Table) -> list[tuple[Any, ...]]:
    query = select(table).order_by(*table.primary_key.columns)
    return [tuple(row) for row in connection.execute(query)]


def ask(database: Database, character: Subject, kind: str, now: datetime) -> int:
    (row_id,) = database.write_now(
        lambda conn: want_all(conn, character, kind, ASKED[kind][0], now)
    )
    return row_id


def test_every_kind_is_tried() -> None:
    assert set(ASKED) == set(WRITES)


@pytest.mark.parametrize("kind", ASKED)
def test_what_is_dropped_leaves_nothing(
    filled: Database, character: Subject, now: datetime, kind: str
) -> None:
    before = mirror(filled)
    row_id = ask(filled, character, kind, now)
    changes = bool(WRITES[kind].repeatable)
    assert (mirror(filled) != before) == changes
    shown = mirror(filled)
    filled.write_now(lambda conn: cancel(conn, row_id, now))
    assert mirror(filled) == before
    filled.write_now(lambda conn: retry(conn, row_id, now))
    assert mirror(filled) == shown
    filled.write_now(lambda conn: cancel(conn, row_id, now))
    assert mirror(filled) == before


@pytest.mark.parametrize("kind", [name for name, kind in WRITES.items() if kind.shows])
def test_what_is_done_is_held_against_an_older_load(
    filled: Database, character: Subject, now: datetime, kind: str
) -> None:
    before = mirror(filled)
    row_id = ask(filled, character, kind, now)
    tables = WRITES[kind].tables

    def end(connection: Connection) -> None:
        claims.claim(connection, [row_id], now, EPOCH)
        done = claims.End(
            id=row_id, revision=1, status=Status.DONE, attempts=0,
            result=ASKED[kind][1] or "{}", held_until=now + timedelta(minutes=1),
        )  # fmt: skip
        claims.finish(connection, done, EPOCH, now)
        settle(connection, row_id, now)

    def load_older(connection: Connection) -> None:
        for table in reversed(TABLES):
            connection.execute(table.delete())
        for table in TABLES:
            if before[table.name]:
                names = table.columns.keys()
                rows = [dict(zip(names, row, strict=True)) for row in before[table.name]]
                connection.execute(insert(table), rows)

    filled.write_now(end)
    made = mirror(filled)
    assert made != before
    filled.write_now(load_older)
    held = filled.write_now(lambda conn: reassert(conn, character, tables, now))
    assert held == 1
    assert {name: mirror(filled)[name] for name in tables} == {name: made[name] for name in tables}
    # Shown by now: it is let go, and the next load is right whatever it says.
    assert filled.write_now(lambda conn: reassert(conn, character, tables, now)) == 0
    filled.write_now(load_older)
    assert filled.write_now(lambda conn: reassert(conn, character, tables, now)) == 0
    assert mirror(filled) == before


@pytest.mark.parametrize("kind", ASKED)
def test_a_row_that_another_program_put_in_has_changed_nothing_that_is_taken_back(
    filled: Database, character: Subject, now: datetime, kind: str
) -> None:
    before = mirror(filled)
    write, asked = WRITES[kind], ASKED[kind][0]

    def put_in(connection: Connection) -> int:
        payload = msgspec.convert(asked, write.payload)
        key = write.dedupe(payload)
        text = msgspec.json.encode(asked).decode()
        later = now + timedelta(days=1)
        return outbox.append(connection, character, kind, text, key, now, later, target=key)

    row_id = filled.write_now(put_in)
    filled.write_now(lambda conn: cancel(conn, row_id, now))
    assert mirror(filled) == before


def test_a_mail_that_was_deleted_before_stays_so(
    filled: Database, character: Subject, now: datetime
) -> None:
    mail = metadata.tables["mail"]
    filled.write_now(lambda conn: conn.execute(mail.update().values(deleted_at=now)))
    before = mirror(filled)
    row_id = ask(filled, character, "mail.delete", now)
    filled.write_now(lambda conn: cancel(conn, row_id, now))
    assert mirror(filled) == before


@pytest.mark.parametrize(
    "result",
    [
        '{"refused":5}', '{"refused":["a"]}', '{"refused":{"x":1}}', '{"made":[[]]}', "[1]", "null",
        '{"labels_not_applied":{"1":null}}', '{"a":' + "[" * 3_000 + "]" * 3_000 + "}",
    ],
)  # fmt: skip
def test_a_result_that_nobody_can_read_costs_no_load(
    filled: Database, character: Subject, now: datetime, result: str
) -> None:
    row_id = ask(filled, character, "contact.add", now)
    table = metadata.tables["outbox"]

    def spoil(connection: Connection) -> None:
        held_until = now + timedelta(minutes=1)
        values = {"status": "done", "result": result, "held_until": held_until}
        connection.execute(table.update().where(table.c.id == row_id).values(values))

    filled.write_now(spoil)
    tables = WRITES["contact.add"].tables
    assert filled.write_now(lambda conn: reassert(conn, character, tables, now)) == 0
    filled.write_now(lambda conn: settle(conn, row_id, now))
