"""What the game tells a character, and what others say when they add it as a contact."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Double, Index, Table, Text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, NamesBy
from jobs.store.schema.owned import an_id, key_id, owned_table
from jobs.store.schema.types import UtcTime

_SENDER = NamesBy(
    column="sender_type",
    meanings=(
        ("character", Names.CHARACTER),
        ("corporation", Names.CORPORATION),
        ("alliance", Names.ALLIANCE),
        ("faction", Names.FACTION),
    ),
)

character_notification: Table = owned_table(
    "character_notification",
    SubjectType.CHARACTER,
    key_id("notification_id"),
    Column("type", Text, nullable=False, comment="new ones come without notice"),
    an_id("sender_id", _SENDER),
    Column("sender_type", Text, nullable=False, comment="character, corporation, ..., other"),
    Column("sent_at", UtcTime, nullable=False),
    Column("is_read", Boolean, comment="NULL: not read"),
    Column("text", Text, comment="YAML, raw"),
    Index(None, "character_id", "sent_at"),
    comment="Every notification seen. GET /characters/{character_id}/notifications",
)

character_contact_notification: Table = owned_table(
    "character_contact_notification",
    SubjectType.CHARACTER,
    key_id("notification_id"),
    an_id("sender_character_id", Names.CHARACTER),
    Column("sent_at", UtcTime, nullable=False),
    Column("standing_level", Double, nullable=False, comment="-10 to 10"),
    Column("message", Text, nullable=False, comment="raw"),
    comment="Who added it as a contact. GET /characters/{character_id}/notifications/contacts",
)
