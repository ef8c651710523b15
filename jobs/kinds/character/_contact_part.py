"""The parts that mirror contacts: for themselves, and before lists are pushed."""

from __future__ import annotations

from ipc.subject import SubjectType
from jobs.kinds._contacts import WatchedContact, contact_parts


class PersonalContact(WatchedContact, frozen=True):
    """One contact of a character, which can be blocked."""

    is_blocked: bool | None = None


CONTACTS, LABELS = contact_parts(
    SubjectType.CHARACTER,
    scope="esi-characters.read_contacts.v1",
    rate_group="char-social",
    wire=PersonalContact,
)
