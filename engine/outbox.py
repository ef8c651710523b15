"""The outbox is drained beside the loop: claimed here, sent and marked by workers.

At most a pass's rows are out at a time, and dispatch never waits for one of them. That is more than
may be at ESI at once, so that nobody waits there for a claim or a mark.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import partial
from typing import Any, TypeVar

from sqlalchemy import Connection

from engine.budgets import Budgets, Loan, allowances_of
from engine.events import Outlet
from engine.inflight import Piece
from engine.pool import NoWorker, Pool
from engine.tokens import Tokens
from engine.trouble import Trouble
from engine.turns import Turns
from ipc import events
from ipc.clock import Clock
from ipc.messages import RunWrite, WriteDone
from ipc.outcome import PauseAll, TokenRejected
from jobs.logbook import Logbook, Past
from jobs.rates import bucket_name
from jobs.store import claims, odd_writes, outbox, outbox_rows
from jobs.store.database import Database, StoreError
from jobs.store.outbox_rows import OutboxRow, Status

_log = logging.getLogger(__name__)

T = TypeVar("T")

PASS = 256
# While rows are out, so much room is worth a look for more; for less there is one in a while.
ROOM = PASS // 2
LOOK_EVERY_S = 0.25
# Until one of its kind has told from which limits it spends, so many of a subject are out: they ask
# for what they may spend, each for more than it needs.
UNKNOWN = 2
KEEP_DONE = timedelta(hours=1)
PRUNE_EVERY_S = 60.0
# So often the pending rows are looked through for such as nobody could claim.
ODD_EVERY_S = 30.0
# While rows are out, and one pass follows the other.
COUNT_EVERY_S = 1.0
# The client's own time-outs end a write well before this.
WRITE_DEADLINE_S = 90.0
# A write whose worker died so often while it was sent is left for a person.
DEATHS_TO_GIVE_UP = 3
# Whatever kills the workers may kill all of them, one after the other: a write that lost its
# worker waits, longer each time, or it would be given up within one such moment.
FIRST_WAIT_S = 1.0


@dataclass(slots=True, eq=False)
class Sending:
    """A row in a worker's hands."""

    row: OutboxRow
    drain: Drain
    # The order under which it is out.
    job_id: int = 0
    in_doubt: bool = False
    deaths: int = 0
    not_before_s: float = float("-inf")
    # What its worker may spend of ESI's limits.
    loans: tuple[Loan, ...] = ()

    def on_lost(self) -> None:
        """Note that its worker died: what has gone out by then may have arrived."""
        self.deaths += 1
        self.in_doubt = self.in_doubt or self.drain.went_out(self)
        self.drain.send_again(self)


def wait_after_death_s(deaths: int) -> float:
    """Return how long a write waits whose worker died so often while it was sent."""
    return FIRST_WAIT_S * 2.0 ** (deaths - 1)


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
    ) -> None:
        """Take the connections, who numbers and tracks work, and whether a write may go out."""
        self._clock = clock
        self._reads = reads
        self._housekeeping = housekeeping
        self._turns = turns
        self._epoch = epoch
        self._outlet = outlet
        self._pool = pool
        self._trouble = trouble
        self._next_id = next_id
        self._hand_out = hand_out
        self._may_send = may_send
        self._on_pause = on_pause
        self._tokens = tokens
        self._budgets = budgets
        self._logbook = logbook
        self._past = past
        # By kind of write, the rate groups that the last one of it spent from.
        self._groups: dict[str, tuple[str, ...]] = {}
        # Characters whose writes wait for a token.
        self._held: set[int] = set()
        # Rows whose token was refused, and of whom.
        self._waiting: dict[int, int] = {}
        # Of these, what has got a newer token: to be made due at once.
        self._renewed: set[int] = set()
        # And what was so since it last ended otherwise: refused again, it keeps its own wait.
        self._hurried: set[int] = set()
        self._out: dict[int, Sending] = {}
        # Claimed by us, and not in a worker's hands.
        self._in_hand: list[Sending] = []
        self._poked = asyncio.Event()
        self._pruned_s = float("-inf")
        self._counted_s = float("-inf")
        self._looked_s = float("-inf")
        # There was room for more, but too little to look at once.
        self._looks_soon = False
        self._odd_s = float("-inf")
        self._adopted = False
        # A claim may have been committed although it was answered with an error.
        self._unsure = False
        # What was found cut off and may be ours by now: to be looked up, not to be sent.
        self._cut_off: set[int] = set()
        self.counts: dict[str, int] = {}

    def poke(self) -> None:
        """Look for due rows now."""
        self._poked.set()

    def went_out(self, sending: Sending) -> bool:
        """Tell whether a row may have gone out under an order whose worker is dead."""
        return self._logbook.has(sending.row.id, sending.job_id)

    def send_again(self, sending: Sending) -> None:
        """Take back a row whose worker is gone."""
        self._land(sending)
        now_s = self._clock.monotonic_s()
        if sending.in_doubt:
            self._budgets.write_off(sending.loans, now_s)
        else:
            self._budgets.settle(sending.loans, (), now_s)
        sending.not_before_s = now_s + wait_after_death_s(sending.deaths)
        self._in_hand.append(sending)
        self.poke()

    async def run(self, interval_s: float) -> None:
        """Claim and hand out what is due, until cancelled."""
        while True:
            try:
                await self.make_pass()
            except StoreError as error:
                self._unsure = True
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
        if self._unsure:
            await self._recall()
        if not self._may_send():
            return
        if not self._adopted:
            await self._adopt()
        self._looks_soon = False
        await self._hand_out_held()
        if self._renewed:
            await self._make_due()
        # It also starts the refreshes that could not be started before.
        self._held = {number for number in self._held if not self._is_ready(number)}
        while self._may_send() and (room := self._room()):
            now = self._clock.now()
            # Not under the lock: who only waits costs nobody a turn to write.
            look = partial(self._find_due, now=now, limit=room, without=frozenset(self._held))
            due, senders = await self._reads.read(look)
            if not due:
                break
            self._held |= {n for n in set(senders.values()) if not self._is_ready(n)}
            # One that is out, or in hand, and is due again: what became of it has not been heard.
            unheard = self._known().intersection(due)
            ready = [
                id_ for id_ in due if id_ not in unheard and senders.get(id_) not in self._held
            ]
            if ready:
                claim = partial(claims.claim, ids=ready, now=now, epoch=self._epoch)
                rows = await self._write(claim)
                self._in_hand += [Sending(row, self) for row in rows]
                await self._hand_out_held()
            if unheard or len(due) < room:
                break
        await self._keep_house()

    def on_write_done(self, sending: Sending, done: WriteDone) -> None:
        """Take in what became of a row; the worker has stored it."""
        self._land(sending)
        self._cut_off.discard(sending.row.id)
        self._learn_groups(sending.row, done)
        if isinstance(done.reaction, PauseAll):
            self._on_pause(done.reaction)
        if isinstance(done.reaction, TokenRejected) and done.status == "pending":
            self._on_refused(sending.row, done.reaction)
        else:
            self._waiting.pop(sending.row.id, None)
            self._hurried.discard(sending.row.id)
        if self._outlet.on:
            self._announce(sending.row, done)
        self.poke()

    def on_renewed(self, character_id: int) -> None:
        """Send what waited for a character's token, which has just been refreshed or stored."""
        waited = {id_ for id_, number in self._waiting.items() if number == character_id}
        for id_ in waited:
            del self._waiting[id_]
        self._hurried |= waited
        self._renewed |= waited
        if waited or character_id in self._held:
            self.poke()

    def _on_refused(self, row: OutboxRow, rejected: TokenRejected) -> None:
        """Have a row's token refreshed; the row is due when that has ended."""
        is_newer = self._tokens.renew(rejected.credential_id, rejected.generation)
        if row.id in self._hurried:
            return
        self._waiting[row.id] = row.subject.id
        if is_newer:
            self.on_renewed(row.subject.id)

    def _learn_groups(self, row: OutboxRow, done: WriteDone) -> None:
        names = (one.bucket.partition(":") for one in done.spent)
        own = tuple(group for group, _, owner in names if owner == str(row.subject.id))
        if own or row.kind not in self._groups:
            self._groups[row.kind] = own

    # --- parts of a pass ---

    def _room(self) -> int:
        """Return how many rows to look for now; 0: none, or not yet."""
        room = PASS - len(self._out) - len(self._in_hand)
        now_s = self._clock.monotonic_s()
        is_worth_it = room >= ROOM or now_s - self._looked_s >= LOOK_EVERY_S
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

    def _is_ready(self, character_id: int) -> bool:
        return self._tokens.is_ready(character_id, WRITE_DEADLINE_S)

    async def _make_due(self) -> None:
        ids, now = sorted(self._renewed), self._clock.now()

        def make_due(connection: Connection) -> None:
            for id_ in ids:
                outbox.make_due(connection, id_, now)

        await self._write(make_due)
        self._renewed.difference_update(ids)

    async def _adopt(self) -> None:
        """Take over what an earlier scheduler left inflight; what may have gone out is in doubt."""

        def adopt(connection: Connection) -> list[OutboxRow]:
            rows = claims.found_inflight(connection, self._epoch, self._clock.now())
            if rows:
                is_unsent = self._past.is_unsent
                self._note_in_doubt(
                    row.id for row in rows if not is_unsent(row.id, row.claimed_by_epoch)
                )
                ids = [row.id for row in rows]
                claims.adopt(connection, ids, self._epoch, self._clock.now())
            return rows

        rows = await self._write(adopt)
        self._in_hand += [Sending(row, self, in_doubt=row.id in self._cut_off) for row in rows]
        self._adopted = True
        if rows:
            _log.warning(
                "%d writes were cut off by a crash; %d of them may have been sent: these are"
                " looked up",
                len(rows),
                sum(row.id in self._cut_off for row in rows),
            )

    def _note_in_doubt(self, ids: Iterable[int]) -> None:
        """Remember that rows are to be looked up; before they are ours, or a crash forgets it."""
        ids = set(ids)
        self._cut_off |= ids
        self._logbook.carry_over(ids)

    async def _recall(self) -> None:
        """Take up rows that are ours by the database and were never handed out."""
        # What was ours before the look may have ended during it, and what is ours after it be new.
        before = self._known()
        rows = await self._reads.read(
            lambda c: outbox_rows.list_rows(c, statuses=[Status.INFLIGHT])
        )
        known = before | self._known()
        lost = [row for row in rows if row.claimed_by_epoch == self._epoch and row.id not in known]
        # A worker whose mark failed left its row as it was, and it may have gone out.
        self._in_hand += [
            Sending(row, self, in_doubt=row.id in self._cut_off or self._logbook.tells_of(row.id))
            for row in lost
        ]
        self._unsure = False

    async def _sweep(self) -> None:
        """Take up claims that ran out with nobody behind them; whether they arrived is unknown."""
        now = self._clock.now()
        before = self._known()
        rows, odd = await self._reads.read(
            lambda c: outbox_rows.list_all(c, statuses=[Status.INFLIGHT])
        )
        known = before | self._known()
        if strange := [row for row in odd if row.id not in known]:
            await self._write(lambda c: claims.leave_uncertain(c, strange, now))
        lost = [r for r in rows if r.id not in known and (r.claim_expires_at or now) <= now]
        if not lost:
            return
        ids = [row.id for row in lost]
        self._note_in_doubt(ids)
        await self._write(lambda c: claims.adopt(c, ids, self._epoch, now))
        known = self._known()
        self._in_hand += [Sending(row, self, in_doubt=True) for row in lost if row.id not in known]
        _log.warning("%d claims of writes ran out: they are looked up", len(lost))
        self.poke()

    def _pause_s(self, interval_s: float) -> float:
        """Return how long nothing need be looked at, unless poked."""
        now_s = self._clock.monotonic_s()
        waits_s = [held.not_before_s - now_s for held in self._in_hand]
        if self._looks_soon:
            waits_s.append(LOOK_EVERY_S)
        return min((wait_s for wait_s in waits_s if 0 < wait_s < interval_s), default=interval_s)

    def _land(self, sending: Sending) -> None:
        """Note that a row is out no more; it may have been claimed and sent anew meanwhile."""
        if self._out.get(sending.row.id) is sending:
            del self._out[sending.row.id]

    def _known(self) -> set[int]:
        return {sending.row.id for sending in (*self._out.values(), *self._in_hand)}

    async def _hand_out_held(self) -> None:
        now_s = self._clock.monotonic_s()
        for sending in self._in_hand.copy():
            if sending.deaths >= DEATHS_TO_GIVE_UP:
                await self._give_up(sending)
            elif not self._has_room(sending, now_s) or not self._send(sending):
                continue
            # Not before: one that an error drops here would be taken for one that was never out.
            self._in_hand.remove(sending)

    def _has_room(self, sending: Sending, now_s: float) -> bool:
        if sending.not_before_s > now_s or len(self._out) >= PASS or not self._may_send():
            return False
        # Of those whose worker died one at a time: the others may have had nothing to do with it,
        # and must not die of it again and again.
        if sending.deaths and any(one.deaths for one in self._out.values()):
            return False
        return self._may_spend(sending.row, now_s)

    def _may_spend(self, row: OutboxRow, now_s: float) -> bool:
        """Tell whether a row need not wait for what those before it have not spent after all."""
        if row.kind not in self._groups:
            out = (one.row for one in self._out.values())
            alike = sum((one.kind, one.subject) == (row.kind, row.subject) for one in out)
            return alike < UNKNOWN
        if not self._budgets.comes_back(self._buckets(row), now_s):
            return True
        self._looks_soon = True
        return False

    def _buckets(self, row: OutboxRow) -> list[str]:
        groups = self._groups.get(row.kind, ())
        return [bucket_name(group, row.subject.id) for group in groups]

    def _send(self, sending: Sending) -> bool:
        row = sending.row
        job_id = self._next_id()
        limit_s = WRITE_DEADLINE_S
        now_s = self._clock.monotonic_s()
        loans = self._budgets.lend_to_write(self._buckets(row), now_s)
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
        self._out[row.id] = sending
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
        await self._write(lambda c: claims.finish(c, end, self._epoch, now))
        _log.warning("outbox row %d (%s) is uncertain: %s", row.id, row.kind, reason)
        self._outlet.add(events.OutboxUncertain(now, row.id, row.kind, row.subject, reason))

    async def _keep_house(self) -> None:
        now_s = self._clock.monotonic_s()
        if now_s - self._counted_s < COUNT_EVERY_S and self._out:
            # Counting looks at every row.
            return
        self._counted_s = now_s
        self.counts = await self._reads.read(outbox_rows.counts)
        if self.counts.get(Status.INFLIGHT, 0) > len(self._known()):
            await self._sweep()
        if self.counts.get(Status.PENDING, 0) and now_s - self._odd_s >= ODD_EVERY_S:
            self._odd_s = now_s
            await self._end_odd()
        if self.counts.get(Status.DONE, 0) and now_s - self._pruned_s >= PRUNE_EVERY_S:
            self._pruned_s = now_s
            before: datetime = self._clock.now() - KEEP_DONE
            pruned = await self._write(lambda connection: outbox.prune_done(connection, before))
            _log.debug("%d done writes were pruned", pruned)

    async def _end_odd(self) -> None:
        """End pending rows that no look for due ones comes to."""
        now = self._clock.now()
        odd = await self._reads.read(lambda connection: odd_writes.find(connection, now))
        if odd:
            await self._write(lambda connection: odd_writes.end(connection, odd, now))
            self.poke()

    async def _write(self, work: Callable[[Connection], T]) -> T:
        async with self._trouble.watching("outbox"), self._turns.housekeeping():
            return await self._housekeeping.write(work, epoch=self._epoch, durable=True)

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
