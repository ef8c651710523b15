"""`run --once`: a daemon that is stopped when every job that is due has run."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable, Sequence
from datetime import datetime
from typing import TYPE_CHECKING

from cli.client import ConnectionLost, ControlClient
from cli.commands.stop import stop_daemon
from cli.context import tell
from cli.errors import CliError
from cli.event_view import line
from cli.paint import Painter
from cli.supervising import SupervisedDaemon
from cli.waits import has_more, waits_for_esi
from cli.words import count
from ipc.clock import SystemClock
from ipc.control_messages import DaemonState, Missed
from ipc.events import Event, Failed, Finished
from ipc.exits import Exit
from ipc.outcome import Token
from ipc.scheduler_messages import JobState
from ipc.subject import JobKey

if TYPE_CHECKING:
    from ipc.settings import Settings

_LOOK_INTERVAL_S = 0.5


def run_once(arguments: Sequence[str], settings: Settings) -> int:
    """Start the daemon, wait until nothing is due, stop it; return the exit code."""
    paint = Painter(colours=False)
    watch = Watch(lambda event: tell(line(event, paint)))
    with SupervisedDaemon(arguments, settings.socket_path) as daemon, daemon.connect() as client:
        try:
            client.observe()
            jobs = watch.until_nothing_is_due(client)
            daemon.note_asked()
            stop_daemon(client, now=False)
        except ConnectionLost:
            raise daemon.ended() from None
    for key, reason in sorted(watch.failed.items()):
        tell(f"failed: {key}: {reason}")
    tell(f"{count(watch.ended, 'run')} of jobs ended, {count(len(watch.failed), 'job')} failed")
    for text in unfinished(jobs):
        tell(text)
    return Exit.FAILURE if watch.failed else Exit.OK


class Watch:
    """Follows a daemon from its start until there is nothing more for it to do now."""

    def __init__(self, on_end: Callable[[Event], None]) -> None:
        """Take whom to tell of each job that ends."""
        # Jobs whose last end was a failure, and why.
        self.failed: dict[JobKey, str] = {}
        self.ended = 0
        self._on_end = on_end

    def until_nothing_is_due(self, client: ControlClient) -> Sequence[JobState]:
        """Return the jobs once none is due, running, or still to run for the first time."""
        while True:
            deadline = time.monotonic() + _LOOK_INTERVAL_S
            while time.monotonic() < deadline:
                for event in client.events(max(0.0, deadline - time.monotonic())):
                    self.take(event)
            state, jobs = client.status(jobs=True)
            if state.scheduler_state == "parked":
                raise CliError(f"the daemon gave up: {state.trouble}")
            if jobs is not None and is_idle(state, jobs, SystemClock().now()):
                for event in client.events(0.0):
                    self.take(event)
                return jobs

    def take(self, event: Event | Missed) -> None:
        """Note how a job ended; the last end counts."""
        match event:
            case Finished(key=key, outcome=outcome):
                self.failed.pop(key, None)
                if outcome.token is Token.FAILED:
                    self.failed[key] = outcome.reason
            case Failed(key=key, reason=reason):
                self.failed[key] = reason
            case _:
                return
        self.ended += 1
        self._on_end(event)


def unfinished(jobs: Iterable[JobState]) -> list[str]:
    """Return what another run would add, in lines; it is no failure, and ends with 0."""
    known = list(jobs)
    waiting = sum(map(waits_for_esi, known))
    more = sum(map(has_more, known))
    lines = []
    if waiting:
        word = count(waiting, "job waits", "jobs wait")
        lines.append(f"{word} for ESI's limits: run it again later")
    if more:
        lines.append(f"{count(more, 'job has', 'jobs have')} more to fetch: run it again")
    return lines


def is_idle(state: DaemonState, jobs: Iterable[JobState], now: datetime) -> bool:
    """Tell whether a daemon has nothing to do now: no job due, running, or never tried."""
    summary = state.summary
    if summary is None or summary.due or summary.in_flight or not summary.entries:
        return False
    return not any(_is_open(job, now) for job in jobs)


def _is_open(job: JobState, now: datetime) -> bool:
    if job.in_flight:
        return True
    if job.parked_reason:
        return False
    if job.next_run_at is None:
        # It waits for the profile of its subject, which has had its run, and failed.
        return False
    # A failed one has had its run, and its next is an attempt of another day.
    return job.outcome is None or job.next_run_at <= now
