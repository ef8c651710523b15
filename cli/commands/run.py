"""`esisyncd run`: becomes the daemon, or runs it until nothing is due."""

from __future__ import annotations

import os
import sys
from typing import NoReturn

import click

from cli.context import Command, Invocation, pass_invocation
from cli.foreign import refuse_foreign_supervisor
from cli.settings_check import check_startable
from ipc.dispositions import block_operator_signals


@click.command(cls=Command, short_help="Run the daemon in the foreground.")
@click.option("--once", is_flag=True, help="Stop when every job that is due has run once.")
@click.option(
    "--exit-on-give-up",
    is_flag=True,
    help="Leave with exit code 75 instead of waiting, parked, for a restart.",
)
@pass_invocation
def command(invocation: Invocation, once: bool, exit_on_give_up: bool) -> int:
    """Run the daemon in the foreground; Ctrl-C stops it, a second one at once.

    With --once the exit code is 0 when all that ran went well, 1 when something failed. Jobs that
    wait for ESI's limits, or have more to fetch, are told and are no failure.
    """
    check_startable(invocation.loaded())
    refuse_foreign_supervisor()
    arguments = invocation.arguments()
    if once or exit_on_give_up:
        arguments.append("--exit-on-give-up")
    if once:
        from cli.once import run_once

        code = run_once(arguments, invocation.settings())
    else:
        # -P: a folder `jobs` or `ipc` in the user's current folder is not ours.
        _become([sys.executable, "-P", "-m", "supervisor", *arguments])
    return code


def _become(arguments: list[str]) -> NoReturn:
    sys.stdout.flush()
    sys.stderr.flush()
    # Until the daemon's handlers are there, USR1 or HUP would end it.
    block_operator_signals()
    # The same pid, as a service manager wants it, and nothing of click in the daemon's memory.
    os.execv(sys.executable, arguments)  # noqa: S606 - no shell wanted
