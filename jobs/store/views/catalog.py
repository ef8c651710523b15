"""All views, found by walking this package."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Mapping
from functools import cache
from types import MappingProxyType

from jobs.store import views
from jobs.store.views.view import View


@cache
def all_views() -> Mapping[str, View]:
    """Return the views by name, in the order of their names."""
    found: dict[str, View] = {}
    for module in pkgutil.iter_modules(views.__path__):
        made = importlib.import_module(f"{views.__name__}.{module.name}")
        found |= {view.name: view for view in getattr(made, "VIEWS", ())}
    return MappingProxyType(dict(sorted(found.items())))
