"""What supervisor and scheduler tell each other; the forms are those of ipc.messages."""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ipc.commands import EngineCommand
from ipc.events import Event
from ipc.messages import BootFailed, Message, StopChild
from ipc.outcome import Outcome
from ipc.subject import JobKey, Subject

# --- supervisor to scheduler -------------------------------------------------------------------


class Begin(Message, frozen=True, tag="begin"):
    """First message to a scheduler: settings as bytes, and which life of it this is."""

    protocol: int
    generation: int
    settings: bytes
    # Somebody observes: send events.
    listening: bool = False
    # An earlier scheduler of this daemon found the database whole and worked on it.
    sound: bool = False


class Do(Message, frozen=True, tag="do"):
    """A command, applied once for each id."""

    command_id: str
    command: EngineCommand


class Listen(Message, frozen=True, tag="listen"):
    """Start or stop sending events."""

    on: bool


class AskStatus(Message, frozen=True, tag="ask_status"):
    """Ask for the state of the jobs; answered in pages."""

    request_id: int
    subject: Subject | None = None


ToScheduler = Begin | Do | Listen | AskStatus | StopChild


# --- scheduler to supervisor -------------------------------------------------------------------


class SchedulerReady(Message, frozen=True, tag="scheduler_ready"):
    """A scheduler dispatches."""

    protocol: int
    pid: int
    epoch: int


class WorkerState(msgspec.Struct, frozen=True):
    """One worker as the scheduler sees it."""

    worker: int
    pid: int
    state: Literal["starting", "ready", "stopping", "waiting"]
    jobs: int
    deaths: int = 0
    # How late its loop came to its last heartbeat.
    lag_s: float = 0.0


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """The scheduler in a few figures; sent with each heartbeat, so that status costs nothing."""

    workers: tuple[WorkerState, ...] = ()
    entries: int = 0
    due: int = 0
    in_flight: int = 0
    parked: int = 0
    failing: int = 0
    # Rows that jobs could not read or store when they last ran.
    rows_skipped: int = 0
    # Words in what they read that ESI's contract does not list.
    words_unknown: int = 0
    paused_until: datetime | None = None
    pause_reason: str = ""
    # ESI is down since then, and asked now and then whether it is back.
    down_since: datetime | None = None
    # Empty, or why the database cannot be used.
    database_trouble: str = ""
    # For how long it has been so, where attempts fail.
    database_trouble_s: float = 0.0
    # Limits of ESI that jobs wait for, by name.
    limits: tuple[str, ...] = ()
    # Errors left in this minute when that is few; None: nothing to tell.
    errors_left: int | None = None
    outbox: dict[str, int] = {}
    needs_login: tuple[Subject, ...] = ()
    # Empty, or what is wrong with our client at SSO, and what to do.
    sso_trouble: str = ""
    last_success_at: datetime | None = None
    # Jobs ended since this scheduler booted.
    done: int = 0
    failed: int = 0


class SchedulerHeartbeat(Message, frozen=True, tag="scheduler_heartbeat"):
    """Sent by the scheduler's loop itself."""

    summary: Summary


class Events(Message, frozen=True, tag="events"):
    """A batch of events, oldest first."""

    events: tuple[Event, ...]
    # From the scheduler: so many were left out, because the supervisor did not read.
    missed: int = 0


class DoneCommand(Message, frozen=True, tag="done_command"):
    """A command was applied, or refused with a reason."""

    command_id: str
    ok: bool
    text: str = ""


class JobState(msgspec.Struct, frozen=True, omit_defaults=True):
    """One job as status shows it."""

    key: JobKey
    outcome: Outcome | None = None
    last_attempt_at: datetime | None = None
    last_success_at: datetime | None = None
    last_changed_at: datetime | None = None
    fresh_until: datetime | None = None
    next_run_at: datetime | None = None
    in_flight: bool = False
    failures: int = 0
    parked_reason: str = ""
    # The limit of ESI that keeps it from starting.
    waits_for: str = ""


class StatusPage(Message, frozen=True, tag="status_page"):
    """A page of job states; last tells that none follows."""

    request_id: int
    jobs: tuple[JobState, ...]
    last: bool


FromScheduler = SchedulerReady | BootFailed | SchedulerHeartbeat | Events | DoneCommand | StatusPage
