"""The calendar."""

from __future__ import annotations

from cli.demo.mirrored import Extra, Mirrored, Owners, columns

TABLES = (
    Mirrored(
        "calendar_event",
        "character.calendar",
        Owners.CHARACTERS,
        ("event_id",),
        words={"event_at": "event_date", "response": "event_response"},
        times=columns("event_at"),
        own=columns("looked_at", "looked_line"),
        extra=Extra.CLOSED,
    ),
    Mirrored(
        "calendar_event_detail",
        "character.calendar_event",
        Owners.CHARACTERS,
        ("event_id",),
        extra=Extra.OTHERS,
        age="event_id",
    ),
    Mirrored(
        "calendar_event_attendee",
        "character.calendar_attendees",
        Owners.CHARACTERS,
        ("event_id", "attendee_id"),
        words={"attendee_id": "character_id", "response": "event_response"},
        extra=Extra.OTHERS,
        age="event_id",
    ),
)
