"""Looks at subjects and credentials now and then, whoever changed them, and tells the roster.

A look costs three small queries while nothing has changed. One that fails changes nothing: it
never means that all are gone.
"""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from sqlalchemy import Connection

from engine.lineup import Lineup
from engine.roster import Roster
from engine.trouble import Trouble
from engine.turns import Turns
from engine.world import History, World, read_history, read_world
from ipc.clock import Clock
from ipc.settings import Settings
from ipc.subject import Subject
from jobs.store import subjects
from jobs.store.credentials import Credential
from jobs.store.database import Database, StoreError

_log = logging.getLogger(__name__)

T = TypeVar("T")

# While thousands are loaded first, each job may change who reads what, and a look that finds a
# change reads all of them: looking takes one part of the time, these are left to the jobs.
REST_PARTS = 9.0
# What made a look long may have been the database, or its turn.
MAX_REST_S = 5.0


def rest_after_s(took_s: float) -> float:
    """Return how long nobody looks again, whoever asks, after a look that took so long."""
    return min(MAX_REST_S, REST_PARTS * took_s)


class Discovery:
    """Reads the world and has the roster follow; commands about subjects go the same way."""

    def __init__(
        self,
        *,
        clock: Clock,
        reads: Database,
        housekeeping: Database,
        turns: Turns,
        epoch: int,
        lineup: Lineup,
        roster: Roster,
        trouble: Trouble,
        client_id: str,
        on_credentials: Callable[[tuple[Credential, ...]], None],
        on_change: Callable[[], None],
        on_reload: Callable[[], None],
    ) -> None:
        """Take both connections, our client at SSO, and whom to tell of what has changed."""
        self._clock = clock
        self._reads = reads
        self._housekeeping = housekeeping
        self._turns = turns
        self._epoch = epoch
        self._lineup = lineup
        self._roster = roster
        self._trouble = trouble
        self._client_id = client_id
        self._on_credentials = on_credentials
        self._on_change = on_change
        self._on_reload = on_reload
        self._known: tuple[Any, ...] | None = None
        self._one_at_a_time = asyncio.Lock()
        self._poked = asyncio.Event()

    def poke(self) -> None:
        """Look soon."""
        self._poked.set()

    async def run(self, interval_s: float) -> None:
        """Look every so often, and when poked, until cancelled."""
        while True:
            try:
                async with asyncio.timeout(interval_s):
                    await self._poked.wait()
            except TimeoutError:
                pass
            self._poked.clear()
            began_s = self._clock.monotonic_s()
            try:
                await self.look()
            except StoreError as error:
                await self._trouble.wait_after("discovery", error)
                # Not only after the interval: nothing is dispatched until it works.
                self.poke()
            else:
                self._trouble.over("discovery")
                # What is asked for meanwhile is looked at together.
                await asyncio.sleep(rest_after_s(self._clock.monotonic_s() - began_s))

    async def look(self, *, launch: bool = False) -> None:
        """Take over what has changed since the last look; StoreError when it cannot be read."""
        async with self._one_at_a_time:
            await self._look(launch=launch)

    async def enroll(self, subject: Subject) -> None:
        """Mirror a subject from now on, whatever it was."""
        async with self._one_at_a_time:
            now = self._clock.now()
            await self._write(lambda connection: subjects.enroll(connection, subject, now))
            await self._look(quiet=frozenset({subject}))

    async def withdraw(self, subject: Subject) -> bool:
        """Mirror a subject no longer; tell whether it was mirrored."""
        async with self._one_at_a_time:
            now = self._clock.now()
            was_active = await self._write(
                lambda connection: subjects.withdraw(connection, subject, now)
            )
            self._roster.withdraw(subject)
            return was_active

    async def forget(self, subject: Subject) -> None:
        """Withdraw a subject for good."""
        async with self._one_at_a_time:
            now = self._clock.now()
            await self._write(lambda connection: subjects.mark_deleted(connection, subject, now))
            self._roster.withdraw(subject)

    async def set_features(self, settings: Settings) -> None:
        """Take over changed features and intervals."""
        async with self._one_at_a_time:
            everyone = frozenset(self._roster.subjects)
            history = await self._reads.read(lambda c: read_history(c, self._lineup, everyone))
            # Not before the read: a reload that fails must change nothing.
            self._lineup.configure(settings)
            self._roster.reconcile(history.rows)
            self._on_reload()
            self._on_change()

    async def _look(self, *, launch: bool = False, quiet: frozenset[Subject] = frozenset()) -> None:
        known = None if self._roster.needs_look() else self._known
        client_id = self._client_id
        world = await self._reads.read(lambda connection: read_world(connection, known, client_id))
        if world is not None and world.strangers:
            world = await self._introduce(world)
        if world is None:
            return
        history = History()
        if to_enrol := self._roster.to_enrol(world):
            history = await self._reads.read(lambda c: read_history(c, self._lineup, to_enrol))
        self._on_credentials(world.credentials)
        self._roster.apply(world, history, launch=launch, quiet=quiet)
        self._known = world.fingerprint
        self._on_change()

    async def _introduce(self, world: World) -> World | None:
        """Add the subjects of credentials that another program stored."""
        now = self._clock.now()
        strangers = sorted(world.strangers)

        def add(connection: Connection) -> None:
            for subject in strangers:
                subjects.discover(connection, subject, now)

        await self._write(add)
        return await self._reads.read(lambda conn: read_world(conn, None, self._client_id))

    async def _write(self, change: Callable[[Connection], T]) -> T:
        async with self._trouble.watching("discovery"), self._turns.housekeeping():
            return await self._housekeeping.write(change, epoch=self._epoch, durable=True)
