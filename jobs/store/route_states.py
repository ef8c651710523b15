"""What is known of each request: validators, expiry, pages; committed with its rows."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from datetime import datetime
from operator import attrgetter
from typing import Any

import msgspec
from sqlalchemy import Connection, delete, or_, update

from jobs.store import odd_rows, statements
from jobs.store.odd_rows import OddRow
from jobs.store.schema.core import route_state as table
from jobs.store.schema.types import text_of_time, time_of
from jobs.store.trouble import first_line

_COLUMNS = (
    "route",
    "params",
    "owner_id",
    "page",
    "revision",
    "etag",
    "last_modified",
    "expires_at",
    "pages",
    "complete_walk",
    "cursor",
    "checked_at",
    "rows_skipped",
    "words_unknown",
)
# What SQLite would keep whatever it is.
_TYPES: tuple[tuple[str, tuple[type[Any], ...]], ...] = (
    ("page", (int,)),
    ("revision", (str,)),
    ("etag", (str, type(None))),
    ("last_modified", (str, type(None))),
    ("pages", (int, type(None))),
    ("cursor", (str, type(None))),
    ("rows_skipped", (int,)),
    ("words_unknown", (int,)),
)
_KEY = ("route", "params", "owner_id", "page")
_values = attrgetter(*_COLUMNS)
_LOAD = (
    f"SELECT {', '.join(_COLUMNS)} FROM route_state"  # noqa: S608 - our own names
    " WHERE route = {0} AND params = {0} AND owner_id = {0} ORDER BY page"
)
_DELETE_OTHERS = (
    "DELETE FROM route_state WHERE route = {0} AND params = {0}"
    " AND (owner_id <> {0} OR (page > {0} AND page > 1))"
)


@dataclass(frozen=True, slots=True)
class RouteState:
    """One page of one request; page 1 also stands for the whole."""

    route: str
    # As params_key writes them.
    params: str
    # Character of the token; 0: the request was public.
    owner_id: int
    page: int
    revision: str
    etag: str | None
    last_modified: str | None
    expires_at: datetime | None
    pages: int | None
    complete_walk: bool
    cursor: str | None
    checked_at: datetime
    # Of the whole set, where rows of it could not be read or stored; on page 1.
    rows_skipped: int = 0
    # Of the whole set, words that ESI's contract does not list; on page 1.
    words_unknown: int = 0


def params_key(params: Mapping[str, int | str]) -> str:
    """Return params as canonical JSON: sorted, without blanks."""
    return msgspec.json.encode(dict(params), order="sorted").decode()


def load(connection: Connection, route: str, params: str, owner_id: int) -> list[RouteState]:
    """Return what is known of a request, by page.

    Nothing where another program wrote a page so that it cannot be read: asked without conditions,
    the request is answered in full, and what is known of it written anew.
    """
    sql = _LOAD.format(statements.placeholder(connection.dialect))
    key = (route, params, owner_id)
    try:
        return [_state(row) for row in statements.rows(connection, sql, key)]
    except odd_rows.CAUSES as error:
        odd_rows.raise_if_of_database(error)
        odd_rows.tell(table, [OddRow((*key, 1), f"a page cannot be read: {first_line(error)}")])
        return []


def save(connection: Connection, states: Iterable[RouteState]) -> None:
    """Write states; those of pages beyond the number that page 1 now tells are removed.

    A page that went and comes back must not be asked for with the validator of rows long gone.
    What other tokens were told of the same request is forgotten: the rows are no longer theirs.
    """
    latest = {(state.route, state.params, state.owner_id, state.page): state for state in states}
    rows = [latest[key] for key in sorted(latest)]
    text = connection.dialect.name == "sqlite"
    sql = statements.upsert(table, connection.dialect, _COLUMNS, _KEY)
    statements.run_many(connection, sql, [_tuple(state, text=text) for state in rows])
    statements.run_many(
        connection,
        _DELETE_OTHERS.format(statements.placeholder(connection.dialect)),
        [
            (state.route, state.params, state.owner_id, state.pages)
            for state in rows
            if state.page == 1 and state.pages is not None
        ],
    )


def unforgotten(connection: Connection, states: Iterable[RouteState]) -> list[RouteState]:
    """Return states without the validators that were forgotten since they were read.

    A write of the outbox does that, so that the next load tells whether ESI shows it.
    """
    kept: list[RouteState] = []
    for state in states:
        known = load(connection, state.route, state.params, state.owner_id)
        stored = next((one for one in known if one.page == state.page), state)
        if stored.etag is None and stored.last_modified is None:
            state = replace(state, etag=None, last_modified=None)  # noqa: PLW2901
        kept.append(state)
    return kept


def forget(connection: Connection, route: str, values: Mapping[str, int | str]) -> None:
    """Forget the requests of a route that were made with these values, among others.

    Belongs into the transaction that removes their rows: else a later 304 would stand for none.
    """
    about = [table.c.route == route]
    for name, value in values.items():
        # Params are canonical JSON: no blanks, and a value ends at a comma or a brace.
        part = params_key({name: value})[1:-1]
        about.append(
            or_(*(table.c.params.contains(f"{part}{end}", autoescape=True) for end in ",}"))
        )
    connection.execute(delete(table).where(*about))


def forget_validators(connection: Connection, route: str, owner_id: int) -> None:
    """Have a route asked without conditions once its answers have expired."""
    connection.execute(
        update(table)
        .where(table.c.route == route, table.c.owner_id == owner_id)
        .values(etag=None, last_modified=None)
    )


def _state(row: tuple[Any, ...]) -> RouteState:
    named = dict(zip(_COLUMNS, row, strict=True))
    for name, fit in _TYPES:
        if not isinstance(named[name], fit):
            raise ValueError(f"its {name} is of no such type")  # noqa: TRY004 - of the value
    if named["expires_at"] is not None:
        named["expires_at"] = time_of(named["expires_at"])
    named["checked_at"] = time_of(named["checked_at"])
    named["complete_walk"] = bool(named["complete_walk"])
    return RouteState(**named)


def _tuple(state: RouteState, *, text: bool) -> tuple[object, ...]:
    values: tuple[object, ...] = _values(state)
    if not text:
        return values
    return tuple(text_of_time(value) if isinstance(value, datetime) else value for value in values)
