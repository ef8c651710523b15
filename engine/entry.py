"""One scheduled job: what is known of it, and where it stands."""

from __future__ import annotations

from enum import IntEnum
from typing import TYPE_CHECKING

from ipc.subject import JobKey

if TYPE_CHECKING:
    from engine.budgets import Demands
    from engine.grants import Plan
    from engine.lanes import Lane
    from jobs.spec import Kind
    from jobs.store.ledger import LedgerRow


class State(IntEnum):
    """Where an entry stands."""

    SCHEDULED = 0
    IN_FLIGHT = 1
    # Due, but out of the queue until a token is refreshed or the lone worker is free.
    HELD = 2
    # Until a changed credential or run-now ends it.
    PARKED = 3
    # Until the subject's parent row exists.
    DEFERRED = 4


class Again(IntEnum):
    """What asked for one more run while the job was in flight."""

    NO = 0
    TRIGGER = 1
    RUN_NOW = 2


class Entry:
    """One scheduled job; only Schedule changes state, time and streak."""

    __slots__ = (
        "again",
        "demands",
        "demands_of",
        "due_s",
        "failures",
        "gone",
        "key",
        "kind",
        "lane",
        "not_before_s",
        "parked_generation",
        "parked_reason",
        "plan",
        "row",
        "state",
        "strikes",
        "suspect",
        "ticket",
        "urgent",
        "waits_for",
    )

    def __init__(self, key: JobKey, kind: Kind, plan: Plan, due_s: float, lane: Lane) -> None:
        """Start out scheduled, with no history."""
        self.key = key
        self.kind = kind
        # Among whom it waits.
        self.lane = lane
        # What may run of it, and under which credentials.
        self.plan = plan
        # Monotonic; kept while the entry is out of the queue.
        self.due_s = due_s
        # A server said to wait until then; no trigger comes before it.
        self.not_before_s = 0.0
        self.state = State.SCHEDULED
        self.again = Again.NO
        self.failures = 0
        # Deaths of its worker while it ran alone.
        self.strikes = 0
        # Was in flight when its worker died: runs alone next.
        self.suspect = False
        # Withdrawn while in flight: leaves when it ends.
        self.gone = False
        self.parked_reason = ""
        self.parked_generation: int | None = None
        # Its row in the ledger, as last recorded.
        self.row: LedgerRow | None = None
        # Number of its valid place in the queue; 0: it has none.
        self.ticket = 0
        # What a run needs of ESI's limits, and the plan that says so.
        self.demands: Demands | None = None
        self.demands_of: Plan | None = None
        # A person waits for it: it was asked to run now, and has not come to an end since.
        self.urgent = False
        # The limit that keeps it from starting; empty: none does.
        self.waits_for = ""
