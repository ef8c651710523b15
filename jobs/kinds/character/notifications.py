"""What the game tells a character; ESI shows the latest 500, the mirror keeps them.

Their bucket holds 15 requests a quarter of an hour: the cache age is the pace.
"""

from __future__ import annotations

from datetime import datetime, timedelta

from ipc.subject import SubjectType
from jobs.spec import Kind, Part, Route, Target, Wire, Write
from jobs.store.schema.notifications import (
    character_contact_notification,
    character_notification,
)

PATH = "/characters/{character_id}/notifications"
SCOPES = frozenset({"esi-characters.read_notifications.v1"})


class Notification(Wire, frozen=True, rename={"sent_at": "timestamp"}):
    """One notification; its text is YAML, and its type can be one that nobody knows yet."""

    notification_id: int
    type: str
    sender_id: int
    sender_type: str
    sent_at: datetime
    is_read: bool | None = None
    text: str | None = None


class ContactNotification(Wire, frozen=True, rename={"sent_at": "send_date"}):
    """Somebody added the character as a contact."""

    notification_id: int
    sender_character_id: int
    sent_at: datetime
    standing_level: float
    message: str


KIND = Kind(
    name="character.notifications",
    subject=SubjectType.CHARACTER,
    feature="notifications",
    every=timedelta(minutes=5),
    summary="Notifications, and who added the character as a contact.",
    parts=(
        Part(
            name="notifications",
            route=Route("GET", PATH, cache_age_s=600, rate_group="char-notification"),
            wire=Notification,
            scopes=SCOPES,
            targets=(
                Target(
                    character_notification,
                    key=("character_id", "notification_id"),
                    write=Write.UPSERT,
                ),
            ),
        ),
        Part(
            name="contacts",
            route=Route("GET", f"{PATH}/contacts", cache_age_s=600, rate_group="char-social"),
            wire=ContactNotification,
            scopes=SCOPES,
            targets=(
                Target(
                    character_contact_notification,
                    key=("character_id", "notification_id"),
                    write=Write.APPEND,
                ),
            ),
        ),
    ),
)
