"""What all jobs of one worker share: database, connections, clock; and the way to write."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeVar

from sqlalchemy import Connection

from ipc.clock import Clock
from ipc.settings import Settings
from jobs.berths import Berths
from jobs.esi.client import EsiClient
from jobs.esi.images import ImageMirror
from jobs.esi.limits import RequestGate
from jobs.esi.sso import SsoClient
from jobs.esi.transport import Transport
from jobs.esi.zkillboard import Zkillboard
from jobs.group_commit import GroupCommit
from jobs.group_read import GroupRead
from jobs.leases import Leases
from jobs.logbook import Logbook
from jobs.rates import TURN
from jobs.store.database import Database

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Tools:
    """One for each worker process."""

    settings: Settings
    epoch: int
    clock: Clock
    database: Database
    leases: Leases
    # Where outbox rows are read, and their ends marked.
    reads: GroupRead
    marks: GroupCommit
    gate: RequestGate
    # Where it is noted that a write goes out.
    logbook: Logbook
    # Through which writes go to ESI.
    berths: Berths
    transport: Transport
    esi: EsiClient
    sso: SsoClient
    images: ImageMirror
    zkillboard: Zkillboard

    @classmethod
    def of(
        cls,
        settings: Settings,
        epoch: int,
        clock: Clock,
        database: Database,
        leases: Leases,
        logbook: Logbook,
    ) -> Tools:
        """Return the tools that the settings ask for; nothing is connected yet."""
        gate = RequestGate(clock, daily_downtime=settings.esi.is_real)
        transport = Transport(settings.esi.contact)
        return cls(
            settings=settings,
            epoch=epoch,
            clock=clock,
            database=database,
            leases=leases,
            reads=GroupRead(database),
            marks=GroupCommit(database, leases, epoch),
            gate=gate,
            logbook=logbook,
            berths=Berths(settings.engine.workers),
            transport=transport,
            esi=EsiClient(
                settings.esi.base_url, settings.esi.compatibility_date, transport, gate, clock
            ),
            sso=SsoClient(settings.sso.base_url, settings.sso.client_id, transport, clock),
            images=ImageMirror(settings.images.base_url, settings.image_dir, transport),
            zkillboard=Zkillboard(
                settings.zkillboard.base_url, transport, clock, settings.timings.zkillboard_pace_s
            ),
        )

    async def read(self, query: Callable[[Connection], T]) -> T:
        """Run a query in the database thread."""
        return await self.database.read(query)

    async def write(self, work: Callable[[Connection], T], *, durable: bool | None = None) -> T:
        """Run work in one write transaction, when it is this process's turn.

        SQLite has one writer at a time, and who waits for its lock in the driver is served in
        no order at all; PostgreSQL needs no turns.
        """
        if self.database.dialect != "sqlite":
            return await self.database.write(work, epoch=self.epoch, durable=durable)
        async with self.leases.hold(TURN):
            return await self.database.write(work, epoch=self.epoch, durable=durable)
