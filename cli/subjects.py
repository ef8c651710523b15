"""Enrolling, withdrawing and forgetting: through the daemon, or in the database without one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from cli.client import ControlClient
from cli.context import tell
from cli.errors import BadInput, CliError, NoDaemon, NotYet
from cli.store import open_database
from ipc.clock import SystemClock
from ipc.commands import Discover, Enroll, Forget, Withdraw
from ipc.subject import Subject, SubjectType

if TYPE_CHECKING:
    from collections.abc import Iterable

    from sqlalchemy import Connection

    from cli.context import Invocation
    from ipc.settings import Settings


def change_subject(invocation: Invocation, change: Enroll | Withdraw | Forget, *, done: str) -> str:
    """Have the daemon change a subject, or do it here where none runs; return what to say."""
    settings = invocation.settings()
    try:
        with ControlClient(settings.socket_path) as client:
            reply = client.request(change)
            kept = reply.status == "kept"
            return f"{done} as soon as a scheduler runs" if kept else reply.text or done
    except NoDaemon:
        if not change_in_database(settings, change):
            done = f"{change.subject} was not mirrored"
        return f"{done} (no daemon runs; the next one knows)"


def require_known(settings: Settings, subject: Subject) -> None:
    """Refuse a subject that was never mirrored: its id is most likely mistyped."""
    from jobs.store import credentials, subjects
    from jobs.store.errors import StoreMissing

    def is_known(conn: Connection) -> bool:
        if subject in subjects.all_states(conn):
            return True
        is_character = subject.type is SubjectType.CHARACTER
        return is_character and bool(credentials.list_all(conn, subject.id))

    try:
        with open_database(settings) as database:
            known = database.read_now(is_known)
    except StoreMissing:
        # Whoever makes the change says so.
        return
    if not known:
        raise BadInput(
            f"{subject} is not known here", "`esisyncd status` and `credential list` tell who is."
        )


def change_in_database(settings: Settings, change: Enroll | Withdraw | Forget) -> bool:
    """Change a subject's state in the database; only where no daemon runs.

    Return False if it was withdrawn and not mirrored.
    """
    from jobs.store import subjects

    now = SystemClock().now()
    with open_database(settings, create=isinstance(change, Enroll)) as database:
        match change:
            case Enroll(subject=subject):
                database.write_now(lambda conn: subjects.enroll(conn, subject, now))
            case Withdraw(subject=subject):
                return database.write_now(lambda conn: subjects.withdraw(conn, subject, now))
            case Forget(subject=subject):
                database.write_now(lambda conn: subjects.mark_deleted(conn, subject, now))
    return True


def tell_daemon_to_look(settings: Settings, enrolled: Iterable[Subject] = ()) -> bool:
    """Have a running daemon look for new credentials and subjects; tell whether one runs.

    They are stored already: a daemon that cannot be told finds them by itself, and that is no
    failure of the command. enrolled: whom it shall have enrolled, whatever else it was told before.
    """
    try:
        with ControlClient(settings.socket_path) as client:
            if client.request(Discover()).status == "kept":
                # So may be an older command, that one of them be withdrawn or forgotten.
                for subject in enrolled:
                    client.request(Enroll(subject))
    except NoDaemon:
        return False
    except NotYet:
        # It was told, and looks as soon as it can.
        return True
    except CliError as error:
        tell(f"{error.message}; what was stored is found with the next look")
        return True
    return True
