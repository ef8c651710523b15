"""Contacts in the mirror, as writes change them at once, and back when they are refused."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import msgspec
from sqlalchemy import Connection, delete, func, insert, select

from ipc.subject import Subject
from jobs.store.inserts import insert as upsert
from jobs.store.schema.contacts import character_contact as contact
from jobs.store.schema.contacts import character_contact_label_link as link
from jobs.store.schema.universe import name

_KINDS = frozenset({"character", "corporation", "alliance", "faction"})
# Numbers given out since 2010 tell what they are of; older ones do not.
_RANGES = (
    (range(500_000, 600_000), "faction"),
    (range(1_000_000, 2_000_000), "corporation"),
    (range(90_000_000, 98_000_000), "character"),
    (range(98_000_000, 99_000_000), "corporation"),
    (range(99_000_000, 100_000_000), "alliance"),
    (range(2_100_000_000, 2_147_483_648), "character"),
)
_CHUNK = 500
# ESI counts in single precision.
_ALIKE = 1e-3


class Was(msgspec.Struct, frozen=True):
    """A contact as the mirror had it; without a standing it had none."""

    contact_id: int
    standing: float | None = None
    contact_type: str | None = None
    is_watched: bool | None = None
    is_blocked: bool | None = None
    label_ids: tuple[int, ...] = ()


def read(connection: Connection, subject: Subject, ids: Sequence[int]) -> tuple[Was, ...]:
    """Return what the mirror holds of these contacts, in their order."""
    found: dict[int, Was] = {}
    labels: dict[int, list[int]] = {}
    for some in _chunks(ids):
        links = select(link.c.contact_id, link.c.label_id).where(
            link.c.character_id == subject.id, link.c.contact_id.in_(some)
        )
        for contact_id, label_id in connection.execute(links.order_by(link.c.label_id)):
            labels.setdefault(contact_id, []).append(label_id)
        for row in connection.execute(
            select(contact).where(
                contact.c.character_id == subject.id, contact.c.contact_id.in_(some)
            )
        ):
            found[row.contact_id] = Was(
                row.contact_id,
                row.standing,
                row.contact_type,
                row.is_watched,
                row.is_blocked,
                tuple(labels.get(row.contact_id, ())),
            )
    return tuple(found.get(one) or Was(one) for one in ids)


def count(connection: Connection, subject: Subject) -> int:
    """Return how many contacts the mirror holds."""
    query = select(func.count()).select_from(contact).where(contact.c.character_id == subject.id)
    return connection.scalar(query) or 0


def put(connection: Connection, subject: Subject, rows: Iterable[Was]) -> None:
    """Make contacts what these say; one without a standing is removed."""
    rows = list(rows)
    remove(connection, subject, [row.contact_id for row in rows if row.standing is None])
    kept = [row for row in rows if row.standing is not None]
    kinds = _kinds(connection, [row.contact_id for row in kept if row.contact_type is None])
    for row in kept:
        kind = row.contact_type or kinds.get(row.contact_id)
        if kind is None:
            # Nobody can tell what it is: it comes with the next list of contacts.
            continue
        values = {
            "contact_type": kind,
            "standing": row.standing,
            "is_watched": row.is_watched,
            "is_blocked": row.is_blocked,
        }
        statement = upsert(connection, contact).values(
            character_id=subject.id, contact_id=row.contact_id, **values
        )
        connection.execute(
            statement.on_conflict_do_update(
                index_elements=["character_id", "contact_id"], set_=values
            )
        )
        connection.execute(
            delete(link).where(
                link.c.character_id == subject.id, link.c.contact_id == row.contact_id
            )
        )
        if row.label_ids:
            connection.execute(
                insert(link),
                [
                    {"character_id": subject.id, "contact_id": row.contact_id, "label_id": one}
                    for one in dict.fromkeys(row.label_ids)
                ],
            )


def remove(connection: Connection, subject: Subject, ids: Sequence[int]) -> None:
    """Remove contacts with their labels."""
    for some in _chunks(ids):
        for table in (link, contact):
            connection.execute(
                delete(table).where(
                    table.c.character_id == subject.id, table.c.contact_id.in_(some)
                )
            )


def is_alike(one: float | None, other: float) -> bool:
    """Tell whether two standings are the same."""
    return one is not None and abs(one - other) < _ALIKE


def _kinds(connection: Connection, ids: Sequence[int]) -> dict[int, str]:
    """Return what ids are of, as far as that is known."""
    found: dict[int, str] = {}
    for one in ids:
        for numbers, kind in _RANGES:
            if one in numbers:
                found[one] = kind
    for some in _chunks([one for one in ids if one not in found]):
        query = select(name.c.id, name.c.category).where(name.c.id.in_(some))
        for row in connection.execute(query):
            if row.category in _KINDS:
                found[row.id] = row.category
    return found


def _chunks(ids: Sequence[int]) -> Iterable[Sequence[int]]:
    for at in range(0, len(ids), _CHUNK):
        yield ids[at : at + _CHUNK]
