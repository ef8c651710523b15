"""Alliances: their corporations, logos and contacts."""

from __future__ import annotations

from cli.demo.mirrored import Mirrored, Owners, columns
from cli.demo.tables.contacts import contact_links

TABLES = (
    Mirrored(
        "alliance_corporation",
        "alliance.corporations",
        Owners.ALLIANCES,
        ("corporation_id",),
        documents=lambda answer: [{"corporation_id": one} for one in answer],
    ),
    Mirrored(
        "alliance_icon",
        "alliance.icons",
        Owners.ALLIANCES,
        words={"px64": "px64x64", "px128": "px128x128"},
        own=columns("image_checked_at"),
    ),
    Mirrored("alliance_contact", "alliance.contacts", Owners.ALLIANCES, ("contact_id",)),
    Mirrored(
        "alliance_contact_label_link",
        "alliance.contacts",
        Owners.ALLIANCES,
        ("contact_id", "label_id"),
        documents=contact_links,
    ),
    Mirrored("alliance_contact_label", "alliance.contact_labels", Owners.ALLIANCES, ("label_id",)),
)
