"""`esisyncd calendar`: respond."""

from __future__ import annotations

import click

from cli.context import Command, Invocation, Whole, pass_invocation
from cli.writes.asking import How, ask, how_options


@click.group(short_help="Answer events of the calendar.")
def command() -> None:
    """Answer events of the calendar."""


@command.command("respond", cls=Command, short_help="Answer an event.")
@click.argument("character", metavar="CHARACTER")
@click.argument("event_id", type=Whole(min=1))
@click.argument("response", type=click.Choice(("accepted", "declined", "tentative")))
@how_options
@pass_invocation
def respond(
    invocation: Invocation,
    character: str,
    event_id: int,
    response: str,
    wait: bool,
    timeout_s: float | None,
    as_json: bool,
) -> int:
    """Answer an event, as CHARACTER: an id, or the name of one logged in."""
    payload = {"event_id": event_id, "response": response}
    how = How(wait, timeout_s, as_json)
    return ask(invocation, character, "calendar.respond", lambda _: [payload], how)
