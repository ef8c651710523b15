"""What a part of a running job asks of ESI, each time with what is remembered of the request."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from datetime import datetime
from functools import partial
from operator import attrgetter, itemgetter
from typing import Any

import msgspec
from sqlalchemy import Connection

from ipc.subject import Subject, SubjectType
from jobs.drops import Drop, judge_drop
from jobs.esi.client import Token
from jobs.esi.decoding import decode_pages
from jobs.esi.paging import BACK_WALKS, Known, Read, read_set
from jobs.esi.vocabulary import unknown_words
from jobs.page_asker import PageAsker
from jobs.remembered import Memory, known_of, next_states, still_fresh
from jobs.running_job import RunningJob
from jobs.spec import Fetched, Pages, Params, Part, Route, Target, Write
from jobs.store import route_states, statements
from jobs.store.spares import Unread

_OWNER_COLUMNS = {
    SubjectType.CHARACTER: "character_id",
    SubjectType.CORPORATION: "corporation_id",
    SubjectType.ALLIANCE: "alliance_id",
}
# Beyond so many rows, looking through them keeps the loop from its other jobs for too long.
_MANY_ROWS = 2_000


class Fetching:
    """The requests of one part, and what they came to beside their rows."""

    def __init__(self, job: RunningJob, part: Part, readers: tuple[int, ...]) -> None:
        """Take what the job's parts share, and the credentials of this one."""
        self._job = job
        self._tools = job.tools
        self._part = part
        self._readers = readers
        self._subject = job.order.key.subject
        # States of the requests since the last write, which is to store them.
        self.pending: list[route_states.RouteState] = []
        # Rows that could not be read in what was fetched, and in what is still fresh.
        self.skipped = self.known_skipped = 0
        # Words that ESI's contract does not list, in what was fetched and in what is still fresh.
        self.words_unknown = 0
        self.notes: list[str] = []

    def take_pending(self) -> list[route_states.RouteState]:
        """Return the states that wait for a write; whoever takes them stores them."""
        states, self.pending = self.pending, []
        return states

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
        params = _completed(self._subject, route, params)
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
        now = self._tools.clock.now()
        fresh_until = still_fresh(states, memory, now)
        if fresh_until is not None:
            self.known_skipped += states[0].rows_skipped
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
        now, fresh_until = self._tools.clock.now(), _earliest(read)
        if read.unchanged:
            self.words_unknown += states[0].words_unknown if states else 0
            self.pending += next_states(memory, states, read, now)
            return Fetched(None, changed=False, fresh_until=fresh_until)
        unread: list[Unread] = []
        value, skipped = decode_pages(read.bodies, wire, unread)
        self.skipped += skipped
        unknown = unknown_words(memory.route, value)
        self.words_unknown += unknown
        drop = await self._judge_drop(memory, states, read, value, params)
        if drop.held:
            self.notes.append(drop.note)
        self.pending += next_states(
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
        owner = _OWNER_COLUMNS.get(self._subject.type)
        # The same for all rows of the load.
        fixed = dict(params) if owner is None else {owner: self._subject.id, **params}
        for target in self._part.targets:
            if target.write not in (Write.REPLACE, Write.CLOSE):
                continue
            stored = await self._tools.read(partial(_count, target=target, fixed=fixed))
            if not stored:
                continue
            count = partial(_count_keys, target, value, params)
            is_long = isinstance(value, list) and len(value) > _MANY_ROWS
            new = await asyncio.to_thread(count) if is_long else count()
            now = self._tools.clock.now()
            in_doubt = self._tools.gate.in_doubt(now)
            drop = judge_drop(mark, read.answers[0], stored, new, now, in_doubt=in_doubt)
            if drop.held:
                return drop
        return Drop()

    def _token(self, reader: int) -> Token | None:
        reader = reader or next(iter(self._readers), 0)
        return self._job.tokens.token(reader) if reader else None


def _completed(subject: Subject, route: Route, params: Params) -> Params:
    """Return params with the subject's id, where the path asks for it."""
    owner = _OWNER_COLUMNS.get(subject.type)
    if owner is None or owner in params or "{" + owner + "}" not in route.path:
        return params
    return {owner: subject.id, **params}


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
