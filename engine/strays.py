"""Inflight rows of the outbox that nobody here has: taken over, and looked up if they may be out.

An earlier scheduler left them, a claim of ours was committed although it was answered with an
error, or a claim ran out with nobody behind it.
"""

from __future__ import annotations

import logging
from collections.abc import Iterable

from sqlalchemy import Connection

from engine.outbox_store import OutboxStore
from engine.sending import Hands, Sender, Sending
from ipc.clock import Clock
from jobs.logbook import Logbook, Past
from jobs.store import claims, outbox_rows
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status

_log = logging.getLogger(__name__)


class Strays:
    """Finds such rows, and puts them among those that are to be handed out."""

    def __init__(
        self,
        *,
        clock: Clock,
        store: OutboxStore,
        hands: Hands,
        sender: Sender,
        logbook: Logbook,
        past: Past,
    ) -> None:
        """Take what is ours, and what is known of what went out, in this life and the last."""
        self._clock = clock
        self._store = store
        self._hands = hands
        self._sender = sender
        self._logbook = logbook
        self._past = past
        self._is_adopted = False
        # A claim may have been committed although it was answered with an error.
        self._is_unsure = False
        # What was found cut off and may be ours by now: to be looked up, not to be sent.
        self._cut_off: set[int] = set()

    def be_unsure(self) -> None:
        """Note that a write to the database failed: what is claimed must be read again."""
        self._is_unsure = True

    def forget(self, row_id: int) -> None:
        """Note that it has been heard what became of a row."""
        self._cut_off.discard(row_id)

    async def recall_if_unsure(self) -> None:
        """Take up rows that are ours by the database and were never handed out."""
        if not self._is_unsure:
            return
        # What was ours before the look may have ended during it, and what is ours after it be new.
        before = self._hands.known()
        rows = await self._store.read(
            lambda c: outbox_rows.list_rows(c, statuses=[Status.INFLIGHT])
        )
        known = before | self._hands.known()
        epoch = self._store.epoch
        lost = [row for row in rows if row.claimed_by_epoch == epoch and row.id not in known]
        # A worker whose mark failed left its row as it was, and it may have gone out.
        doubts = self._cut_off | self._logbook.tells_of(row.id for row in lost)
        self._take((row, row.id in doubts) for row in lost)
        self._is_unsure = False

    async def adopt_once(self) -> None:
        """Take over what an earlier scheduler left inflight; what may have gone out is in doubt."""
        if self._is_adopted:
            return
        epoch = self._store.epoch

        def adopt(connection: Connection) -> list[OutboxRow]:
            rows = claims.found_inflight(connection, epoch, self._clock.now())
            if rows:
                is_unsent = self._past.is_unsent
                self._note_in_doubt(
                    row.id for row in rows if not is_unsent(row.id, row.claimed_by_epoch)
                )
                claims.adopt(connection, [row.id for row in rows], epoch, self._clock.now())
            return rows

        rows = await self._store.write(adopt)
        self._take((row, row.id in self._cut_off) for row in rows)
        self._is_adopted = True
        if rows:
            _log.warning(
                "%d writes were cut off by a crash; %d of them may have been sent: these are"
                " looked up",
                len(rows),
                sum(row.id in self._cut_off for row in rows),
            )

    async def sweep(self) -> bool:
        """Take up claims that ran out with nobody behind them; tell whether there were any.

        Whether they arrived is unknown.
        """
        now = self._clock.now()
        before = self._hands.known()
        rows, odd = await self._store.read(
            lambda c: outbox_rows.list_all(c, statuses=[Status.INFLIGHT])
        )
        known = before | self._hands.known()
        if strange := [row for row in odd if row.id not in known]:
            await self._store.write(lambda c: claims.leave_uncertain(c, strange, now))
        lost = [r for r in rows if r.id not in known and (r.claim_expires_at or now) <= now]
        if not lost:
            return False
        ids = [row.id for row in lost]
        self._note_in_doubt(ids)
        await self._store.write(lambda c: claims.adopt(c, ids, self._store.epoch, now))
        known = self._hands.known()
        self._take((row, True) for row in lost if row.id not in known)
        _log.warning("%d claims of writes ran out: they are looked up", len(lost))
        return True

    def _note_in_doubt(self, ids: Iterable[int]) -> None:
        """Remember that rows are to be looked up; before they are ours, or a crash forgets it."""
        ids = set(ids)
        self._cut_off |= ids
        self._logbook.carry_over(ids)

    def _take(self, rows: Iterable[tuple[OutboxRow, bool]]) -> None:
        """Have rows handed out; True: in doubt."""
        self._hands.waiting += [Sending(row, self._sender, in_doubt=doubt) for row, doubt in rows]
