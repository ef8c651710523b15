"""Events: what observers of the daemon are told as it happens."""

from __future__ import annotations

from datetime import datetime

import msgspec

from ipc.outcome import Outcome
from ipc.subject import JobKey, Subject


class _Event(msgspec.Struct, frozen=True, gc=False, tag_field="event", omit_defaults=True):
    at: datetime


class Started(_Event, frozen=True, tag="started"):
    """A job was handed to a worker."""

    key: JobKey
    worker: int
    attempt: int


class Finished(_Event, frozen=True, tag="finished"):
    """A job ended with an outcome that is no error."""

    key: JobKey
    outcome: Outcome
    duration_s: float


class Failed(_Event, frozen=True, tag="failed"):
    """A job failed; parked tells that it waits for a person or a changed credential."""

    key: JobKey
    reason: str
    failures: int
    parked: bool = False


class BackingOff(_Event, frozen=True, tag="backing_off"):
    """ESI asked to wait; retry_s is the server's own value."""

    key: JobKey
    retry_s: int


class Scheduled(_Event, frozen=True, tag="scheduled"):
    """A job has a next time; sent after its ledger row is committed."""

    key: JobKey
    next_in_s: float


class Seeded(_Event, frozen=True, tag="seeded"):
    """At enrolment: the last known outcome of a job, and its countdown."""

    key: JobKey
    outcome: Outcome
    next_in_s: float | None = None


class Enrolled(_Event, frozen=True, tag="enrolled"):
    """A subject is mirrored from now on."""

    subject: Subject


class Withdrawn(_Event, frozen=True, tag="withdrawn"):
    """A subject is no longer mirrored."""

    subject: Subject


class Heartbeat(_Event, frozen=True, tag="heartbeat"):
    """The scheduler is well; at most 30 s apart."""

    in_flight: int
    due: int
    entries: int


class Paused(_Event, frozen=True, tag="paused"):
    """All dispatch waits until then."""

    until: datetime
    reason: str


class OutboxInflight(_Event, frozen=True, tag="outbox_inflight"):
    """A write was claimed and handed to a worker."""

    outbox_id: int
    kind: str
    subject: Subject


class OutboxDone(_Event, frozen=True, tag="outbox_done"):
    """A write reached ESI."""

    outbox_id: int
    kind: str
    subject: Subject


class OutboxRetrying(_Event, frozen=True, tag="outbox_retrying"):
    """A write will be tried again."""

    outbox_id: int
    kind: str
    subject: Subject
    reason: str
    next_in_s: float


class OutboxFailed(_Event, frozen=True, tag="outbox_failed"):
    """A write was refused for good, and undone here."""

    outbox_id: int
    kind: str
    subject: Subject
    reason: str


class OutboxUncertain(_Event, frozen=True, tag="outbox_uncertain"):
    """Nobody can tell whether a write arrived; the user decides."""

    outbox_id: int
    kind: str
    subject: Subject
    reason: str


class WorkerUp(_Event, frozen=True, tag="worker_up"):
    """A worker is ready."""

    worker: int
    pid: int
    boot_s: float


class WorkerDied(_Event, frozen=True, tag="worker_died"):
    """A worker is gone; jobs tells how many it took along."""

    worker: int
    pid: int
    cause: str
    jobs: int


class SchedulerUp(_Event, frozen=True, tag="scheduler_up"):
    """A scheduler is ready."""

    pid: int
    generation: int
    epoch: int


class Restarted(_Event, frozen=True, tag="restarted"):
    """The scheduler died or was asked to restart, and is started again."""

    attempt: int
    reason: str


class GaveUp(_Event, frozen=True, tag="gave_up"):
    """The supervisor stopped respawning, and waits for a person."""

    reason: str


Event = (
    Started
    | Finished
    | Failed
    | BackingOff
    | Scheduled
    | Seeded
    | Enrolled
    | Withdrawn
    | Heartbeat
    | Paused
    | OutboxInflight
    | OutboxDone
    | OutboxRetrying
    | OutboxFailed
    | OutboxUncertain
    | WorkerUp
    | WorkerDied
    | SchedulerUp
    | Restarted
    | GaveUp
)
