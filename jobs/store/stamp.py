"""Whether a database has the views of this version, told without loading what makes them."""

from __future__ import annotations

import hashlib
from functools import cache
from pathlib import Path

from sqlalchemy import Connection, select

from jobs.store import views
from jobs.store.schema.core import view_made

# The row of view_made that stands for all views together.
ALL = "*"


@cache
def stamp() -> str:
    """Return what tells one form of the views' sources from another."""
    digest = hashlib.sha256()
    for path in sorted(Path(views.__path__[0]).glob("*.py")):
        digest.update(path.read_bytes())
    return digest.hexdigest()


def has_our_views(connection: Connection) -> bool:
    """Tell whether the views were made by sources like ours; a small SELECT."""
    query = select(view_made.c.digest).where(view_made.c.name == ALL)
    return connection.execute(query).scalar() == stamp()
