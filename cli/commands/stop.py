"""`esisyncd stop`: ends the daemon, and waits until it is gone."""

from __future__ import annotations

import os
import select
from collections.abc import Iterator
from contextlib import contextmanager, suppress

import click

from cli.client import ConnectionLost, ControlClient
from cli.context import Command, Invocation, pass_invocation, say
from cli.errors import DaemonSilent
from ipc.commands import Stop

# Longer than the daemon itself gives its children.
_GONE_WITHIN_S = 45.0


@click.command(cls=Command, short_help="Stop the daemon.")
@click.option("--now", is_flag=True, help="Cancel running jobs instead of letting them end.")
@pass_invocation
def command(invocation: Invocation, now: bool) -> None:
    """Stop the daemon and wait until it is gone; what is cut off is due at the next start."""
    with ControlClient(invocation.settings().socket_path) as client:
        stop_daemon(client, now=now)
    say("stopped")


def stop_daemon(client: ControlClient, *, now: bool) -> None:
    """Ask the daemon to stop, and return once its process is gone."""
    with _watched(client.daemon.pid) as watched:
        # Lost where it is gone before it could answer.
        with suppress(ConnectionLost):
            client.request(Stop(now=now))
        if watched is None:
            gone = client.wait_closed(_GONE_WITHIN_S)
        else:
            gone = bool(select.select([watched], [], [], _GONE_WITHIN_S)[0])
    if not gone:
        raise DaemonSilent(
            f"the daemon (pid {client.daemon.pid}) still runs after {_GONE_WITHIN_S:g} s",
            "Look at its log; `esisyncd stop --now` waits for nobody.",
        )


@contextmanager
def _watched(pid: int) -> Iterator[int | None]:
    """Open a descriptor that becomes readable when the process ends; None if it is not visible."""
    try:
        descriptor = os.pidfd_open(pid)
    except OSError:
        # It ended already, or lives in another namespace of processes.
        yield None
        return
    try:
        yield descriptor
    finally:
        os.close(descriptor)
