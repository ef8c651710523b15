"""Contacts of a character and the labels on them."""

from __future__ import annotations

from datetime import timedelta

from ipc.subject import SubjectType
from jobs.kinds.character._contact_part import CONTACTS, LABELS
from jobs.spec import Kind

KIND = Kind(
    name="character.contacts",
    subject=SubjectType.CHARACTER,
    feature="contacts",
    every=timedelta(hours=1),
    summary="Contacts with standings and labels.",
    parts=(CONTACTS, LABELS),
)
