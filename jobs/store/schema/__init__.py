"""Every table, in one MetaData, by topic; importing this package loads them all."""

from __future__ import annotations

import importlib
import pkgutil

from jobs.store.schema.types import metadata

# A new topic is a new module; walking the folder keeps authors out of one shared list.
for _module in pkgutil.iter_modules(__path__):
    importlib.import_module(f"{__name__}.{_module.name}")

__all__ = ["metadata"]
