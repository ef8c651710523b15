"""Jobs whose access token would end too soon wait here while a worker refreshes it.

Dispatch asks before each job, the drain before each write; one refresh runs for all that wait for a
credential. While SSO does not know a client, one refresh in a while tries for all credentials of
that client.
"""

from __future__ import annotations

import logging
from collections import deque
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from typing import Any

import msgspec

from engine import policy
from engine.entry import Again, Entry, State
from engine.finish import Finisher
from engine.inflight import Piece
from engine.policy import Decision
from engine.pool import NoWorker, Pool
from engine.refreshes import Access, Refreshes
from engine.schedule import Schedule
from ipc.clock import Clock
from ipc.messages import RefreshDone, RunRefresh
from ipc.subject import Subject, SubjectType
from jobs.store.credentials import Credential

_log = logging.getLogger(__name__)

REFRESH_DEADLINE_S = 40.0
# A client that SSO does not know is tried again after this, or at a reload.
MISCONFIGURED_RETRY_S = 300.0
# A worker ends a refresh at its deadline itself; this much later the scheduler sees to it.
SLACK_S = 0.5


@dataclass(slots=True)
class _Unknown:
    """A client that SSO does not know."""

    reason: str
    again_s: float


class Tokens:
    """Starts refreshes, and brings the jobs back that wait for them."""

    def __init__(
        self,
        *,
        clock: Clock,
        epoch: int,
        schedule: Schedule,
        finisher: Finisher,
        pool: Pool,
        next_id: Callable[[], int],
        hand_out: Callable[[Piece[Any]], None],
        is_open: Callable[[], bool],
        on_grants_changed: Callable[[], None],
    ) -> None:
        """Take who numbers and tracks work, and whom to tell of a changed flag."""
        self._clock = clock
        self._epoch = epoch
        self._schedule = schedule
        self._finisher = finisher
        self._pool = pool
        self._next_id = next_id
        self._hand_out = hand_out
        self._is_open = is_open
        self._on_grants_changed = on_grants_changed
        self._refreshes: Refreshes[Entry] = Refreshes()
        # Credentials to be tried because no job used them for long, one at a time.
        self._to_audit: deque[int] = deque()
        self._auditing = 0
        # By client id.
        self._unknown: dict[str, _Unknown] = {}
        # Hears of each character that has a new token.
        self.on_renewed: Callable[[int], None] = lambda _character_id: None

    @property
    def trouble(self) -> str:
        """Return in a line which client SSO does not know, and what to do; empty: none."""
        for client_id, unknown in self._unknown.items():
            return (
                f"SSO does not take the client {client_id} ({unknown.reason}): set [sso] client_id"
                " and `esisyncd restart`, or log in again with the present one"
            )
        return ""

    def try_again(self) -> None:
        """Ask SSO again for the clients that it did not know."""
        for client_id in list(self._unknown):
            self._known(client_id)

    def update(self, credentials: Iterable[Credential]) -> None:
        """Take over what the database says.

        Who waited for a removed credential is looked at anew; what was put off for a token, and
        what fails of the character, is due once it has logged in again.
        """
        credentials = tuple(credentials)
        changes = self._refreshes.update(credentials)
        for entry in changes.waited:
            self._schedule.release_held(entry)
        self._make_due(changes.stalled)
        for number in changes.renewed:
            owned = self._schedule.of(Subject(SubjectType.CHARACTER, number))
            self._make_due(entry for entry in owned if entry.failures)
            self.on_renewed(number)
        for client_id in self._unknown.keys() - {one.client_id for one in credentials}:
            del self._unknown[client_id]

    def reject(self, credential_id: int, generation: int) -> None:
        """Note that ESI refused this generation of a token."""
        self._refreshes.reject(credential_id, generation)

    def renew(self, credential_id: int, generation: int) -> bool:
        """Start the refresh of a token that was refused for a write; True: there is a newer one."""
        self.reject(credential_id, generation)
        access = self._refreshes.get(credential_id)
        if access is None or access.needs_reauth:
            return False
        if access.generation > generation and not access.rejected and not access.running:
            return True
        self._try(access)
        return False

    def is_ready(self, character_id: int, limit_s: float) -> bool:
        """Tell whether a write of a character may go; if its token must come first, that starts."""
        due = self._refreshes.unready(character_id, self._clock.now(), limit_s)
        for access in due:
            self._try(access)
        return not due

    def _try(self, access: Access[Entry]) -> None:
        """Start a refresh, unless one runs or it is too early for one."""
        now_s = self._clock.monotonic_s()
        if self._is_open() and not access.running and self._may_try_s(access, now_s) <= now_s:
            self._refresh(access, now_s)

    def _may_try_s(self, access: Access[Entry], now_s: float) -> float:
        """Return when a refresh may be tried; when that is now, the caller must try."""
        if access.again_s > now_s:
            # The last try failed a moment ago: no new one for each of its jobs.
            return access.again_s
        unknown = self._unknown.get(access.client_id)
        if unknown is None:
            return now_s
        if unknown.again_s > now_s:
            return unknown.again_s
        # This one tries for all of the client.
        unknown.again_s = now_s + MISCONFIGURED_RETRY_S
        return now_s

    def hold_back(self, entry: Entry, limit_s: float, now_s: float, now: datetime) -> bool:
        """Keep a job that was taken from running if a token of its would end within it."""
        access = self._refreshes.blocking(entry.plan.credentials, now, limit_s)
        if access is None:
            return False
        if not access.running and (until_s := self._may_try_s(access, now_s)) > now_s:
            self._put_off(entry, access, now_s, until_s)
            return True
        self._schedule.hold(entry)
        access.waiting.append(entry)
        if not access.running:
            self._refresh(access, now_s)
        return True

    def audit(self, credential_ids: Iterable[int]) -> None:
        """Try the refresh tokens of these credentials, one after the other."""
        self._to_audit = deque(credential_ids)
        if not self._auditing:
            self._audit_next()

    def on_lost(self, access: Access[Entry]) -> None:
        """Take back the jobs whose refresh died with its worker."""
        self._release_failed(access, self._clock.monotonic_s())
        self._on_audited(access, goes_on=True)

    def on_done(self, access: Access[Entry], done: RefreshDone) -> None:
        """Take in the end of a refresh."""
        now_s, now = self._clock.monotonic_s(), self._clock.now()
        reason = done.reason or f"the token refresh ended as {done.status}"
        if done.status in ("fresh", "refused", "needs_reauth"):
            self._known(access.client_id)
        match done.status:
            case "fresh" | "unchanged":
                self._make_due(access.stalled)
                access.stalled.clear()
                for entry in self._refreshes.fresh(access, done.generation, done.expires_at, now):
                    self._schedule.release_held(entry)
                self.on_renewed(access.character_id)
            case "needs_reauth":
                access.needs_reauth = True
                access.generation = max(access.generation, done.generation)
                for entry in self._refreshes.failed(access, now_s):
                    self._settle_held(
                        entry, policy.park_for_login(reason, entry.failures, access.generation)
                    )
                self._on_grants_changed()
            case "refused":
                self._fail(access, reason, policy.REFUSED_RETRY_S)
            case "trouble":
                self._fail(access, reason, 0.0)
            case "misconfigured":
                self._on_unknown(access.client_id, reason, now_s)
                self._fail(access, reason, MISCONFIGURED_RETRY_S, told=True)
        # With trouble it is SSO that is ill, and no credential: the next audit asks again.
        self._on_audited(access, goes_on=done.status not in ("trouble", "misconfigured"))

    def _on_audited(self, access: Access[Entry], *, goes_on: bool) -> None:
        if access.credential_id != self._auditing:
            return
        self._auditing = 0
        # A flag that went is told by nothing else.
        self._on_grants_changed()
        if not goes_on:
            self._to_audit.clear()
        self._audit_next()

    def _audit_next(self) -> None:
        now_s = self._clock.monotonic_s()
        while self._to_audit and not self._auditing:
            if not self._is_open():
                self._to_audit.clear()
                return
            access = self._refreshes.get(self._to_audit.popleft())
            if access is None or access.running or access.again_s > now_s:
                continue
            if access.client_id in self._unknown:
                continue
            if self._refresh(access, now_s):
                self._auditing = access.credential_id

    def _refresh(self, access: Access[Entry], now_s: float) -> bool:
        """Hand a refresh out; tell whether there was a worker for it."""
        job_id = self._next_id()
        limit_s = REFRESH_DEADLINE_S
        work = RunRefresh(job_id, self._epoch, access.credential_id, access.generation, limit_s)
        try:
            worker = self._pool.submit(work, over=True)
        except NoWorker:
            self._release_failed(access, now_s)
            return False
        access.running = job_id
        self._hand_out(Piece(job_id, access, worker, now_s, limit_s + SLACK_S, 1))
        return True

    def _release_failed(self, access: Access[Entry], now_s: float) -> None:
        for entry in self._refreshes.failed(access, now_s):
            self._schedule.release_held(entry)

    def _fail(
        self, access: Access[Entry], reason: str, at_least_s: float, *, told: bool = False
    ) -> None:
        now_s = self._clock.monotonic_s()
        for entry in self._refreshes.failed(access, now_s, at_least_s):
            access.stalled.add(entry)
            decision = policy.fail(reason, entry.failures, at_least_s)
            if told:
                decision = msgspec.structs.replace(decision, told=True)
            self._settle_held(entry, decision)

    def _put_off(self, entry: Entry, access: Access[Entry], now_s: float, until_s: float) -> None:
        access.stalled.add(entry)
        self._schedule.end(entry, now_s, until_s, Again.NO)

    def _on_unknown(self, client_id: str, reason: str, now_s: float) -> None:
        first = client_id not in self._unknown
        self._unknown[client_id] = _Unknown(reason, now_s + MISCONFIGURED_RETRY_S)
        if first:
            _log.warning("%s; tried again in %.0f s", self.trouble, MISCONFIGURED_RETRY_S)

    def _known(self, client_id: str) -> None:
        """Let a client's tokens be refreshed again."""
        if self._unknown.pop(client_id, None) is not None:
            self._make_due(self._refreshes.forgive(client_id))

    def _make_due(self, entries: Iterable[Entry]) -> None:
        now_s = self._clock.monotonic_s()
        for entry in entries:
            if entry.state is State.SCHEDULED:
                self._schedule.make_due(entry, now_s)

    def _settle_held(self, entry: Entry, decision: Decision) -> None:
        if entry.state is State.HELD and not entry.gone:
            self._finisher.settle(entry, decision, self._clock.now())
