"""Contacts of lists that are kept here, added to the characters that the lists are for.

What is missing is asked for through the outbox. Nothing is changed or removed in the game: a
contact that is there already stays as it is.
"""

from __future__ import annotations

from collections.abc import Mapping
from datetime import datetime, timedelta

import msgspec
from sqlalchemy import Connection, or_, select

from ipc.subject import Subject, SubjectType
from jobs.kinds.character._contact_part import CONTACTS
from jobs.kinds.character._payloads import readable
from jobs.spec import Context, Kind, Part, PartResult
from jobs.store import route_states
from jobs.store.schema.contact_lists import (
    contact_list,
    contact_list_character,
    contact_list_entry,
)
from jobs.store.schema.contacts import character_contact
from jobs.store.schema.core import outbox
from jobs.store.write_status import OPEN

WRITE = "contact.sync_add"
MOST_CONTACTS = 1000
# What was refused, or dropped by a person, is not asked for again before.
LEFT_ALONE_FOR = timedelta(days=1)

# Standing and whether watched, of contacts that are added together.
Manner = tuple[float, bool]


class _Asked(msgspec.Struct):
    contact_ids: tuple[int, ...] = ()


def missing(connection: Connection, subject: Subject, now: datetime) -> dict[Manner, list[int]]:
    """Return the contacts to add; of lists that differ about one, the first by name wins."""
    listed = connection.execute(
        select(contact_list_entry.c.contact_id, contact_list.c.standing, contact_list.c.is_watched)
        .join(contact_list, contact_list.c.name == contact_list_entry.c.list_name)
        .join(contact_list_character, contact_list_character.c.list_name == contact_list.c.name)
        .where(contact_list_character.c.character_id == subject.id)
        .order_by(contact_list.c.name, contact_list_entry.c.contact_id)
    ).all()
    there = set(
        connection.scalars(
            select(character_contact.c.contact_id).where(
                character_contact.c.character_id == subject.id
            )
        )
    )
    room = MOST_CONTACTS - len(there)
    there |= asked_for(connection, subject, now)
    found: dict[Manner, list[int]] = {}
    for contact_id, standing, is_watched in listed:
        if contact_id in there or contact_id == subject.id:
            continue
        if room <= 0:
            break
        room -= 1
        there.add(contact_id)
        found.setdefault((standing, is_watched), []).append(contact_id)
    return found


def asked_for(connection: Connection, subject: Subject, now: datetime) -> set[int]:
    """Return the contacts that were asked for already, and are left alone for now."""
    row = outbox.c
    payloads = connection.scalars(
        select(row.payload).where(
            row.subject_type == subject.type.value,
            row.subject_id == subject.id,
            row.kind == WRITE,
            or_(
                row.status.in_(OPEN),
                row.updated_at > now - LEFT_ALONE_FOR,
            ),
        )
    )
    return {one for asked in readable(payloads, _Asked) for one in asked.contact_ids}


def has_read(connection: Connection, subject: Subject) -> bool:
    """Tell whether the contacts were ever read: else all of them would seem to be missing."""
    assert CONTACTS.route is not None  # noqa: S101 - declared with one
    params = route_states.params_key({"character_id": subject.id})
    return bool(route_states.load(connection, CONTACTS.route.name, params, subject.id))


async def push(context: Context) -> PartResult:
    """Ask for the contacts that are missing."""
    subject, now = context.subject, context.now()
    if not await context.read(lambda connection: has_read(connection, subject)):
        return PartResult(empty=True, note="the contacts were not read yet")

    def ask(connection: Connection) -> int:
        found = missing(connection, subject, now)
        for (standing, is_watched), ids in found.items():
            payload: Mapping[str, object] = {
                "contact_ids": ids,
                "standing": standing,
                "watched": is_watched,
            }
            context.want(connection, WRITE, payload)
        return sum(map(len, found.values()))

    asked = await context.write(ask)
    return PartResult(rows=asked, note=f"{asked} contacts are being added" if asked else "")


KIND = Kind(
    name="character.contact_sync",
    subject=SubjectType.CHARACTER,
    feature="contact_sync",
    off_by_default=True,
    every=timedelta(minutes=5),
    summary="Adds the contacts of lists that are kept here to a character's own; see the outbox.",
    parts=(
        CONTACTS,
        Part(
            name="push",
            scopes=frozenset(
                {"esi-characters.read_contacts.v1", "esi-characters.write_contacts.v1"}
            ),
            run=push,
        ),
    ),
)
