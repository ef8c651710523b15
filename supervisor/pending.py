"""Commands on their way to a scheduler: kept in order, bounded, each applied once by its id."""

from __future__ import annotations

import logging
from collections import OrderedDict
from dataclasses import dataclass
from typing import Generic, Literal, TypeVar

from ipc.commands import EngineCommand
from ipc.scheduler_messages import DoneCommand

MAX_PENDING = 1000
MAX_REMEMBERED = 2000
# Below the deaths in a row after which no new scheduler is started.
MAX_DEATHS = 3

_log = logging.getLogger("supervisor.pending")

Asker = TypeVar("Asker")


@dataclass(slots=True)
class _Entry(Generic[Asker]):
    command: EngineCommand
    # Who still waits for an answer; nobody after "kept" was said, or when the client left.
    asker: Asker | None
    is_sent: bool = False
    deaths: int = 0


class Pending(Generic[Asker]):
    """Holds what no scheduler has confirmed; a command that one may have lost is sent again."""

    def __init__(self, limit: int = MAX_PENDING) -> None:
        self._limit = limit
        self._entries: OrderedDict[str, _Entry[Asker]] = OrderedDict()
        self._done: OrderedDict[str, DoneCommand] = OrderedDict()

    def __len__(self) -> int:
        """Return how many are not confirmed."""
        return len(self._entries)

    def add(
        self, command_id: str, command: EngineCommand, asker: Asker
    ) -> Literal["new", "known", "full"]:
        """Take a command; one that is known already only gets a new asker."""
        entry = self._entries.get(command_id)
        if entry is not None:
            entry.asker = asker
            return "known"
        if len(self._entries) >= self._limit:
            return "full"
        self._entries[command_id] = _Entry(command, asker)
        return "new"

    def result(self, command_id: str) -> DoneCommand | None:
        """Return what became of a command that was confirmed lately."""
        return self._done.get(command_id)

    def take_unsent(self) -> list[tuple[str, EngineCommand]]:
        """Return what the present scheduler has not been sent, oldest first, as sent from now."""
        unsent = [
            (command_id, entry.command)
            for command_id, entry in self._entries.items()
            if not entry.is_sent
        ]
        for command_id, _ in unsent:
            self._entries[command_id].is_sent = True
        return unsent

    def done(self, done: DoneCommand) -> Asker | None:
        """Forget a confirmed command; return who waits for the answer."""
        entry = self._entries.pop(done.command_id, None)
        if entry is None:
            return None
        self._done[done.command_id] = done
        while len(self._done) > MAX_REMEMBERED:
            self._done.popitem(last=False)
        return entry.asker

    def lost(self, *, by_death: bool = True) -> list[tuple[str, Asker]]:
        """Take everything as unsent: the scheduler is gone; return who is to be told.

        They are told "kept", but for commands that have a result now. by_death: nobody asked it to
        leave. What several died with unanswered may be the reason, and is refused: else it would
        end every other as well.
        """
        told: list[tuple[str, Asker]] = []
        for command_id, entry in list(self._entries.items()):
            entry.deaths += by_death and entry.is_sent
            if entry.deaths >= MAX_DEATHS:
                _log.error("a command is dropped, %d engines died with it", entry.deaths)
                text = f"{entry.deaths} engines died before they had done it"
                asker = self.done(DoneCommand(command_id, ok=False, text=text))
                if asker is not None:
                    told.append((command_id, asker))
                continue
            entry.is_sent = False
            if entry.asker is not None:
                told.append((command_id, entry.asker))
                entry.asker = None
        return told

    def answered(self, command_id: str) -> None:
        """Note that the asker has its answer; what becomes of the command is only logged."""
        if command_id in self._entries:
            self._entries[command_id].asker = None

    def forget_asker(self, asker: Asker) -> None:
        """Note that a client left; its commands stay."""
        for entry in self._entries.values():
            if entry.asker is asker:
                entry.asker = None
