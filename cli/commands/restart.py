"""`esisyncd restart`: a new scheduler and new workers, now."""

from __future__ import annotations

import click

from cli.client import ControlClient
from cli.context import Command, Invocation, pass_invocation, say
from ipc.commands import Restart


@click.command(cls=Command, short_help="Restart the scheduler and its workers.")
@pass_invocation
def command(invocation: Invocation) -> None:
    """Restart the scheduler and its workers, also out of a backoff or the parked state."""
    with ControlClient(invocation.settings().socket_path) as client:
        client.request(Restart())
    say("restarting")
