"""From which of ESI's rate limits a kind of write spends, as far as its own rows have told."""

from __future__ import annotations

from collections.abc import Iterable

from engine.budgets import Budgets, Loan
from ipc.messages import WriteDone
from jobs.rates import bucket_name
from jobs.store.outbox_rows import OutboxRow

# Until one of its kind has told from which limits it spends, so many of a subject are out: they ask
# for what they may spend, each for more than it needs.
UNKNOWN = 2


class WriteRates:
    """What a write may take along, and whether it had better wait."""

    def __init__(self, budgets: Budgets) -> None:
        """Take who lends."""
        self._budgets = budgets
        # By kind of write, the rate groups that the last one of it spent from.
        self._groups: dict[str, tuple[str, ...]] = {}

    def learn(self, row: OutboxRow, done: WriteDone) -> None:
        """Note what a row has told."""
        names = (one.bucket.partition(":") for one in done.spent)
        own = tuple(group for group, _, owner in names if owner == str(row.subject.id))
        if own or row.kind not in self._groups:
            self._groups[row.kind] = own

    def is_too_many(self, row: OutboxRow, out: Iterable[OutboxRow]) -> bool:
        """Tell whether enough like a row are out, as long as it is not known what they cost."""
        if row.kind in self._groups:
            return False
        return sum((one.kind, one.subject) == (row.kind, row.subject) for one in out) >= UNKNOWN

    def comes_back(self, row: OutboxRow, now_s: float) -> bool:
        """Tell whether a row had better wait for what those before it have not spent after all."""
        return self._budgets.comes_back(self._buckets(row), now_s)

    def lend(self, row: OutboxRow, now_s: float) -> tuple[Loan, ...]:
        """Return what a row may spend."""
        return self._budgets.lend_to_write(self._buckets(row), now_s)

    def _buckets(self, row: OutboxRow) -> list[str]:
        groups = self._groups.get(row.kind, ())
        return [bucket_name(group, row.subject.id) for group in groups]
