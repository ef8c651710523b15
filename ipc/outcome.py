"""How a job ended: the outcome for the ledger, and the reaction that the scheduler owes."""

from __future__ import annotations

from datetime import datetime
from enum import StrEnum

import msgspec


class Token(StrEnum):
    """The word for an outcome in the ledger."""

    SYNCED = "synced"
    EMPTY = "empty"
    BLOCKED = "blocked"
    NOT_READY = "not_ready"
    FAILED = "failed"
    SKIPPED = "skipped"


_SUCCESSES = (Token.SYNCED, Token.EMPTY)
_PENDING = (Token.BLOCKED, Token.NOT_READY)


class Outcome(msgspec.Struct, frozen=True, gc=False):
    """How a job ended, in the words of the ledger."""

    token: Token
    rows_touched: int = 0
    reason: str = ""
    # Rows that could not be read or stored; the others were kept.
    rows_skipped: int = 0
    # A long part stopped early: so many things are still to be fetched, and it goes on soon.
    to_fetch: int = 0
    # Words (such as states) that ESI's contract does not list; they are stored as they came.
    words_unknown: int = 0

    @property
    def is_success(self) -> bool:
        """Tell whether triggers fire and the success time moves."""
        return self.token in _SUCCESSES

    @property
    def is_pending(self) -> bool:
        """Tell whether the job is asked again soon because something is not there yet."""
        return self.token in _PENDING


class Reaction(msgspec.Struct, frozen=True, tag_field="reaction"):
    """Root of what the scheduler must do about a job that raised; one type for each reaction."""


class PauseAll(Reaction, frozen=True, tag="pause_all"):
    """The shared error limit is spent: nobody asks anything before `until`."""

    until: datetime
    reset_s: int


class PauseBucket(Reaction, frozen=True, tag="pause_bucket"):
    """One rate bucket is spent: this job waits until then."""

    bucket: str
    until: datetime
    retry_s: int
    # ESI refused (429), so nobody else should ask either; False: we held back ourselves.
    refused: bool = True


class Transient(Reaction, frozen=True, tag="transient"):
    """Network, gateway or server trouble: try again, with backoff, not before retry_at."""

    retry_at: datetime | None = None


class TokenRejected(Reaction, frozen=True, tag="token_rejected"):
    """ESI refused the access token (401): refresh that generation, then try again."""

    credential_id: int
    generation: int


class NeedsLogin(Reaction, frozen=True, tag="needs_login"):
    """No usable credential: parked until the credential's generation changes."""

    credential_id: int = 0
    generation: int = 0


class NotReadyYet(Reaction, frozen=True, tag="not_ready"):
    """The parent row is missing: short retry, no event."""


class BadAnswer(Reaction, frozen=True, tag="bad_answer"):
    """ESI answered what the contract does not allow: backoff."""


class NotThere(Reaction, frozen=True, tag="not_there"):
    """What was asked for does not exist, as ESI says: asked again less and less often."""

    # Nothing else of the job was there either.
    whole: bool = True


class Cancelled(Reaction, frozen=True, tag="cancelled"):
    """The job was cut off; `stopping` ones are due again and no failure."""

    stopping: bool = False


class Bug(Reaction, frozen=True, tag="bug"):
    """An error nobody foresaw: backoff; the traceback went to the log of the worker."""

    text: str = ""


AnyReaction = (
    PauseAll
    | PauseBucket
    | Transient
    | TokenRejected
    | NeedsLogin
    | NotReadyYet
    | BadAnswer
    | NotThere
    | Cancelled
    | Bug
)
