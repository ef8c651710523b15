"""What a part of a running job can do: ask ESI, read, write; the Context of jobs.spec."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import replace
from datetime import datetime
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Connection
from sqlalchemy.exc import IntegrityError

from ipc.settings import MarketWatch
from ipc.subject import Subject
from jobs.catalog import load
from jobs.errors import NotReady
from jobs.fetching import Fetching
from jobs.remembered import incomplete
from jobs.retention import days_by_table
from jobs.running_job import RunningJob
from jobs.spec import Fetched, KillmailValue, Params, Part, Route, Row, Target
from jobs.store import grants, route_states, subjects, tally, wanted, writer
from jobs.store.loads import Loads
from jobs.store.staging import Staged, staged
from jobs.store.trouble import is_orphan
from jobs.writes.settle import reassert
from jobs.writes.want import want_all

T = TypeVar("T")

# A long part stops early when this share of its job's time is spent.
_BUDGET_SHARE = 0.75


class JobContext:
    """One for each part of a running job."""

    def __init__(self, job: RunningJob, part: Part, readers: tuple[int, ...]) -> None:
        """Take what the job's parts share, and the credentials of this one."""
        self._job = job
        self._tools = job.tools
        self._part = part
        self._readers = readers
        self._subject = job.order.key.subject
        self._fetching = Fetching(job, part, readers)
        # They are of answers that brought no rows, some time ago.
        self._unchanged = False
        # Not all that was loaded is stored as it came: what is loaded next must be whole.
        self._held = False
        self.rows_changed = 0
        # Rows that could not be stored.
        self._unfit = 0

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
        fetching = self._fetching
        return fetching.skipped + self._unfit + fetching.known_skipped

    @property
    def words_unknown(self) -> int:
        """Return how many words of this part ESI's contract does not list."""
        return self._fetching.words_unknown

    @property
    def notes(self) -> list[str]:
        """Return what people should be told of this part."""
        return self._fetching.notes

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
        return await self._fetching.fetch(
            route, params, wire, body=body, keep_state=keep_state, reader=reader
        )

    def skip(self, rows: int) -> None:
        """Count rows that could not be read and that the part goes on without."""
        self._fetching.skipped += rows

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
        states = tuple(self._fetching.take_pending())

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
        states = self._fetching.take_pending()
        if states:
            before = self._job.unstored
            self._job.unstored = (self._part, [*before[1], *states] if before else states)

    def hold_states(self, states: Sequence[route_states.RouteState]) -> None:
        """Have the next write store these, of answers that said that nothing has changed."""
        self._fetching.pending += states
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
            whole=not self._fetching.skipped if answer is None else answer.tells_all,
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
