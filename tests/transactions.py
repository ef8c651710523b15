"""Counts transactions as they end, in whichever database of this process."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

from sqlalchemy import Connection, Engine, event


@dataclass
class Ended:
    """Transactions that ended: a write is committed, a read is rolled back."""

    commits: int = 0
    rollbacks: int = 0

    def commit(self, _: Connection) -> None:
        """Count a commit."""
        self.commits += 1

    def rollback(self, _: Connection) -> None:
        """Count a rollback."""
        self.rollbacks += 1


@contextmanager
def counted() -> Iterator[Ended]:
    """Count what ends while the block runs."""
    ended = Ended()
    heard = (("commit", ended.commit), ("rollback", ended.rollback))
    for name, count in heard:
        event.listen(Engine, name, count)
    try:
        yield ended
    finally:
        for name, count in heard:
            event.remove(Engine, name, count)
