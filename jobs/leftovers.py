"""Rows of what a part no longer asks for: a colony that was given up, a place that is not watched.

Each request of a fan-out replaces its own rows only, so somebody has to remove those of requests
that are made no more.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from functools import partial
from typing import Any

from sqlalchemy import Connection, Table, delete, select

from ipc.subject import Subject
from jobs.spec import Kind, Params, Part, Write
from jobs.store import route_states

_BRACES = re.compile(r"\{([a-z_]+)\}")


@dataclass(frozen=True, slots=True)
class LeftOver:
    """The rows of one table that hold these values, and the route whose answers they are."""

    route: str
    table: Table
    values: tuple[tuple[str, Any], ...]


def left_over(
    connection: Connection, part: Part, asked: Sequence[Params], subject: Subject
) -> list[LeftOver]:
    """Return which rows of a part belong to requests that are not among those asked now."""
    if part.route is None:
        return []
    owner = f"{subject.type}_id"
    params = [name for name in _BRACES.findall(part.route.path) if name != owner]
    found: list[LeftOver] = []
    for target in part.targets:
        columns = target.table.c
        names = [name for name in params if name in columns]
        if target.write is not Write.REPLACE or not names:
            continue
        query = select(*(columns[name] for name in names)).distinct()
        fixed: tuple[tuple[str, Any], ...] = ()
        if owner in columns:
            query = query.where(columns[owner] == subject.id)
            fixed = ((owner, subject.id),)
        now = {tuple(one[name] for name in names) for one in asked}
        stored = sorted(map(tuple, connection.execute(query)))
        found += [
            LeftOver(part.route.name, target.table, (*fixed, *zip(names, values, strict=True)))
            for values in stored
            if values not in now
        ]
    return found


def remove(connection: Connection, rows: LeftOver) -> int:
    """Remove such rows, and what is known of their requests; return how many rows there were."""
    route_states.forget(connection, rows.route, dict(rows.values))
    columns = rows.table.c
    done = connection.execute(
        delete(rows.table).where(*(columns[name] == value for name, value in rows.values))
    )
    return done.rowcount


@contextmanager
def details_go_with_rows(
    connection: Connection, kind: Kind, part: Part, subject: Subject
) -> Iterator[None]:
    """Forget the requests for details that lie in rows which a part removes meanwhile."""
    tables = {one.table for one in part.targets if one.write is Write.REPLACE}
    owner = f"{subject.type}_id"
    before: list[tuple[str, Callable[[], Sequence[Params]], Sequence[Params]]] = []
    for other in kind.parts:
        fan_out = other.fan_out
        if other is part or other.route is None or not callable(fan_out):
            continue
        if tables.isdisjoint(target.table for target in other.targets):
            continue
        asked: Callable[[], Sequence[Params]] = partial(fan_out, connection, subject)
        before.append((other.route.name, asked, asked()))
    yield
    for route, asked, were in before:
        now = asked()
        for params in were:
            if params not in now:
                route_states.forget(connection, route, {owner: subject.id, **params})
