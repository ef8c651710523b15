"""Rows of the outbox that are ours: out in a worker's hands, or claimed and waiting for one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Protocol

from engine.budgets import Loan
from jobs.store.outbox_rows import OutboxRow

# A write whose worker died so often while it was sent is left for a person.
DEATHS_TO_GIVE_UP = 3
# Whatever kills the workers may kill all of them, one after the other: a write that lost its
# worker waits, longer each time, or it would be given up within one such moment.
FIRST_WAIT_S = 1.0


class Sender(Protocol):
    """Who handed a row out."""

    def take_back(self, sending: Sending) -> None:
        """Take back a row whose worker is gone."""


@dataclass(slots=True, eq=False)
class Sending:
    """A row in a worker's hands."""

    row: OutboxRow
    sender: Sender
    # The order under which it is out.
    job_id: int = 0
    in_doubt: bool = False
    deaths: int = 0
    not_before_s: float = float("-inf")
    # What its worker may spend of ESI's limits.
    loans: tuple[Loan, ...] = ()

    def on_lost(self) -> None:
        """Note that its worker died: if it has gone out by then, it may have arrived."""
        self.deaths += 1
        self.sender.take_back(self)


def wait_after_death_s(deaths: int) -> float:
    """Return how long a write waits whose worker died so often while it was sent."""
    return FIRST_WAIT_S * 2.0 ** (deaths - 1)


@dataclass(slots=True)
class Hands:
    """What is out, by the number of its row, and what is claimed and not in a worker's hands."""

    out: dict[int, Sending] = field(default_factory=dict)
    waiting: list[Sending] = field(default_factory=list)

    def known(self) -> set[int]:
        """Return the numbers of all rows here."""
        return {sending.row.id for sending in (*self.out.values(), *self.waiting)}

    def land(self, sending: Sending) -> None:
        """Note that a row is out no more; it may have been claimed and sent anew meanwhile."""
        if self.out.get(sending.row.id) is sending:
            del self.out[sending.row.id]
