"""Notifications."""

from __future__ import annotations

from cli.demo.mirrored import Extra, Mirrored, Owners, columns

TABLES = (
    Mirrored(
        "character_notification",
        "character.notifications",
        Owners.CHARACTERS,
        ("notification_id",),
        words={"sent_at": "timestamp"},
        times=columns("sent_at"),
        extra=Extra.OLDER,
        age="sent_at",
    ),
    Mirrored(
        "character_contact_notification",
        "character.contact_notifications",
        Owners.CHARACTERS,
        ("notification_id",),
        words={"sent_at": "send_date"},
        times=columns("sent_at"),
    ),
)
