"""`esisyncd reload`: the daemon reads its configuration again."""

from __future__ import annotations

import click

from cli.client import CommandRefused, ControlClient
from cli.context import Command, Invocation, pass_invocation, say
from cli.errors import ConfigFault
from ipc.commands import Reload


@click.command(cls=Command, short_help="Have the daemon read its configuration again.")
@pass_invocation
def command(invocation: Invocation) -> None:
    """Have the daemon read its configuration again, and tell what changes.

    Features and intervals change at once; what waits for a restart is named.
    """
    with ControlClient(invocation.settings().socket_path) as client:
        try:
            reply = client.request(Reload())
        except CommandRefused as error:
            raise ConfigFault(error.message, "Nothing has changed.") from None
    say(f"reloaded; {reply.text or 'nothing has changed'}")
