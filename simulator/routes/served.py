"""Every route that the simulator serves: the ROWS of all modules beside this one."""

from __future__ import annotations

import importlib
import pkgutil

from simulator import routes
from simulator.routes.table import Read, RouteTable, Write


def rows() -> tuple[Read | Write, ...]:
    """Return the rows of every topic; a new topic is a new module."""
    found: list[Read | Write] = []
    for module in pkgutil.iter_modules(routes.__path__):
        if module.name != "served":
            found += getattr(
                importlib.import_module(f"{routes.__name__}.{module.name}"), "ROWS", ()
            )
    return tuple(found)


def table() -> RouteTable:
    """Return the table of all served routes; a row without a contract is a KeyError."""
    return RouteTable(rows())
