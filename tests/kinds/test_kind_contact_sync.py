"""Lists of contacts that are kept here, pushed through the outbox."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import msgspec
import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.kinds.character import contact_sync
from jobs.spec import PartResult
from jobs.store import contact_lists, outbox_rows
from jobs.store.outbox_rows import OutboxRow
from jobs.store.schema import core
from tests.kinds.fake_context import START, FakeContext, put

ME = 90_000_001
ONE, TWO, THREE = 95_000_001, 95_000_002, 95_000_003


@pytest.fixture
def context(database: Connection) -> FakeContext:
    """A character with contact ONE, and a list of ONE, TWO, THREE and itself."""
    put(
        database,
        "route_state",
        {
            "route": "GET /characters/{character_id}/contacts",
            "params": f'{{"character_id":{ME}}}',
            "owner_id": ME,
            "page": 1,
        },
    )
    _contact(database, ONE)
    contact_lists.save(database, "blue", 5.0, START, is_watched=True)
    contact_lists.put(database, "blue", [ONE, TWO, THREE, ME])
    contact_lists.assign(database, "blue", [ME])
    return FakeContext(database, contact_sync.KIND, Subject(SubjectType.CHARACTER, ME), {})


def _contact(database: Connection, *ids: int) -> None:
    rows = [
        {"character_id": ME, "contact_id": one, "contact_type": "character", "standing": -10.0}
        for one in ids
    ]
    put(database, "character_contact", *rows)


def _rows(context: FakeContext) -> list[OutboxRow]:
    return outbox_rows.list_rows(context.connection)


async def _push(context: FakeContext) -> PartResult:
    return await context.run("push")


async def test_what_is_missing_is_asked_for(context: FakeContext) -> None:
    result = await _push(context)
    (row,) = _rows(context)
    assert (result.rows, row.kind) == (2, "contact.sync_add")
    payload = msgspec.json.decode(row.payload, type=dict[str, Any])
    assert payload["contact_ids"] == [TWO, THREE]
    assert (payload["standing"], payload["watched"]) == (5.0, True)


async def test_nothing_is_asked_for_twice(context: FakeContext) -> None:
    await _push(context)
    assert (await _push(context)).rows == 0
    assert len(_rows(context)) == 1


@pytest.mark.parametrize("payload", ["", "Hello", '{"contact_ids":["one"]}', "[]"])
async def test_a_row_that_nobody_can_read_stops_nothing(context: FakeContext, payload: str) -> None:
    spoilt = {"subject_type": "character", "subject_id": ME, "kind": contact_sync.WRITE}
    row = {**spoilt, "payload": payload, "status": "failed", "updated_at": START}
    put(context.connection, "outbox", row)
    assert (await _push(context)).rows == 2


@pytest.mark.parametrize("status", ["failed", "cancelled"])
async def test_what_was_refused_is_left_alone_for_a_day(context: FakeContext, status: str) -> None:
    await _push(context)
    context.connection.execute(core.outbox.update().values(status=status))
    context.connection.exec_driver_sql("DELETE FROM character_contact")
    _contact(context.connection, ONE)
    assert (await _push(context)).rows == 0
    context.clock.advance(timedelta(days=1, seconds=1).total_seconds())
    assert (await _push(context)).rows == 2


async def test_the_first_list_by_name_says_how(context: FakeContext) -> None:
    contact_lists.save(context.connection, "a red list", -10.0, START, is_watched=False)
    contact_lists.put(context.connection, "a red list", [THREE])
    contact_lists.assign(context.connection, "a red list", [ME])
    await _push(context)
    told = [msgspec.json.decode(row.payload, type=dict[str, Any]) for row in _rows(context)]
    assert [(one["contact_ids"], one["standing"]) for one in told] == [
        ([THREE], -10.0),
        ([TWO], 5.0),
    ]


async def test_no_more_than_there_is_room_for(context: FakeContext) -> None:
    _contact(context.connection, *range(1_000, 1_998))
    assert (await _push(context)).rows == 1


async def test_contacts_that_were_never_read_are_not_taken_for_none(context: FakeContext) -> None:
    context.connection.execute(core.route_state.delete())
    result = await _push(context)
    assert (result.rows, _rows(context)) == (0, [])
    assert "not read yet" in result.note


async def test_without_a_list_nothing_happens(context: FakeContext) -> None:
    contact_lists.unassign(context.connection, "blue", [ME])
    assert (await _push(context)).rows == 0
    contact_lists.remove(context.connection, "blue")
    assert contact_lists.every(context.connection) == []
