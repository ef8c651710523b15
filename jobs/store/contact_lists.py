"""Lists of contacts that are kept here: who is on them, and for whom they are."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from datetime import datetime

from sqlalchemy import Connection, delete, func, select

from jobs.store.inserts import insert
from jobs.store.schema.contact_lists import (
    contact_list,
    contact_list_character,
    contact_list_entry,
)


@dataclass(frozen=True, slots=True)
class ContactList:
    """One list, with its contacts and the characters that it is for."""

    name: str
    standing: float
    is_watched: bool
    contact_ids: tuple[int, ...]
    character_ids: tuple[int, ...]


def every(connection: Connection) -> list[ContactList]:
    """Return all lists by name."""
    contacts: dict[str, list[int]] = {}
    entry = contact_list_entry.c
    for name, one in connection.execute(
        select(entry.list_name, entry.contact_id).order_by(entry.contact_id)
    ):
        contacts.setdefault(name, []).append(one)
    characters: dict[str, list[int]] = {}
    served = contact_list_character.c
    for name, one in connection.execute(
        select(served.list_name, served.character_id).order_by(served.character_id)
    ):
        characters.setdefault(name, []).append(one)
    return [
        ContactList(
            row.name,
            row.standing,
            row.is_watched,
            tuple(contacts.get(row.name, ())),
            tuple(characters.get(row.name, ())),
        )
        for row in connection.execute(select(contact_list).order_by(contact_list.c.name))
    ]


def exists(connection: Connection, name: str) -> bool:
    """Tell whether there is a list of that name."""
    query = select(func.count()).select_from(contact_list).where(contact_list.c.name == name)
    return bool(connection.scalar(query))


def save(
    connection: Connection, name: str, standing: float, now: datetime, *, is_watched: bool
) -> None:
    """Make a list, or change what its contacts are to be."""
    values = {"standing": standing, "is_watched": is_watched}
    statement = insert(connection, contact_list).values(name=name, created_at=now, **values)
    connection.execute(statement.on_conflict_do_update(index_elements=["name"], set_=values))


def remove(connection: Connection, name: str) -> None:
    """Delete a list."""
    for table in (contact_list_entry, contact_list_character):
        connection.execute(delete(table).where(table.c.list_name == name))
    connection.execute(delete(contact_list).where(contact_list.c.name == name))


def put(connection: Connection, name: str, contact_ids: Iterable[int]) -> None:
    """Put contacts on a list."""
    for one in contact_ids:
        statement = insert(connection, contact_list_entry).values(list_name=name, contact_id=one)
        connection.execute(
            statement.on_conflict_do_nothing(index_elements=["list_name", "contact_id"])
        )


def take(connection: Connection, name: str, contact_ids: Iterable[int]) -> None:
    """Take contacts off a list."""
    for one in contact_ids:
        connection.execute(
            delete(contact_list_entry).where(
                contact_list_entry.c.list_name == name, contact_list_entry.c.contact_id == one
            )
        )


def assign(connection: Connection, name: str, character_ids: Iterable[int]) -> None:
    """Have a list added to the contacts of characters."""
    for one in character_ids:
        statement = insert(connection, contact_list_character).values(
            character_id=one, list_name=name
        )
        connection.execute(
            statement.on_conflict_do_nothing(index_elements=["character_id", "list_name"])
        )


def unassign(connection: Connection, name: str, character_ids: Iterable[int]) -> None:
    """Have a list added to characters no more."""
    for one in character_ids:
        connection.execute(
            delete(contact_list_character).where(
                contact_list_character.c.list_name == name,
                contact_list_character.c.character_id == one,
            )
        )
