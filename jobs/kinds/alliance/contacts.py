"""Contacts of an alliance and the labels on them."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds._contacts import Contact, contact_parts
from jobs.spec import Kind

KIND = Kind(
    name="alliance.contacts",
    subject=SubjectType.ALLIANCE,
    feature="contacts",
    every=timedelta(minutes=5),
    summary="Contacts with standings and labels.",
    parts=contact_parts(
        SubjectType.ALLIANCE,
        scope="esi-alliances.read_contacts.v1",
        rate_group="alliance-social",
        wire=Contact,
    ),
)
