"""Every message on the pipes between the daemon's processes, a union per direction.

A message carries what is needed to match it after a respawn: ids count within one scheduler,
epoch names the scheduler itself.
"""

from __future__ import annotations

from datetime import datetime
from typing import Literal

import msgspec

from ipc.outcome import AnyReaction, Outcome
from ipc.subject import JobKey, Subject

# Raised whenever a message changes in a way that an older decoder would misread.
PROTOCOL_VERSION = 1


class Message(msgspec.Struct, frozen=True, gc=False, tag_field="type", omit_defaults=True):
    """Root of everything that is framed.

    Values lead to no cycles (here, in events, keys and ledger rows), so none of them is shown to
    the garbage collector.
    """


# --- both ways, between parent and child -------------------------------------------------------


class BootFailed(Message, frozen=True, tag="boot_failed"):
    """Child to parent: cannot start, or go on, and why in a line a person understands."""

    exit_code: int
    reason: str


class StopChild(Message, frozen=True, tag="stop"):
    """Parent to child: let jobs end for grace_s, then cancel them, then leave; 0 is at once."""

    grace_s: float


# --- scheduler to worker -----------------------------------------------------------------------


class Welcome(Message, frozen=True, tag="welcome"):
    """First message to a worker: who it is, and the settings as bytes."""

    protocol: int
    worker: int
    epoch: int
    settings: bytes


class PartGrant(msgspec.Struct, frozen=True):
    """One part of a job, and the credential it runs under (0: none needed)."""

    part: str
    credential_id: int = 0


class PartBlock(msgspec.Struct, frozen=True):
    """One part of a job that may not run, and what is missing."""

    part: str
    reason: str


class Allowance(msgspec.Struct, frozen=True, gc=False):
    """Tokens of a rate bucket that a job may spend without asking."""

    bucket: str
    tokens: int


class RunJob(Message, frozen=True, tag="run_job"):
    """Run a kind for a subject; subjects: a global kind works on these alone."""

    job_id: int
    attempt: int
    epoch: int
    key: JobKey
    deadline_s: float
    grants: tuple[PartGrant, ...]
    blocked: tuple[PartBlock, ...] = ()
    subjects: tuple[Subject, ...] = ()
    allowances: tuple[Allowance, ...] = ()
    # Of what it borrows beyond that: 0 routine, 1 a person waits.
    priority: int = 0


class RunWrite(Message, frozen=True, tag="run_write"):
    """Send one claimed outbox row."""

    job_id: int
    epoch: int
    outbox_id: int
    revision: int
    deadline_s: float
    # The row was found inflight after a crash: look whether it arrived, do not send it again.
    in_doubt: bool = False
    allowances: tuple[Allowance, ...] = ()


class RunRefresh(Message, frozen=True, tag="run_refresh"):
    """Refresh a credential's access token, if its generation is still this one."""

    job_id: int
    epoch: int
    credential_id: int
    generation: int
    deadline_s: float


class RunResolve(Message, frozen=True, tag="run_resolve"):
    """Ask ESI what has these names."""

    job_id: int
    epoch: int
    names: tuple[str, ...]
    deadline_s: float


class CancelJob(Message, frozen=True, tag="cancel_job"):
    """End a job now; its JobDone follows."""

    job_id: int
    reason: Literal["deadline", "stopping", "withdrawn"]


class Grant(Message, frozen=True, tag="grant"):
    """A lease is given."""

    lease_id: int
    # Of a budget: so much of it, at most what was asked for.
    amount: int = 1


class Deny(Message, frozen=True, tag="deny"):
    """A lease is not to be had before retry_s."""

    lease_id: int
    retry_s: float
    # When it is to be had at the latest, should nothing that is lent come back unspent.
    sure_s: float = 0.0


class PauseRequests(Message, frozen=True, tag="pause_requests"):
    """Nobody asks ESI anything before then; jobs in flight stop at their next request."""

    until: datetime
    # Only what shares the error limit stops.
    errors_only: bool = False


class InDoubt(Message, frozen=True, tag="in_doubt"):
    """ESI is down, or was lately: until then its refusals and empty lists are no verdict."""

    until: datetime


ToWorker = (
    Welcome
    | RunJob
    | RunWrite
    | RunRefresh
    | RunResolve
    | CancelJob
    | Grant
    | Deny
    | PauseRequests
    | InDoubt
    | StopChild
)


# --- worker to scheduler -----------------------------------------------------------------------


class WorkerReady(Message, frozen=True, tag="worker_ready"):
    """A worker can take jobs; module_path is where its code was loaded from."""

    protocol: int
    module_path: str


class Spent(msgspec.Struct, frozen=True, gc=False, omit_defaults=True):
    """What a job spent of an allowance, and what ESI last said of the bucket."""

    bucket: str
    tokens: int = 0
    # -1: ESI did not say.
    remaining: int = -1
    limit: int = 0
    window_s: int = 0


class JobDone(Message, frozen=True, tag="job_done"):
    """A job ended; reaction is None when it ended with an outcome of its own."""

    job_id: int
    attempt: int
    epoch: int
    outcome: Outcome
    duration_s: float
    reaction: AnyReaction | None = None
    # Earliest time at which any part's data can have changed.
    fresh_until: datetime | None = None
    # Rows were inserted, updated or deleted.
    changed: bool = False
    # Jobs that this one made due.
    due: tuple[JobKey, ...] = ()
    # Credentials whose refresh tokens should be tried.
    refresh: tuple[int, ...] = ()
    # The job changed credentials, access or subjects: read them again.
    grants_changed: bool = False
    spent: tuple[Spent, ...] = ()
    # Routes that answered 5xx, and whether another one was answered as it should be.
    troubled: tuple[str, ...] = ()
    answered: bool = False


class WriteDone(Message, frozen=True, tag="write_done"):
    """An outbox row was sent and marked; status is what the row says now."""

    job_id: int
    epoch: int
    outbox_id: int
    status: Literal["pending", "done", "failed", "uncertain", "cancelled"]
    reason: str = ""
    next_in_s: float = 0.0
    reaction: AnyReaction | None = None
    # What ESI said of the rate limits; what was spent of them is given back with the leases.
    spent: tuple[Spent, ...] = ()


class Resolved(msgspec.Struct, frozen=True):
    """One thing that has a name."""

    name: str
    id: int
    category: str


class ResolveDone(Message, frozen=True, tag="resolve_done"):
    """What has the names; trouble: why nobody knows."""

    job_id: int
    epoch: int
    found: tuple[Resolved, ...] = ()
    trouble: str = ""


class RefreshDone(Message, frozen=True, tag="refresh_done"):
    """A refresh ended; the credential's row is committed already."""

    job_id: int
    epoch: int
    credential_id: int
    status: Literal["fresh", "unchanged", "refused", "needs_reauth", "trouble", "misconfigured"]
    generation: int = 0
    expires_at: datetime | None = None
    reason: str = ""


class Acquire(Message, frozen=True, tag="acquire"):
    """Ask for a lease: `write` is the turn to write to SQLite, `rate:...` a budget."""

    lease_id: int
    resource: str
    amount: int = 1
    priority: int = 0
    # Of a bucket that was asked already: what the asker has spent so far, and what ESI said.
    heard: Spent | None = None


class Release(Message, frozen=True, tag="release"):
    """Give a lease back, with what was spent of it."""

    lease_id: int
    spent: int = 0


class ErrorsLeft(Message, frozen=True, tag="errors_left"):
    """ESI's error limit runs low: so many errors are left for reset_s."""

    left: int
    reset_s: int


class Holding(Message, frozen=True, tag="holding"):
    """Sent with each heartbeat: orders that hold what must reach the database, and go on for it."""

    job_ids: tuple[int, ...]


class WorkerHeartbeat(Message, frozen=True, tag="worker_heartbeat"):
    """Sent by the worker's loop itself; lag_s: how late it runs."""

    lag_s: float


FromWorker = (
    WorkerReady
    | BootFailed
    | JobDone
    | WriteDone
    | RefreshDone
    | ResolveDone
    | Acquire
    | Release
    | ErrorsLeft
    | Holding
    | WorkerHeartbeat
)
