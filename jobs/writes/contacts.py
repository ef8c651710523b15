"""The writes that concern contacts: add, edit, remove, and add from a list that is kept here."""

from __future__ import annotations

from datetime import timedelta
from functools import partial

from jobs.store.schema.contacts import character_contact, character_contact_label_link
from jobs.writes import _contact_mirror as mirror
from jobs.writes import _contact_payloads as payloads
from jobs.writes import _contact_requests as requests
from jobs.writes._contact_payloads import Add, Edit, Remove
from jobs.writes.kind import WriteKind

# The list of contacts is cached for 300 s.
LAG = timedelta(minutes=7)


_change = partial(
    WriteKind,
    scopes=frozenset({"esi-characters.write_contacts.v1"}),
    dedupe=payloads.key_of,
    target=payloads.target,
    split=payloads.split,
    compensate=mirror.restore,
    rest=mirror.rest,
    tables=frozenset({character_contact.name, character_contact_label_link.name}),
    reads=(requests.LIST,),
    lag=LAG,
)
# Contacts have a standing after it, and labels.
_set = partial(
    _change, confirm=mirror.take_off_labels, verify=requests.verify, shows=mirror.shows_set
)


def _adding(name: str, summary: str, feature: str) -> WriteKind:
    return _set(
        name=name,
        summary=summary,
        feature=feature,
        payload=Add,
        routes=(requests.ADD,),
        admit=payloads.admit,
        apply=mirror.apply_add,
        execute=requests.add,
    )


KINDS = (
    _adding("contact.add", "Add contacts.", "contacts"),
    _set(
        name="contact.edit",
        summary="Change standing, watch and labels of contacts.",
        feature="contacts",
        payload=Edit,
        routes=(requests.EDIT,),
        admit=payloads.admit_edit,
        apply=mirror.apply_edit,
        execute=requests.edit,
    ),
    _change(
        name="contact.remove",
        summary="Remove contacts.",
        feature="contacts",
        payload=Remove,
        routes=(requests.REMOVE,),
        apply=mirror.apply_remove,
        execute=requests.remove,
        shows=mirror.shows_removed,
    ),
    _adding(
        "contact.sync_add",
        "Add contacts of a list that is kept here; what the kind character.contact_sync asks for.",
        "contact_sync",
    ),
)
