"""A character's calendar: events to come, what they say, who comes; past ones stay.

The list tells little and is cheap. Details are asked for when an event's line in the list has
changed, and once a day while it is to come: the bucket is shared with writes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial

import msgspec
from msgspec.structs import asdict
from sqlalchemy import Connection, bindparam, select, update

from ipc.subject import SubjectType
from jobs.kinds._one_by_one import Found, fetch_one_by_one
from jobs.spec import (
    Context,
    Fetched,
    Kind,
    Pages,
    Params,
    Part,
    PartResult,
    Route,
    Target,
    Wire,
    Write,
)
from jobs.store.moments import happened
from jobs.store.schema.calendar import (
    calendar_event,
    calendar_event_attendee,
    calendar_event_detail,
)

PATH = "/characters/{character_id}/calendar"
DETAIL = Route("GET", f"{PATH}/{{event_id}}", cache_age_s=5, rate_group="char-social")
ATTENDEES = Route(
    "GET", f"{PATH}/{{event_id}}/attendees", cache_age_s=600, rate_group="char-social"
)
SCOPES = frozenset({"esi-calendar.read_calendar_events.v1"})
LOOK_AGAIN = timedelta(days=1)
# Events in one run; each is two requests.
MAX_EVENTS = 30
KEY = ("character_id", "event_id")


class Event(Wire, frozen=True, rename={"event_at": "event_date", "response": "event_response"}):
    """One line of the list; all but the number can be absent."""

    event_id: int
    title: str | None = None
    event_at: datetime | None = None
    response: str | None = None
    importance: int | None = None


class EventDetail(Wire, frozen=True):
    """What GET /characters/{character_id}/calendar/{event_id} tells beyond the list."""

    owner_id: int
    owner_type: str
    owner_name: str
    duration: int
    text: str


class Attendee(
    Wire, frozen=True, rename={"attendee_id": "character_id", "response": "event_response"}
):
    """One who was asked to come."""

    attendee_id: int
    response: str | None = None


DETAILS = Target(calendar_event_detail, key=KEY, write=Write.UPSERT)
INVITED = Target(calendar_event_attendee, key=(*KEY, "attendee_id"), write=Write.REPLACE)


_LOOKED = (
    update(calendar_event)
    .where(
        calendar_event.c.character_id == bindparam("me"),
        calendar_event.c.event_id == bindparam("event"),
    )
    .values(looked_at=bindparam("now"), looked_line=bindparam("line"))
)


@dataclass(frozen=True, slots=True)
class Listed:
    """An event as the list has it, and what is known of the last look at its details."""

    event_id: int
    event_at: datetime | None
    line: str
    looked_at: datetime | None
    looked_line: str | None

    def is_due(self, now: datetime) -> bool:
        """Tell whether its details should be asked for."""
        looked_at = happened(self.looked_at, now)
        if looked_at is None or self.looked_line != self.line:
            return True
        to_come = self.event_at is not None and self.event_at > now
        return to_come and now - looked_at >= LOOK_AGAIN


def listed(connection: Connection, character_id: int) -> list[Listed]:
    """Return the events that the list holds, soonest first."""
    e = calendar_event.c
    rows = connection.execute(
        select(
            e.event_id, e.event_at, e.title, e.response, e.importance, e.looked_at, e.looked_line
        )
        .where(e.character_id == character_id, e.closed_at.is_(None))
        .order_by(e.event_at, e.event_id)
    )
    return [
        Listed(
            row.event_id,
            row.event_at,
            msgspec.json.encode([row.event_at, row.title, row.response, row.importance]).decode(),
            row.looked_at,
            row.looked_line,
        )
        for row in rows
    ]


def wanted(connection: Connection, character_id: int, now: datetime) -> list[Params]:
    """Return the events to ask about."""
    return [
        {"character_id": character_id, "event_id": one.event_id}
        for one in listed(connection, character_id)
        if one.is_due(now)
    ]


def store(
    context: Context, connection: Connection, found: Sequence[Found], refused: Sequence[Params]
) -> int:
    """Write what was found; an event that is gone by now is not asked about again at once."""
    rows, now, me = 0, context.now(), context.subject.id
    for params, (detail, invited) in found:
        rows += context.apply(connection, DETAILS, [asdict(detail)], params)
        asked = [asdict(one) for one in invited.value]
        rows += context.apply(connection, INVITED, asked, params, answer=invited)
    lines = {one.event_id: one.line for one in listed(connection, me)}
    looked = [int(params["event_id"]) for params in (*(params for params, _ in found), *refused)]
    connection.execute(
        _LOOKED,
        [{"me": me, "event": one, "now": now, "line": lines.get(one)} for one in looked],
    )
    return rows


async def sync_details(context: Context) -> PartResult:
    """Ask about the events that are due."""

    async def ask(params: Params) -> tuple[EventDetail, Fetched]:
        detail = await context.fetch(DETAIL, params, EventDetail, keep_state=False)
        invited = await context.fetch(ATTENDEES, params, list[Attendee], keep_state=False)
        return detail.value, invited

    me, now = context.subject.id, context.now()
    due = await context.read(partial(wanted, character_id=me, now=now))
    return await fetch_one_by_one(context, ask, due, partial(store, context), MAX_EVENTS)


KIND = Kind(
    name="character.calendar",
    subject=SubjectType.CHARACTER,
    feature="calendar",
    every=timedelta(minutes=5),
    summary="Events with what they say and who comes; past ones stay.",
    parts=(
        Part(
            name="events",
            route=Route(
                "GET", PATH, pages=Pages.FROM_EVENT, cache_age_s=5, rate_group="char-social"
            ),
            wire=Event,
            scopes=SCOPES,
            targets=(Target(calendar_event, key=KEY, write=Write.CLOSE),),
        ),
        Part(
            name="details",
            route=DETAIL,
            wire=EventDetail,
            many=False,
            scopes=SCOPES,
            targets=(DETAILS, INVITED),
            run=sync_details,
            uses=(ATTENDEES,),
        ),
    ),
)
