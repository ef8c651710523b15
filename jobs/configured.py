"""What users name, held against the catalogue: features, kinds, types of subject."""

from __future__ import annotations

import difflib
from collections.abc import Collection, Iterable, Iterator, Mapping
from types import MappingProxyType

from ipc.settings import Settings
from ipc.subject import SubjectType
from jobs.catalog import Catalog
from jobs.retention import retention_names

# What is to be watched, and the features that watch it.
_WATCHERS: Mapping[str, tuple[str, ...]] = {
    "regions": ("market_watch", "public_contracts"),
    "structures": ("market_watch",),
    "types": ("market_watch",),
}


def unknown_names(
    settings: Settings, catalog: Catalog, sources: Mapping[str, str] = MappingProxyType({})
) -> list[str]:
    """Return a line for each configured name that there is not, with its source where known."""
    features = catalog.features()
    found = [
        *_unknown("features", settings.features, features),
        *_unknown("intervals", settings.intervals, catalog),
        *_unknown("retention", settings.retention, retention_names(catalog), [*catalog, *features]),
    ]
    return [text + (f" (in {sources[key]})" if key in sources else "") for key, text in found]


def idle_settings(settings: Settings, catalog: Catalog) -> list[str]:
    """Return a line for each key that is set and does nothing, its features being off."""
    on = {**catalog.features(), **settings.features}
    return [
        f"market_watch.{name} does nothing: {' and '.join(features)} "
        f"{'are' if features[1:] else 'is'} off in [features]"
        for name, features in _WATCHERS.items()
        if getattr(settings.market_watch, name) and not any(on.get(one) for one in features)
    ]


def nothing_mirrors(subject_type: SubjectType) -> str:
    """Return the sentence for a type of subject that no kind is for."""
    return f"{subject_type} subjects cannot be mirrored: there is no kind of job for them"


def _unknown(
    table: str, names: Iterable[str], known: Iterable[str], pastless: Collection[str] = ()
) -> Iterator[tuple[str, str]]:
    known = list(known)
    for name in names:
        if name in known:
            continue
        near = difflib.get_close_matches(name, known, 1, 0.6)
        if name in pastless:
            text = f"{name} in [{table}] has no past that could be removed; {', '.join(known)} have"
        elif near:
            text = f"unknown name {name} in [{table}]; did you mean {near[0]}?"
        else:
            text = f"unknown name {name} in [{table}]; known are {', '.join(known)}"
        yield f"{table}.{name}", text
