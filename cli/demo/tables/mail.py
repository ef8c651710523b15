"""Mail."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners, columns

# How far back each mailbox was walked.
OWN = ("mail_walk",)


def _recipients(answer: Answer) -> Iterable[Document]:
    for mail in answer:
        yield from ({"mail_id": mail["mail_id"], **one} for one in mail["recipients"])


def _label_links(answer: Answer) -> Iterable[Document]:
    for mail in answer:
        yield from ({"mail_id": mail["mail_id"], "label_id": one} for one in mail["labels"])


TABLES = (
    Mirrored(
        "mail",
        "character.mail_headers",
        Owners.CHARACTERS,
        ("mail_id",),
        words={"from_id": "from", "sent_at": "timestamp"},
        times=columns("sent_at"),
        own=columns("body_refusals", "body_due_at"),
    ),
    Mirrored(
        "mail_recipient",
        "character.mail_headers",
        Owners.CHARACTERS,
        ("mail_id", "recipient_id"),
        documents=_recipients,
    ),
    Mirrored(
        "mail_label_link",
        "character.mail_headers",
        Owners.CHARACTERS,
        ("mail_id", "label_id"),
        documents=_label_links,
    ),
    Mirrored("mail_body", "character.mail_bodies", Owners.CHARACTERS, ("mail_id",)),
    Mirrored(
        "mail_label",
        "character.mail_labels",
        Owners.CHARACTERS,
        ("label_id",),
        documents=lambda answer: answer["labels"],
    ),
    Mirrored("mail_unread", "character.mail_labels", Owners.CHARACTERS),
    Mirrored("mailing_list", "character.mail_lists", Owners.CHARACTERS, ("mailing_list_id",)),
)
