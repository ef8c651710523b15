"""Which structures a character asks about: those that its rows name and that nobody knows yet.

Its corporation's rows count as its own: somebody has to ask for them.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from functools import lru_cache, partial
from typing import Any

from sqlalchemy import (
    BindParameter,
    ColumnElement,
    Connection,
    Select,
    SelectBase,
    bindparam,
    exists,
    or_,
    select,
    union,
)

from jobs.kinds._unknown_ids import LONGEST_REFUSAL, waits_until
from jobs.spec import Context
from jobs.store.moments import is_past, is_to_come
from jobs.store.schema import core, metadata
from jobs.store.schema.assets import character_asset, corporation_asset
from jobs.store.schema.marks import Names, NamesBy, named_columns, owner_column
from jobs.store.schema.structure_names import character_structure_refusal, structure
from jobs.store.schema.structures import corporation_structure
from jobs.store.schema.types import UtcTime

# Structures and items have numbers from here on.
FIRST_ID = 1_000_000_000_000
# A name is asked for again after this: structures can get new ones.
NAMES_AGE = timedelta(days=7)
# What unknown_id calls structures that are not there.
NOT_THERE = "structure"
_NAMING = (Names.LOCATION, Names.STRUCTURE)


def opened(connection: Connection, character_id: int) -> list[int]:
    """Return the corporations that are read through a character."""
    query = (
        select(core.access.c.subject_id)
        .join(core.credential, core.credential.c.id == core.access.c.credential_id)
        .where(
            core.credential.c.character_id == character_id,
            core.access.c.subject_type == "corporation",
        )
        .distinct()
    )
    return list(connection.scalars(query))


async def wanted_structures(context: Context, corporation_ids: Sequence[int]) -> list[int]:
    """Return the structures to ask about.

    Those never asked about come first, those of the character's own rows before the others.
    """
    me = context.subject.id
    # Whether a row of the character itself names it.
    found: dict[int, bool] = {}
    now = context.now()
    values = {
        "me": me,
        "now": now,
        "latest": now + LONGEST_REFUSAL,
        "looked_since": now - NAMES_AGE,
    }
    if corporation_ids:
        values["corporations"] = list(corporation_ids)
    for mine, query in _queries(of_corporations=bool(corporation_ids)):
        # One at a time: each reads all rows of its owners, and others wait meanwhile.
        for one in await context.read(partial(_ids_of, query, values)):
            found[one] = found.get(one, False) or mine
    refused = await context.read(partial(_refused, me))
    return sorted(found, key=lambda one: (refused.get(one, ""), not found[one], one))


def _ids_of(query: Select[Any], values: Mapping[str, Any], connection: Connection) -> list[int]:
    return list(connection.scalars(query, values))


def _refused(character_id: int, connection: Connection) -> dict[int, str]:
    r = character_structure_refusal.c
    rows = connection.execute(
        select(r.structure_id, r.refused_until).where(r.character_id == character_id)
    )
    return {row.structure_id: row.refused_until.isoformat() for row in rows}


@lru_cache(maxsize=2)
def _queries(*, of_corporations: bool) -> tuple[tuple[bool, Select[Any]], ...]:
    """Return the queries, and whether each is of the character's own rows.

    Of those there is one, of corporations' rows one for each column: they may be very many.
    Building them costs more than running them: that is done once.
    """
    return tuple(_build(of_corporations=of_corporations))


def _build(*, of_corporations: bool) -> Iterator[tuple[bool, Select[Any]]]:
    me: BindParameter[Any] = bindparam("me")
    now: BindParameter[Any] = bindparam("now", type_=UtcTime())
    latest: BindParameter[Any] = bindparam("latest", type_=UtcTime())

    def unknown(found: SelectBase) -> Select[Any]:
        ids = found.subquery("found").c.id
        return select(ids).where(
            ~_is_item(ids, me, of_corporations=of_corporations),
            ~_is_known(ids, now),
            ~_is_refused(ids, me, now, latest),
            ~waits_until(NOT_THERE, ids, now, latest),
        )

    own: list[Select[Any]] = []
    for table, column, mark in named_columns(metadata):
        words = _words(mark)
        if words == ():
            continue
        owner = owner_column(table)
        if owner == "character_id":
            whose = table.c[owner] == me
        elif owner == "corporation_id" and of_corporations:
            whose = table.c[owner].in_(_corporations())
        else:
            continue
        conditions = [whose, column >= FIRST_ID]
        if isinstance(mark, NamesBy) and words is not None:
            conditions.append(table.c[mark.column].in_(words))
        named = select(column.label("id")).where(*conditions)
        if owner == "character_id":
            own.append(named)
        else:
            yield False, unknown(named.distinct())
    yield True, unknown(union(*own))


def _words(mark: Names | NamesBy) -> tuple[str, ...] | None:
    """Return under which words a column names structures; (): never, None: always."""
    if isinstance(mark, NamesBy):
        return tuple(word for word, meaning in mark.meanings if meaning in _NAMING)
    return None if mark in _NAMING else ()


def _corporations() -> BindParameter[Any]:
    return bindparam("corporations", expanding=True)


def _is_item(
    ids: ColumnElement[Any], me: BindParameter[Any], *, of_corporations: bool
) -> ColumnElement[bool]:
    """Return whether the number is that of a ship or container of theirs."""
    mine, theirs = character_asset.c, corporation_asset.c
    found: ColumnElement[bool] = exists().where(mine.character_id == me, mine.item_id == ids)
    if not of_corporations:
        return found
    return or_(
        found, exists().where(theirs.corporation_id.in_(_corporations()), theirs.item_id == ids)
    )


def _is_known(ids: ColumnElement[Any], now: BindParameter[Any]) -> ColumnElement[bool]:
    """Return whether a structure was looked at lately, and its owner still lists it."""
    s, own = structure.alias(), corporation_structure.alias()
    looked_since = bindparam("looked_since", type_=UtcTime())
    given_away = exists().where(
        own.c.structure_id == s.c.structure_id,
        own.c.corporation_id == s.c.owner_id,
        own.c.closed_at > s.c.checked_at,
    )
    lately = is_past(s.c.checked_at, looked_since, now)
    return exists().where(s.c.structure_id == ids, lately, ~given_away)


def _is_refused(
    ids: ColumnElement[Any],
    me: BindParameter[Any],
    now: BindParameter[Any],
    latest: BindParameter[Any],
) -> ColumnElement[bool]:
    r = character_structure_refusal.c
    still = is_to_come(r.refused_until, now, latest)
    return exists().where(r.character_id == me, r.structure_id == ids, still)
