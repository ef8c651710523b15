"""Every table that the demo compares, by topic; importing this package loads them all.

A module has TABLES (tables that show one section of the universe), CHECKS (tables whose rows
follow from several sections), OWN (the daemon's own tables of that topic), or some of these.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from typing import Any

from cli.demo.difference import Check
from cli.demo.mirrored import Mirrored


def _told(name: str) -> Iterator[Any]:
    # A new topic is a new module; walking the folder keeps authors out of one shared list.
    for module in pkgutil.iter_modules(__path__):
        yield getattr(importlib.import_module(f"{__name__}.{module.name}"), name, ())


TABLES: tuple[Mirrored, ...] = tuple(one for told in _told("TABLES") for one in told)
CHECKS: dict[str, Check] = {
    table: check for told in _told("CHECKS") for table, check in dict(told).items()
}
OWN: frozenset[str] = frozenset(one for told in _told("OWN") for one in told)
