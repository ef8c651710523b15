"""`esisyncd withdraw`: a subject is mirrored no longer."""

from __future__ import annotations

import click

from cli.context import SUBJECT, Command, Invocation, pass_invocation, say
from cli.errors import BadInput
from cli.subjects import change_subject, require_known
from ipc.commands import Withdraw
from ipc.subject import GLOBAL, Subject


@click.command(cls=Command, short_help="Mirror a subject no longer; its rows stay.")
@click.argument("subject", type=SUBJECT)
@pass_invocation
def command(invocation: Invocation, subject: Subject) -> None:
    """Mirror SUBJECT no longer; its rows and its credential stay."""
    if subject == GLOBAL:
        raise BadInput("the global subject is always mirrored", "Switch its features off instead.")
    require_known(invocation.settings(), subject)
    say(change_subject(invocation, Withdraw(subject), done=f"{subject} is withdrawn"))
