"""`esisyncd sync`: jobs of a subject are due now."""

from __future__ import annotations

import contextlib
import difflib
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

import click

from cli.client import CommandRefused, ControlClient
from cli.context import (
    SUBJECT,
    Command,
    Invocation,
    Number,
    output_painter,
    pass_invocation,
    say,
    tell,
)
from cli.errors import BadInput, CliError, NotYet
from cli.event_view import line
from cli.progress import Progress
from cli.words import count
from ipc.commands import RunNow
from ipc.exits import Exit
from ipc.scheduler_messages import JobState
from ipc.subject import JobKey, Subject

if TYPE_CHECKING:
    from ipc.settings import Settings

# How often the state is asked for, beside the events: a reader that is too slow misses some.
_ASK_INTERVAL_S = 1.0


@click.command(cls=Command, short_help="Make the jobs of a subject due now.")
@click.argument("subject", type=SUBJECT)
@click.option("--kind", default="", metavar="KIND", help="This kind only, or those of a feature.")
@click.option("--wait", is_flag=True, help="Wait for the jobs to end, and show how they did.")
@click.option(
    "--timeout",
    "timeout_s",
    type=Number(min=0, min_open=True),
    metavar="SECONDS",
    help="Give up waiting after this; means --wait.",
)
@pass_invocation
def command(
    invocation: Invocation, subject: Subject, kind: str, wait: bool, timeout_s: float | None
) -> int:
    """Make the jobs of SUBJECT due now, parked ones included, before all others.

    What ESI said is still fresh is not asked again. With --wait the exit code is 1 when a job
    failed, and 75 when the time ran out or ESI asked to wait: the job goes on by itself then.
    """
    settings = invocation.settings()
    with ControlClient(settings.socket_path) as client:
        waits = wait or timeout_s is not None
        kinds = _kinds_of(settings, kind)
        generation, chosen = _chosen(client, subject, kind, kinds, must_exist=waits)
        progress = Progress(chosen)
        if waits:
            client.observe()
        # Of a feature's kinds those that there are; without a scheduler nobody knows which.
        scheduled = {"", *(job.key.kind for job in chosen)}
        wanted = [one for one in kinds if not chosen or one in scheduled]
        replies = [client.request(RunNow(subject, one)) for one in wanted]
        if not waits:
            kept = any(reply.status == "kept" for reply in replies)
            told = "; ".join(dict.fromkeys(filter(None, (reply.text for reply in replies))))
            say("kept for the next scheduler" if kept else told or "due now")
            return Exit.OK
        return _follow(client, subject, progress, generation, timeout_s)


def _kinds_of(settings: Settings, kind: str) -> list[str]:
    """Return the kinds that are meant: one, all (as an empty name), or those of a feature."""
    if not kind or "." in kind:
        return [kind]
    from jobs.catalog import load

    found = [one.name for one in load(settings.kind_packages).values() if kind in one.features]
    return found or [kind]


def _chosen(
    client: ControlClient, subject: Subject, kind: str, kinds: list[str], *, must_exist: bool
) -> tuple[int, list[JobState]]:
    """Return of which life of the scheduler that is, and the jobs that are meant."""
    state, jobs = client.status(jobs=True, subject=subject)
    if jobs is None:
        if must_exist:
            raise CliError(
                f"the scheduler is {state.scheduler_state}, so there is nothing to wait for",
                "Ask again without --wait: the request is kept for it.",
            )
        return state.generation, []
    chosen = [job for job in jobs if not kind or job.key.kind in kinds]
    if chosen:
        return state.generation, chosen
    if not jobs:
        raise BadInput(
            f"nothing is scheduled for {subject}",
            f"`esisyncd enroll {subject}` begins. `esisyncd status` lists all subjects.",
        )
    known = sorted(job.key.kind for job in jobs)
    near = difflib.get_close_matches(kind, known, 1, 0.6)
    hint = f"Did you mean {near[0]}?" if near else f"Scheduled are: {', '.join(known)}"
    raise BadInput(f"{kind} is not scheduled for {subject}", hint)


@dataclass(slots=True)
class _Asked:
    """What one life of the scheduler was told to run at once; it goes with it."""

    generation: int
    keys: set[JobKey]


def _look(client: ControlClient, subject: Subject, progress: Progress, asked: _Asked) -> None:
    """Take in how the jobs stand, and ask a new scheduler for those that have not ended."""
    state, jobs = client.status(jobs=True, subject=subject)
    if state.scheduler_state == "parked":
        names = ", ".join(sorted(key.kind for key in progress.waiting))
        raise NotYet(
            f"the daemon gave up restarting; not ended: {names}",
            "`esisyncd restart` revives it; `esisyncd status` says what is wrong.",
        )
    if jobs is None:
        # It starts again, or is busy: nothing is known of any job.
        return
    progress.take_status(jobs)
    if state.generation != asked.generation:
        asked.generation, asked.keys = state.generation, set()
    for key in sorted((progress.waiting & {job.key for job in jobs}) - asked.keys):
        asked.keys.add(key)
        # Gone meanwhile: the next states say nothing of it.
        with contextlib.suppress(CommandRefused):
            client.request(RunNow(subject, key.kind))


def _follow(
    client: ControlClient,
    subject: Subject,
    progress: Progress,
    generation: int,
    timeout_s: float | None,
) -> int:
    asked = _Asked(generation, set(progress.keys))
    paint = output_painter()
    deadline = None if timeout_s is None else time.monotonic() + timeout_s
    ask_at = time.monotonic() + _ASK_INTERVAL_S
    while progress.waiting:
        now = time.monotonic()
        if deadline is not None and now >= deadline:
            names = ", ".join(sorted(key.kind for key in progress.waiting))
            raise NotYet(f"not ended within {timeout_s:g} s: {names}", "They go on by themselves.")
        if now >= ask_at:
            _look(client, subject, progress, asked)
            ask_at = now + _ASK_INTERVAL_S
        wait_until = ask_at if deadline is None else min(ask_at, deadline)
        for event in client.events(max(0.0, wait_until - time.monotonic())):
            if progress.take_event(event):
                say(line(event, paint))
        sys.stdout.flush()
    bad = progress.bad
    for key, reason in sorted(bad.items()):
        tell(f"{key.kind}: {reason}")
    held = progress.held
    for key, until in sorted(held.items()):
        tell(f"{key.kind}: waits until {until:%H:%M:%S} UTC as ESI asks")
    ended = f"{count(len(progress.ended), 'job')} ended"
    if bad:
        ended += f", {len(bad)} of them badly"
    say(ended + (f"; {count(len(held), 'job waits', 'jobs wait')} as ESI asks" if held else ""))
    if bad:
        return Exit.FAILURE
    return NotYet.exit_code if held else Exit.OK
