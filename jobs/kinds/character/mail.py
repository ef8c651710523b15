"""A character's mail: headers, labels, lists, and each body once.

Headers come newest first. Most runs read back to the first known one; once a day all are read,
because read marks, labels and deletions show only there. Both commit as they go and stop early.
"""

from __future__ import annotations

from datetime import timedelta

from msgspec.structs import asdict

from ipc.subject import SubjectType
from jobs.kinds.character import _mail_bodies, _mail_headers
from jobs.spec import Kind, Params, Part, Route, Row, Target, Wire, Write
from jobs.store.schema.mail import mail_label, mail_unread, mailing_list

SCOPES = frozenset({"esi-mail.read_mail.v1"})


class Label(Wire, frozen=True):
    """One label; those of the system are not listed."""

    label_id: int | None = None
    name: str | None = None
    color: str | None = None
    unread_count: int | None = None


class Labels(Wire, frozen=True):
    """What GET /characters/{character_id}/mail/labels tells."""

    labels: tuple[Label, ...] = ()
    total_unread_count: int | None = None


class MailingList(Wire, frozen=True):
    """One list that the character reads."""

    mailing_list_id: int
    name: str


def label_rows(answer: Labels, params: Params) -> list[Row]:
    """Return a row for each label that has an id."""
    return [asdict(label) for label in answer.labels if label.label_id is not None]


def unread_rows(answer: Labels, params: Params) -> list[Row]:
    """Return the one row with the sum."""
    return [{"total_unread_count": answer.total_unread_count}]


KIND = Kind(
    name="character.mail",
    subject=SubjectType.CHARACTER,
    feature="mail",
    every=timedelta(minutes=5),
    summary="Mail with recipients, labels, mailing lists and bodies.",
    parts=(
        Part(
            name="lists",
            route=Route(
                "GET",
                "/characters/{character_id}/mail/lists",
                cache_age_s=120,
                rate_group="char-social",
            ),
            wire=MailingList,
            scopes=SCOPES,
            targets=(
                Target(mailing_list, key=("character_id", "mailing_list_id"), write=Write.REPLACE),
            ),
        ),
        Part(
            name="labels",
            route=Route(
                "GET",
                "/characters/{character_id}/mail/labels",
                cache_age_s=30,
                rate_group="char-social",
            ),
            wire=Labels,
            many=False,
            scopes=SCOPES,
            targets=(
                Target(
                    mail_label,
                    key=("character_id", "label_id"),
                    write=Write.REPLACE,
                    rows=label_rows,
                ),
                Target(mail_unread, key=("character_id",), write=Write.UPSERT, rows=unread_rows),
            ),
        ),
        Part(
            name="headers",
            route=_mail_headers.HEADERS,
            wire=_mail_headers.Header,
            scopes=SCOPES,
            targets=(_mail_headers.MAILS, _mail_headers.RECIPIENTS, _mail_headers.LINKS),
            run=_mail_headers.sync_headers,
        ),
        Part(
            name="bodies",
            route=_mail_bodies.BODY,
            wire=_mail_bodies.Body,
            many=False,
            scopes=SCOPES,
            targets=(_mail_bodies.BODIES,),
            run=_mail_bodies.sync_bodies,
        ),
    ),
)
