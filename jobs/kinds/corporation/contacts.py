"""Contacts of a corporation and the labels on them."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._contacts import WatchedContact, contact_parts
from jobs.spec import Kind

KIND = Kind(
    name="corporation.contacts",
    subject=SubjectType.CORPORATION,
    feature="contacts",
    every=timedelta(hours=1),
    summary="Contacts with standings and labels.",
    parts=contact_parts(
        SubjectType.CORPORATION,
        scope="esi-corporations.read_contacts.v1",
        rate_group="corp-social",
        wire=WatchedContact,
    ),
)
