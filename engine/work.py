"""What is in workers' hands."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Protocol

from engine.budgets import Loan
from engine.carried import Load
from engine.entry import Entry
from engine.refreshes import Access


@dataclass(slots=True)
class Job:
    """A scheduled job in a worker's hands."""

    entry: Entry
    load: Load | None = None
    # What it may spend of ESI's limits.
    loans: tuple[Loan, ...] = ()
    # Its worker was ended because of it.
    culprit: bool = False
    # It finds out whether ESI is back.
    probe: bool = False


class Errand(Protocol):
    """Other work in a worker's hands, that is not scheduled: a write of the outbox."""

    def on_lost(self) -> None:
        """Note that its worker died."""


What = Job | Access[Entry] | Errand
