"""`esisyncd enroll`: a subject is mirrored from now on."""

from __future__ import annotations

import click

from cli.context import SUBJECT, Command, Invocation, pass_invocation, say
from cli.errors import BadInput
from cli.subjects import change_subject
from ipc.commands import Enroll
from ipc.subject import GLOBAL, Subject


@click.command(cls=Command, short_help="Mirror a subject from now on.")
@click.argument("subject", type=SUBJECT)
@pass_invocation
def command(invocation: Invocation, subject: Subject) -> None:
    """Mirror SUBJECT from now on, also one that was withdrawn or forgotten before.

    Without a credential only what is public is mirrored; `esisyncd login` brings one.
    """
    if subject == GLOBAL:
        raise BadInput("the global subject is always mirrored")
    say(change_subject(invocation, Enroll(subject), done=f"{subject} is enrolled"))
