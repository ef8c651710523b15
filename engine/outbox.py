"""The outbox is drained beside the loop: claimed here, sent and marked by workers.

At most a pass's rows are out at a time, and dispatch never waits for one of them. That is more than
may be at ESI at once, so that nobody waits there for a claim or a mark.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from datetime import datetime
from functools import partial
from typing import Any

from sqlalchemy import Connection

from engine.budgets import Budgets, allowances_of
from engine.events import Outlet
from engine.inflight import Piece
from engine.outbox_store import OutboxStore
from engine.outbox_upkeep import Upkeep
from engine.pool import NoWorker, Pool
from engine.sending import DEATHS_TO_GIVE_UP, Hands, Sending, wait_after_death_s
from engine.strays import Strays
from engine.token_waits import TokenWaits
from engine.tokens import Tokens
from engine.trouble import Trouble
from engine.turns import Turns
from engine.write_rates import WriteRates
from ipc import events
from ipc.clock import Clock
from ipc.messages import RunWrite, WriteDone
from ipc.outcome import PauseAll, TokenRejected
from jobs.berths import share_of
from jobs.logbook import Logbook, Past
from jobs.store import claims, outbox
from jobs.store.database import Database, StoreError
from jobs.store.outbox_rows import OutboxRow
from jobs.store.write_status import Status

_log = logging.getLogger(__name__)

# The more of them, the more are marked together.
PASS = 512
# For each that can be at ESI. While ESI takes a second for each, the last one goes out in half of
# the time that a worker gives it to be answered.
PASS_PER_BERTH = 32
LOOK_EVERY_S = 0.25
# The client's own time-outs end a write well before this.
WRITE_DEADLINE_S = 90.0


def most_out(workers: int) -> int:
    """Return how many rows may be out with so many workers."""
    return min(PASS, PASS_PER_BERTH * workers * share_of(workers))


class Drain:
    """The task that claims due rows, and what is out."""

    def __init__(
        self,
        *,
        clock: Clock,
        reads: Database,
        housekeeping: Database,
        turns: Turns,
        epoch: int,
        outlet: Outlet,
        pool: Pool,
        trouble: Trouble,
        next_id: Callable[[], int],
        hand_out: Callable[[Piece[Any]], None],
        may_send: Callable[[], bool],
        on_pause: Callable[[PauseAll], None],
        tokens: Tokens,
        budgets: Budgets,
        logbook: Logbook,
        past: Past,
        workers: int,
    ) -> None:
        """Take the connections, who numbers and tracks work, and whether a write may go out."""
        self._most = most_out(workers)
        # While rows are out, so much room is worth a look for more; for less there is one in a
        # while.
        self._much_room = self._most // 2
        self._clock = clock
        self._store = OutboxStore(reads, housekeeping, turns, trouble, epoch)
        self._epoch = epoch
        self._outlet = outlet
        self._pool = pool
        self._trouble = trouble
        self._next_id = next_id
        self._hand_out = hand_out
        self._may_send = may_send
        self._on_pause = on_pause
        self._budgets = budgets
        self._logbook = logbook
        self._waits = TokenWaits(tokens, WRITE_DEADLINE_S)
        self._rates = WriteRates(budgets)
        self._hands = Hands()
        # What the worker had whose death is being taken in.
        self._lost: list[Sending] = []
        self._poked = asyncio.Event()
        self._looked_s = float("-inf")
        # There was room for more, but too little to look at once.
        self._looks_soon = False
        self._strays = Strays(
            clock=clock,
            store=self._store,
            hands=self._hands,
            sender=self,
            logbook=logbook,
            past=past,
        )
        self._upkeep = Upkeep(
            clock=clock,
            store=self._store,
            hands=self._hands,
            strays=self._strays,
            poke=self.poke,
        )

    @property
    def counts(self) -> dict[str, int]:
        """Return how many rows had each status when they were counted last."""
        return self._upkeep.counts

    def poke(self) -> None:
        """Look for due rows now."""
        self._poked.set()

    def take_back(self, sending: Sending) -> None:
        """Take back a row whose worker is gone; what else that worker had is taken back next."""
        self._hands.land(sending)
        self._lost.append(sending)

    def look_up_lost(self) -> None:
        """Have what a worker took along sent again, or looked up if it may have gone out."""
        lost, self._lost = self._lost, []
        if not lost:
            return
        # Of all of them at once: the logbook grows for as long as a scheduler lives.
        went_out = self._logbook.has((sending.row.id, sending.job_id) for sending in lost)
        now_s = self._clock.monotonic_s()
        for sending in lost:
            sending.in_doubt = sending.in_doubt or (sending.row.id, sending.job_id) in went_out
            if sending.in_doubt:
                self._budgets.write_off(sending.loans, now_s)
            else:
                self._budgets.settle(sending.loans, (), now_s)
            sending.not_before_s = now_s + wait_after_death_s(sending.deaths)
        self._hands.waiting += lost
        self.poke()

    async def run(self, interval_s: float) -> None:
        """Claim and hand out what is due, until cancelled."""
        while True:
            try:
                await self.make_pass()
            except StoreError as error:
                self._strays.be_unsure()
                await self._trouble.wait_after("outbox", error)
                self.poke()
            else:
                self._trouble.over("outbox")
            try:
                async with asyncio.timeout(self._pause_s(interval_s)):
                    await self._poked.wait()
            except TimeoutError:
                pass
            self._poked.clear()

    async def make_pass(self) -> None:
        """Hand out due rows until none is left or all that may be out are."""
        await self._strays.recall_if_unsure()
        if not self._may_send():
            return
        await self._strays.adopt_once()
        self._looks_soon = False
        await self._hand_out_held()
        if self._waits.renewed:
            await self._make_due()
        self._waits.look_again()
        while self._may_send() and (room := self._room()):
            now = self._clock.now()
            # Not under the lock: who only waits costs nobody a turn to write.
            look = partial(self._find_due, now=now, limit=room, without=frozenset(self._waits.held))
            due, senders = await self._store.read(look)
            if not due:
                break
            self._waits.hold(senders.values())
            # One that is out, or in hand, and is due again: what became of it has not been heard.
            unheard = self._hands.known().intersection(due)
            held = self._waits.held
            ready = [id_ for id_ in due if id_ not in unheard and senders.get(id_) not in held]
            if ready:
                claim = partial(claims.claim, ids=ready, now=now, epoch=self._epoch)
                rows = await self._store.write(claim)
                self._hands.waiting += [Sending(row, self) for row in rows]
                await self._hand_out_held()
            if unheard or len(due) < room:
                break
        await self._upkeep.keep()

    def on_write_done(self, sending: Sending, done: WriteDone) -> None:
        """Take in what became of a row; the worker has stored it."""
        self._hands.land(sending)
        self._strays.forget(sending.row.id)
        self._rates.learn(sending.row, done)
        if isinstance(done.reaction, PauseAll):
            self._on_pause(done.reaction)
        if isinstance(done.reaction, TokenRejected) and done.status == "pending":
            self._waits.on_refused(sending.row, done.reaction)
        else:
            self._waits.on_other_end(sending.row.id)
        if self._outlet.on:
            self._announce(sending.row, done)
        self.poke()

    def on_renewed(self, character_id: int) -> None:
        """Send what waited for a character's token, which has just been refreshed or stored."""
        if self._waits.on_renewed(character_id):
            self.poke()

    # --- parts of a pass ---

    def _room(self) -> int:
        """Return how many rows to look for now; 0: none, or not yet."""
        room = self._most - len(self._hands.out) - len(self._hands.waiting)
        now_s = self._clock.monotonic_s()
        is_worth_it = room >= self._much_room or now_s - self._looked_s >= LOOK_EVERY_S
        self._looks_soon = self._looks_soon or (room > 0 and not is_worth_it)
        if room <= 0 or not is_worth_it:
            return 0
        self._looked_s = now_s
        return room

    @staticmethod
    def _find_due(
        connection: Connection, now: datetime, limit: int, without: frozenset[int]
    ) -> tuple[list[int], dict[int, int]]:
        """Return due rows, and of whom they are if a token is needed for them."""
        due = claims.find_due(connection, now, limit, without)
        return due, claims.find_senders(connection, due, now)

    async def _make_due(self) -> None:
        ids, now = sorted(self._waits.renewed), self._clock.now()

        def make_due(connection: Connection) -> None:
            for id_ in ids:
                outbox.make_due(connection, id_, now)

        await self._store.write(make_due)
        self._waits.renewed.difference_update(ids)

    def _pause_s(self, interval_s: float) -> float:
        """Return how long nothing need be looked at, unless poked."""
        now_s = self._clock.monotonic_s()
        waits_s = [held.not_before_s - now_s for held in self._hands.waiting]
        if self._looks_soon:
            waits_s.append(LOOK_EVERY_S)
        return min((wait_s for wait_s in waits_s if 0 < wait_s < interval_s), default=interval_s)

    async def _hand_out_held(self) -> None:
        now_s = self._clock.monotonic_s()
        for sending in self._hands.waiting.copy():
            if sending.deaths >= DEATHS_TO_GIVE_UP:
                await self._give_up(sending)
            elif not self._has_room(sending, now_s) or not self._send(sending):
                continue
            # Not before: one that an error drops here would be taken for one that was never out.
            self._hands.waiting.remove(sending)

    def _has_room(self, sending: Sending, now_s: float) -> bool:
        if (
            sending.not_before_s > now_s
            or len(self._hands.out) >= self._most
            or not self._may_send()
        ):
            return False
        # Of those whose worker died one at a time: the others may have had nothing to do with it,
        # and must not die of it again and again.
        if sending.deaths and any(one.deaths for one in self._hands.out.values()):
            return False
        if self._rates.is_too_many(sending.row, (one.row for one in self._hands.out.values())):
            return False
        if self._rates.comes_back(sending.row, now_s):
            self._looks_soon = True
            return False
        return True

    def _send(self, sending: Sending) -> bool:
        row = sending.row
        job_id = self._next_id()
        limit_s = WRITE_DEADLINE_S
        now_s = self._clock.monotonic_s()
        loans = self._rates.lend(row, now_s)
        work = RunWrite(
            job_id,
            self._epoch,
            row.id,
            row.revision,
            limit_s,
            sending.in_doubt,
            allowances_of(loans),
        )
        try:
            worker = self._pool.submit(work, over=True)
        except NoWorker:
            self._budgets.settle(loans, (), now_s)
            return False
        sending.loans, sending.job_id = loans, job_id
        self._hands.out[row.id] = sending
        self._hand_out(Piece(job_id, sending, worker, now_s, limit_s, 1))
        self._outlet.add(events.OutboxInflight(self._clock.now(), row.id, row.kind, row.subject))
        return True

    async def _give_up(self, sending: Sending) -> None:
        row = sending.row
        reason = f"its worker died {sending.deaths} times while it was sent"
        now = self._clock.now()
        end = claims.End(
            id=row.id,
            revision=row.revision,
            status=Status.UNCERTAIN,
            attempts=row.attempts,
            error=reason,
        )
        await self._store.write(lambda c: claims.finish(c, end, self._epoch, now))
        _log.warning("outbox row %d (%s) is uncertain: %s", row.id, row.kind, reason)
        self._outlet.add(events.OutboxUncertain(now, row.id, row.kind, row.subject, reason))

    def _announce(self, row: OutboxRow, done: WriteDone) -> None:
        now = self._clock.now()
        who = (now, row.id, row.kind, row.subject)
        match done.status:
            case "done":
                self._outlet.add(events.OutboxDone(*who))
            case "pending":
                self._outlet.add(events.OutboxRetrying(*who, done.reason, done.next_in_s))
            case "uncertain":
                self._outlet.add(events.OutboxUncertain(*who, done.reason))
            case "failed" | "cancelled":
                self._outlet.add(events.OutboxFailed(*who, done.reason))
