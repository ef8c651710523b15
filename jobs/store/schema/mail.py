"""Mail: headers, bodies, recipients, labels and mailing lists; deleted mail stays, marked."""

from __future__ import annotations

from sqlalchemy import Boolean, Column, Index, Integer, Table, Text, text

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, NamesBy, name_of, owned_by
from jobs.store.schema.types import Id, UtcTime, metadata

mail = Table(
    "mail",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("mail_id", Id, primary_key=True, autoincrement=False),
    Column("from_id", Id, comment="a character or a mailing list", info=name_of(Names.ENTITY)),
    Column("subject", Text, comment="raw"),
    Column("sent_at", UtcTime),
    Column("is_read", Boolean),
    Column("deleted_at", UtcTime, comment="when it was seen to be gone; NULL: still there"),
    Column(
        "body_refusals",
        Integer,
        nullable=False,
        server_default=text("0"),
        comment="how often its body was refused, or could not be read",
    ),
    Column("body_due_at", UtcTime, comment="until then its body is not asked for again"),
    Index(None, "character_id", "sent_at"),
    comment="Mail headers. GET /characters/{character_id}/mail",
    info=owned_by(SubjectType.CHARACTER),
)

mail_recipient = Table(
    "mail_recipient",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("mail_id", Id, primary_key=True, autoincrement=False),
    Column(
        "recipient_id",
        Id,
        primary_key=True,
        autoincrement=False,
        info=name_of(
            NamesBy(
                column="recipient_type",
                meanings=(
                    ("character", Names.CHARACTER),
                    ("corporation", Names.CORPORATION),
                    ("alliance", Names.ALLIANCE),
                ),
            )
        ),
    ),
    Column(
        "recipient_type",
        Text,
        nullable=False,
        comment="character, corporation, alliance, mailing_list",
    ),
    comment="To whom a mail went. GET /characters/{character_id}/mail",
    info=owned_by(SubjectType.CHARACTER),
)

mail_label_link = Table(
    "mail_label_link",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("mail_id", Id, primary_key=True, autoincrement=False),
    Column(
        "label_id",
        Id,
        primary_key=True,
        autoincrement=False,
        comment="1 inbox, 2 sent, 4 corporation, 8 alliance; these need not be in mail_label",
    ),
    comment="Labels on a mail. GET /characters/{character_id}/mail",
    info=owned_by(SubjectType.CHARACTER),
)

mail_body = Table(
    "mail_body",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("mail_id", Id, primary_key=True, autoincrement=False),
    Column("body", Text, comment="raw markup; NULL: ESI has none"),
    comment="Mail texts, each fetched once. GET /characters/{character_id}/mail/{mail_id}",
    info=owned_by(SubjectType.CHARACTER),
)

mail_label = Table(
    "mail_label",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("label_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text),
    Column("color", Text, comment="#rrggbb"),
    Column("unread_count", Integer),
    comment="Labels. GET /characters/{character_id}/mail/labels",
    info=owned_by(SubjectType.CHARACTER),
)

mail_unread = Table(
    "mail_unread",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("total_unread_count", Integer),
    comment="Sum of unread mail. GET /characters/{character_id}/mail/labels",
    info=owned_by(SubjectType.CHARACTER),
)

mailing_list = Table(
    "mailing_list",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("mailing_list_id", Id, primary_key=True, autoincrement=False),
    Column("name", Text, nullable=False, comment="raw"),
    comment="Mailing lists subscribed to. GET /characters/{character_id}/mail/lists",
    info=owned_by(SubjectType.CHARACTER),
)

mail_walk = Table(
    "mail_walk",
    metadata,
    Column("character_id", Id, primary_key=True, autoincrement=False),
    Column("started_at", UtcTime, nullable=False),
    Column("next_last_mail_id", Id, comment="where an unfinished walk goes on; NULL: finished"),
    Column("finished_at", UtcTime, comment="when all headers were last read to the end"),
    Column("doubted_at", UtcTime, comment="when too much was gone at once to be believed"),
    comment="How far the daily reading of all mail headers got",
    info=owned_by(SubjectType.CHARACTER),
)
