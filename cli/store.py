"""The database as a command opens it: its schema checked first, its folder private."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from cli.context import tell
from cli.errors import CliError

if TYPE_CHECKING:
    from ipc.settings import Settings
    from jobs.store.database import Database
    from supervisor.place import StartRefused


def check_database(settings: Settings) -> None:
    """Refuse a database that could not be made or written to; nothing is made or changed."""
    from jobs.store import upgrade
    from supervisor.place import StartRefused, check_data_dir, check_database_place

    try:
        check_data_dir(settings)
        check_database_place(settings.database_url)
    except StartRefused as refusal:
        raise refused_place(refusal) from None
    if upgrade.status_of(settings.database_url) is not upgrade.Schema.EMPTY:
        with open_database(settings) as database:
            # Its schema is ours, and it takes a write: none that others hold up or the disk denies.
            database.write_now(lambda _: None)


def make_data_dir(settings: Settings) -> None:
    """Make the data folder as the daemon would; CliError where that may not be."""
    from supervisor.place import StartRefused, prepare_data_dir

    try:
        prepare_data_dir(settings)
    except StartRefused as refusal:
        raise refused_place(refusal) from None


def refused_place(refusal: StartRefused) -> CliError:
    """Return the refusal of a folder as a command tells it."""
    error = CliError(refusal.args[0], refusal.hint)
    error.exit_code = refusal.exit_code
    return error


@contextmanager
def open_database(settings: Settings, *, create: bool = False) -> Iterator[Database]:
    """Open the database for a command; an error of jobs.store.errors unless its schema is ours.

    A database that holds nothing is set up when create is set. Commits are durable: what a
    command has said it did survives a power cut.
    """
    from jobs.store import upgrade
    from jobs.store.database import Database

    if create:
        make_data_dir(settings)
        if upgrade.status_of(settings.database_url) is upgrade.Schema.EMPTY:
            upgrade.upgrade_now(settings.database_url, tell)
    database = Database(settings.database_url, durable=True)
    try:
        database.read_now(upgrade.require_current)
        yield database
    finally:
        database.close_now()
