"""How the rows of a table follow from the universe: the words of both sides, and what differs."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

Answer = Any
Document = Mapping[str, Any]


class Owners(StrEnum):
    """For whom a section is asked."""

    CHARACTERS = "character_id"
    CORPORATIONS = "corporation_id"
    ALLIANCES = "alliance_id"
    # Once for each wallet division of each corporation.
    DIVISIONS = "division"
    # Once for each region, structure, or region and type that is watched.
    REGIONS = "region_id"
    STRUCTURES = "structure_id"
    TRADE = "type_id"
    # Once, for nobody.
    NOBODY = ""
    # Once for each id that the table's key has; such rows are shared.
    ROWS = "rows"


class Extra(StrEnum):
    """Which rows the mirror may hold beyond those that the universe shows now."""

    NONE = "none"
    # Rows older than the oldest shown: ESI forgets them, the mirror does not.
    OLDER = "older"
    # Any but the newest: the table is a history of what was seen.
    HISTORY = "history"
    # Rows that are marked as closed: ESI lists them no more, the mirror keeps them.
    CLOSED = "closed"
    # Rows of things, told by `age`, of which nothing is shown.
    OTHERS = "others"


@dataclass(frozen=True, slots=True)
class Mirrored:
    """How the rows of one table follow from one section of the universe's model."""

    table: str
    section: str
    owners: Owners
    # Besides the owner's column.
    key: tuple[str, ...] = ()
    # Column -> the universe's word, where they differ.
    words: Mapping[str, str] = field(default_factory=dict)
    times: frozenset[str] = frozenset()
    money: frozenset[str] = frozenset()
    # Columns that the mirror fills by itself.
    own: frozenset[str] = frozenset()
    extra: Extra = Extra.NONE
    # The column by which OLDER and HISTORY tell age, and OTHERS what a row is of.
    age: str = ""
    # Columns by which ESI answers one by one: OLDER is told within each of them.
    each: tuple[str, ...] = ()
    # A second section of the same owner that the rows depend on.
    beside: str = ""
    # Answer (and the one beside it) -> documents, where it is no list of them or a single one.
    documents: Callable[..., Iterable[Document]] | None = None


def columns(*names: str) -> frozenset[str]:
    """Return the names of columns as a set."""
    return frozenset(names)


def each_inner(
    outer: str, inner: str, *, numbered: bool = False
) -> Callable[..., Iterable[Document]]:
    """Return what makes a row of each thing in a list within each row, beside the row's id."""

    def documents(answer: Answer) -> Iterable[Document]:
        for one in answer:
            for position, thing in enumerate(one.get(inner, ())):
                yield {
                    outer: one[outer],
                    "awarded_at": one.get("date"),
                    **thing,
                    **({"position": position} if numbered else {}),
                }

    return documents
