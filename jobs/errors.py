"""Errors of a job, one type for each reaction of the caller; none of them crosses a pipe."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Any


class JobError(Exception):
    """Root of what a job raises on purpose."""


@dataclass
class PauseAll(JobError):
    """HTTP 420, the shared error limit is spent: nobody asks anything before `until`."""

    until: datetime
    reset_s: int


@dataclass
class PauseBucket(JobError):
    """HTTP 429, a rate bucket is spent: this job waits until then."""

    bucket: str
    until: datetime
    retry_s: int
    # False: nothing was asked, because too little is left.
    refused: bool = True


@dataclass
class Transient(JobError):
    """Network, gateway or server trouble: try again, not before retry_at."""

    reason: str
    retry_at: datetime | None = None


@dataclass
class TokenRejected(JobError):
    """HTTP 401: this generation of the credential's access token is no good."""

    credential_id: int
    generation: int


@dataclass
class NeedsLogin(JobError):
    """No usable credential: only a login changes that."""

    reason: str
    credential_id: int = 0
    generation: int = 0


@dataclass
class MissingScope(JobError):
    """The token does not carry a scope that the route asks for."""

    scope: str
    credential_id: int


@dataclass
class MissingRole(JobError):
    """The character does not have the role in game."""

    reason: str
    credential_id: int
    # It is no member of the corporation any more.
    left: bool = False


@dataclass
class Gone(JobError):
    """HTTP 404 or 410, or 422: this one thing is not there; nothing else is wrong."""

    reason: str


@dataclass
class BadAnswer(JobError):
    """ESI answered what the contract does not allow."""

    reason: str


@dataclass
class NoneReadable(BadAnswer):
    """A list of rows none of which could be read: its form has changed, and not just a row."""

    rows: int = 0
    # What else the answer told, where the list was one of its fields.
    rest: Any = None


@dataclass
class Refused(BadAnswer):
    """HTTP 400: something that the request names is not there, or never was."""


@dataclass
class NotReady(JobError):
    """The parent row of the subject is not there yet."""

    reason: str


@dataclass
class RefusedWrite(JobError):
    """ESI refused a write for good: undo it here."""

    reason: str


@dataclass
class Fenced(JobError):
    """The database belongs to a newer scheduler: nothing may be written any more."""

    epoch: int


@dataclass
class SubjectGone(JobError):
    """The subject was withdrawn or deleted meanwhile: its rows are not written."""

    reason: str
