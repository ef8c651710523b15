"""The course of the demo: start everything, watch, stop the universe, mirror it once more."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from pathlib import Path
from typing import Protocol

from cli.client import ConnectionLost, ControlClient
from cli.commands.stop import stop_daemon
from cli.demo.stage import Stage, expected_jobs
from cli.errors import CliError
from cli.once import is_idle
from cli.progress import Progress
from cli.supervising import DaemonEnded, SupervisedDaemon
from cli.waits import has_more, waits_for_esi
from cli.words import duration
from ipc.clock import SystemClock
from ipc.commands import RunNow
from ipc.control_messages import DaemonState, Missed
from ipc.events import Event, Finished
from ipc.scheduler_messages import JobState
from ipc.settings import encode_settings
from ipc.subject import JobKey
from jobs.catalog import load

# Universe seconds a second: there is something new to mirror within the demo.
SPEED = 60
# The universe stands still for this long before the last pass, so that what was fresh is not.
SETTLE_S = 3.0
LAST_PASSES_S = 300.0
# Every job of a pass has ended, and for so long more the daemon may find something to do: at the
# demo's speed a slow machine never comes to rest.
REST_S = 5.0
SETTINGS_FILE = "settings.msgpack"
_LOOK_S = 0.25


class View(Protocol):
    """Whoever shows the demo."""

    def phase(self, text: str) -> None:
        """Show what happens now."""

    def event(self, event: Event | Missed) -> None:
        """Show an event."""

    def state(self, state: DaemonState, jobs: Iterable[JobState] | None) -> None:
        """Show processes and jobs."""


@dataclass(frozen=True, slots=True)
class Ran:
    """What is left of a demo that ran: its database, and which jobs did not do what they should."""

    folder: Path
    database: Path
    faults: tuple[str, ...]
    # Where the clock of the simulated EVE stood at the end.
    universe_now: str


def play(stage: Stage, seconds: float, view: View) -> Ran:
    """Run the daemon on the stage: watch it, stop the universe, have all mirrored once more."""
    settings_file = stage.folder / SETTINGS_FILE
    settings_file.write_bytes(encode_settings(stage.settings))
    log = stage.folder / "daemon.log"
    arguments = ["--settings", str(settings_file)]
    with SupervisedDaemon(arguments, stage.settings.socket_path, log=log) as daemon:
        try:
            with daemon.connect() as client:
                faults = _watch_and_finish(stage, client, seconds, view)
                view.phase("stopping the daemon")
                daemon.note_asked()
                stop_daemon(client, now=False)
        except ConnectionLost:
            raise _with_log(daemon.ended(), log) from None
        except DaemonEnded as error:
            raise _with_log(error, log) from None
    return Ran(stage.folder, stage.database, faults, stage.eve.now())


def _with_log(error: DaemonEnded, log: Path) -> CliError:
    tail = "\n".join(log.read_text(errors="replace").splitlines()[-5:])
    explained = CliError(f"the daemon ended by itself; its log {log} ends with\n{tail}")
    explained.exit_code = error.exit_code
    return explained


def _watch_and_finish(
    stage: Stage, client: ControlClient, seconds: float, view: View
) -> tuple[str, ...]:
    client.observe()
    deadline = time.monotonic() + seconds
    passes = duration(seconds * SPEED)
    view.phase(f"mirroring for {seconds:g} s, {passes} in the simulated EVE; Ctrl-C ends it early")
    try:
        while time.monotonic() < deadline:
            _look(client, view)
    except KeyboardInterrupt:
        view.phase("ended early")
    stage.eve.freeze()
    view.phase("the universe stands still")
    settled = time.monotonic() + SETTLE_S
    while time.monotonic() < settled:
        _look(client, view)
    view.phase("mirroring all once more")
    return last_passes(client, stage, view)


def _look(
    client: ControlClient, view: View, take: Callable[[Event | Missed], object] | None = None
) -> tuple[DaemonState, list[JobState] | None]:
    deadline = time.monotonic() + _LOOK_S
    while (left_s := deadline - time.monotonic()) > 0:
        for event in client.events(left_s):
            view.event(event)
            if take is not None:
                take(event)
    state, jobs = client.status(jobs=True)
    view.state(state, jobs)
    return state, jobs


def last_passes(client: ControlClient, stage: Stage, view: View) -> tuple[str, ...]:
    """Have every job run again until that changes nothing; return what did not go well.

    A long section is mirrored in several runs, and what is worked out from others follows them.
    """
    since = SystemClock().now()
    deadline = time.monotonic() + LAST_PASSES_S
    done = _one_pass(client, view, deadline)
    while done.changed and time.monotonic() < deadline:
        done = _one_pass(client, view, deadline)
    known = {job.key for job in done.jobs}
    missing = expected_jobs(load(stage.settings.kind_packages), stage) - known
    faults = [f"{key} is not scheduled" for key in sorted(missing)]
    if done.changed and not done.waiting:
        faults.append(f"rows still changed after {LAST_PASSES_S:g} s: this machine is too busy")
    faults += [f"{key} did not end within {LAST_PASSES_S:g} s" for key in sorted(done.waiting)]
    faults += filter(None, (fault_of(job, since) for job in done.jobs))
    return tuple(faults)


def fault_of(job: JobState, since: datetime) -> str:
    """Return what did not go well with a job; empty if all did.

    One that ran well since the universe stands still, and only then spent a rate limit, is well:
    there was nothing more to mirror.
    """
    outcome = job.outcome
    if outcome is None:
        return f"{job.key} never ran"
    success_at = job.last_success_at
    if waits_for_esi(job) and success_at is not None and success_at >= since:
        return ""
    return "" if outcome.is_success else f"{job.key} ended with {outcome.token}: {outcome.reason}"


@dataclass(frozen=True, slots=True)
class _Pass:
    """One run of every job."""

    jobs: tuple[JobState, ...]
    waiting: frozenset[JobKey]
    # Rows did, or some may yet.
    changed: bool


def _one_pass(client: ControlClient, view: View, deadline: float) -> _Pass:
    _, jobs = client.status(jobs=True)
    progress = Progress(jobs or ())
    changes = 0

    def take(event: Event | Missed) -> None:
        nonlocal changes
        progress.take_event(event)
        if isinstance(event, Finished):
            changes += event.outcome.rows_touched
        elif isinstance(event, Missed):
            # What was missed may have been a change.
            changes += 1

    for subject in sorted({key.subject for key in progress.keys}):
        client.request(RunNow(subject))
    rests_by = time.monotonic() + REST_S
    while time.monotonic() < deadline:
        state, seen = _look(client, view, take)
        if seen is None:
            continue
        jobs = seen
        progress.take_status(jobs)
        if progress.waiting:
            rests_by = time.monotonic() + REST_S
        elif time.monotonic() > rests_by or is_idle(state, jobs, SystemClock().now()):
            break
    # What looks at a few things in a run may have the changed ones still before it.
    more = any(map(has_more, jobs or ()))
    return _Pass(tuple(jobs or ()), progress.waiting, changes > 0 or more)


def clean_up(folder: Path) -> None:
    """Keep the database and the log; the settings were only the daemon's way to get them."""
    (folder / SETTINGS_FILE).unlink(missing_ok=True)
