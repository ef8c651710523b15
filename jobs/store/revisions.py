"""Which revisions of the schema this version knows, without importing what makes them."""

from __future__ import annotations

import pkgutil
from functools import cache

from jobs.store.migrations import versions

# Alembic's own name for it.
VERSION_TABLE = "alembic_version"


@cache
def known() -> tuple[str, ...]:
    """Return the revisions, oldest first; modules are named by number and by what they bring."""
    return tuple(
        sorted(module.name.partition("_")[0] for module in pkgutil.iter_modules(versions.__path__))
    )


def head() -> str:
    """Return the revision of this version's schema."""
    return known()[-1]
