"""Calendars: events, what they say and who comes; past events stay."""

from __future__ import annotations

from sqlalchemy import Column, Index, Integer, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, NamesBy
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import UtcTime

_ME = SubjectType.CHARACTER
_EVENT = "GET /characters/{character_id}/calendar/{event_id}"
_OWNER = NamesBy(
    column="owner_type",
    meanings=(
        ("character", Names.CHARACTER),
        ("corporation", Names.CORPORATION),
        ("alliance", Names.ALLIANCE),
        ("faction", Names.FACTION),
    ),
)

calendar_event: Table = owned_table(
    "calendar_event",
    _ME,
    key_id("event_id"),
    Column("title", Text, comment="raw"),
    Column("event_at", UtcTime),
    Column("response", Text, comment="accepted, declined, tentative or not_responded"),
    Column("importance", Integer),
    Column("closed_at", UtcTime, comment="when ESI no longer listed it: past, or called off"),
    Column("looked_at", UtcTime, comment="when its details were last asked for"),
    Column("looked_line", Text, comment="what the list said of it then, as JSON"),
    Index(None, "character_id", "closed_at"),
    comment="Events of the calendar. GET /characters/{character_id}/calendar",
)

calendar_event_detail: Table = owned_table(
    "calendar_event_detail",
    _ME,
    key_id("event_id"),
    an_id("owner_id", _OWNER),
    Column("owner_type", Text, nullable=False, comment="character, corporation, ..., eve_server"),
    Column("owner_name", Text, nullable=False),
    Column("duration", Integer, nullable=False, comment="minutes"),
    Column("text", Text, nullable=False, comment="raw"),
    comment=f"What events say. {_EVENT}",
)

calendar_event_attendee: Table = owned_table(
    "calendar_event_attendee",
    _ME,
    key_id("event_id"),
    key_id("attendee_id", Names.CHARACTER),
    Column("response", Text, comment="accepted, declined, tentative or not_responded"),
    comment=f"Who was asked to events, and what they said. {_EVENT}/attendees",
)
