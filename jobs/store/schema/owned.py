"""Short ways to declare tables whose rows belong to one subject."""

from __future__ import annotations

from typing import Any

from sqlalchemy import Column, Table
from sqlalchemy.schema import SchemaItem

from ipc.subject import SubjectType
from jobs.store.schema.marks import Names, NamesBy, name_of, owned_by
from jobs.store.schema.types import Id, metadata


def owned_table(name: str, owner: SubjectType, *items: SchemaItem, comment: str) -> Table:
    """Return a table whose key begins with its owner's id."""
    return Table(
        name,
        metadata,
        Column(f"{owner}_id", Id, primary_key=True, autoincrement=False),
        *items,
        comment=comment,
        info=owned_by(owner),
    )


def key_id(name: str, names: Names | NamesBy | None = None, comment: str = "") -> Column[Any]:
    """Return a column of the key that holds an id, and what the id names if it has a name."""
    info = {} if names is None else name_of(names)
    return Column(
        name, Id, primary_key=True, autoincrement=False, info=info, comment=comment or None
    )


def an_id(
    name: str, names: Names | NamesBy | None = None, comment: str = "", *, needed: bool = True
) -> Column[Any]:
    """Return a column that holds an id beside the key."""
    info = {} if names is None else name_of(names)
    return Column(name, Id, nullable=not needed, info=info, comment=comment or None)
