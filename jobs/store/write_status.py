"""Where a row of the outbox stands, in the words of its column."""

from __future__ import annotations

from enum import StrEnum
from typing import Final


class Status(StrEnum):
    """Where a row stands."""

    PENDING = "pending"
    INFLIGHT = "inflight"
    DONE = "done"
    FAILED = "failed"
    # Nobody can tell whether the write arrived.
    UNCERTAIN = "uncertain"
    CANCELLED = "cancelled"


# What may still be sent, or was perhaps: one row of a kind for each dedupe key.
OPEN: Final = (Status.PENDING, Status.INFLIGHT, Status.UNCERTAIN)
