"""What a kind of write is: a row of data and a few small functions."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, MutableMapping, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any, Protocol

from sqlalchemy import Connection

from ipc.subject import Subject
from jobs.esi.client import EsiAnswer
from jobs.spec import Params, Route
from jobs.store.outbox_rows import LIFETIME

# A write that is not to be found so long after is not to be found at all; the lists are cached.
FOUND_WITHIN = timedelta(seconds=150)


class Sender(Protocol):
    """Asks ESI in the name of the one who wants the write."""

    @property
    def character_id(self) -> int:
        """Return the character whose token is used."""

    @property
    def scopes(self) -> frozenset[str]:
        """Return what the token may be used for."""

    @property
    def progress(self) -> MutableMapping[str, Any]:
        """Return what is known of this write from attempts before; what is noted here is kept."""

    def now(self) -> datetime:
        """Return the wall time, aware, in UTC."""

    async def ask(self, route: Route, params: Params, body: Any = None) -> EsiAnswer:
        """Write, and return ESI's answer; an error of jobs.errors otherwise."""

    async def look(self, route: Route, params: Params, body: Any = None) -> EsiAnswer:
        """Ask something that changes nothing; what fails here leaves no write in doubt."""


@dataclass(frozen=True, slots=True)
class Window:
    """When a write of which nobody knows must have been made, if it was."""

    since: datetime
    until: datetime


# Tells which result a write in doubt had, None if it is not to be found; `taken` belong to others.
Find = Callable[[Sender, Any, Window, frozenset[int]], Awaitable[Mapping[str, Any] | None]]
# Tells what is to be remembered of a write once ESI shows it, or when it must show by. Then it is
# asked again, with that time as `seen_at` in the result.
Verify = Callable[[Sender, Any, Mapping[str, Any]], Awaitable[Mapping[str, Any] | datetime]]


@dataclass(frozen=True, slots=True, kw_only=True)
class WriteKind:
    """One kind of write.

    What `execute` returns is the row's result; `note` in it, if there is one, is for people.
    """

    name: str
    summary: str
    # Switched on with its reads; None: always.
    feature: str | None
    # A frozen Struct; its field `was`, if it has one, holds what compensate restores.
    payload: type[Any]
    scopes: frozenset[str]
    # What execute asks of ESI.
    routes: tuple[Route, ...]
    # Names what is written to; asking again for the same thing replaces the payload.
    dedupe: Callable[[Any], str]
    # Writes to one target are made in the order in which they were asked for. None: the key.
    target: Callable[[Any], str] | None = None
    # One payload for each request that it takes, or that has a state of its own.
    split: Callable[[Connection, Subject, Any], Sequence[Any]] | None = None
    # Refuses, by a ValueError, what the mirror shows to be impossible.
    admit: Callable[[Connection, Subject, Any], None] | None = None
    # Changes the mirror at once, and returns the payload with what was there before.
    apply: Callable[[Connection, Subject, Any, datetime], Any]
    # Makes the write and returns what is to be remembered of it.
    execute: Callable[[Sender, Any], Awaitable[Mapping[str, Any]]]
    # Takes back what apply did, after a refusal for good.
    compensate: Callable[[Connection, Subject, Any], None]
    # Narrows the payload to what was not made, by the result; None: to nothing.
    rest: Callable[[Any, Mapping[str, Any]], Any | None] | None = None
    # Brings what ESI answered into the mirror.
    confirm: Callable[[Connection, Subject, Any, Mapping[str, Any]], None] | None = None
    verify: Verify | None = None
    # False: neither the wish nor its end changes anything in the mirror.
    mirrored: bool = True
    # False: doing it twice does harm. It is looked for, if that can be, and never sent in doubt.
    repeatable: bool = True
    find: Find | None = None
    # The result's key that holds the id of what was made.
    id_field: str = ""
    found_within: timedelta = FOUND_WITHIN
    lifetime: timedelta = LIFETIME
    # Tables that apply changes, the routes that fill them, and how long what ESI says of them may
    # lag behind the write.
    tables: frozenset[str] = frozenset()
    reads: tuple[Route, ...] = ()
    lag: timedelta = timedelta(minutes=2)
    # Tells whether the mirror shows the write already; the result is empty before it is done.
    shows: Callable[[Connection, Subject, Any, Mapping[str, Any]], bool] | None = None

    @property
    def look_for(self) -> timedelta | None:
        """Return how long a write in doubt is looked for; None where it cannot be."""
        return self.found_within if self.find is not None else None


def leave_as_is(_connection: Connection, _subject: Subject, _payload: Any) -> None:
    """Undo nothing, for a kind that changes nothing in the mirror before ESI has answered."""


def not_made(ids: Sequence[int], result: Mapping[str, Any]) -> tuple[int, ...]:
    """Return the ids that a result does not name as made."""
    made = set(result.get("made", ()))
    return tuple(one for one in ids if one not in made)
