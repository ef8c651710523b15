"""`esisyncd contact lists`: lists of contacts that are kept here, and pushed to characters."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import asdict
from typing import TYPE_CHECKING

import click

from cli.context import (
    Command,
    Invocation,
    Number,
    output_painter,
    output_width,
    pass_invocation,
    say,
)
from cli.errors import BadInput
from cli.json_documents import json_text
from cli.table import Cell, Column, render
from cli.words import count
from cli.writes.asking import Desk, open_desk
from ipc.clock import SystemClock

if TYPE_CHECKING:
    from sqlalchemy import Connection

    from jobs.store.contact_lists import ContactList

Change = Callable[["Connection", str, Iterable[int]], None]
_NAME = click.argument("name")
_WHO = click.argument("who", metavar="WHO...", nargs=-1, required=True)
_CHARACTERS = click.argument("characters", metavar="CHARACTER...", nargs=-1, required=True)


@click.group(short_help="Keep lists of contacts, and have them added to characters.")
def lists() -> None:
    """Keep lists of contacts, and have them added to characters.

    While the feature contact_sync is on, what is missing from a character's contacts is added
    every five minutes. Nothing is changed or removed in the game.
    """


@lists.command("show", cls=Command)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_invocation
def show(invocation: Invocation, as_json: bool) -> None:
    """Show the lists."""
    from jobs.store import contact_lists

    with open_desk(invocation) as desk:
        found = desk.database.read_now(contact_lists.every)
    if as_json:
        say(json_text(lists=[asdict(one) for one in found]))
        return
    if not found:
        say("There is no list yet; `esisyncd contact lists save NAME --standing 5` makes one.")
        return
    columns = (
        Column("name"),
        Column("standing", right=True),
        Column("watched"),
        Column("contacts", right=True),
        Column("for", flexible=True),
    )
    table = [_cells(one) for one in found]
    for text in render(columns, table, width=output_width(), paint=output_painter()):
        say(text)


def _cells(one: ContactList) -> list[Cell]:
    return [
        Cell(one.name),
        Cell(f"{one.standing:g}"),
        Cell("yes" if one.is_watched else "no"),
        Cell(str(len(one.contact_ids))),
        Cell(", ".join(map(str, one.character_ids))),
    ]


@lists.command("save", cls=Command)
@_NAME
@click.option("--standing", type=Number(-10, 10), required=True, help="From -10 to 10.")
@click.option("--watched", is_flag=True, help="Put its contacts on the watch list.")
@pass_invocation
def save(invocation: Invocation, name: str, standing: float, watched: bool) -> None:
    """Make a list, or change what contacts are added with from now on."""
    from jobs.store import contact_lists

    now = SystemClock().now()
    with open_desk(invocation) as desk:
        desk.database.write_now(
            lambda conn: contact_lists.save(conn, name, standing, now, is_watched=watched)
        )
    say(f"the list {name} is saved")


@lists.command("delete", cls=Command)
@_NAME
@pass_invocation
def delete(invocation: Invocation, name: str) -> None:
    """Delete a list; contacts in the game stay."""
    from jobs.store import contact_lists

    with open_desk(invocation) as desk:
        _require(desk, name)
        desk.database.write_now(lambda conn: contact_lists.remove(conn, name))
    say(f"the list {name} is deleted")


@lists.command("put", cls=Command, short_help="Put contacts on a list.")
@_NAME
@_WHO
@pass_invocation
def put(invocation: Invocation, name: str, who: tuple[str, ...]) -> None:
    """Put characters, corporations, alliances or factions on a list: names or ids."""
    from jobs.store import contact_lists

    with open_desk(invocation) as desk:
        changed = _change(desk, name, desk.names.ids(who), contact_lists.put)
    say(f"{count(changed, 'contact')} put on {name}")


@lists.command("take", cls=Command)
@_NAME
@_WHO
@pass_invocation
def take(invocation: Invocation, name: str, who: tuple[str, ...]) -> None:
    """Take contacts off a list; in the game they stay."""
    from jobs.store import contact_lists

    with open_desk(invocation) as desk:
        changed = _change(desk, name, desk.names.ids(who), contact_lists.take)
    say(f"{count(changed, 'contact')} taken off {name}")


@lists.command("assign", cls=Command, short_help="Have a list added to the contacts of characters.")
@_NAME
@_CHARACTERS
@pass_invocation
def assign(invocation: Invocation, name: str, characters: tuple[str, ...]) -> None:
    """Have a list added to the contacts of characters: ids, or names of those logged in."""
    from jobs.store import contact_lists

    with open_desk(invocation) as desk:
        subjects = [desk.names.character(one) for one in characters]
        for subject in subjects:
            desk.check_right(subject, "contact.sync_add")
        _change(desk, name, [one.id for one in subjects], contact_lists.assign)
    say(f"{name} is added to {count(len(subjects), 'character')}")
    if not invocation.settings().features.get("contact_sync", False):
        say("Switch it on: [features] contact_sync = true in the configuration.")


@lists.command("unassign", cls=Command, short_help="Have a list added to characters no more.")
@_NAME
@_CHARACTERS
@pass_invocation
def unassign(invocation: Invocation, name: str, characters: tuple[str, ...]) -> None:
    """Have a list added to characters no more; their contacts stay."""
    from jobs.store import contact_lists

    with open_desk(invocation) as desk:
        ids = [desk.names.character(one).id for one in characters]
        _change(desk, name, ids, contact_lists.unassign)
    say(f"{name} is added to {count(len(ids), 'character')} no more")


def _change(desk: Desk, name: str, ids: list[int], change: Change) -> int:
    _require(desk, name)
    unique = list(dict.fromkeys(ids))
    desk.database.write_now(lambda conn: change(conn, name, unique))
    return len(unique)


def _require(desk: Desk, name: str) -> None:
    from jobs.store import contact_lists

    if not desk.database.read_now(lambda conn: contact_lists.exists(conn, name)):
        raise BadInput(
            f"there is no list {name}", "`esisyncd contact lists save` makes one, `show` shows all."
        )
