"""The write that concerns the calendar: an answer to an event."""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta
from typing import Any, Literal

import msgspec
from msgspec.structs import replace
from sqlalchemy import Connection, select, update

from ipc.subject import Subject
from jobs.spec import Pages, Route
from jobs.store.schema.calendar import calendar_event
from jobs.writes.fields import AnId
from jobs.writes.kind import Sender, WriteKind

_GROUP = "char-social"
_PATH = "/characters/{character_id}/calendar"
LIST = Route("GET", _PATH, pages=Pages.FROM_EVENT, cache_age_s=5, rate_group=_GROUP)
RESPOND = Route("PUT", f"{_PATH}/{{event_id}}", cache_age_s=5, rate_group=_GROUP)
# For minutes after an answer the list can still say that there is none.
LAG = timedelta(minutes=10)


class Respond(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """An answer to an event."""

    event_id: AnId
    response: Literal["accepted", "declined", "tentative"]
    was: str | None = None


def key_of(payload: Respond) -> str:
    """Return the key of the event."""
    return f"event:{payload.event_id}"


def apply(connection: Connection, subject: Subject, payload: Respond, _now: datetime) -> Respond:
    """Note the answer in the mirror."""
    was = _response(connection, subject, payload.event_id)
    _answer(connection, subject, payload.event_id, payload.response)
    return payload if payload.was is not None else replace(payload, was=was)


async def respond(sender: Sender, payload: Respond) -> Mapping[str, Any]:
    """Answer at ESI."""
    params = {"character_id": sender.character_id, "event_id": payload.event_id}
    await sender.ask(RESPOND, params, {"response": payload.response})
    return {}


def restore(connection: Connection, subject: Subject, payload: Respond) -> None:
    """Take the answer back in the mirror."""
    if payload.was is not None:
        _answer(connection, subject, payload.event_id, payload.was)


def shows(
    connection: Connection, subject: Subject, payload: Respond, _result: Mapping[str, Any]
) -> bool:
    """Tell whether the mirror shows the answer."""
    return _response(connection, subject, payload.event_id) == payload.response


def _response(connection: Connection, subject: Subject, event_id: int) -> str | None:
    event = calendar_event.c
    found: str | None = connection.scalar(
        select(event.response).where(event.character_id == subject.id, event.event_id == event_id)
    )
    return found


def _answer(connection: Connection, subject: Subject, event_id: int, response: str) -> None:
    event = calendar_event.c
    connection.execute(
        update(calendar_event)
        .where(event.character_id == subject.id, event.event_id == event_id)
        .values(response=response)
    )


KINDS = (
    WriteKind(
        name="calendar.respond",
        summary="Answer an event of the calendar.",
        feature="calendar",
        payload=Respond,
        scopes=frozenset({"esi-calendar.respond_calendar_events.v1"}),
        routes=(RESPOND,),
        dedupe=key_of,
        apply=apply,
        execute=respond,
        compensate=restore,
        tables=frozenset({calendar_event.name}),
        reads=(LIST,),
        lag=LAG,
        shows=shows,
    ),
)
