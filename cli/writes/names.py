"""Ids of what a person names: from the mirror, else through the daemon, which asks ESI."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from typing import TYPE_CHECKING

import msgspec

from cli.client import CommandRefused, ControlClient
from cli.errors import BadInput, CliError, NoDaemon
from ipc.commands import Resolve
from ipc.subject import Subject, SubjectType, id_of

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from ipc.settings import Settings
    from jobs.store.database import Database

Found = dict[str, list[tuple[int, str]]]

PEOPLE = ("character", "corporation", "alliance", "faction")
# ESI is asked by a worker, and may take its time.
_WAIT_S = 35.0


class Names:
    """Looks names up; those that are numbers already cost nothing."""

    def __init__(self, settings: Settings, database: Database) -> None:
        """Take where the daemon and the mirror are."""
        self._settings = settings
        self._database = database

    def character(self, text: str) -> Subject:
        """Return the character of ours that is named: by id, as character:ID, or by name."""
        number = id_of(text.removeprefix("character:"))
        if number is not None:
            return Subject(SubjectType.CHARACTER, number)
        own = self._database.read_now(_own)
        return Subject(SubjectType.CHARACTER, _the_one(text, _alike(text, own), ("character",)))

    def ids(self, texts: Sequence[str], categories: Collection[str] = PEOPLE) -> list[int]:
        """Return the ids of things of these categories; BadInput for a name nobody knows."""
        return [number for number, _ in self.things(texts, categories)]

    def things(
        self, texts: Sequence[str], categories: Collection[str] = PEOPLE
    ) -> list[tuple[int, str]]:
        """Return ids with categories; that of a number is looked up and can be empty."""
        ids = {text: id_of(text) for text in texts}
        for text, one in ids.items():
            if one is None and text.isdecimal():
                raise BadInput(f"nothing has the id {text[:40]}")
        named = [text for text in texts if ids[text] is None]
        numbers = [one for one in ids.values() if one is not None]
        known = self._database.read_now(lambda conn: _known(conn, named))
        kinds = self._database.read_now(lambda conn: _categories(conn, numbers))
        found = {text: _of(known.get(text, []), categories) for text in named}
        missing = [text for text in dict.fromkeys(named) if not found[text]]
        if missing:
            asked = self._ask(missing)
            for text in missing:
                found[text] = _of(_alike(text, asked), categories)
        return [
            _only(text, found[text], categories) if one is None else (one, kinds.get(one, ""))
            for text, one in ((text, ids[text]) for text in texts)
        ]

    def _ask(self, names: Sequence[str]) -> Found:
        try:
            with ControlClient(self._settings.socket_path) as client:
                reply = client.request(Resolve(tuple(names)), wait_s=_WAIT_S)
        except NoDaemon:
            told = ", ".join(map(repr, names))
            raise BadInput(
                f"the mirror does not know {told}, and no daemon runs to ask ESI",
                "Give the id, or start the daemon.",
            ) from None
        except CommandRefused as error:
            raise CliError(error.message, "Give ids, or try again.") from None
        if reply.status != "done":
            raise CliError("no scheduler runs to ask ESI for names", "Give ids, or try again.")
        return msgspec.json.decode(reply.text, type=Found)


def _own(connection: Connection) -> Found:
    from sqlalchemy import select

    from jobs.store.schema.core import credential
    from jobs.store.schema.universe import name

    query = (
        select(name.c.id, name.c.name)
        .join(credential, credential.c.character_id == name.c.id)
        .distinct()
    )
    found: Found = {}
    for number, text in connection.execute(query):
        found.setdefault(text, []).append((number, "character"))
    return found


def _known(connection: Connection, texts: Sequence[str]) -> Found:
    from sqlalchemy import func, select

    from jobs.store.schema.mail import mailing_list
    from jobs.store.schema.universe import name

    found: Found = {}
    for text in texts:
        exact = select(name.c.id, name.c.category).where(name.c.name == text)
        alike = select(name.c.id, name.c.category).where(func.lower(name.c.name) == text.lower())
        lists = select(mailing_list.c.mailing_list_id).where(mailing_list.c.name == text)
        rows = connection.execute(exact).all() or connection.execute(alike).all()
        found[text] = [(number, category) for number, category in rows]
        found[text] += [(one, "mailing_list") for one in set(connection.scalars(lists))]
    return found


def _categories(connection: Connection, ids: Sequence[int]) -> dict[int, str]:
    from sqlalchemy import select

    from jobs.store.schema.mail import mailing_list
    from jobs.store.schema.universe import name

    if not ids:
        return {}
    lists = select(mailing_list.c.mailing_list_id).where(mailing_list.c.mailing_list_id.in_(ids))
    found = dict.fromkeys(connection.scalars(lists), "mailing_list")
    query = select(name.c.id, name.c.category).where(name.c.id.in_(ids))
    return found | {row.id: row.category for row in connection.execute(query)}


def _alike(text: str, found: Found) -> list[tuple[int, str]]:
    """Return what has a name, in exactly these letters if there is such a one."""
    if text in found:
        return found[text]
    folded = text.casefold()
    return [one for known, things in found.items() if known.casefold() == folded for one in things]


def _of(things: Sequence[tuple[int, str]], categories: Collection[str]) -> list[tuple[int, str]]:
    return [one for one in things if one[1] in categories]


def _only(
    text: str, things: Sequence[tuple[int, str]], categories: Collection[str]
) -> tuple[int, str]:
    kinds = " or ".join(one.replace("_", " ") for one in categories)
    if not things:
        raise BadInput(f"there is no {kinds} named {text!r}", "Check the name, or give the id.")
    if len(things) > 1:
        told = ", ".join(f"{category} {number}" for number, category in things)
        raise BadInput(f"{text!r} names several: {told}", "Give the id.")
    return things[0]


def _the_one(text: str, things: Sequence[tuple[int, str]], categories: Collection[str]) -> int:
    if not things:
        raise BadInput(
            f"no character named {text!r} is logged in, or its name is not mirrored yet",
            "`esisyncd credential list` shows the ids.",
        )
    return _only(text, things, categories)[0]
