"""`esisyncd status`: how the daemon is, for a person, a program or a monitor."""

from __future__ import annotations

import json
import shutil
import sys
import time

import click

from cli import known
from cli.client import ControlClient
from cli.context import (
    SUBJECT,
    Command,
    Invocation,
    output_painter,
    output_width,
    pass_invocation,
    say,
    tell,
)
from cli.errors import BadInput, NoDaemon
from cli.health import assess
from cli.job_table import job_lines, login_lines
from cli.status_json import status_json
from cli.status_summary import summary_lines
from cli.words import count
from ipc.clock import SystemClock
from ipc.subject import Subject

_WATCH_INTERVAL_S = 1.0
_HOME_AND_CLEAR = "\x1b[H\x1b[J"


@click.command(cls=Command, short_help="Show processes, jobs, pauses and the outbox.")
@click.argument("subject", type=SUBJECT, required=False)
@click.option(
    "--watch",
    is_flag=True,
    help="Show it again every second until Ctrl-C, as far as it fits the screen; what needs a "
    "look comes first.",
)
@click.option("--json", "as_json", is_flag=True, help="Print one JSON document.")
@click.option("--all", "all_jobs", is_flag=True, help="Show every job, however many there are.")
@pass_invocation
def command(
    invocation: Invocation, subject: Subject | None, watch: bool, as_json: bool, all_jobs: bool
) -> int:
    """Show processes, jobs, pauses and the outbox, of one SUBJECT or of all.

    The exit code is fit for monitoring: 0 all is well, 1 something needs a look, 69 no daemon
    answers, 75 the daemon gave up and is parked.
    """
    if watch and as_json:
        raise BadInput("--watch shows a screen; for programs there is `esisyncd events --json`")
    path = invocation.settings().socket_path
    if watch:
        return _watch(invocation, subject, all_jobs)
    with ControlClient(path) as client:
        if as_json:
            state, jobs = client.status(jobs=True, subject=subject)
            health = assess(state)
            names = known.names(invocation.settings()) if jobs else {}
            say(json.dumps(status_json(state, health, jobs, names), indent=2))
            return health.exit_code
        return _show(client, invocation, subject, all_jobs)


def _show(
    client: ControlClient, invocation: Invocation, subject: Subject | None, all_jobs: bool
) -> int:
    clock = SystemClock()
    width, paint = output_width(), output_painter()
    state, _ = client.status()
    health = assess(state)
    for line in summary_lines(state, health, clock.now(), width=width, paint=paint):
        say(line)
    # The head is there at once, however many jobs follow.
    sys.stdout.flush()
    if state.scheduler_state != "running":
        return health.exit_code
    _, jobs = client.status(jobs=True, subject=subject)
    if jobs is None:
        tell("The scheduler did not tell its jobs in time.")
        return health.exit_code or 1
    if subject is not None and not jobs:
        tell(f"Nothing is scheduled for {subject}; `esisyncd enroll {subject}` begins.")
    for line in job_lines(
        jobs,
        clock.now(),
        width=width,
        paint=paint,
        all_jobs=all_jobs or subject is not None,
        names=known.names(invocation.settings()),
    ):
        say(line)
    if subject is None:
        for line in login_lines(jobs):
            say(line)
    return health.exit_code


def _watch(invocation: Invocation, subject: Subject | None, all_jobs: bool) -> int:
    path = invocation.settings().socket_path
    names = known.names(invocation.settings())
    clear = _HOME_AND_CLEAR if sys.stdout.isatty() else ""
    told = ""
    while True:
        try:
            with ControlClient(path) as client:
                told = ""
                while True:
                    height = shutil.get_terminal_size().lines if clear else None
                    say(clear + "\n".join(_screen(client, subject, all_jobs, height, names)))
                    sys.stdout.flush()
                    time.sleep(_WATCH_INTERVAL_S)
        except NoDaemon as error:
            # A file or a pipe is told once.
            if clear or told != error.message:
                told = error.message
                say(f"{clear}{told}; still looking")
                sys.stdout.flush()
            time.sleep(_WATCH_INTERVAL_S)


def _screen(
    client: ControlClient,
    subject: Subject | None,
    all_jobs: bool,
    height: int | None,
    names: dict[Subject, str],
) -> list[str]:
    now = SystemClock().now()
    width, paint = output_width(), output_painter()
    state, jobs = client.status(jobs=True, subject=subject)
    lines = summary_lines(state, assess(state), now, width=width, paint=paint)
    lines += job_lines(
        jobs or (),
        now,
        width=width,
        paint=paint,
        all_jobs=all_jobs or subject is not None,
        urgent_first=True,
        names=names,
    )
    if subject is None and jobs is not None:
        lines += login_lines(jobs)
    return lines if height is None else clipped(lines, height)


def clipped(lines: list[str], height: int) -> list[str]:
    """Return lines that fit a screen, the last one telling how many do not."""
    # The cursor is on the line below.
    room = max(2, height - 1)
    if len(lines) <= room:
        return lines
    return [*lines[: room - 1], f"… and {count(len(lines) - room + 1, 'line')} that do not fit"]
