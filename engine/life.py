"""One life of the engine: its kinds, its database, its run, and the exit code that ends it.

Everything that is slow to import is imported from here, before the forkserver is forked off.
"""

from __future__ import annotations

import asyncio
import contextlib
import logging
import sys
from collections.abc import Callable

from engine.app import Engine
from engine.boot import LockLost, Stores, keep_hold, open_stores
from engine.line import Line
from engine.pool import PoolBroken
from engine.refused import BootRefused
from engine.trouble import Trouble
from engine.worker_pool import WorkerPool
from ipc.child import ForkServer
from ipc.clock import Clock
from ipc.exits import Exit
from ipc.settings import Settings, decode_settings
from jobs.catalog import Catalog, CatalogError, keep, load
from jobs.errors import Fenced
from jobs.store import fence
from jobs.store.database import Database
from jobs.store.errors import StoreError

_log = logging.getLogger("engine.main")

# How often the lock on a PostgreSQL database is looked after.
HOLD_CHECK_S = 1.0
# At the end, who owns the database is asked for so long, and its connections close within this.
OWNER_S = 2.0
CLOSE_S = 2.0


class Life:
    """An engine on a database that is its own."""

    def __init__(self, engine: Engine, stores: Stores) -> None:
        """Take what open_life() made."""
        self.engine = engine
        # After the end: what people should know of it; empty when its exit code says all.
        self.last_words = ""
        self._stores = stores

    async def run(self, on_loaded: Callable[[], None]) -> Exit:
        """Run until asked to stop, or until it cannot go on; return the exit code that says why."""
        engine = self.engine
        hold = self._stores.hold
        watched = engine.housekeeping.dialect == "postgresql"
        try:
            await engine.run(on_loaded, *([keep_hold(hold, HOLD_CHECK_S)] if watched else []))
        except* Fenced as group:
            _log.critical("the database belongs to a newer scheduler: %s", _first(group))
            code = Exit.FENCED
            self.last_words = await self._who()
        except* LockLost as group:
            # The supervisor tells of it, and knows how often that was already.
            _log.info("leaving: %s", _first(group))
            code = Exit.DATABASE_LOST
            self.last_words = str(_first(group))
        except* PoolBroken as group:
            broken = _first(group)
            assert isinstance(broken, PoolBroken)  # noqa: S101 - narrows the type
            _log.critical("the workers cannot go on: %s", broken)
            code = broken.code
        else:
            code = Exit.OK
            await self.close()
        return code

    async def close(self) -> None:
        """Close the database; SQLite's file then holds everything, if nobody else uses it."""
        try:
            async with asyncio.timeout(CLOSE_S):
                await self._stores.reads.close()
                await self._stores.housekeeping.close(fold=True)
        except TimeoutError:
            _log.warning("the database is still busy: it is left as it is")

    async def _who(self) -> str:
        """Return in a line who took the database, and what to do."""
        owner = None
        with contextlib.suppress(StoreError, TimeoutError):
            async with asyncio.timeout(OWNER_S):
                owner = await self._stores.reads.read(fence.current)
        if owner is not None and owner[0] < self.engine.epoch:
            return "an older copy was put in the place of the database; `esisyncd restart` uses it"
        who = "" if owner is None else f" (process {owner[2]} on {owner[1]})"
        return f"another daemon{who} took the database; stop it, then `esisyncd restart`"


async def open_life(
    encoded_settings: bytes,
    catalog: Catalog,
    forkserver: ForkServer,
    clock: Clock,
    trouble: Trouble,
    line: Line,
    delayed: Callable[[], None],
    *,
    sound: bool,
) -> Life:
    """Open the database and wire an engine to it; tells delayed() when that takes longer.

    sound: the database was looked through since the daemon started. BootRefused when only a
    person can help.
    """
    settings = decode_settings(encoded_settings)
    stores = await open_stores(
        settings, encoded_settings, forkserver, clock, trouble, delayed, sound=sound
    )
    pool = WorkerPool(forkserver, settings, encoded_settings, stores.epoch, clock)
    engine = Engine(
        settings=settings,
        catalog=catalog,
        clock=clock,
        epoch=stores.epoch,
        pool=pool,
        reads=stores.reads,
        housekeeping=stores.housekeeping,
        line=line,
        trouble=trouble,
        logbook=stores.logbook,
        past=stores.past,
    )
    pool.listener = engine.from_workers
    return Life(engine, stores)


def prepare_database(settings: Settings) -> None:
    """Have ready, before the fork, what it takes to connect; nothing is connected."""
    with contextlib.suppress(StoreError):
        # What is wrong with the address is told by who opens the database.
        Database(settings.database_url)


def load_catalog(settings: Settings) -> Catalog:
    """Return the kinds; BootRefused when they are declared wrongly or cannot be loaded."""
    if settings.extra_path and settings.extra_path not in sys.path:
        sys.path.insert(0, settings.extra_path)
    try:
        # Workers come of a fork of this process.
        keep(settings.kind_packages)
        return load(settings.kind_packages)
    except CatalogError as error:
        raise BootRefused(Exit.CONFIG, f"kinds are declared wrongly: {error}") from error
    except ImportError as error:
        raise BootRefused(Exit.CONFIG, f"the kinds cannot be loaded: {error}") from error


def _first(group: BaseExceptionGroup[BaseException]) -> BaseException:
    error: BaseException = group
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    return error
