"""`esisyncd credential`: import, list, remove."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING, Any

import click

from cli import known
from cli.context import (
    Command,
    Invocation,
    confirmed,
    output_painter,
    output_width,
    pass_invocation,
    say,
    tell,
)
from cli.credential_lines import parse_lines
from cli.credentials import save_credentials
from cli.errors import BadInput, CliError
from cli.json_documents import json_text
from cli.paint import Style
from cli.store import open_database
from cli.subjects import tell_daemon_to_look
from cli.table import Cell, Column, render
from cli.words import ago, count, instant_or_none, until
from ipc.clock import SystemClock

if TYPE_CHECKING:
    from datetime import datetime

    from jobs.store.credentials import Credential


@click.group(short_help="Import, list or remove credentials.")
def command() -> None:
    """Import, list or remove credentials; a token is never shown."""


@command.command("import", cls=Command)
@pass_invocation
def import_(invocation: Invocation) -> None:
    """Import credentials from standard input, one JSON object a line.

    Keys: character_id, refresh_token, scopes (a list, or text with spaces); optionally
    access_token with expires_at, and corporations (ids to mirror through this character). All
    lines are checked before any is written.
    """
    settings = invocation.settings()
    if sys.stdin.isatty():
        raise BadInput(
            "credentials are read from standard input",
            "As in: esisyncd credential import < credentials.ndjson",
        )
    lines = parse_lines(sys.stdin.buffer)
    saved = save_credentials(settings, lines)
    running = tell_daemon_to_look(settings, saved.enrolled)
    tail = "; the daemon takes them up" if running else ""
    say(f"{count(len(lines), 'credential')} imported{tail}")
    for character_id, scopes in saved.lost.items():
        tell(f"character:{character_id}: no longer granted: {', '.join(sorted(scopes))}")


@command.command("list", cls=Command)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@pass_invocation
def list_(invocation: Invocation, as_json: bool) -> None:
    """List the credentials, without their tokens."""
    from jobs.store import credentials

    settings = invocation.settings()
    with open_database(settings) as database:
        found = database.read_now(credentials.list_all)
    called = {subject.id: name for subject, name in known.names(settings).items()}
    if as_json:
        told = [_as_json(one, called.get(one.character_id)) for one in found]
        say(json_text(credentials=told))
        return
    if not found:
        say("There is no credential yet; `esisyncd login` brings one.")
        return
    now = SystemClock().now()
    columns = (
        Column("character", right=True),
        Column("name", flexible=True),
        Column("state"),
        Column("scopes", right=True),
        Column("token", right=True),
        Column("refreshed", right=True),
        Column("client", flexible=True),
    )
    rows = [_row(one, called.get(one.character_id, ""), now) for one in found]
    for line in render(columns, rows, width=output_width(), paint=output_painter()):
        say(line)


def _row(one: Credential, name: str, now: datetime) -> list[Cell]:
    state = Cell("needs login", Style.BAD) if one.needs_reauth else Cell("good", Style.GOOD)
    if one.refused_at is not None and not one.needs_reauth:
        state = Cell("refused once", Style.WARN)
    left = until(one.expires_at, now) if one.has_token else "none yet"
    return [
        Cell(str(one.character_id)),
        Cell(name),
        state,
        Cell(str(len(one.scopes))),
        Cell("expired" if left == "now" else left),
        Cell(ago(one.refreshed_at, now)),
        Cell(one.client_id),
    ]


def _as_json(one: Credential, name: str | None) -> dict[str, Any]:
    return {
        "character_id": one.character_id,
        "name": name,
        "client_id": one.client_id,
        "scopes": sorted(one.scopes),
        "expires_at": instant_or_none(one.expires_at),
        "needs_login": one.needs_reauth,
        "refused_at": instant_or_none(one.refused_at),
        "refreshed_at": instant_or_none(one.refreshed_at),
    }


@command.command("remove", cls=Command, short_help="Remove credentials; rows stay.")
@click.argument("character", metavar="CHARACTER")
@click.option("--yes", is_flag=True, help="Do not ask.")
@pass_invocation
def remove(invocation: Invocation, character: str, yes: bool) -> None:
    """Remove the credentials of CHARACTER; its rows stay, and so does its grant at SSO.

    It is named by its id or its name. `esisyncd forget character:ID` removes everything, and
    revokes the grant.
    """
    from cli.writes.names import Names
    from jobs.store import credentials

    settings = invocation.settings()
    with open_database(settings) as database:
        character_id = Names(settings, database).character(character).id
        if all(one.character_id != character_id for one in database.read_now(credentials.list_all)):
            raise BadInput(
                f"there is no credential of character {character_id}",
                "`esisyncd credential list` shows all.",
            )
        if not confirmed(f"Remove the credentials of character {character_id}?", yes=yes):
            raise CliError("nothing was removed")
        removed = database.write_now(lambda conn: credentials.remove(conn, character_id))
    tell_daemon_to_look(settings)
    say(f"{count(removed, 'credential')} removed")
    say(f"What is public goes on; `esisyncd withdraw character:{character_id}` ends that too.")
