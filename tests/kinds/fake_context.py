"""A Context whose ESI is a table of functions, on a real database; for kinds with a run."""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterable, Mapping
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from typing import Any, TypeVar

import msgspec
from sqlalchemy import Column, Connection, Date, insert, select

from ipc.settings import MarketWatch
from ipc.subject import Subject
from jobs.downtime import is_downtime
from jobs.esi.decoding import decode
from jobs.spec import (
    Context,
    Fetched,
    KillmailValue,
    Kind,
    Params,
    Part,
    PartResult,
    Route,
    Row,
    Target,
)
from jobs.store import wanted, writer
from jobs.store.schema import core, metadata
from jobs.store.schema.types import Isk, UtcTime
from jobs.writes.want import want_all
from tests.clocks import ManualClock

T = TypeVar("T")
START = datetime(2026, 11, 30, 12, tzinfo=UTC)
FRESH = timedelta(minutes=5)

# Path parameters and body -> what ESI answers, as JSON would carry it; or it raises.
Answer = Callable[[Params, Any], Any]


@dataclass(frozen=True, slots=True)
class Asked:
    """One request that a run made."""

    route: str
    params: Mapping[str, int | str]
    body: Any = None
    reader: int = 0


class Unchanged(Exception):
    """Raised by an answer: ESI said 304, or was not asked because it is fresh."""


@dataclass
class FakeContext:
    """Context for one part; raises what the answers raise."""

    connection: Connection
    kind: Kind
    subject: Subject
    answers: dict[str, Answer]
    part: Part = field(init=False)
    subjects: tuple[Subject, ...] = ()
    clock: ManualClock = field(default_factory=lambda: ManualClock(START))
    # Requests and image calls that are still within the budget.
    budget: int = 10_000
    changed_parts: set[str] = field(default_factory=set)
    watch: MarketWatch = field(default_factory=MarketWatch)
    retention: Mapping[str, int] = field(default_factory=dict)
    readers: tuple[int, ...] = ()
    # What zKillboard says; an error is raised.
    values: dict[int, KillmailValue | Exception] = field(default_factory=dict)
    valued: list[int] = field(default_factory=list)
    images: list[tuple[str, str]] = field(default_factory=list)
    asked: list[Asked] = field(default_factory=list)
    writes: int = 0
    skipped: int = 0
    # What was fetched is to be asked anew, changed or not.
    asks_whole_next: bool = False

    @property
    def budget_s(self) -> float:
        """Return a second for each request that may still be made."""
        return float(max(0, self.budget - len(self.asked)))

    def now(self) -> datetime:
        """Return the manual clock's time."""
        return self.clock.now()

    def in_doubt(self) -> bool:
        """Tell what the manual clock's time of day says."""
        return is_downtime(self.clock.now())

    def changed(self, part: str) -> bool:
        """Tell what the test says."""
        return part in self.changed_parts

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
        """Answer from the table, by way of JSON as the real one does."""
        declared = {one.name for one in (self.part.route, *self.part.uses) if one is not None}
        assert route.name in declared, f"{route.name} is not declared by {self.part.name}"
        assert not reader or reader in self.readers
        self.asked.append(Asked(route.name, dict(params), body, reader))
        fresh_until = self.now() + FRESH
        try:
            answer = self.answers[route.name](params, body)
        except Unchanged:
            assert keep_state, "without a state there is nothing to compare with"
            return Fetched(None, changed=False, fresh_until=fresh_until)
        unread: list[Mapping[str, Any]] = []
        value, skipped = decode(msgspec.json.encode(answer), wire, unread)
        self.skipped += skipped
        return Fetched(value, changed=True, fresh_until=fresh_until, skipped=skipped, unread=unread)

    def skip(self, rows: int) -> None:
        """Count what could not be read."""
        self.skipped += rows

    async def image(self, path: str, name: str) -> bool:
        """Remember that the image was asked for."""
        self.images.append((path, name))
        return True

    async def killmail_value(self, killmail_id: int) -> KillmailValue | None:
        """Answer from the table of values."""
        self.valued.append(killmail_id)
        found = self.values.get(killmail_id)
        if isinstance(found, Exception):
            raise found
        return found

    @asynccontextmanager
    async def staged(
        self, _target: Target, rows: Iterable[Any], _params: Params
    ) -> AsyncIterator[Any]:
        """Give the rows as they are."""
        yield list(rows)

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query."""
        return query(self.connection)

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work as a transaction of its own, that an error takes back."""
        self.writes += 1
        with self.connection.begin_nested():
            wanted.begin(self.connection)
            result = work(self.connection)
            wanted.put_down(self.connection)
            return result

    def apply(
        self,
        connection: Connection,
        target: Target,
        rows: Iterable[Row],
        params: Params,
        *,
        answer: Fetched | None = None,
    ) -> int:
        """Write by the real writer, and by the real one's rule for what could not be read."""
        return writer.apply(
            connection,
            target,
            rows,
            subject=self.subject,
            params=params,
            now=self.now(),
            whole=not self.skipped if answer is None else answer.tells_all,
            unread=() if answer is None else answer.unread,
        )

    def ask_whole_next(self) -> None:
        """Note it."""
        self.asks_whole_next = True

    def want(self, connection: Connection, kind: str, payload: Mapping[str, Any]) -> list[int]:
        """Append to the real outbox."""
        return want_all(connection, self.subject, kind, payload, self.now())

    async def run(self, part: str) -> PartResult:
        """Run a part of the kind."""
        self.part = next(one for one in self.kind.parts if one.name == part)
        assert self.part.run is not None
        as_context: Context = self
        return await self.part.run(as_context)


def rows(connection: Connection, table: str, *columns: str) -> list[tuple[Any, ...]]:
    """Return what a table holds, in the order of its key."""
    found = metadata.tables[table]
    query = select(*(found.c[name] for name in columns)) if columns else select(found)
    return [tuple(row) for row in connection.execute(query.order_by(*found.primary_key.columns))]


def something_for(column: Column[Any]) -> Any:
    """Return some value that the column can hold."""
    if isinstance(column.type, UtcTime):
        return START
    if isinstance(column.type, Isk):
        return Decimal(0)
    if isinstance(column.type, Date):
        return START.date()
    return column.type.python_type()


def put(connection: Connection, table: str, *values: Mapping[str, Any]) -> None:
    """Insert rows; columns that cannot be NULL and do not matter here get some value."""
    found = metadata.tables[table]
    for row in values:
        rest = {
            column.name: something_for(column)
            for column in found.c
            if column.name not in row and not column.nullable and column.server_default is None
        }
        connection.execute(insert(found).values({**rest, **row}))


def enroll(connection: Connection, *ids: int, at: datetime = START) -> None:
    """Make characters subjects."""
    for one in ids:
        put(
            connection,
            core.subject.name,
            {
                "type": "character",
                "id": one,
                "state": "active",
                "created_at": at,
                "updated_at": at,
            },
        )
