"""Stored rows that must stay though a set does not show them: theirs may be the rows unread.

A row that could not be read or stored may still tell which it is. Then that one alone is spared,
and what else is absent is gone.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from jobs.store.conversion import convert
from jobs.store.errors import UnfitValue

if TYPE_CHECKING:
    from jobs.spec import Target

# Fields of a row that could be read on their own, by name.
Unread = Mapping[str, Any]
Key = tuple[Any, ...]


@dataclass(frozen=True, slots=True)
class Spares:
    """Keys of a table whose rows stay, as far as they are known: places in the key, and values."""

    groups: tuple[tuple[tuple[int, ...], frozenset[Key]], ...] = ()

    def __bool__(self) -> bool:
        """Tell whether there are any."""
        return bool(self.groups)

    def keep(self, key: Key) -> bool:
        """Tell whether the row of a key stays."""
        return any(
            tuple(key[place] for place in places) in values for places, values in self.groups
        )


def spares_of(
    target: Target,
    fixed: Mapping[str, Any],
    dialect: str,
    unread: Sequence[Unread],
    left_out: Sequence[Unread],
) -> Spares | None:
    """Return the rows that must stay; None when one cannot be told, and so none may be removed.

    unread: rows of the answer, of which a table may get many; left_out: rows of the table itself.
    """
    own = [name for name in target.key if name not in fixed]
    # What becomes of an answer's row is known by the first column of the key, and no further.
    found = [
        _group(target, own if target.rows is None else own[:1], dialect, unread),
        _group(target, own, dialect, left_out),
    ]
    groups = [group for group in found if group is not None]
    if len(groups) < len(found):
        return None
    return Spares(tuple(group for group in groups if group[1]))


def _group(
    target: Target, names: Sequence[str], dialect: str, rows: Sequence[Unread]
) -> tuple[tuple[int, ...], frozenset[Key]] | None:
    keys: set[Key] = set()
    for row in rows:
        if not names or any(row.get(name) is None for name in names):
            return None
        try:
            keys.add(
                tuple(convert(target.table.c[name], dialect, [row[name]])[0] for name in names)
            )
        except UnfitValue:
            return None
    return tuple(target.key.index(name) for name in names), frozenset(keys)
