"""What a part of a running job can do: ask ESI, read, write; the Context of jobs.spec."""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from ipc.settings import MarketWatch
from ipc.subject import Subject, SubjectType
from jobs.catalog import load
from jobs.drops import Drop, judge_drop
from jobs.errors import NotReady
from jobs.esi.client import Token
from jobs.esi.decoding import decode_pages
from jobs.esi.paging import BACK_WALKS, Known, Read, read_set
from jobs.esi.vocabulary import unknown_words
from jobs.page_asker import PageAsker
from jobs.remembered import Memory, incomplete, known_of, next_states, still_fresh
from jobs.retention import days_by_table
from jobs.running_job import RunningJob
from jobs.spec import Fetched, KillmailValue, Pages, Params, Part, Route, Row, Target, Write
from jobs.store import grants, route_states, statements, subjects, tally, wanted, writer
from jobs.store.loads import Loads
from jobs.store.spares import Unread
from jobs.store.staging import Staged, staged
from jobs.store.trouble import is_orphan
from jobs.writes.settle import reassert
from jobs.writes.want import want_all

T = TypeVar("T")

# Beyond so many rows, looking through them keeps the loop from its other jobs for too long.
_MANY_ROWS = 2_000
# A long part stops early when this share of its job's time is spent.
_BUDGET_SHARE = 0.75
OWNER_COLUMNS = {
    SubjectType.CHARACTER: "character_id",
    SubjectType.CORPORATION: "corporation_id",
    SubjectType.ALLIANCE: "alliance_id",
}


class JobContext:
    """One for each part of a running job."""

    def __init__(self, job: RunningJob, part: Part, readers: tuple[int, ...]) -> None:
        """Take what the job's parts share, and the credentials of this one."""
        self._job = job
        self._tools = job.tools
        self._part = part
        self._readers = readers
        self._subject = job.order.key.subject
        # States of the requests since the last write, which is to store them.
        self._pending: list[route_states.RouteState] = []
        # They are of answers that brought no rows, some time ago.
        self._unchanged = False
        # Not all that was loaded is stored as it came: what is loaded next must be whole.
        self._held = False
        self.rows_changed = 0
        # Rows left out of what was fetched, of what was written, and of what is still fresh.
        self.skipped = self._unfit = self._known_skipped = 0
        # Words that ESI's contract does not list, in what was fetched and in what is still fresh.
        self.words_unknown = 0
        self.notes: list[str] = []

    # --- what the job is about -------------------------------------------------------------------

    @property
    def subject(self) -> Subject:
        """Return whose data this is."""
        return self._subject

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Return the subjects that a global kind should work on; empty: all."""
        return self._job.order.subjects

    @property
    def part(self) -> Part:
        """Return the part that runs."""
        return self._part

    @property
    def watch(self) -> MarketWatch:
        """Return which markets the configuration says are to be watched."""
        return self._tools.settings.market_watch

    @property
    def retention(self) -> Mapping[str, int]:
        """Return by table how many days its past is kept, where not for ever."""
        settings = self._tools.settings
        return days_by_table(settings.retention, load(settings.kind_packages))

    @property
    def readers(self) -> tuple[int, ...]:
        """Return the credentials that the part may use."""
        return self._readers

    @property
    def budget_s(self) -> float:
        """Return the seconds left before a long part should stop early."""
        spent_s = self._tools.clock.monotonic_s() - self._job.started_s
        return max(0.0, self._job.order.deadline_s * _BUDGET_SHARE - spent_s)

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""
        return self._tools.clock.now()

    def in_doubt(self) -> bool:
        """Tell whether ESI may be down, so that what it refuses is no verdict."""
        return self._tools.gate.in_doubt(self.now())

    def changed(self, part: str) -> bool:
        """Tell whether an earlier part of this run changed rows."""
        return part in self._job.changed

    @property
    def rows_skipped(self) -> int:
        """Return how many rows of this part could not be read or stored."""
        return self.skipped + self._unfit + self._known_skipped

    # --- asking ----------------------------------------------------------------------------------

    async def fetch(
        self,
        route: Route,
        params: Params,
        wire: Any,
        *,
        body: Any = None,
        keep_state: bool = True,
        reader: int = 0,
    ) -> Fetched:
        """Ask ESI for a whole set, with what is remembered of it; see jobs.spec."""
        params = self._completed(route, params)
        token = self._token(reader)
        ask = PageAsker(self._job, route, params, token, body)
        pages = route.pages
        if pages in BACK_WALKS and BACK_WALKS[pages].param in params:
            # The caller walks by itself.
            pages = Pages.NONE
        unread: list[Unread] = []
        if not keep_state or body is not None or route.method != "GET":
            read = await read_set(pages, ask, Known())
            value, skipped = decode_pages(read.bodies, wire, unread)
            self.skipped += skipped
            self.words_unknown += unknown_words(route.name, value)
            return Fetched(
                value, changed=True, fresh_until=_earliest(read), skipped=skipped, unread=unread
            )
        memory = Memory(
            route=route.name,
            params=route_states.params_key({**dict(route.query), **params}),
            owner_id=token.character_id if token else 0,
            revision=f"{self._part.revision}/{self._tools.esi.compatibility_date}",
        )
        states = await self._tools.read(
            lambda conn: route_states.load(conn, memory.route, memory.params, memory.owner_id)
        )
        now = self.now()
        fresh_until = still_fresh(states, memory, now)
        if fresh_until is not None:
            self._known_skipped += states[0].rows_skipped
            self.words_unknown += states[0].words_unknown
            return Fetched(None, changed=False, fresh_until=fresh_until)
        read = await read_set(pages, ask, known_of(states, memory))
        return await self._remember(memory, states, read, wire, params)

    async def _remember(
        self,
        memory: Memory,
        states: list[route_states.RouteState],
        read: Read,
        wire: Any,
        params: Params,
    ) -> Fetched:
        """Return what was read; its states wait for the write that stores its rows."""
        now, fresh_until = self.now(), _earliest(read)
        if read.unchanged:
            self.words_unknown += states[0].words_unknown if states else 0
            self._pending += next_states(memory, states, read, now)
            return Fetched(None, changed=False, fresh_until=fresh_until)
        unread: list[Unread] = []
        value, skipped = decode_pages(read.bodies, wire, unread)
        self.skipped += skipped
        unknown = unknown_words(memory.route, value)
        self.words_unknown += unknown
        drop = await self._judge_drop(memory, states, read, value, params)
        if drop.held:
            self.notes.append(drop.note)
        self._pending += next_states(
            memory,
            states,
            read,
            now,
            keep_validators=not (skipped or drop.held),
            skipped=skipped,
            unknown=unknown,
            mark=drop.mark,
        )
        if drop.held:
            return Fetched(None, changed=False, fresh_until=fresh_until)
        return Fetched(value, changed=True, fresh_until=fresh_until, skipped=skipped, unread=unread)

    async def _judge_drop(
        self,
        memory: Memory,
        states: list[route_states.RouteState],
        read: Read,
        value: Any,
        params: Params,
    ) -> Drop:
        """Ask whether a set that lost nearly all its rows is to be believed already."""
        route = self._part.route
        if route is None or route.name != memory.route:
            # The rows of the part do not come from this request alone.
            return Drop()
        mark = states[0].cursor if states else None
        fixed = self._fixed(params)
        for target in self._part.targets:
            if target.write not in (Write.REPLACE, Write.CLOSE):
                continue
            stored = await self._tools.read(partial(_count, target=target, fixed=fixed))
            if not stored:
                continue
            count = partial(_count_keys, target, value, params)
            is_long = isinstance(value, list) and len(value) > _MANY_ROWS
            new = await asyncio.to_thread(count) if is_long else count()
            now, in_doubt = self.now(), self.in_doubt()
            drop = judge_drop(mark, read.answers[0], stored, new, now, in_doubt=in_doubt)
            if drop.held:
                return drop
        return Drop()

    def _token(self, reader: int) -> Token | None:
        reader = reader or next(iter(self._readers), 0)
        return self._job.tokens.token(reader) if reader else None

    def _completed(self, route: Route, params: Params) -> Params:
        """Return params with the subject's id, where the path asks for it."""
        owner = OWNER_COLUMNS.get(self._subject.type)
        if owner is None or owner in params or "{" + owner + "}" not in route.path:
            return params
        return {owner: self._subject.id, **params}

    def _fixed(self, params: Params) -> Params:
        """Return the columns whose value is the same for all rows of a load."""
        owner = OWNER_COLUMNS.get(self._subject.type)
        return dict(params) if owner is None else {owner: self._subject.id, **params}

    def skip(self, rows: int) -> None:
        """Count rows that could not be read and that the part goes on without."""
        self.skipped += rows

    async def image(self, path: str, name: str) -> bool:
        """Mirror an image into the image folder as name; tell whether it changed."""
        async with self._job.slots:
            return await self._tools.images.mirror(path, name)

    async def killmail_value(self, killmail_id: int) -> KillmailValue | None:
        """Ask zKillboard what a killmail is worth."""
        return await self._tools.zkillboard.value(killmail_id)

    # --- the database ----------------------------------------------------------------------------

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query in the database thread."""
        return await self._tools.read(query)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work in one write transaction, with the states of what was fetched since the last.

        They are this write's from here on: none is stored by another, whose rows are others. If
        this one fails, what they stand for is asked again.
        """
        states, self._pending = tuple(self._pending), []

        def unit(connection: Connection) -> tuple[T, bool, int]:
            subjects.require_active(connection, self._subject)
            wanted.begin(connection)
            self._held = False
            result = work(connection)
            unfit = tally.of(connection).skipped
            if states:
                kept = self._whole_next(states, unfit)
                if self._unchanged:
                    kept = route_states.unforgotten(connection, kept)
                route_states.save(connection, kept)
            wanted.put_down(connection)
            return result, grants.were_changed(connection), unfit

        try:
            result, grants_changed, unfit = await self._tools.write(unit)
        except IntegrityError as error:
            if is_orphan(error):
                raise NotReady(f"the parent row of {self._subject} is not there yet") from error
            raise
        self._job.grants_changed |= grants_changed
        self._unfit += unfit
        return result

    def _whole_next(
        self, states: tuple[route_states.RouteState, ...], unfit: int
    ) -> Sequence[route_states.RouteState]:
        """Return states as stored: without validators where the next load must be whole."""
        kept = incomplete(states, unfit) if unfit else states
        if not self._held:
            return kept
        return [replace(one, etag=None, last_modified=None) for one in kept]

    def leave_states(self) -> None:
        """Leave the states that no write of the part has stored to the job."""
        states, self._pending = self._pending, []
        if states:
            before = self._job.unstored
            self._job.unstored = (self._part, [*before[1], *states] if before else states)

    def hold_states(self, states: Sequence[route_states.RouteState]) -> None:
        """Have the next write store these, of answers that said that nothing has changed."""
        self._pending += states
        self._unchanged = True

    def staged(
        self, target: Target, rows: Iterable[Row | msgspec.Struct], params: Params
    ) -> AbstractAsyncContextManager[Staged | Loads | Sequence[Row | msgspec.Struct]]:
        """Give rows for apply(); more than a few are made ready outside of the transaction."""
        return staged(self._tools.database, target, rows, subject=self._subject, params=params)

    def apply(
        self,
        connection: Connection,
        target: Target,
        rows: Iterable[Row | msgspec.Struct] | Loads | Staged,
        params: Params,
        *,
        answer: Fetched | None = None,
    ) -> int:
        """Write rows as target says, inside write(); return how many changed."""
        changed = writer.apply(
            connection,
            target,
            rows,
            subject=self._subject,
            params=params,
            now=self.now(),
            # A row that could not be read is not a row that is gone.
            whole=not self.skipped if answer is None else answer.tells_all,
            unread=() if answer is None else answer.unread,
        )
        self.rows_changed += changed
        return changed

    def hold_writes(self, connection: Connection) -> None:
        """Let writes that ESI does not show yet win over what was just loaded, inside write()."""
        tables = {target.table.name for target in self._part.targets}
        if reassert(connection, self._subject, tables, self.now()):
            self.ask_whole_next()

    def ask_whole_next(self) -> None:
        """Have what was fetched for this write asked anew next time, inside write()."""
        self._held = True

    def want(self, connection: Connection, kind: str, payload: Mapping[str, Any]) -> list[int]:
        """Note that a write is wanted, inside write(); return the ids of its rows."""
        return want_all(connection, self._subject, kind, payload, self.now())


def _count_keys(target: Target, value: Any, params: Params) -> int:
    """Return how many rows of a table an answer becomes; what it tells twice is one."""
    rows: Sequence[Any]
    if target.rows is not None:
        rows = list(target.rows(value, params))
    else:
        rows = value if isinstance(value, list) else [value]
    if not rows:
        return 0
    first = rows[0]
    is_struct = isinstance(first, msgspec.Struct)
    own = [name for name in target.key if name in (first.__struct_fields__ if is_struct else first)]
    if not own:
        return len(rows)
    return len(set(map(attrgetter(*own) if is_struct else itemgetter(*own), rows)))


def _count(connection: Connection, target: Target, fixed: Params) -> int:
    """Return how many rows a load for these columns would replace, or close."""
    table = target.table
    names = target.scope if target.scope is not None else tuple(fixed)
    names = tuple(name for name in names if name in table.c and name in fixed)
    # What another part has told the end of is not looked for in this set.
    ends = ("closed_at", *target.keep) if target.write is Write.CLOSE else ()
    sql = statements.count(table, connection.dialect, names, ends)
    return int(statements.scalar(connection, sql, tuple(fixed[name] for name in names)))


def _earliest(read: Read) -> datetime:
    return min(answer.fresh_until for answer in read.answers)
