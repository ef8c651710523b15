"""The messages on the daemon's control socket, a union per direction."""

from __future__ import annotations

from typing import Literal

from ipc.commands import Command
from ipc.messages import Message
from ipc.scheduler_messages import Events, StatusPage, Summary
from ipc.subject import Subject

# --- client to supervisor ----------------------------------------------------------------------


class Hello(Message, frozen=True, tag="hello"):
    """First message of a client."""

    protocol: int


class Request(Message, frozen=True, tag="request"):
    """A command of a client, with an id of its own choice that makes it apply once."""

    command_id: str
    command: Command


class GetStatus(Message, frozen=True, tag="get_status"):
    """Ask for the processes and figures; jobs: also for every job, of one subject if given."""

    request_id: int
    jobs: bool = False
    subject: Subject | None = None


class Observe(Message, frozen=True, tag="observe"):
    """Ask for events from now on."""


FromClient = Hello | Request | GetStatus | Observe


# --- supervisor to client ----------------------------------------------------------------------


class HelloBack(Message, frozen=True, tag="hello_back"):
    """First message to a client."""

    protocol: int
    version: str
    pid: int


class Reply(Message, frozen=True, tag="reply"):
    """What became of a command: done, refused, or kept for the next scheduler."""

    command_id: str
    status: Literal["done", "refused", "kept", "full"]
    text: str = ""


class DaemonState(Message, frozen=True, tag="daemon_state"):
    """The answer to GetStatus: processes and figures; StatusPage messages follow if asked for."""

    request_id: int
    version: str
    supervisor_pid: int
    uptime_s: float
    scheduler_state: Literal["starting", "running", "backoff", "parked", "stopping"]
    scheduler_pid: int = 0
    generation: int = 0
    epoch: int = 0
    # Seconds since the scheduler's last heartbeat; None when none lives.
    heartbeat_age_s: float | None = None
    restarts: int = 0
    # Seconds to the next start while backing off or parked.
    next_start_s: float | None = None
    # Why it is parked, backing off or could not reload; empty when all is well.
    trouble: str = ""
    summary: Summary | None = None
    pending_commands: int = 0
    # Keys of the configuration that were read again and change with a restart of the scheduler.
    waits_for_restart: tuple[str, ...] = ()
    database: str = ""


class Missed(Message, frozen=True, tag="missed"):
    """To an observer that was too slow: so many events were left out here."""

    events: int


class Refused(Message, frozen=True, tag="refused"):
    """The connection ends: the client broke the protocol, or may not connect."""

    reason: str


ToClient = HelloBack | Reply | DaemonState | StatusPage | Events | Missed | Refused
