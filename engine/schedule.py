"""When each job runs: an entry per kind and subject, found by the time at which it is due.

A heap for each lane holds the due times. An entry that moves leaves its old place behind, which is
skipped when it comes up; so every operation costs the same for a thousand entries and a million.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Collection, Iterator
from typing import TYPE_CHECKING

from engine.entry import Again, Entry, State
from engine.lanes import NEVER_S, Lane, Places, lane_of, next_lane
from ipc.subject import GLOBAL, JobKey, Subject

if TYPE_CHECKING:
    from engine.grants import Plan
    from jobs.spec import Kind
    from jobs.store.ledger import LedgerRow


# Looked up once: on Python 3.11 that costs more for an enum than what is done with the member.
_SCHEDULED, _IN_FLIGHT, _HELD, _PARKED, _DEFERRED = State
_NO, _TRIGGER, _RUN_NOW = Again
_ALL_GLOBAL = 1_000


class Schedule:
    """All entries, and who is next: run-now first, then by lanes the longest overdue."""

    def __init__(self, most_global: int = _ALL_GLOBAL) -> None:
        """Start without entries; most_global: so many global jobs may go before all others."""
        self._subjects: dict[Subject, dict[str, Entry]] = {}
        self._lanes = tuple(Places() for _ in Lane)
        self._last_lane = Lane.FIRST
        self._most_global = most_global
        self._urgent: deque[tuple[int, Entry]] = deque()
        self._tickets = 0
        self.entries = 0
        self.in_flight = 0
        self.parked = 0
        self.failing = 0
        # Rows that the jobs left out when they last ran.
        self.rows_skipped = 0
        # Words in what they read that nobody lists.
        self.words_unknown = 0

    # --- who is there ---

    def get(self, key: JobKey) -> Entry | None:
        """Return the entry of a job; None when it is not enrolled."""
        owned = self._subjects.get(key.subject)
        return None if owned is None else owned.get(key.kind)

    def of(self, subject: Subject) -> Collection[Entry]:
        """Return the entries of a subject."""
        owned = self._subjects.get(subject)
        return () if owned is None else tuple(owned.values())

    def subjects(self) -> Collection[Subject]:
        """Return every subject that has an entry."""
        return self._subjects.keys()

    def __iter__(self) -> Iterator[Entry]:
        """Walk all entries; for status and changes of features only."""
        for owned in self._subjects.values():
            yield from owned.values()

    def enroll(
        self, key: JobKey, kind: Kind, plan: Plan, due_s: float, *, succeeded: bool = False
    ) -> Entry | None:
        """Add a job; None when it is there already, which takes back a pending removal.

        succeeded: it has before, so it does not wait among those that are to for the first time.
        """
        owned = self._subjects.setdefault(key.subject, {})
        known = owned.get(key.kind)
        if known is not None:
            if known.gone:
                # The credentials can be others by now.
                known.gone, known.plan = False, plan
            return None
        entry = Entry(key, kind, plan, due_s, lane_of(key, succeeded=succeeded))
        owned[key.kind] = entry
        self.entries += 1
        self._push(entry, due_s)
        return entry

    def remove(self, entry: Entry) -> None:
        """Take a job out; one in flight goes when it ends."""
        if entry.state is _IN_FLIGHT:
            entry.gone = True
            entry.again = _NO
            return
        self._drop(entry)

    def withdraw(self, subject: Subject) -> list[Entry]:
        """Take all jobs of a subject out; return those in flight, which go when they end."""
        flying = []
        for entry in self.of(subject):
            if entry.state is _IN_FLIGHT:
                flying.append(entry)
            self.remove(entry)
        return flying

    # --- the queue ---

    def take(self, now_s: float) -> Entry | None:
        """Return the job that should start now, and count it as in flight; None if none is due."""
        urgent = self._urgent
        while urgent:
            ticket, entry = urgent.popleft()
            if entry.ticket == ticket:
                self._leave(entry, _IN_FLIGHT)
                return entry
        turn: Places | None = None
        for places in self._lanes:
            heap = places.heap
            if heap and heap[0][0] <= now_s and places.first_s() <= now_s:
                if turn is not None:
                    turn = self._turn(now_s)
                    break
                turn = places
        if turn is None:
            return None
        entry = turn.pop()
        self._leave(entry, _IN_FLIGHT)
        return entry

    def take_this(self, entry: Entry) -> bool:
        """Take one scheduled job out of its turn; False when it is not waiting for one."""
        if entry.state is not _SCHEDULED:
            return False
        self._leave(entry, _IN_FLIGHT)
        return True

    def next_due_s(self) -> float | None:
        """Return when the next job is due; None when nothing is scheduled."""
        urgent = self._urgent
        while urgent:
            ticket, entry = urgent[0]
            if entry.ticket == ticket:
                return entry.due_s
            urgent.popleft()
        due_s = NEVER_S
        for places in self._lanes:
            heap = places.heap
            if heap and heap[0][0] < due_s:
                due_s = min(due_s, places.first_s())
        return None if due_s == NEVER_S else due_s

    def count_due(self, now_s: float, limit: int = 100_000) -> int:
        """Return how many jobs wait to start; costs what is due, and stops at limit."""
        count = sum(entry.ticket == ticket for ticket, entry in self._urgent)
        for places in self._lanes:
            count += places.count_due(now_s, limit - count)
        return count

    def hold(self, entry: Entry) -> None:
        """Put a job that was taken aside; release_held() or end() brings it back."""
        self.in_flight -= 1
        entry.state = _HELD
        if entry.gone:
            self._drop(entry)

    def resume(self, entry: Entry) -> None:
        """Count a job that was held as in flight."""
        entry.state = _IN_FLIGHT
        self.in_flight += 1

    def release_held(self, entry: Entry) -> None:
        """Put a held job back into the queue, at its old time."""
        if entry.state is _HELD and not entry.gone:
            self._push(entry, entry.due_s)

    def put_off(self, entry: Entry, due_s: float) -> None:
        """Give a job that was taken back to the queue, for later; what asks for it may come first.

        So a trigger or run-now in the meantime only has it looked at again.
        """
        if self._landed(entry):
            entry.again = _NO
            self._push(entry, due_s)

    def end(self, entry: Entry, now_s: float, due_s: float, honours: Again) -> None:
        """Give a job that ended its next time.

        A run asked for meanwhile comes first if it is at least as strong as honours; NO: never.
        """
        if not self._landed(entry):
            return
        again, entry.again = entry.again, _NO
        if honours is _NO or again < honours:
            self._push(entry, due_s)
        elif again is _RUN_NOW:
            self._push_urgent(entry, now_s)
        else:
            self._push(entry, now_s)

    def move(self, entry: Entry, due_s: float) -> None:
        """Give a scheduled job another time."""
        if entry.state is _SCHEDULED:
            self._push(entry, due_s)

    # --- what others ask for ---

    def make_due(self, entry: Entry, due_s: float) -> None:
        """Bring a job forward; one in flight runs once more; parked and deferred ones stay."""
        if entry.state is _IN_FLIGHT:
            entry.again = max(entry.again, _TRIGGER)
            return
        due_s = max(due_s, entry.not_before_s)
        if entry.state is _SCHEDULED and entry.due_s > due_s:
            self._push(entry, due_s)

    def run_now(self, entry: Entry, now_s: float) -> None:
        """Make a job due before all others and clear its streak; ends every park.

        One in flight runs once more; one whose parent row is missing still waits for it.
        """
        self.set_failures(entry, 0)
        entry.strikes = 0
        entry.urgent = True
        if entry.state is _IN_FLIGHT:
            entry.again = _RUN_NOW
        elif entry.state in (_SCHEDULED, _PARKED):
            self._push_urgent(entry, now_s)

    def park(self, entry: Entry, reason: str, generation: int | None) -> bool:
        """Stop running a job that ended; False when it was asked to run now meanwhile, or is gone.

        generation: the park ends when its credential has another one; None: only run-now ends it.
        """
        asked = entry.again is _RUN_NOW
        if entry.gone or asked:
            return False
        if entry.state is _IN_FLIGHT:
            self._landed(entry)
        self._leave(entry, _PARKED)
        entry.again = _NO
        entry.parked_reason = reason
        entry.parked_generation = generation
        return True

    def unpark(self, entry: Entry, due_s: float) -> None:
        """End a park."""
        if entry.state is _PARKED:
            self._push(entry, due_s)

    def defer(self, entry: Entry) -> None:
        """Take a scheduled job out of the queue until its subject's parent row exists."""
        if entry.state is _SCHEDULED:
            self._leave(entry, _DEFERRED)

    def release(self, subject: Subject, now_s: float) -> int:
        """Make the jobs due that waited for the subject's parent row; return how many."""
        waiting = [entry for entry in self.of(subject) if entry.state is _DEFERRED]
        for entry in waiting:
            self._push(entry, now_s)
        return len(waiting)

    def note_success(self, entry: Entry) -> None:
        """Have a job that is in flight wait among those that have succeeded, from now on."""
        if entry.lane is Lane.FIRST:
            entry.lane = Lane.AGAIN

    def set_failures(self, entry: Entry, failures: int) -> None:
        """Set the length of a job's failure streak."""
        if entry.failures != failures:
            self.failing += (failures > 0) - (entry.failures > 0)
            entry.failures = failures

    def set_row(self, entry: Entry, row: LedgerRow | None) -> None:
        """Set what the ledger says of a job."""
        self._count_row(entry.row, -1)
        self._count_row(row, 1)
        entry.row = row

    def _count_row(self, row: LedgerRow | None, sign: int) -> None:
        if row is not None:
            self.rows_skipped += sign * row.rows_skipped
            self.words_unknown += sign * row.words_unknown

    # --- places in the queue ---

    def _turn(self, now_s: float) -> Places:
        """Return the lane whose turn it is, of several in which a job is due."""
        due = [lane for lane in Lane if self._lanes[lane].first_s() <= now_s]
        flying = sum(entry.state is _IN_FLIGHT for entry in self.of(GLOBAL))
        lane = next_lane(due, last=self._last_lane, globals_full=flying >= self._most_global)
        if lane >= Lane.AGAIN:
            self._last_lane = lane
        return self._lanes[lane]

    def _landed(self, entry: Entry) -> bool:
        """Take an entry out of flight (or hold); False when it left for good."""
        if entry.state is _IN_FLIGHT:
            self.in_flight -= 1
            entry.state = _HELD
        if entry.gone:
            self._drop(entry)
            return False
        return True

    def _leave(self, entry: Entry, state: State) -> None:
        if entry.ticket:
            entry.ticket = 0
            self._lanes[entry.lane].queued -= 1
        if entry.state is _PARKED:
            self.parked -= 1
        entry.state = state
        self.in_flight += state is _IN_FLIGHT
        self.parked += state is _PARKED

    def _ticket(self, entry: Entry, due_s: float) -> int:
        if entry.state is _PARKED:
            self.parked -= 1
            entry.parked_reason = ""
            entry.parked_generation = None
        self._lanes[entry.lane].queued += not entry.ticket
        self._tickets += 1
        entry.ticket = self._tickets
        entry.state = _SCHEDULED
        entry.due_s = due_s
        return self._tickets

    def _push(self, entry: Entry, due_s: float) -> None:
        self._lanes[entry.lane].push(due_s, self._ticket(entry, due_s), entry)

    def _push_urgent(self, entry: Entry, now_s: float) -> None:
        self._urgent.append((self._ticket(entry, min(now_s, entry.due_s)), entry))

    def _drop(self, entry: Entry) -> None:
        owned = self._subjects.get(entry.key.subject)
        if owned is None or owned.get(entry.key.kind) is not entry:
            return
        self._leave(entry, _HELD)
        self.set_failures(entry, 0)
        self._count_row(entry.row, -1)
        # Whoever still holds it must not bring it back.
        entry.gone = True
        del owned[entry.key.kind]
        self.entries -= 1
        if not owned:
            del self._subjects[entry.key.subject]
