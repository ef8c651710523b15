"""Names that a person typed: ESI is asked by a worker, and the command is answered then."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import msgspec

from engine.inflight import InFlight, Piece
from engine.pool import NoWorker, Pool
from ipc.clock import Clock
from ipc.commands import Resolve
from ipc.messages import ResolveDone, RunResolve
from ipc.scheduler_messages import DoneCommand

DEADLINE_S = 30.0
_NO_WORKER = "no worker is there to ask ESI; try again"


@dataclass(slots=True, eq=False)
class Question:
    """A command that waits for its answer."""

    command_id: str
    resolver: Resolver

    def on_lost(self) -> None:
        """Answer that nobody knows: whoever asked can ask again."""
        self.resolver.refuse(self.command_id, _NO_WORKER)


class Resolver:
    """Has names looked up, each command by itself."""

    def __init__(
        self,
        *,
        clock: Clock,
        epoch: int,
        pool: Pool,
        next_id: Callable[[], int],
        in_flight: InFlight[Any],
        answer: Callable[[DoneCommand], None],
    ) -> None:
        """Take who numbers and does the work, and how to answer."""
        self._clock = clock
        self._epoch = epoch
        self._pool = pool
        self._next_id = next_id
        self._in_flight = in_flight
        self._answer = answer

    def ask(self, command_id: str, command: Resolve) -> None:
        """Have a worker ask ESI."""
        job_id = self._next_id()
        work = RunResolve(job_id, self._epoch, command.names, DEADLINE_S)
        try:
            worker = self._pool.submit(work, over=True)
        except NoWorker:
            self.refuse(command_id, _NO_WORKER)
            return
        now_s = self._clock.monotonic_s()
        question = Question(command_id, self)
        self._in_flight.add(Piece(job_id, question, worker, now_s, DEADLINE_S, 1))

    def on_done(self, done: ResolveDone) -> None:
        """Answer the command that asked."""
        piece = self._in_flight.get(done.job_id)
        if piece is None or done.epoch != self._epoch or not isinstance(piece.what, Question):
            return
        self._in_flight.pop(done.job_id)
        command_id = piece.what.command_id
        if done.trouble:
            self.refuse(command_id, done.trouble)
            return
        found: dict[str, list[tuple[int, str]]] = {}
        for one in done.found:
            found.setdefault(one.name, []).append((one.id, one.category))
        text = msgspec.json.encode(found).decode()
        self._answer(DoneCommand(command_id, ok=True, text=text))

    def refuse(self, command_id: str, why: str) -> None:
        """Answer that it could not be done."""
        self._answer(DoneCommand(command_id, ok=False, text=why))
