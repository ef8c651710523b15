"""`esisyncd events`: what happens, as it happens."""

from __future__ import annotations

import json
import sys

import click

from cli.client import ControlClient
from cli.context import Command, Invocation, output_painter, pass_invocation, say
from cli.event_view import as_json as event_json
from cli.event_view import line
from ipc.events import Heartbeat, Scheduled


@click.command(cls=Command, short_help="Show what happens, as it happens.")
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document a line.")
@click.option("--all", "everything", is_flag=True, help="Show heartbeats and next times too.")
@pass_invocation
def command(invocation: Invocation, as_json: bool, everything: bool) -> None:
    """Show what happens, as it happens, until Ctrl-C or the daemon's end.

    JSON always has everything.
    """
    paint = output_painter()
    with ControlClient(invocation.settings().socket_path) as client:
        client.observe()
        while True:
            for event in client.events():
                if as_json:
                    say(json.dumps(event_json(event)))
                elif everything or not isinstance(event, Heartbeat | Scheduled):
                    say(line(event, paint))
            sys.stdout.flush()
