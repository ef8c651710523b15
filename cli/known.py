"""Subjects that the database knows, and what they are called: for people, who know names.

Without SQLAlchemy where the database is SQLite, so that `status` starts fast.
"""

from __future__ import annotations

import contextlib
import sqlite3
from collections.abc import Collection, Iterable, Mapping
from typing import TYPE_CHECKING
from urllib.parse import quote

from ipc.subject import Subject, SubjectType, id_of

if TYPE_CHECKING:
    from ipc.settings import Settings

_NAMES = """
    SELECT 'character', character_id, name FROM character
    UNION SELECT 'corporation', corporation_id, name FROM corporation
    UNION SELECT 'alliance', alliance_id, name FROM alliance"""
_SUBJECTS = """
    SELECT type, id, '' FROM subject
    UNION SELECT 'character', character_id, '' FROM credential"""
_WAIT_S = 5.0


def names(settings: Settings) -> dict[Subject, str]:
    """Return what characters, corporations and alliances of ours are called; empty if unknown."""
    return _ask(settings, _NAMES)


def subjects(settings: Settings) -> frozenset[Subject]:
    """Return those that are or were mirrored, or have a credential; empty if that is unknown."""
    return frozenset(_ask(settings, _SUBJECTS))


def meant(
    text: str, known: Collection[Subject], called: Mapping[Subject, str]
) -> frozenset[Subject]:
    """Return the known subjects of this id, or of this name in whatever case."""
    number = id_of(text)
    if number is not None:
        return frozenset(one for one in known if one.id == number)
    folded = text.casefold()
    return frozenset(one for one in known if folded and called.get(one, "").casefold() == folded)


def _ask(settings: Settings, query: str) -> dict[Subject, str]:
    from supervisor.place import database_file

    file = database_file(settings.database_url)
    if file is None:
        return _ask_server(settings, query)
    uri = f"file:{quote(str(file))}?mode=ro"
    # Whatever keeps it from being read: names are a courtesy, and nothing waits for them.
    with (
        contextlib.suppress(sqlite3.Error),
        contextlib.closing(sqlite3.connect(uri, uri=True, timeout=_WAIT_S)) as connection,
    ):
        return _by_subject(connection.execute(query))
    return {}


def _ask_server(settings: Settings, query: str) -> dict[Subject, str]:
    from jobs.store.errors import StoreError
    from jobs.store.reader import QueryRefused, open_reader

    # As above.
    with (
        contextlib.suppress(StoreError, QueryRefused),
        open_reader(settings.database_url) as reader,
    ):
        return _by_subject(row for rows in reader.ask(query).batches for row in rows)
    return {}


def _by_subject(rows: Iterable[tuple[str, int, str | None]]) -> dict[Subject, str]:
    # Another version may have put in types that this one does not know.
    known = {word.value for word in SubjectType}
    return {
        Subject(SubjectType(kind), id_): name or "" for kind, id_, name in rows if kind in known
    }
