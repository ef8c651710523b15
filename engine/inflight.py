"""Work handed to workers: matched with its answers, and ended when it overstays.

Deadlines cost nothing while work ends in time: pieces with the same limit run out in the order
in which they were started.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Generic, TypeVar

T = TypeVar("T")


class Piece(Generic[T]):
    """One piece of work in a worker's hands."""

    __slots__ = (
        "alone",
        "attempt",
        "cancelled",
        "job_id",
        "limit_s",
        "overdue_s",
        "what",
        "worker",
    )

    def __init__(
        self, job_id: int, what: T, worker: int, started_s: float, limit_s: float, attempt: int
    ) -> None:
        """Note who runs what, and since when; limit_s: how long it may take, as counted here."""
        self.job_id = job_id
        self.what = what
        self.worker = worker
        self.limit_s = limit_s
        # Monotonic; moved on when the piece is cancelled.
        self.overdue_s = started_s + limit_s
        self.attempt = attempt
        self.cancelled = False
        self.alone = False


class InFlight(Generic[T]):
    """All work in workers' hands."""

    def __init__(self, cancel_grace_s: float) -> None:
        """Take how long a cancelled piece may take to end."""
        self._pieces: dict[int, Piece[T]] = {}
        self._lanes: dict[float, dict[int, Piece[T]]] = {}
        self._cancelled: dict[int, Piece[T]] = {}
        self._cancel_grace_s = cancel_grace_s

    def __len__(self) -> int:
        """Count the pieces."""
        return len(self._pieces)

    def add(self, piece: Piece[T]) -> None:
        """Note a piece that was handed out."""
        self._pieces[piece.job_id] = piece
        lane = self._lanes.get(piece.limit_s)
        if lane is None:
            lane = self._lanes[piece.limit_s] = {}
        lane[piece.job_id] = piece

    def pop(self, job_id: int) -> Piece[T] | None:
        """Return a piece that has ended and forget it; None if it is not known, or no more."""
        piece = self._pieces.pop(job_id, None)
        if piece is not None:
            if piece.cancelled:
                self._cancelled.pop(job_id, None)
            else:
                del self._lanes[piece.limit_s][job_id]
        return piece

    def get(self, job_id: int) -> Piece[T] | None:
        """Return a piece."""
        return self._pieces.get(job_id)

    def pieces(self) -> list[Piece[T]]:
        """Return all pieces."""
        return list(self._pieces.values())

    def next_overdue_s(self) -> float | None:
        """Return when the next piece runs out."""
        first = [next(iter(lane.values())).overdue_s for lane in self._lanes.values() if lane]
        first += [piece.overdue_s for piece in self._cancelled.values()]
        return min(first, default=None)

    def to_cancel(self, now_s: float) -> list[Piece[T]]:
        """Return the pieces whose time is up, each once, and give them the grace to end."""
        found: list[Piece[T]] = []
        for lane in self._lanes.values():
            while lane:
                piece = next(iter(lane.values()))
                if piece.overdue_s > now_s:
                    break
                found.append(piece)
                self.note_cancelled(piece, now_s)
        return found

    def note_cancelled(self, piece: Piece[T], now_s: float) -> None:
        """Give a piece that was told to end the grace to do so."""
        if not piece.cancelled:
            del self._lanes[piece.limit_s][piece.job_id]
            piece.cancelled = True
            piece.overdue_s = now_s + self._cancel_grace_s
            self._cancelled[piece.job_id] = piece

    def keep(self, job_ids: Iterable[int], now_s: float) -> None:
        """Give cancelled pieces the grace again: they hold what must not be lost."""
        for job_id in job_ids:
            if (piece := self._cancelled.get(job_id)) is not None:
                piece.overdue_s = now_s + self._cancel_grace_s

    def to_kill(self, now_s: float) -> list[Piece[T]]:
        """Return the cancelled pieces that did not end, each once."""
        late = [piece for piece in self._cancelled.values() if piece.overdue_s <= now_s]
        for piece in late:
            piece.overdue_s = float("inf")
        return late
