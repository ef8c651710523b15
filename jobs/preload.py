"""Imported by the forkserver: what each worker needs is loaded once, before it is forked."""

from __future__ import annotations

import asyncio
import contextlib
import gc
from typing import Any

from ipc.clock import SystemClock
from ipc.codec import decoder_of
from ipc.messages import ToWorker
from ipc.settings import Settings, decode_settings, encode_settings
from jobs import catalog, worker
from jobs.catalog import Catalog
from jobs.esi import vocabulary
from jobs.leases import Leases
from jobs.logbook import Logbook
from jobs.orders import Orders
from jobs.store.database import Database
from jobs.tools import Tools

__all__ = ["worker"]


async def _rehearse(settings: Settings, kinds: Catalog) -> None:
    """Do what a worker does at its start; nothing is connected, and no thread is started."""
    decoder_of(ToWorker)
    decode_settings(encode_settings(settings))
    database = Database(settings.database_url)
    leases, logbook = Leases(_nobody), Logbook.unkept()
    tools = Tools.of(settings, 0, SystemClock(), database, leases, logbook)
    Orders(tools, kinds, _nobody, _nobody)


def _nobody(_message: Any) -> None:
    raise AssertionError("nothing is sent in a rehearsal")


def _preload() -> None:
    # The kinds of the daemon itself; those of tests and benchmarks are loaded by their workers.
    settings = Settings(data_dir="")
    # The scheduler loads them as well, and it is the one to say what is wrong.
    with contextlib.suppress(catalog.CatalogError, ImportError):
        catalog.keep(settings.kind_packages)
        # The first run of any code writes to its pages: into caches, and into the code itself.
        # Done before the fork, what it leaves is shared by all workers.
        loop = asyncio.new_event_loop()
        loop.run_until_complete(_rehearse(settings, catalog.load(settings.kind_packages)))
        loop.close()
    vocabulary.lists()
    # Pages of what is there now stay shared: no collection in a worker touches them.
    gc.collect()
    gc.freeze()
    # Who forked this process off may have loaded the rest without collecting.
    gc.enable()


_preload()
