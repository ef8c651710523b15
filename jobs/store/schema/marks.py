"""What a mirror table and its columns say of themselves: whose rows they are, what an id names.

Forgetting a subject and resolving names read these marks, so a new table joins in by itself.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from typing import Any

from sqlalchemy import Column, MetaData, Table

from ipc.subject import SubjectType

# Rows that belong to nobody in particular: they stay when a subject is forgotten.
SHARED: Mapping[str, Any] = {"shared": True}


class Names(StrEnum):
    """What the id in a column names."""

    CHARACTER = "character"
    CORPORATION = "corporation"
    ALLIANCE = "alliance"
    FACTION = "faction"
    # Any of the four above; ESI does not say which.
    ENTITY = "entity"
    TYPE = "type"
    GROUP = "group"
    CATEGORY = "category"
    SYSTEM = "system"
    CONSTELLATION = "constellation"
    REGION = "region"
    STATION = "station"
    PLANET = "planet"
    MOON = "moon"
    # What players have built; only who may dock there learns its name.
    STRUCTURE = "structure"
    # A station, a system, a structure or an item; the number tells.
    LOCATION = "location"


@dataclass(frozen=True, slots=True)
class NamesBy:
    """The id's meaning stands in another column of the row; words not listed name nothing."""

    column: str
    meanings: tuple[tuple[str, Names], ...]


def owned_by(owner: SubjectType) -> dict[str, Any]:
    """Return the mark of a table whose rows belong to one subject, named by its id column."""
    return {"owner": owner.value}


def name_of(names: Names | NamesBy) -> dict[str, Any]:
    """Return the mark of a column whose ids have names."""
    return {"name_of": names}


def owner_column(table: Table) -> str | None:
    """Return the column that tells whose a row is; None for shared and internal tables."""
    owner = table.info.get("owner")
    return None if owner is None else f"{owner}_id"


def named_columns(metadata: MetaData) -> list[tuple[Table, Column[Any], Names | NamesBy]]:
    """Return every column whose ids have names, in a stable order."""
    return [
        (table, column, column.info["name_of"])
        for table in metadata.sorted_tables
        for column in table.columns
        if "name_of" in column.info
    ]
