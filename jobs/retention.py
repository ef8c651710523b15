"""How long each history is kept: what [retention] says of kinds and features, table by table."""

from __future__ import annotations

from collections.abc import Mapping

from jobs.catalog import Catalog
from jobs.spec import Kind
from jobs.store.history import histories


def kinds_with_history(catalog: Catalog) -> list[Kind]:
    """Return the kinds that have rows of the past to lose."""
    tables = {one.table for one in histories()}
    return [
        kind
        for kind in catalog.values()
        if any(target.table in tables for part in kind.parts for target in part.targets)
    ]


def retention_names(catalog: Catalog) -> list[str]:
    """Return what can stand in [retention]: such kinds, and their features."""
    kinds = kinds_with_history(catalog)
    features = {feature for kind in kinds for feature in kind.features}
    return [*(kind.name for kind in kinds), *sorted(features)]


def days_by_table(retention: Mapping[str, int], catalog: Catalog) -> dict[str, int]:
    """Return by table how many days its past is kept; tables that are not there keep all.

    A kind's own number wins over its feature's. Of a table that several kinds write, the longest
    of their numbers counts.
    """
    found: dict[str, int] = {}
    if not retention:
        return found
    for kind in kinds_with_history(catalog):
        numbers = [retention[f] for f in kind.features if f in retention]
        days = retention.get(kind.name, max(numbers, default=None))
        if days is None:
            continue
        for part in kind.parts:
            for target in part.targets:
                name = target.table.name
                found[name] = max(days, found.get(name, 0))
    return found
