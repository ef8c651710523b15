"""Which ids are asked about: those put down as rows were written, and those whose names are old.

Rows written before their columns said that their ids have names, or by other programs, are found
by looking through the tables now and then, a slice at a time.
"""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, timedelta
from functools import partial

from sqlalchemy import Connection, Table, delete, exists, select

from jobs.kinds._batches import slices
from jobs.kinds._unknown_ids import forget_unknown, waits
from jobs.spec import Context, Row, Target, Write
from jobs.store import wanted
from jobs.store.moments import is_old
from jobs.store.schema.mail import mailing_list
from jobs.store.schema.universe import name, name_search, wanted_id
from jobs.store.walk import position_of, slice_after
from jobs.store.wanted import BY_NAME, NOT_BY_NAME

# A name is asked for again after this: characters, corporations and alliances can get new ones.
NAMES_AGE = timedelta(days=7)
# A table is looked through again after this, and when its columns say something new.
SEARCH_AGE = timedelta(days=7)
# Rows of one read, and of one run.
SLICE = 20_000
MAX_SEARCHED = 10 * SLICE

SEARCH = Target(name_search, key=("table_name",), write=Write.UPSERT)


async def wanted_ids(context: Context, category: str, limit: int) -> list[int]:
    """Return ids of a category that are put down and were not refused lately, up to a limit."""
    if category == BY_NAME:
        lists = await context.read(_mailing_lists)
        if lists:
            # They have names, but no route knows them by their ids alone.
            await context.write(lambda connection: no_longer_wanted(connection, BY_NAME, lists))
    return await context.read(partial(_wanted_ids, category, context.now(), limit))


def _wanted_ids(category: str, now: datetime, limit: int, connection: Connection) -> list[int]:
    w = wanted_id.c
    query = (
        select(w.id)
        .where(w.category == category, ~waits(category, w.id, now))
        .order_by(w.id)
        .limit(limit)
    )
    return list(connection.scalars(query))


def _mailing_lists(connection: Connection) -> list[int]:
    w = wanted_id.c
    known = exists().where(mailing_list.c.mailing_list_id == w.id)
    return list(connection.scalars(select(w.id).where(w.category == BY_NAME, known)))


def no_longer_wanted(connection: Connection, category: str, ids: Sequence[int]) -> None:
    """Strike ids off: what was to be known of them is stored."""
    w = wanted_id.c
    for some in slices(ids):
        connection.execute(delete(wanted_id).where(w.category == category, w.id.in_(some)))
    forget_unknown(connection, category, ids)


def aged(connection: Connection, now: datetime, limit: int) -> list[int]:
    """Return ids whose names are old, oldest first; those of the universe never change."""
    query = (
        select(name.c.id)
        .where(
            is_old(name.c.checked_at, now, NAMES_AGE),
            name.c.category.not_in([n.value for n in NOT_BY_NAME]),
            ~waits(BY_NAME, name.c.id, now),
        )
        .order_by(name.c.checked_at, name.c.id)
        .limit(limit)
    )
    return list(connection.scalars(query))


async def look_through(context: Context) -> bool:
    """Look through the tables that are due, as far as one run may; tell whether some are left."""
    search = _Search(context)
    done = await context.read(_searches)
    left = False
    for table in wanted.searched():
        state = done.get(table.name)
        marks = wanted.marks_of(table)
        if state is None or state["marks"] != marks:
            state = {"marks": marks, "position": None, "finished_at": None}
        elif state["position"] is None and context.now() - state["finished_at"] < SEARCH_AGE:
            continue
        left = not await search.go_on(table, state)
        if left:
            break
    await search.store()
    return left


class _Search:
    """One run through the tables: what it found, and how far it came, until both are stored."""

    def __init__(self, context: Context) -> None:
        self._context = context
        self._rows = 0
        self._unstored = 0
        self._found: list[wanted.Wanted] = []
        self._states: dict[str, Row] = {}

    async def go_on(self, table: Table, state: Row) -> bool:
        """Go on where an earlier run ended; tell whether the end was reached."""
        position: str | None = state["position"]
        while self._rows < MAX_SEARCHED and self._context.budget_s > 0:
            found, count, position = await self._context.read(partial(_read_slice, table, position))
            self._found.append(found)
            self._rows += count
            self._unstored += count
            state = {**state, "table_name": table.name, "position": position}
            if position is None:
                state = {**state, "finished_at": self._context.now()}
            self._states[table.name] = state
            if self._unstored >= SLICE:
                await self.store()
            if position is None:
                return True
        return False

    async def store(self) -> None:
        """Put down the ids found, together with how far that was."""
        if self._states:
            await self._context.write(self._write)
        self._states, self._found, self._unstored = {}, [], 0

    def _write(self, connection: Connection) -> None:
        for found in self._found:
            wanted.note(connection, found)
        self._context.apply(connection, SEARCH, list(self._states.values()), {})


def _read_slice(
    table: Table, position: str | None, connection: Connection
) -> tuple[wanted.Wanted, int, str | None]:
    columns = wanted.marked(table)
    query = slice_after(
        table, [table.c[each].label(f"_{each}") for each in columns], position, SLICE
    )
    rows = connection.execute(query).all()
    keys = len(table.primary_key.columns)
    found = wanted.ids_in(table, columns, [tuple(row)[keys:] for row in rows])
    position = position_of(table, rows[-1]) if len(rows) == SLICE else None
    return found, len(rows), position


def _searches(connection: Connection) -> dict[str, Row]:
    rows = connection.execute(select(name_search)).mappings()
    return {row["table_name"]: dict(row) for row in rows}
