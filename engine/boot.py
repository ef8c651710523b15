"""The way to a usable database: lock, schema, ownership; tried again for as long as it takes."""

from __future__ import annotations

import asyncio
import logging
import os
import socket
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime
from functools import partial
from pathlib import Path

from sqlalchemy import Connection

from engine.refused import BootRefused
from engine.trouble import Trouble
from engine.upgrade import UpgradeCut, UpgradeFailed, upgrade
from ipc.child import ForkServer
from ipc.clock import Clock
from ipc.exits import Exit
from ipc.settings import Settings
from jobs.logbook import Logbook, Past, begin, look_back
from jobs.store import fence, health, single
from jobs.store import upgrade as schema
from jobs.store.database import Database, StoreCorrupt, StoreError, StoreForeign, StoreRefused
from jobs.store.upgrade import Schema

_log = logging.getLogger(__name__)

HELD_WAIT_S = 5.0
# SQLite's lock is waited for as long as the supervisor waits for a first word of ours.
PATIENCE_S = 10.0
# Upgrades that were killed before it takes a person: each may have left its backup.
CUT_TO_GIVE_UP = 3


@dataclass(frozen=True, slots=True)
class Stores:
    """Both connections to an owned database."""

    reads: Database
    housekeeping: Database
    epoch: int
    hold: single.Hold
    # What goes out in this life, and what did in the one before.
    logbook: Logbook
    past: Past


async def open_stores(
    settings: Settings,
    encoded_settings: bytes,
    forkserver: ForkServer,
    clock: Clock,
    trouble: Trouble,
    delayed: Callable[[], None],
    *,
    sound: bool,
) -> Stores:
    """Return the database once it is ours; tells delayed() when that takes longer.

    sound: it need not be looked through. BootRefused when only a person can help.
    """
    started_s = clock.monotonic_s()
    cut = 0
    while True:
        patience = asyncio.get_running_loop().call_later(
            PATIENCE_S, _lose_patience, trouble, delayed
        )
        try:
            return await _open(
                settings, encoded_settings, forkserver, clock, trouble, delayed, sound=sound
            )
        except single.HeldElsewhere as error:
            # The server may not have noticed yet that our predecessor is dead.
            if clock.monotonic_s() - started_s > HELD_WAIT_S:
                raise BootRefused(Exit.HELD, str(error)) from error
            await asyncio.sleep(HELD_WAIT_S / 10)
        except StoreForeign as error:
            raise BootRefused(Exit.REFUSED, str(error)) from error
        except (StoreRefused, StoreCorrupt) as error:
            raise BootRefused(Exit.CONFIG, str(error)) from error
        except UpgradeFailed as error:
            raise BootRefused(Exit.CONFIG, str(error)) from error
        except StoreError as error:
            cut = cut + 1 if isinstance(error, UpgradeCut) else 0
            if cut == CUT_TO_GIVE_UP:
                raise BootRefused(Exit.CONFIG, f"{error}, {cut} times in a row") from error
            delay_s = trouble.note("boot", error)
            delayed()
            await asyncio.sleep(delay_s)
        finally:
            patience.cancel()


def _lose_patience(trouble: Trouble, delayed: Callable[[], None]) -> None:
    """Say that the database takes its time, before we are taken for one that hangs."""
    if not trouble.is_broken:
        trouble.note("boot", "it does not open: locked by another program, or very slow")
    delayed()


class LockLost(Exception):
    """Another daemon may have the database from now on."""


async def keep_hold(hold: single.Hold, interval_s: float) -> None:
    """Look after the lock on the database; raises LockLost when its connection is gone."""
    while True:
        if not await asyncio.to_thread(hold.is_held):
            raise LockLost("the connection that held the database is gone")
        await asyncio.sleep(interval_s)


async def _open(
    settings: Settings,
    encoded_settings: bytes,
    forkserver: ForkServer,
    clock: Clock,
    trouble: Trouble,
    delayed: Callable[[], None],
    *,
    sound: bool,
) -> Stores:
    url = settings.database_url
    hold = await asyncio.to_thread(single.hold_database, url)
    reads = housekeeping = None
    try:
        found = await asyncio.to_thread(schema.status_of, url)
        if found in (Schema.EMPTY, Schema.OLDER, Schema.VIEWS):
            if found is Schema.OLDER:
                # This can take longer than any deadline.
                trouble.note("boot", "the schema is being upgraded")
                delayed()
            await upgrade(forkserver, encoded_settings)
        reads = Database(url)
        housekeeping = Database(url, durable=True)
        if not sound:
            await reads.read(health.quick_check)
        await reads.read(schema.require_current)
        before, (epoch, life) = await housekeeping.write(partial(_own, now=clock.now()), epoch=None)
    except BaseException:
        for database in (reads, housekeeping):
            if database is not None:
                await database.close()
        hold.release()
        raise
    trouble.over("boot")
    _log.info("the database %s is ours, epoch %d", reads, epoch)
    folder = Path(settings.data_dir)
    past = Past() if before is None else look_back(folder, *before)
    return Stores(reads, housekeeping, epoch, hold, begin(folder, life), past)


def _own(connection: Connection, now: datetime) -> tuple[tuple[int, str] | None, tuple[int, str]]:
    """Make the database ours; return who had it, and who has it now."""
    before = fence.life(connection)
    fence.take_ownership(connection, socket.gethostname(), os.getpid(), now)
    ours = fence.life(connection)
    assert ours is not None  # noqa: S101 - there is an owner now
    return before, ours
