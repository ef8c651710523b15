"""Credentials: what SSO granted to whom, with its tokens."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, Literal

from sqlalchemy import (
    Column,
    ColumnElement,
    Connection,
    Row,
    bindparam,
    case,
    delete,
    func,
    select,
    update,
)

from ipc.subject import Subject, SubjectType
from jobs.store import grants, odd_rows, statements, subjects, ways
from jobs.store.inserts import insert
from jobs.store.moments import happened
from jobs.store.schema.core import access as access_table
from jobs.store.schema.core import credential as table
from jobs.store.schema.core import subject as subject_table
from jobs.store.schema.types import raw_text, time_of
from jobs.store.words import text_of_words, words_of_text

# Between the first refusal of a refresh token and the one that flags the credential.
SECOND_REFUSAL_AFTER = timedelta(seconds=60)
# Sums of numbers below it stay within 64 bits, whatever is in a column.
_SUM_MODULUS = 1_000_000_007
# Each job that has a token reads it.
_TOKENS = (
    "access_token, refresh_token, expires_at, generation, needs_reauth, character_id, scopes,"
    " client_id"
)
_BY_ID = f"SELECT {_TOKENS} FROM credential WHERE id = {{0}}"  # noqa: S608 - our own names
# And so does each write.
_OF_CHARACTERS = f"SELECT id, {_TOKENS} FROM credential WHERE {{0}} ORDER BY id"  # noqa: S608


@dataclass(frozen=True, slots=True)
class Credential:
    """A grant of one character, without its tokens."""

    id: int
    character_id: int
    client_id: str
    scopes: frozenset[str]
    expires_at: datetime | None
    generation: int
    needs_reauth: bool
    refused_at: datetime | None
    refreshed_at: datetime | None
    logged_in_at: datetime | None = None
    # Whether there has been an access token yet: an import may bring none.
    has_token: bool = True


@dataclass(frozen=True, slots=True)
class Tokens:
    """A credential with its tokens, which show in no repr."""

    access_token: str | None = field(repr=False)
    refresh_token: str = field(repr=False)
    expires_at: datetime | None
    generation: int
    needs_reauth: bool
    character_id: int
    scopes: frozenset[str]
    client_id: str


def list_all(connection: Connection, character_id: int | None = None) -> list[Credential]:
    """Return every credential, or those of a character, in the order in which they came.

    One that another program wrote so that it cannot be read is left out.
    """
    query = select(
        table.c.id,
        table.c.character_id,
        table.c.client_id,
        table.c.scopes,
        table.c.expires_at,
        table.c.generation,
        table.c.needs_reauth,
        table.c.refused_at,
        table.c.refreshed_at,
        table.c.logged_in_at,
        (func.coalesce(table.c.access_token, "") != "").label("has_token"),
    ).order_by(table.c.id)
    if character_id is not None:
        query = query.where(table.c.character_id == character_id)
    return odd_rows.read_well(connection, table, query, _credential)


def _credential(row: Row[Any]) -> Credential:
    odd_rows.require_id(row.character_id, "character_id")
    return Credential(
        id=row.id,
        character_id=row.character_id,
        client_id=row.client_id,
        scopes=words_of_text(row.scopes),
        expires_at=row.expires_at,
        generation=row.generation,
        needs_reauth=row.needs_reauth,
        refused_at=row.refused_at,
        refreshed_at=row.refreshed_at,
        logged_in_at=row.logged_in_at,
        has_token=bool(row.has_token),
    )


def fingerprint(connection: Connection) -> tuple[Any, ...]:
    """Return figures that differ once a credential, an access or a subject has changed.

    Sums beside the newest time: two programs may write within one millisecond. Nothing of it is
    decoded, and no number is so large that sums overflow: another program may have written it.
    """
    grants = connection.execute(
        select(
            func.count(),
            _sum(table.c.generation),
            _sum(table.c.id),
            _newest(connection, table.c.updated_at),
            func.count(table.c.refused_at),
        )
    ).one()
    ways = connection.execute(
        select(
            func.count(),
            _sum(access_table.c.subject_id),
            _sum(access_table.c.credential_id),
            _newest(connection, access_table.c.updated_at),
            func.count(access_table.c.roles),
            func.sum(func.length(access_table.c.roles)),
            func.count(access_table.c.refused_until),
            _newest(connection, access_table.c.refused_until),
            func.sum(func.length(access_table.c.refused_roles)),
        )
    ).one()
    states = connection.execute(
        select(
            raw_text(connection.dialect, subject_table.c.state),
            func.count(),
            _sum(subject_table.c.id),
            _newest(connection, subject_table.c.updated_at),
        )
        .group_by(subject_table.c.state)
        .order_by(subject_table.c.state)
    ).all()
    return (tuple(grants), tuple(ways), tuple(tuple(row) for row in states))


def _sum(column: Column[Any]) -> ColumnElement[Any]:
    return func.sum(column % _SUM_MODULUS)


def _newest(connection: Connection, column: Column[Any]) -> ColumnElement[Any]:
    return raw_text(connection.dialect, func.max(column))


def tokens(connection: Connection, credential_id: int) -> Tokens | None:
    """Return a credential with its tokens; None when there is none."""
    sql = _BY_ID.format(statements.placeholder(connection.dialect))
    for row in statements.rows(connection, sql, (credential_id,)):
        return _tokens(row)
    return None


_OWN = (
    select(table)
    .where(table.c.character_id.in_(bindparam("characters", expanding=True)))
    .order_by(table.c.id)
)


def with_tokens(
    connection: Connection, character_ids: Iterable[int]
) -> dict[int, list[tuple[int, Tokens]]]:
    """Return the credentials of characters, by character: number and tokens, in order."""
    found: dict[int, list[tuple[int, Tokens]]] = {}
    for number, own in _read_with_tokens(connection, list(character_ids)):
        found.setdefault(own.character_id, []).append((number, own))
    return found


def _read_with_tokens(connection: Connection, characters: list[int]) -> list[tuple[int, Tokens]]:
    sql = _OF_CHARACTERS.format(statements.within_list(connection.dialect, "character_id"))
    listed = statements.listed(connection.dialect, characters)
    try:
        rows = statements.rows(connection, sql, (listed,))
        return [(number, _tokens(values)) for number, *values in rows]
    except odd_rows.CAUSES as error:
        odd_rows.raise_if_of_database(error)
    values = {"characters": characters}
    return odd_rows.read_well(connection, table, _OWN, _with_number, values)


def _with_number(row: Row[Any]) -> tuple[int, Tokens]:
    return row.id, _tokens([getattr(row, name) for name in _TOKENS.split(", ")])


def _tokens(values: Sequence[Any]) -> Tokens:
    access_token, refresh_token, expires_at, generation, needs_reauth, *about = values
    character_id, scopes, client_id = about
    if not all(isinstance(text, str) for text in (access_token or "", refresh_token, scopes)):
        raise ValueError("a text of the credential is none")
    return Tokens(
        access_token=access_token,
        refresh_token=refresh_token,
        expires_at=None if expires_at is None else time_of(expires_at),
        generation=generation,
        needs_reauth=bool(needs_reauth),
        character_id=character_id,
        scopes=words_of_text(scopes),
        client_id=client_id,
    )


def store_refreshed(
    connection: Connection,
    credential_id: int,
    generation: int,
    access_token: str,
    refresh_token: str,
    expires_at: datetime,
    scopes: Iterable[str] | None,
    now: datetime,
) -> bool:
    """Store what SSO answered, if the credential is still of that generation; tell whether so."""
    values: dict[str, Any] = {
        "access_token": access_token,
        "refresh_token": refresh_token,
        "expires_at": expires_at,
        "generation": generation + 1,
        "needs_reauth": False,
        "refused_at": None,
        "refreshed_at": now,
        "updated_at": now,
    }
    if scopes is not None:
        values["scopes"] = text_of_words(scopes)
    stored = grants.execute(
        connection,
        update(table)
        .where(table.c.id == credential_id, table.c.generation == generation)
        .values(values),
    )
    return stored == 1


def note_refused(
    connection: Connection, credential_id: int, generation: int, now: datetime
) -> Literal["first", "flagged", "stale"]:
    """Remember that SSO refused the refresh token; flag the credential when it is certain.

    Certain is a second refusal of the same generation, a while after the first: one alone can be
    the loser of a race for a rotating token. "stale": somebody has changed the credential since.
    """
    row = connection.execute(
        select(table.c.refused_at)
        .where(table.c.id == credential_id, table.c.generation == generation)
        .with_for_update()
    ).first()
    if row is None:
        return "stale"
    grants.note_change(connection)
    change = update(table).where(table.c.id == credential_id)
    first_at = happened(row.refused_at, now)
    if first_at is None:
        connection.execute(change.values(refused_at=now, updated_at=now))
        return "first"
    if now - first_at < SECOND_REFUSAL_AFTER:
        return "first"
    connection.execute(change.values(needs_reauth=True, generation=generation + 1, updated_at=now))
    return "flagged"


def save_login(
    connection: Connection,
    character_id: int,
    client_id: str,
    scopes: Iterable[str],
    access_token: str | None,
    refresh_token: str,
    expires_at: datetime | None,
    now: datetime,
) -> int:
    """Store a new grant, in the place of every older one, and make the character active.

    That includes grants to other clients: what was read through them is read through this one. A
    first generation is taken from the clock, so that it is never one of a removed credential, and
    is above those that it replaces, so that whatever was parked because of them goes on.
    """
    others = connection.execute(
        select(table.c.id, table.c.generation)
        .where(table.c.character_id == character_id, table.c.client_id != client_id)
        .with_for_update()
    ).all()
    first = max([int(now.timestamp()), *(other.generation + 1 for other in others)])
    values = {
        "scopes": text_of_words(scopes),
        "access_token": access_token,
        "refresh_token": refresh_token,
        "key_id": None,
        "expires_at": expires_at,
        "needs_reauth": False,
        "refused_at": None,
        "logged_in_at": now,
        "updated_at": now,
    }
    statement = insert(connection, table).values(
        character_id=character_id,
        client_id=client_id,
        generation=first,
        created_at=now,
        **values,
    )
    above = case((table.c.generation < first, first), else_=table.c.generation + 1)
    credential_id = connection.scalar(
        statement.on_conflict_do_update(
            index_elements=["character_id", "client_id"],
            set_={**values, "generation": above if others else table.c.generation + 1},
        ).returning(table.c.id)
    )
    assert credential_id is not None  # noqa: S101 - RETURNING gives the row, new or old
    ways.forgive(connection, credential_id, now)
    if others:
        old = [other.id for other in others]
        ways.move(connection, old, credential_id, now)
        connection.execute(delete(table).where(table.c.id.in_(old)))
    grants.note_change(connection)
    subjects.enroll(connection, Subject(SubjectType.CHARACTER, character_id), now)
    return int(credential_id)


def remove(connection: Connection, character_id: int) -> int:
    """Remove a character's credentials and what was read through them; return how many."""
    ids = select(table.c.id).where(table.c.character_id == character_id)
    connection.execute(delete(access_table).where(access_table.c.credential_id.in_(ids)))
    return grants.execute(connection, delete(table).where(table.c.character_id == character_id))
