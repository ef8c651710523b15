"""Contacts and standings."""

from __future__ import annotations

from collections.abc import Iterable

from cli.demo.mirrored import Answer, Document, Mirrored, Owners


def contact_links(answer: Answer) -> Iterable[Document]:
    """Yield a row for each label on each contact."""
    for one in answer:
        for label_id in one.get("label_ids", ()):
            yield {"contact_id": one["contact_id"], "label_id": label_id}


TABLES = (
    Mirrored("character_contact", "character.contacts", Owners.CHARACTERS, ("contact_id",)),
    Mirrored(
        "character_contact_label_link",
        "character.contacts",
        Owners.CHARACTERS,
        ("contact_id", "label_id"),
        documents=contact_links,
    ),
    Mirrored(
        "character_contact_label", "character.contact_labels", Owners.CHARACTERS, ("label_id",)
    ),
    Mirrored(
        "character_standing", "character.standings", Owners.CHARACTERS, ("from_type", "from_id")
    ),
    Mirrored("corporation_contact", "corporation.contacts", Owners.CORPORATIONS, ("contact_id",)),
    Mirrored(
        "corporation_contact_label_link",
        "corporation.contacts",
        Owners.CORPORATIONS,
        ("contact_id", "label_id"),
        documents=contact_links,
    ),
    Mirrored(
        "corporation_contact_label",
        "corporation.contact_labels",
        Owners.CORPORATIONS,
        ("label_id",),
    ),
    Mirrored(
        "corporation_standing",
        "corporation.standings",
        Owners.CORPORATIONS,
        ("from_type", "from_id"),
    ),
)
