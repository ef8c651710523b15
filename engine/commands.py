"""Commands, in the order in which they came, each applied once however often it arrives."""

from __future__ import annotations

import asyncio
import logging
from collections import OrderedDict
from collections.abc import Callable
from typing import assert_never

import msgspec

from engine.carried import Carried
from engine.discovery import Discovery
from engine.lineup import Lineup
from engine.outbox import Drain
from engine.resolver import Resolver
from engine.schedule import Schedule
from ipc.clock import Clock
from ipc.commands import (
    Discover,
    Enroll,
    Forget,
    Resolve,
    RunNow,
    SetFeatures,
    Withdraw,
)
from ipc.commands import Drain as DrainNow
from ipc.scheduler_messages import Do, DoneCommand
from ipc.settings import decode_settings
from ipc.subject import Subject, SubjectType
from jobs.configured import nothing_mirrors
from jobs.store.database import StoreError

_log = logging.getLogger(__name__)

_AtOnce = Discover | DrainNow | Enroll | Forget | RunNow | SetFeatures | Withdraw

# Answers that are remembered, for commands that arrive again.
REMEMBERED = 1_000


class Refusal(Exception):
    """A command cannot be carried out; the text is for people."""


class Commands:
    """The queue of commands and the task that applies them."""

    def __init__(
        self,
        *,
        clock: Clock,
        lineup: Lineup,
        schedule: Schedule,
        carried: Carried,
        discovery: Discovery,
        drain: Drain,
        resolver: Resolver,
        answer: Callable[[DoneCommand], None],
        wake: Callable[[], None],
    ) -> None:
        """Take the parts that commands concern, and how to answer."""
        self._clock = clock
        self._lineup = lineup
        self._schedule = schedule
        self._carried = carried
        self._discovery = discovery
        self._drain = drain
        self._resolver = resolver
        self._answer = answer
        self._wake = wake
        self._queue: asyncio.Queue[Do] = asyncio.Queue()
        self._answers: OrderedDict[str, DoneCommand] = OrderedDict()

    def take(self, do: Do) -> None:
        """Queue a command."""
        self._queue.put_nowait(do)

    async def run(self) -> None:
        """Apply commands until cancelled."""
        while True:
            await self.apply(await self._queue.get())

    async def apply(self, do: Do) -> None:
        """Apply a command and answer; one that was applied before is only answered."""
        known = self._answers.get(do.command_id)
        if known is not None:
            self._answer(known)
            return
        if isinstance(do.command, Resolve):
            # Answered when ESI has answered; no other command waits for that.
            self._resolver.ask(do.command_id, do.command)
            return
        try:
            text = await self._carry_out(do.command)
        except (StoreError, Refusal) as error:
            # Not remembered: sent again, it may work.
            _log.warning("a command was refused: %s", error)
            self._answer(DoneCommand(do.command_id, ok=False, text=str(error)))
            return
        done = DoneCommand(do.command_id, ok=True, text=text)
        self._answers[do.command_id] = done
        if len(self._answers) > REMEMBERED:
            self._answers.popitem(last=False)
        self._wake()
        self._answer(done)

    async def _carry_out(self, command: _AtOnce) -> str:
        match command:
            case Discover():
                await self._discovery.look()
                return "looked"
            case DrainNow():
                self._drain.poke()
                return "draining"
            case Enroll(subject=subject):
                _require_owner(subject)
                if not self._lineup.of(subject.type):
                    raise Refusal(nothing_mirrors(subject.type))
                await self._discovery.enroll(subject)
                return f"{subject} is mirrored from now on"
            case Withdraw(subject=subject):
                _require_owner(subject)
                if not await self._discovery.withdraw(subject):
                    return f"{subject} was not mirrored"
                return f"{subject} is mirrored no longer"
            case Forget(subject=subject):
                _require_owner(subject)
                await self._discovery.forget(subject)
                return f"{subject} is forgotten"
            case RunNow(subject=subject, kind=kind):
                return self._run_now(subject, kind)
            case SetFeatures(settings=settings):
                await self._set_features(settings)
                return "features and intervals are in force"
            case _:
                assert_never(command)

    def _run_now(self, subject: Subject, kind: str) -> str:
        entries = [
            entry for entry in self._schedule.of(subject) if not kind or entry.key.kind == kind
        ]
        if not entries:
            what = f"{kind} of {subject}" if kind else str(subject)
            raise Refusal(f"{what} is not mirrored")
        now_s = self._clock.monotonic_s()
        for entry in entries:
            if subject.type is SubjectType.GLOBAL:
                # What a person asks for works on everything.
                self._carried.discard(entry.key.kind)
            self._schedule.run_now(entry, now_s)
        return f"{len(entries)} jobs are due now"

    async def _set_features(self, encoded: bytes) -> None:
        try:
            settings = decode_settings(encoded)
        except msgspec.MsgspecError as error:
            raise Refusal(f"the settings cannot be read: {error}") from error
        unknown = self._lineup.unknown_names(settings)
        if unknown:
            raise Refusal("; ".join(unknown))
        await self._discovery.set_features(settings)


def _require_owner(subject: Subject) -> None:
    if subject.type is SubjectType.GLOBAL:
        raise Refusal("global is always mirrored")
