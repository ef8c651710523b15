"""Asking for writes from the command line: appended in one transaction, then told or waited for."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from cli.client import ConnectionLost, ControlClient
from cli.context import Number, say, tell
from cli.errors import BadInput, CliError, DaemonRefused, DaemonSilent, NoDaemon, NotYet
from cli.json_documents import json_text
from cli.store import open_database
from cli.writes.names import Names
from cli.writes.view import as_json, line
from ipc.clock import SystemClock
from ipc.commands import Drain
from ipc.exits import Exit
from jobs.store.write_status import Status

if TYPE_CHECKING:
    from cli.context import Invocation
    from ipc.settings import Settings
    from ipc.subject import Subject
    from jobs.store.database import Database
    from jobs.store.outbox_rows import OutboxRow

F = TypeVar("F", bound=Callable[..., Any])

# How often a row is looked at while it is waited for.
_LOOK_S = 0.2
# And the daemon asked whether it is there.
_ASK_S = 2.0


@dataclass(frozen=True, slots=True)
class How:
    """What the options say about waiting and telling."""

    wait: bool
    timeout_s: float | None
    as_json: bool


def how_options(command: F) -> F:
    """Give a command --wait, --timeout and --json."""
    options = (
        click.option("--wait", is_flag=True, help="Wait until it has arrived, or will not."),
        click.option(
            "--timeout",
            "timeout_s",
            type=Number(min=0, min_open=True),
            metavar="SECONDS",
            help="Give up waiting after this; means --wait. It goes on by itself.",
        ),
        click.option("--json", "as_json", is_flag=True, help="Print one JSON document."),
    )
    for option in reversed(options):
        command = option(command)
    return command


class Desk:
    """The database, names and the outbox, for one command."""

    def __init__(self, settings: Settings, database: Database) -> None:
        """Take an open database."""
        self.settings = settings
        self.database = database
        self.names = Names(settings, database)

    def check_right(self, subject: Subject, kind: str) -> None:
        """Refuse at once what the subject may not write; the scope is named."""
        from jobs.errors import MissingScope, NeedsLogin
        from jobs.writes.rights import require_right

        try:
            self.database.read_now(lambda conn: require_right(conn, subject, kind))
        except MissingScope as error:
            raise DaemonRefused(
                f"{subject} has not granted {error.scope}", "`esisyncd login --writes` asks for it."
            ) from None
        except NeedsLogin as error:
            raise DaemonRefused(error.reason, "`esisyncd login --writes` brings one.") from None

    def ask(self, subject: Subject, kind: str, payloads: Sequence[Any], how: How) -> int:
        """Append writes, all or none; return the exit code."""
        from jobs.writes.payloads import BadPayload
        from jobs.writes.want import want_all

        self.check_right(subject, kind)
        now = SystemClock().now()
        try:
            ids = self.database.write_now(
                lambda conn: [
                    row_id
                    for payload in payloads
                    for row_id in want_all(conn, subject, kind, payload, now)
                ]
            )
        except BadPayload as error:
            raise BadInput(str(error)) from None
        return self.follow(list(dict.fromkeys(ids)), how)

    def follow(self, ids: Sequence[int], how: How) -> int:
        """Tell of rows that were just stored, after waiting for them if that is wanted."""
        running = drain_now(self.settings)
        if how.wait or how.timeout_s is not None:
            if not running:
                told = ", ".join(map(str, ids))
                raise NoDaemon(
                    f"stored as write {told}, and no daemon runs to send it",
                    "Start one with `esisyncd run`; it sends what is stored.",
                )
            tell(f"stored as write {', '.join(map(str, ids))}; waiting for it to arrive")
            return self._wait(ids, how)
        rows = self.rows(ids)
        if how.as_json:
            say(document(rows))
            return Exit.OK
        for row in rows:
            say(line(row))
        if not running:
            tell("no daemon runs; the next one sends it")
        return Exit.OK

    def rows(self, ids: Sequence[int]) -> list[OutboxRow]:
        """Return rows, without those that are gone: done long ago."""
        from jobs.store import outbox_rows

        return self.database.read_now(
            lambda conn: [row for one in ids if (row := outbox_rows.get(conn, one)) is not None]
        )

    def _require_daemon(self, ids: Sequence[int]) -> None:
        """Raise where nobody is there any more to send what was stored."""
        told = ", ".join(map(str, ids))
        try:
            with ControlClient(self.settings.socket_path) as client:
                state, _ = client.status()
        except DaemonSilent:
            return
        except (NoDaemon, ConnectionLost):
            raise NoDaemon(
                f"write {told} has not arrived, and the daemon is gone",
                "It is stored: the next one sends it. Start one with `esisyncd run`.",
            ) from None
        if state.scheduler_state == "parked":
            raise NotYet(
                f"write {told} has not arrived, and the daemon gave up restarting",
                "It is stored. `esisyncd restart` revives the daemon; `esisyncd status` says why.",
            )

    def _wait(self, ids: Sequence[int], how: How) -> int:
        deadline = None if how.timeout_s is None else time.monotonic() + how.timeout_s
        ask_at = time.monotonic() + _ASK_S
        while True:
            rows = self.rows(ids)
            if not any(row.status in (Status.PENDING, Status.INFLIGHT) for row in rows):
                break
            if time.monotonic() >= ask_at:
                self._require_daemon(ids)
                ask_at = time.monotonic() + _ASK_S
            if deadline is not None and time.monotonic() >= deadline:
                if how.as_json:
                    say(document(rows))
                raise NotYet(
                    "; ".join(line(row) for row in rows),
                    "It goes on by itself; `esisyncd outbox show ID` tells how.",
                )
            time.sleep(_LOOK_S)
        if how.as_json:
            say(document(rows))
        else:
            for row in rows:
                say(line(row))
        return Exit.OK if all(row.status is Status.DONE for row in rows) else Exit.FAILURE


@contextmanager
def open_desk(invocation: Invocation) -> Iterator[Desk]:
    """Open the database for a command that writes."""
    settings = invocation.settings()
    with open_database(settings) as database:
        yield Desk(settings, database)


def ask(
    invocation: Invocation,
    character: str,
    kind: str,
    payloads_of: Callable[[Names], Sequence[Any]],
    how: How,
) -> int:
    """Append the writes that a command asks for; return the exit code."""
    with open_desk(invocation) as desk:
        subject = desk.names.character(character)
        desk.check_right(subject, kind)
        return desk.ask(subject, kind, payloads_of(desk.names), how)


def drain_now(settings: Settings) -> bool:
    """Have a running daemon look at the outbox now; tell whether one runs."""
    try:
        with ControlClient(settings.socket_path) as client:
            client.request(Drain())
    except NoDaemon:
        return False
    except CliError:
        # It lives, and looks by itself within seconds.
        return True
    return True


def document(rows: Sequence[OutboxRow]) -> str:
    """Return rows as one JSON document."""
    return json_text(writes=[as_json(row) for row in rows])
