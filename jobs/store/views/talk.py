"""Views of what is said: mail, notifications, the calendar."""

from __future__ import annotations

from collections.abc import Mapping

from jobs.store.views.fields import (
    CHARACTER,
    flag,
    integer,
    me,
    text,
    time,
)
from jobs.store.views.view import Branch, View

# A mailing list is known to those who are on it.
_LIST = (
    "(SELECT m.name FROM mailing_list AS m WHERE m.character_id = o.character_id"
    " AND m.mailing_list_id = {})"
)


def _mail(b: Branch) -> Mapping[str, str]:
    body = b.join("mail_body", "character_id = o.character_id AND {}.mail_id", "o.mail_id")
    recipients = b.listed(
        "COALESCE(n.name, l.name, r.recipient_type || ' #' || r.recipient_id)",
        "mail_recipient AS r LEFT JOIN name AS n ON n.id = r.recipient_id"
        " AND r.recipient_type <> 'mailing_list' LEFT JOIN mailing_list AS l"
        " ON l.character_id = r.character_id AND l.mailing_list_id = r.recipient_id"
        " WHERE r.character_id = o.character_id AND r.mail_id = o.mail_id",
    )
    labels = b.listed(
        "COALESCE(l.name, CASE k.label_id WHEN 1 THEN 'Inbox' WHEN 2 THEN 'Sent'"
        " WHEN 4 THEN 'Corporation' WHEN 8 THEN 'Alliance' END, 'label #' || k.label_id)",
        "mail_label_link AS k LEFT JOIN mail_label AS l ON l.character_id = k.character_id"
        " AND l.label_id = k.label_id"
        " WHERE k.character_id = o.character_id AND k.mail_id = o.mail_id",
    )
    return {
        **me(b),
        "mail_id": "o.mail_id",
        "sent_at": "o.sent_at",
        "sender": f"COALESCE({_LIST.format('o.from_id')}, {b.name('o.from_id', '')})",
        "recipients": recipients,
        "subject": "o.subject",
        "body": f"{body}.body",
        "is_read": "o.is_read",
        "labels": labels,
        "deleted_at": "o.deleted_at",
    }


MAIL = View(
    "v_mail",
    "Mail with its text; deleted mail stays, marked",
    (
        *CHARACTER,
        integer("mail_id"),
        time("sent_at"),
        text("sender", "a character or a mailing list"),
        text("recipients", "apart by commas"),
        text("subject"),
        text("body", "raw markup; NULL: not fetched yet, or ESI has none"),
        flag("is_read"),
        text("labels", "apart by commas"),
        time("deleted_at", "when it was seen to be gone; NULL: still there"),
    ),
    (("mail AS o", _mail),),
)


def _notifications(b: Branch) -> Mapping[str, str]:
    return {
        **me(b),
        "notification_id": "o.notification_id",
        "sent_at": "o.sent_at",
        "type": "o.type",
        "sender": b.name("o.sender_id", ""),
        "sender_type": "o.sender_type",
        "is_read": "COALESCE(o.is_read, false)",
        "text": "o.text",
    }


NOTIFICATIONS = View(
    "v_notifications",
    "What the game told a character",
    (
        *CHARACTER,
        integer("notification_id"),
        time("sent_at"),
        text("type"),
        text("sender"),
        text("sender_type"),
        flag("is_read"),
        text("text", "YAML, raw"),
    ),
    (("character_notification AS o", _notifications),),
)


def _calendar(b: Branch) -> Mapping[str, str]:
    detail = b.join(
        "calendar_event_detail", "character_id = o.character_id AND {}.event_id", "o.event_id"
    )
    return {
        **me(b),
        "event_id": "o.event_id",
        "event_at": "o.event_at",
        "title": "o.title",
        "state": f"CASE WHEN o.event_at <= {b.now} THEN 'past'"
        " WHEN o.closed_at IS NOT NULL THEN 'called off' ELSE 'coming' END",
        "response": "o.response",
        "event_owner": f"{detail}.owner_name",
        "duration": f"{detail}.duration",
        "text": f"{detail}.text",
    }


CALENDAR = View(
    "v_calendar",
    "Events of the calendar",
    (
        *CHARACTER,
        integer("event_id"),
        time("event_at"),
        text("title"),
        text("state", "coming, past, or called off (no longer listed before its time)"),
        text("response", "accepted, declined, tentative or not_responded"),
        text("event_owner"),
        integer("duration", "minutes"),
        text("text", "raw"),
    ),
    (("calendar_event AS o", _calendar),),
)

VIEWS = (MAIL, NOTIFICATIONS, CALENDAR)
