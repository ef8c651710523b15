"""The catalogue: every kind found by walking packages, checked as a whole, then never changed.

The scheduler loads it as well as the workers, so nothing here or in a kind's module may import
an HTTP client.
"""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator, Mapping, Sequence
from types import MappingProxyType

from ipc.subject import SubjectType
from jobs.catalog_checks import Found, find_faults
from jobs.spec import Kind


class CatalogError(Exception):
    """Kinds are declared wrongly; `faults` says all of it, one line each."""

    def __init__(self, faults: Sequence[str]) -> None:
        """Keep the faults and show them as the message."""
        super().__init__("\n".join(faults))
        self.faults = tuple(faults)


class Catalog(Mapping[str, Kind]):
    """All kinds by name, in the order of their names; frozen."""

    def __init__(self, kinds: Sequence[Kind]) -> None:
        """Order the kinds; load() has checked them."""
        self._kinds = MappingProxyType({k.name: k for k in sorted(kinds, key=lambda k: k.name)})
        self._profiles = {k.subject: k for k in kinds if k.parent is not None}

    def __getitem__(self, name: str) -> Kind:
        """Return the kind of that name; KeyError if there is none."""
        return self._kinds[name]

    def __iter__(self) -> Iterator[str]:
        """Iterate over the names."""
        return iter(self._kinds)

    def __len__(self) -> int:
        """Count the kinds."""
        return len(self._kinds)

    def of(self, subject_type: SubjectType) -> tuple[Kind, ...]:
        """Return the kinds that a subject of this type can have."""
        return tuple(k for k in self._kinds.values() if k.subject is subject_type)

    def profile_of(self, subject_type: SubjectType) -> Kind | None:
        """Return the kind that writes the parent row of such a subject, if there is one."""
        return self._profiles.get(subject_type)

    def features(self) -> dict[str, bool]:
        """Return every feature and whether it is on unless somebody says otherwise."""
        on: dict[str, bool] = {}
        for kind in self._kinds.values():
            for feature in kind.features:
                on[feature] = on.get(feature, False) or not kind.off_by_default
        return dict(sorted(on.items()))


# Catalogues that a forkserver has loaded for the workers it forks.
_kept: dict[tuple[str, ...], Catalog] = {}


def keep(packages: Sequence[str]) -> None:
    """Load a catalogue now, for this process and those forked from it."""
    _kept[tuple(packages)] = load(packages)


def load(packages: Sequence[str]) -> Catalog:
    """Find the kinds of all packages and check them; CatalogError names every fault at once."""
    kept = _kept.get(tuple(packages))
    if kept is not None:
        return kept
    found: list[Found] = []
    faults: list[str] = []
    for package in packages:
        _walk(package, found, faults)
    faults += find_faults(found)
    if faults:
        raise CatalogError(faults)
    return Catalog([f.kind for f in found])


def _walk(package: str, found: list[Found], faults: list[str]) -> None:
    """Import `<package>.<subject type>.<noun>` for all there are; modules with _ are helpers."""
    for folder in pkgutil.iter_modules(importlib.import_module(package).__path__):
        if not folder.ispkg or folder.name.startswith("_"):
            continue
        below = importlib.import_module(f"{package}.{folder.name}")
        for noun in pkgutil.iter_modules(below.__path__):
            if noun.name.startswith("_"):
                continue
            path = f"{package}.{folder.name}.{noun.name}"
            module = importlib.import_module(path)
            kind = getattr(module, "KIND", None)
            if not isinstance(kind, Kind):
                faults.append(f"{path}: has no KIND of type jobs.spec.Kind")
                continue
            # `global` is a word of Python: its folder has a _ at the end.
            name = f"{folder.name.rstrip('_')}.{noun.name}"
            found.append(Found(path=path, name=name, module=module, kind=kind))
