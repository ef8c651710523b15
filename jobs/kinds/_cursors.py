"""Lists that ESI pages by cursor: news after one token, history before another.

Rows are ordered by when they last changed, so a row that changes moves to the end of the list: what
comes after a token replaces what is stored, what comes before one does not. Both tokens are stored
in the transaction of the rows, so a walk that was cut off goes on where it was. A page without
rows is the end only where it names no other place to go on, and one whose rows cannot be read is
stepped over.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from sqlalchemy import ColumnElement, Connection, delete, select

from jobs.errors import Gone, NoneReadable, Refused
from jobs.spec import Context, Params, PartResult, Route, Target, Wire, Write
from jobs.store.schema.projects import corporation_cursor, public_cursor

# The most that ESI takes.
LIMIT = (("limit", "100"),)
# Pages of one run, in each direction.
MAX_PAGES = 50
# Pages without rows, one after the other, that still name a place to go on.
MAX_EMPTY = 5

CURSORS = Target(corporation_cursor, key=("corporation_id", "section"), write=Write.UPSERT)
PUBLIC_CURSORS = Target(public_cursor, key=("section",), write=Write.UPSERT)


class Cursor(Wire, frozen=True):
    """The tokens of a page; a page without rows may have none."""

    before: str | None = None
    after: str | None = None


@dataclass(frozen=True, slots=True)
class Page:
    """Rows of one page, oldest first, and the tokens around them; an empty token is none."""

    rows: Sequence[Any]
    before: str | None
    after: str | None
    # It had rows, none of which could be read.
    unreadable: bool = False

    @property
    def is_empty(self) -> bool:
        """Tell whether it had no rows at all."""
        return not self.rows and not self.unreadable


@dataclass(frozen=True, slots=True)
class Walk:
    """How far a list was read; before None: to its beginning."""

    after: str | None = None
    before: str | None = None


AskPage = Callable[[Params], Awaitable[Page]]
# Writes rows; older: they came before a token, and what is stored may be newer.
StoreRows = Callable[[Connection, Sequence[Any], bool], int]


def asking_pages(context: Context, route: Route, wire: Any, params: Params) -> AskPage:
    """Return what asks for one page; the wire type has the fields rows and cursor."""

    async def ask(place: Params) -> Page:
        unreadable = False
        try:
            told = (await context.fetch(route, {**params, **place}, wire, keep_state=False)).value
        except NoneReadable as error:
            if error.rest is None:
                raise
            # It would be the same the next time, and what lies behind it would never be reached.
            context.skip(error.rows)
            told, unreadable = error.rest, True
        cursor: Cursor = told.cursor or Cursor()
        return Page(told.rows, cursor.before or None, cursor.after or None, unreadable)

    return ask


class CursorList:
    """One list, read by cursor from run to run."""

    def __init__(
        self,
        context: Context,
        section: str,
        ask: AskPage,
        store: StoreRows,
        form: int,
        cursors: Target = CURSORS,
    ) -> None:
        """Take what asks and what stores; another form of the rows is read from the start."""
        self._context = context
        self._section = section
        self._ask = ask
        self._store = store
        self._form = form
        self._cursors = cursors
        self._rows = 0
        self._more_news = False
        # It went on where an earlier run had ended.
        self.resumed = False

    async def sync(self) -> PartResult:
        """Read the news, then on through history, as far as one run may."""
        walk = await self._context.read(self._load)
        self.resumed = walk.after is not None
        try:
            walk = await self._news(walk) if walk.after is not None else await self._begin()
            walk = await self._history(walk)
        except (Gone, Refused):
            # A token that ESI takes no longer would be refused for ever.
            await self._context.write(self._forget)
            raise
        return PartResult(rows=self._rows, left=self._more_news + (walk.before is not None))

    async def _begin(self) -> Walk:
        page = await self._ask({})
        return await self._keep(page, Walk(page.after, page.before), older=False)

    async def _news(self, walk: Walk) -> Walk:
        empty = 0
        for _ in range(MAX_PAGES):
            asked = walk.after
            page = await self._ask({"after": str(asked)})
            empty = empty + 1 if page.is_empty else 0
            walk = replace(walk, after=page.after or asked)
            if page.rows or walk.after != asked:
                walk = await self._keep(page, walk, older=False)
            if walk.after == asked or empty > MAX_EMPTY:
                return walk
        self._more_news = True
        return walk

    async def _history(self, walk: Walk) -> Walk:
        pages = empty = 0
        while walk.before is not None and pages < MAX_PAGES and self._context.budget_s > 0:
            page = await self._ask({"before": walk.before})
            pages, empty = pages + 1, empty + 1 if page.is_empty else 0
            ends = page.before == walk.before or empty > MAX_EMPTY
            walk = replace(walk, before=None if ends else page.before)
            walk = await self._keep(page, walk, older=True)
        return walk

    async def _keep(self, page: Page, walk: Walk, *, older: bool) -> Walk:
        def write(connection: Connection) -> int:
            row = {
                "section": self._section,
                "after_token": walk.after,
                "before_token": walk.before,
                "form": self._form,
            }
            changed = self._store(connection, page.rows, older)
            self._context.apply(connection, self._cursors, [row], {})
            return changed

        self._rows += await self._context.write(write)
        return walk

    def _load(self, connection: Connection) -> Walk:
        c = self._cursors.table.c
        row = connection.execute(
            select(c.after_token, c.before_token).where(*self._mine(), c.form == self._form)
        ).first()
        return Walk() if row is None else Walk(row.after_token, row.before_token)

    def _forget(self, connection: Connection) -> None:
        connection.execute(delete(self._cursors.table).where(*self._mine()))

    def _mine(self) -> list[ColumnElement[bool]]:
        c = self._cursors.table.c
        owned = [c.corporation_id == self._context.subject.id] if "corporation_id" in c else []
        return [*owned, c.section == self._section]
