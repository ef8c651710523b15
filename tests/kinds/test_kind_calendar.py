"""The calendar: details where the list has changed or once a day; what is over stays."""

from __future__ import annotations

from typing import Any

import pytest
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.errors import BadAnswer, Gone
from jobs.kinds.character import calendar
from jobs.spec import Params
from tests.kinds.declared import take
from tests.kinds.fake_context import START, FakeContext, rows

ME = Subject(SubjectType.CHARACTER, 90000001)
DETAIL = calendar.DETAIL.name
ATTENDEES = calendar.ATTENDEES.name
DAY_S = 86_400


def event(event_id: int, **more: Any) -> dict[str, Any]:
    return {"event_id": event_id, "title": "Op", "event_date": "2026-12-24T20:00:00Z", **more}


def detail(params: Params, _body: Any) -> Any:
    return {
        "event_id": params["event_id"],
        "owner_id": 98000001,
        "owner_type": "corporation",
        "owner_name": "Näkki",
        "duration": 60,
        "text": "o7",
        "date": "2026-12-24T20:00:00Z",
        "title": "Op",
        "importance": 0,
        "response": "accepted",
    }


@pytest.fixture
def context(database: Connection) -> FakeContext:
    invited = [{"character_id": ME.id, "event_response": "accepted"}, {"character_id": 95000007}]
    answers: dict[str, Any] = {DETAIL: detail, ATTENDEES: lambda _params, _body: invited}
    return FakeContext(database, calendar.KIND, ME, answers)


def listing(connection: Connection, *events: dict[str, Any]) -> int:
    return take(connection, calendar.KIND, "events", ME, list(events))[1]


def events_asked(context: FakeContext) -> list[int | str]:
    found = [one.params["event_id"] for one in context.asked if one.route == DETAIL]
    context.asked.clear()
    return found


async def test_details_follow_the_list_and_once_a_day(
    database: Connection, context: FakeContext
) -> None:
    listing(database, event(2), event(1, event_date="2026-12-01T00:00:00Z"))
    await context.run("details")
    assert events_asked(context) == [1, 2]
    await context.run("details")
    assert events_asked(context) == []
    # The same event twice, in another order, is no news.
    listing(database, event(1, event_date="2026-12-01T00:00:00Z"), event(2), event(2))
    await context.run("details")
    assert events_asked(context) == []
    listing(database, event(1, event_date="2026-12-01T00:00:00Z"), event(2, title="New"))
    await context.run("details")
    assert events_asked(context) == [2]
    context.clock.advance(DAY_S + 1)
    await context.run("details")
    # The first one is over by then.
    assert events_asked(context) == [2]
    assert rows(database, "calendar_event_attendee", "event_id", "attendee_id", "response") == [
        (1, ME.id, "accepted"),
        (1, 95000007, None),
        (2, ME.id, "accepted"),
        (2, 95000007, None),
    ]


async def test_an_event_that_is_over_stays(database: Connection, context: FakeContext) -> None:
    listing(database, event(1), event(2))
    await context.run("details")
    listing(database, event(2))
    assert rows(database, "calendar_event", "event_id", "closed_at") == [(1, START), (2, None)]
    assert len(rows(database, "calendar_event_detail")) == 2
    context.clock.advance(2 * DAY_S)
    events_asked(context)
    await context.run("details")
    assert events_asked(context) == [2]


@pytest.mark.parametrize(
    "error", [Gone("404"), BadAnswer("null")], ids=["removed", "null for a body"]
)
async def test_an_event_removed_meanwhile_is_no_error(
    database: Connection, context: FakeContext, error: Exception
) -> None:
    def gone(params: Params, body: Any) -> Any:
        if params["event_id"] == 1:
            raise error
        return detail(params, body)

    context.answers[DETAIL] = gone
    listing(database, event(1), event(2))
    result = await context.run("details")
    assert (result.note, result.left) == ("1 of 2 were not there", 0)
    assert rows(database, "calendar_event_detail", "event_id") == [(2,)]
    events_asked(context)
    await context.run("details")
    assert events_asked(context) == []


async def test_who_is_no_longer_asked_to_come_is_gone(
    database: Connection, context: FakeContext
) -> None:
    listing(database, event(1))
    await context.run("details")
    context.answers[ATTENDEES] = lambda _params, _body: [{"character_id": ME.id}]
    context.clock.advance(DAY_S)
    await context.run("details")
    assert rows(database, "calendar_event_attendee", "attendee_id") == [(ME.id,)]


async def test_of_those_asked_to_come_one_who_cannot_be_read_is_spared_alone(
    database: Connection, context: FakeContext
) -> None:
    listing(database, event(1), event(2))
    invited: list[Any] = [{"character_id": one} for one in (1, 2, 3)]
    context.answers[ATTENDEES] = lambda _params, _body: invited
    await context.run("details")
    invited[:] = [{"character_id": 1}, {"character_id": 2, "event_response": [7]}]
    context.clock.advance(DAY_S)
    await context.run("details")
    assert rows(database, "calendar_event_attendee", "event_id", "attendee_id") == [
        (1, 1), (1, 2), (2, 1), (2, 2),
    ]  # fmt: skip


def test_a_line_without_a_number_costs_itself_only(database: Connection) -> None:
    assert listing(database, event(1), {"title": "?"}) == 1
    assert rows(database, "calendar_event", "event_id") == [(1,)]
