"""Whether a daemon would start: names that only the catalogue knows, database and place."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.errors import ConfigFault
from cli.store import refused_place

if TYPE_CHECKING:
    from ipc.config import Loaded


def check_startable(loaded: Loaded) -> None:
    """Refuse settings that a daemon may not or should not start with."""
    from ipc.config import check_runnable
    from jobs.catalog import load
    from jobs.configured import unknown_names
    from jobs.store import connect
    from supervisor.place import StartRefused, check_place

    settings = loaded.settings
    check_runnable(settings)
    faults = unknown_names(settings, load(settings.kind_packages), loaded.sources)
    if faults:
        raise ConfigFault("\n".join(faults))
    # Opens nothing: it refuses a URL that cannot be read, and one whose driver is not there.
    connect.open_engine(connect.parse(settings.database_url)).dispose()
    try:
        check_place(settings)
    except StartRefused as refusal:
        raise refused_place(refusal) from None
