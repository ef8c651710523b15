"""How a kind of job is declared: a row of data, executed by one generic path.

No module of kinds does any I/O of its own; what does not fit the generic path is a `run`
function that works through Context.
"""

from __future__ import annotations

import re
from collections.abc import Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from enum import StrEnum
from typing import Any, Final, Protocol, TypeVar

import msgspec
from sqlalchemy import Connection, Table

from ipc.settings import MarketWatch
from ipc.subject import JobKey, Subject, SubjectType

T = TypeVar("T")

_PLACE: Final = re.compile(r"{(\w+)}")
_SUBJECT_IDS: Final = frozenset({"character_id", "corporation_id", "alliance_id"})

# Column name -> value, in the types of the wire Struct (Decimal, aware datetime, int, str...).
Row = Mapping[str, Any]
# Path and query parameters of one request.
Params = Mapping[str, int | str]


class Pages(StrEnum):
    """How a route is paged."""

    NONE = "none"
    X_PAGES = "x-pages"
    # Back from the newest by the smallest id seen, until a known one of a complete walk.
    FROM_ID = "from_id"
    LAST_MAIL_ID = "last_mail_id"
    # On from the first by the id of the last row, until nothing new comes.
    FROM_EVENT = "from_event"
    # By tokens in the answers; a run walks by itself, with jobs.kinds._cursors.
    CURSOR = "cursor"


class Write(StrEnum):
    """What a complete load does to the rows that were there."""

    # The rows of this owner (and these params) become exactly the load.
    REPLACE = "replace"
    # Rows are inserted or updated; absent ones stay.
    UPSERT = "upsert"
    # Rows are inserted once and never changed.
    APPEND = "append"
    # As UPSERT; open rows absent from the load get `closed_at` set, seen ones have it cleared.
    CLOSE = "close"


@dataclass(frozen=True, slots=True)
class Route:
    """A route of the contract, with the facts that concern its caller."""

    # "GET" or "POST", and the path with its parameters in braces.
    method: str
    path: str
    pages: Pages = Pages.NONE
    # Seconds that an answer is cached; None: the contract names none.
    cache_age_s: int | None = None
    # None: the shared error limit.
    rate_group: str | None = None
    # Constant query parameters.
    query: tuple[tuple[str, str], ...] = ()

    @property
    def name(self) -> str:
        """Return the route as the contract writes it, as `GET /status`."""
        return f"{self.method} {self.path}"


@dataclass(frozen=True, slots=True)
class Target:
    """One table that a part writes.

    The subject's column (character_id, corporation_id, alliance_id) and the columns named like
    params are filled in for every row when the table has them. They also bound what REPLACE and
    CLOSE may remove, unless `scope` names the columns.
    """

    table: Table
    key: tuple[str, ...]
    write: Write
    # Decoded answer and params -> rows. None: the answer is one wire Struct or a list of them,
    # whose attributes are the columns.
    rows: Callable[[Any, Params], Iterable[Row]] | None = None
    scope: tuple[str, ...] | None = None
    # Columns that an update leaves alone, once set.
    keep: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Fetched:
    """One answer of Context.fetch; value is None when nothing changed since the last one."""

    value: Any
    changed: bool
    fresh_until: datetime | None
    # Rows that could not be read: what the value lacks may be there all the same.
    skipped: int = 0
    # What of those could be read, by field: which they are, as far as all of them tell.
    unread: Sequence[Mapping[str, Any]] = ()

    @property
    def tells_all(self) -> bool:
        """Tell whether of each row that could not be read it is known what there is to know."""
        return self.skipped == len(self.unread)


class KillmailValue(
    msgspec.Struct,
    frozen=True,
    rename={
        "value": "totalValue",
        "destroyed_value": "destroyedValue",
        "dropped_value": "droppedValue",
        "fitted_value": "fittedValue",
    },
):
    """What zKillboard says that a killmail is worth, in ISK."""

    value: Decimal
    destroyed_value: Decimal | None = None
    dropped_value: Decimal | None = None
    fitted_value: Decimal | None = None
    points: int | None = None


class PartResult(msgspec.Struct, frozen=True):
    """How one part ended: rows inserted, updated or removed, and when its data can change."""

    rows: int = 0
    # The part was there but held nothing.
    empty: bool = False
    fresh_until: datetime | None = None
    # A long part that stopped early: how many are left.
    left: int = 0
    # Text for the ledger, if there is something to tell.
    note: str = ""
    # Jobs that are due because of what was found.
    due: tuple[JobKey, ...] = ()
    # Rows that could not be read or stored and were left out; counted by whoever runs the part.
    skipped: int = 0
    # Words that ESI's contract does not list; counted in the same way.
    unknown: int = 0
    # Credentials whose refresh tokens the scheduler should have tried.
    refresh: tuple[int, ...] = ()


class Context(Protocol):
    """What a custom part may do; one for each part of a running job."""

    @property
    def subject(self) -> Subject:
        """Return whose data this is."""

    @property
    def subjects(self) -> tuple[Subject, ...]:
        """Return the subjects that a global kind should work on; empty: all."""

    @property
    def part(self) -> Part:
        """Return the part that runs."""

    @property
    def watch(self) -> MarketWatch:
        """Return which markets the configuration says are to be watched."""

    @property
    def retention(self) -> Mapping[str, int]:
        """Return by table how many days its past is kept, where not for ever."""

    @property
    def readers(self) -> tuple[int, ...]:
        """Return the credentials that the part may use; a global kind can have several."""

    @property
    def budget_s(self) -> float:
        """Return the seconds left before a long part should stop early."""

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""

    def in_doubt(self) -> bool:
        """Tell whether ESI may be down, so that what it refuses is no verdict."""

    def changed(self, part: str) -> bool:
        """Tell whether an earlier part of this run changed rows."""

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
        """Ask ESI, with validators and paging; route state is committed by the next write.

        reader: one of `readers`, where it matters which.
        keep_state False: no validator is sent and no state kept (POST, or fetched once).
        Raises the errors of jobs.errors.
        """

    def skip(self, rows: int) -> None:
        """Count rows that could not be read and that the part goes on without."""

    async def image(self, path: str, name: str) -> bool:
        """Mirror an image into the image folder as name; tell whether it changed."""

    async def killmail_value(self, killmail_id: int) -> KillmailValue | None:
        """Ask zKillboard what a killmail is worth; None if it does not know the killmail."""

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query in the database thread."""

    async def write(self, work: Callable[[Connection], T]) -> T:
        """Run work in one write transaction, with the turn to write, the fence and the state
        of the requests fetched since the last write."""

    def staged(
        self, target: Target, rows: Iterable[Any], params: Params
    ) -> AbstractAsyncContextManager[Any]:
        """Give rows for apply(); more than a few are made ready outside of the transaction."""

    def apply(
        self,
        connection: Connection,
        target: Target,
        rows: Iterable[Any] | Any,
        params: Params,
        *,
        answer: Fetched | None = None,
    ) -> int:
        """Write rows as target says, inside write(); return how many changed.

        answer: where the rows come from. Of what could not be read there, a row that tells its id
        is spared alone; else none is gone. None: what any fetch of the part left out counts.
        """

    def ask_whole_next(self) -> None:
        """Have what was fetched for this write asked anew next time, changed or not; inside
        write(), where some of it is not stored yet."""

    def want(self, connection: Connection, kind: str, payload: Mapping[str, Any]) -> list[int]:
        """Note in the outbox that a write is wanted, inside write(); return its rows' ids."""


@dataclass(frozen=True, slots=True)
class Watched:
    """Requests for what the configuration says is to be watched."""

    # Names of the parameters that each request has.
    params: tuple[str, ...]
    requests: Callable[[MarketWatch], Sequence[Params]]


FanOut = Sequence[Params] | Callable[[Connection, Subject], Sequence[Params]] | Watched


@dataclass(frozen=True, slots=True, kw_only=True)
class Part:
    """One request of a kind and the rows it becomes; commits by itself."""

    name: str
    route: Route | None = None
    # Struct of one row, or of the answer; a scalar type such as Decimal for a bare number.
    wire: Any = None
    # The answer is a list of wire.
    many: bool = True
    # One request for each of these params; a function asks the database, Watched the
    # configuration. Subject ids are added.
    fan_out: FanOut = ({},)
    # All of these scopes are needed; of the roles, any one.
    scopes: frozenset[str] = frozenset()
    any_role: frozenset[str] = frozenset()
    # Its failure is not the kind's failure.
    optional: bool = False
    targets: tuple[Target, ...] = ()
    # Raised when the columns or the meaning change, so that no 304 hides a new column.
    revision: int = 1
    # Replaces the generic path.
    run: Callable[[Context], Awaitable[PartResult]] | None = None
    # Further routes that `run` uses; for documentation, budgets and the contract test.
    uses: tuple[Route, ...] = ()

    @property
    def is_of_things(self) -> bool:
        """Tell whether it asks about single things that were found before; often none is new."""
        if self.run is None or self.route is None:
            return False
        return not _SUBJECT_IDS.issuperset(_PLACE.findall(self.route.path))


@dataclass(frozen=True, slots=True, kw_only=True)
class Kind:
    """One kind of job: the unit of schedule, feature and ledger."""

    name: str
    subject: SubjectType
    # None: always on. Several: on while any of them is.
    feature: str | tuple[str, ...] | None
    every: timedelta
    parts: tuple[Part, ...]
    # Kinds made due by a success.
    triggers: tuple[str, ...] = ()
    # Table whose row for the subject must exist before its other kinds run; profiles only.
    parent: Table | None = None
    # Due at every launch unless it succeeded within the launch floor.
    due_at_launch: bool = False
    deadline_s: float | None = None
    # Off unless switched on.
    off_by_default: bool = False
    summary: str = ""

    @property
    def features(self) -> tuple[str, ...]:
        """Return the features that switch this kind on."""
        if self.feature is None:
            return ()
        return (self.feature,) if isinstance(self.feature, str) else self.feature

    def is_on(self, features: Mapping[str, bool]) -> bool:
        """Tell whether these features switch it on: any one of its own does."""
        own = self.features
        return not own or any(features.get(name, False) for name in own)


class Wire(msgspec.Struct, frozen=True, gc=False):
    """Root of row Structs: attributes are the columns, `rename` holds ESI's words."""
