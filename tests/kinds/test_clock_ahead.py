"""What was stored while the clock was ahead holds nothing up once it is right again."""

from __future__ import annotations

from collections.abc import Callable, Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any

import pytest
from sqlalchemy import Connection, column, select, text, update

from ipc.subject import Subject, SubjectType
from jobs.kinds import _contracts
from jobs.kinds._unknown_ids import LONGEST_REFUSAL, waiting_ids, waits
from jobs.kinds.character import _mail_bodies, contracts, structure_names
from jobs.kinds.character._wanted_structures import wanted_structures
from jobs.kinds.character.calendar import Listed
from jobs.kinds.global_ import _wanted_ids, affiliation, wars
from jobs.store.schema import metadata
from tests.kinds.fake_context import START, FakeContext, put

ME = Subject(SubjectType.CHARACTER, 9)
AHEAD = START + timedelta(days=5000)
STRUCTURE = 1_034_000_000_001


@dataclass(frozen=True)
class Case:
    """A row with a time, and what is to be asked about because of it."""

    table: str
    row: dict[str, Any]
    column: str
    due: Callable[[Connection], Collection[Any]]
    # A time at which it is not due, if the clock is right.
    not_yet: datetime


def _aged(connection: Connection) -> list[int]:
    return _wanted_ids.aged(connection, START, 10)


def _asked_about(connection: Connection) -> list[int]:
    ids = text("SELECT 1 AS id").columns(column("id")).subquery("found").c.id
    return list(connection.scalars(select(ids).where(~waits("war", ids, START))))


def _not_waiting(connection: Connection) -> set[int]:
    return {1} - waiting_ids(connection, "war", START)


REFUSED = {"category": "war", "id": 1, "refusals": 3}
WAR = {"war_id": 1, "started_at": START - timedelta(days=9), "finished_at": None}
CASES = [
    Case("unknown_id", REFUSED, "unknown_until", _asked_about, START + LONGEST_REFUSAL),
    Case("unknown_id", REFUSED, "unknown_until", _not_waiting, START + LONGEST_REFUSAL),
    Case(
        "war", {**WAR, "read_at": START}, "due_at", lambda c: wars.wars_to_read(c, START),
        START + timedelta(days=1),
    ),
    Case(
        "war", {**WAR, "killmails_at": START}, "killmails_due_at",
        lambda c: wars.killmails_to_read(c, START), START + timedelta(days=1),
    ),
    Case(
        "war", {**WAR, "finished_at": START - timedelta(days=2), "due_at": START}, "read_at",
        lambda c: wars.wars_to_read(c, START), START - timedelta(days=1),
    ),
    Case(
        "character_contract",
        {"character_id": 9, "contract_id": 1, "type": "auction", "items_at": None,
         "closed_at": None},
        "items_due_at",
        lambda c: _contracts.wanted_items(c, contracts.BOOK, 9, START),
        START + timedelta(hours=12),
    ),
    Case(
        "mail", {"character_id": 9, "mail_id": 1, "deleted_at": None}, "body_due_at",
        lambda c: _mail_bodies.missing(c, 9, START)[0], START + LONGEST_REFUSAL,
    ),
    Case(
        "name", {"id": 1, "category": "corporation", "name": "x"}, "checked_at", _aged,
        START - timedelta(hours=1),
    ),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda case: f"{case.table}.{case.column}")
def test_a_time_that_cannot_be_is_none(connection: Connection, case: Case) -> None:
    put(connection, case.table, {**case.row, case.column: case.not_yet})
    assert not case.due(connection)
    table = metadata.tables[case.table]
    connection.execute(update(table).values({case.column: AHEAD}))
    assert len(case.due(connection)) == 1


@pytest.mark.parametrize("corporation_id", [None, 98])
def test_a_character_whose_affiliation_was_read_in_the_future_is_asked_for(
    connection: Connection, corporation_id: int | None
) -> None:
    put(connection, "name", {"id": 5, "category": "character"})
    belongs = {"character_id": 5, "corporation_id": corporation_id}
    put(connection, "affiliation", {**belongs, "checked_at": START - timedelta(hours=1)})
    assert affiliation.mentioned(connection, START) == []
    connection.execute(update(metadata.tables["affiliation"]).values(checked_at=AHEAD))
    assert affiliation.mentioned(connection, START) == [5]


@pytest.mark.parametrize("stored", ["refusal", "unknown", "structure"])
async def test_a_structure_is_asked_about_whatever_was_stored_ahead(
    connection: Connection, stored: str
) -> None:
    put(
        connection,
        "character_asset",
        {"character_id": 9, "item_id": 10**15, "location_id": STRUCTURE, "location_type": "item"},
    )
    if stored == "refusal":
        table, time = "character_structure_refusal", "refused_until"
        row: dict[str, Any] = {"character_id": 9, "structure_id": STRUCTURE, "refusals": 1}
    elif stored == "unknown":
        table, time = "unknown_id", "unknown_until"
        row = {"category": "structure", "id": STRUCTURE, "refusals": 1}
    else:
        table, time = "structure", "checked_at"
        row = {"structure_id": STRUCTURE, "name": "x", "owner_id": 98}
    near = START - timedelta(hours=1) if stored == "structure" else START + timedelta(hours=1)
    put(connection, table, {**row, time: near})
    context = FakeContext(connection, structure_names.KIND, ME, {})
    assert await wanted_structures(context, []) == []
    connection.execute(update(metadata.tables[table]).values({time: AHEAD}))
    assert await wanted_structures(context, []) == [STRUCTURE]


def test_an_event_looked_at_in_the_future_is_looked_at() -> None:
    def listed(looked_at: datetime) -> Listed:
        return Listed(1, START + timedelta(days=2), "line", looked_at, "line")

    assert not listed(START - timedelta(hours=1)).is_due(START)
    assert listed(AHEAD).is_due(START)
