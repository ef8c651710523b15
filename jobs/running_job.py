"""A job while it runs: what its parts share."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass, field

from ipc.messages import RunJob
from jobs.esi.limits import job_slots
from jobs.purse import Purse
from jobs.spec import Part
from jobs.store.route_states import RouteState
from jobs.tokens import JobTokens
from jobs.tools import Tools


@dataclass(slots=True)
class RunningJob:
    """What the parts of one job share."""

    tools: Tools
    order: RunJob
    tokens: JobTokens
    started_s: float
    purse: Purse | None = None
    # Parts of this run that changed rows.
    changed: set[str] = field(default_factory=set)
    # Credential and the roles of which it had none, as ESI said in this run; None: it has left.
    lacking: list[tuple[int, frozenset[str] | None]] = field(default_factory=list)
    grants_changed: bool = False
    # States of requests that changed no rows, of this part or of those before it.
    unstored: tuple[Part, Sequence[RouteState]] | None = None
    # ESI said that a character is no member any more.
    has_left: bool = False
    _slots: asyncio.Semaphore | None = None

    @property
    def slots(self) -> asyncio.Semaphore:
        """Return what bounds the job's requests at once; many jobs make none."""
        if self._slots is None:
            self._slots = job_slots()
        return self._slots
