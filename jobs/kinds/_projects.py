"""What lists of projects and freelance jobs have in common, and whose details are due."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from decimal import Decimal
from typing import Any

import msgspec
from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Table,
    bindparam,
    case,
    literal,
    or_,
    select,
    update,
)

from ipc.subject import SubjectType
from jobs.errors import BadAnswer
from jobs.kinds._cursors import Cursor
from jobs.spec import Context, Params, Row, Target, Wire

# Earlier than any line: what was looked for once, and was not there.
_REFUSED_ONCE = datetime(1970, 1, 1, tzinfo=UTC)


class Progress(Wire, frozen=True):
    """How far it has come."""

    current: int
    desired: int


class Reward(Wire, frozen=True):
    """What it pays, and what of that is left."""

    initial: Decimal
    remaining: Decimal


class Listed(Wire, frozen=True, rename={"thing_id": "id", "last_modified_at": "last_modified"}):
    """One line of a list."""

    thing_id: str
    name: str
    state: str
    last_modified_at: datetime
    progress: Progress
    reward: Reward | None = None


class ProjectPage(Wire, frozen=True, rename={"rows": "projects"}):
    """What GET /corporations/{corporation_id}/projects tells."""

    rows: tuple[Listed, ...]
    cursor: Cursor | None = None


class JobPage(Wire, frozen=True, rename={"rows": "freelance_jobs"}):
    """What the lists of freelance jobs tell, but for a character's."""

    rows: tuple[Listed, ...]
    cursor: Cursor | None = None


class JobList(Wire, frozen=True, rename={"rows": "freelance_jobs"}):
    """The same of a character, which is no longer than a page."""

    rows: tuple[Listed, ...]


class Creator(Wire, frozen=True):
    """Who made it."""

    id: int


@dataclass(frozen=True, slots=True)
class Things:
    """A table of listed things of one owner, or of nobody."""

    owner: SubjectType
    table: Table
    # "project_id" or "job_id".
    id_name: str

    @property
    def key(self) -> tuple[str, ...]:
        """Return the key of the table."""
        if self.owner is SubjectType.GLOBAL:
            return (self.id_name,)
        return f"{self.owner}_id", self.id_name

    def of(self, owner_id: int) -> list[ColumnElement[bool]]:
        """Return what holds of the rows of an owner."""
        return [self.table.c[name] == owner_id for name in self.key[:-1]]


def json_text(raw: msgspec.Raw) -> str:
    """Return JSON as it is stored: its keys in order, without blanks; BadAnswer if too deep."""
    try:
        return msgspec.json.encode(msgspec.json.decode(raw), order="sorted").decode()
    except RecursionError:
        raise BadAnswer("an answer that is nested too deeply to be kept") from None


def listed_rows(id_name: str) -> Callable[[Any, Params], Iterator[Row]]:
    """Return what makes a row of each line of a page."""

    def rows(answer: Any, params: Params) -> Iterator[Row]:
        for one in answer.rows:
            yield listed_row(id_name, one)

    return rows


def listed_row(id_name: str, one: Listed) -> Row:
    """Return a line of a list as a row."""
    return {
        id_name: one.thing_id,
        "name": one.name,
        "state": one.state,
        "last_modified_at": one.last_modified_at,
        "progress_current": one.progress.current,
        "progress_desired": one.progress.desired,
        "reward_initial": one.reward.initial if one.reward else None,
        "reward_remaining": one.reward.remaining if one.reward else None,
    }


def store_listed(
    context: Context,
    connection: Connection,
    things: Things,
    target: Target,
    lines: Sequence[Listed],
    *,
    older: bool,
) -> int:
    """Write lines and return how many changed; older ones leave alone what changed since."""
    rows = [listed_row(things.id_name, one) for one in lines]
    if older:
        stored = _last_modified(connection, context, things, [one.thing_id for one in lines])
        rows = [
            row
            for row in rows
            if stored.get(row[things.id_name], row["last_modified_at"]) <= row["last_modified_at"]
        ]
    return context.apply(connection, target, rows, {})


def _last_modified(
    connection: Connection, context: Context, things: Things, ids: Sequence[str]
) -> dict[str, datetime]:
    c = things.table.c
    rows = connection.execute(
        select(c[things.id_name], c.last_modified_at).where(
            *things.of(context.subject.id), c[things.id_name].in_(ids)
        )
    )
    return {row[0]: row.last_modified_at for row in rows}


# --- what is read of each of them --------------------------------------------------------------


def due(
    connection: Connection,
    owner_id: int,
    things: Things,
    looked: str,
    *also: ColumnElement[bool],
) -> dict[str, datetime]:
    """Return the things whose line has changed since the last look, with its time, newest first.

    looked: the column that holds the line's time at that look; also: what else must hold.
    """
    c = things.table.c
    seen: Column[Any] = c[looked]
    rows = connection.execute(
        select(c[things.id_name], c.last_modified_at)
        .where(
            *things.of(owner_id),
            or_(seen.is_(None), seen < c.last_modified_at),
            *also,
        )
        .order_by(c.last_modified_at.desc(), c[things.id_name])
    )
    return {row[0]: row.last_modified_at for row in rows}


def mark_looked(
    connection: Connection,
    owner_id: int,
    things: Things,
    looked: str,
    times: Iterable[tuple[str, datetime]],
) -> None:
    """Note which state of each thing was looked at."""
    marks = [{"thing": thing_id, "at": at} for thing_id, at in times]
    if marks:
        is_it = things.table.c[things.id_name] == bindparam("thing")
        mark = update(things.table).where(*things.of(owner_id), is_it)
        connection.execute(mark.values({looked: bindparam("at")}), marks)


def mark_refused(
    connection: Connection,
    owner_id: int,
    things: Things,
    looked: str,
    times: Iterable[tuple[str, datetime]],
) -> None:
    """Note that things were not there; what is missing once more in another run is not asked for.

    A new thing may be in its list while a cache still says that it does not exist.
    """
    c = things.table.c
    once = literal(_REFUSED_ONCE, c[looked].type)
    for thing_id, at in times:
        again = case((c[looked] == once, literal(at, c[looked].type)), else_=once)
        connection.execute(
            update(things.table)
            .where(*things.of(owner_id), c[things.id_name] == thing_id)
            .values({looked: again})
        )
